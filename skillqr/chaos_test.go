package skillqr_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/internal/fence"
	"github.com/prospect-go/prospect/llm"
	"github.com/prospect-go/prospect/skillqr"
)

// honest answers prompts of both halves as it should be. Its draft leaves out
// one of three domains, so that there is something to revise.
func honest(req prospect.LLMRequest) string {
	switch req.SchemaName {
	case "route", "rewrite":
		resp, err := new(onlineModel).Generate(context.Background(), req)
		if err != nil {
			panic(err)
		}
		return resp.Text
	}
	return (&clerk{drafts: []string{"algebra", "botany"}}).answer(req)
}

var honestModel = prospect.NewLLM("honest/1", func(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
	return prospect.LLMResponse{Text: honest(req), Usage: prospect.Usage{InputTokens: len(req.Prompt) / 4, OutputTokens: 50}}, ctx.Err()
})

// A diary is what a model was asked in one job of the chaos, and what it said.
type diary struct {
	mu      sync.Mutex
	calls   []diaryCall
	errs    []error // of the calls
	sincere bool    // all answers were honest
}

// A diaryCall is one call: which step it was of, which documents it showed, and
// whether it gave an answer.
type diaryCall struct {
	step, documents string
	answered        bool
}

type diaryKey struct{}

// withDiary is a model that writes into the diary of the context that it is asked
// with, if there is one.
func withDiary(m prospect.LLM) prospect.LLM {
	return prospect.NewLLM(m.Identity(), func(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
		resp, err := m.Generate(ctx, req)
		if d, ok := ctx.Value(diaryKey{}).(*diary); ok {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.calls = append(d.calls, diaryCall{req.SchemaName, strings.Join(fence.Inside(req.Prompt, "document"), "\n"), err == nil})
			d.sincere = d.sincere && err == nil && resp.Text == honest(req)
			if err != nil {
				d.errs = append(d.errs, err)
			}
		}
		return resp, err
	})
}

// A job is one use of the package in the chaos.
type job struct {
	kind  string
	diary diary
	ended error // of its context, when it returned
	// check holds what came of it to what it says of itself, and names that.
	check func(t *testing.T) string
}

// chaotic are the things that jobs work with. None is changed by a job.
type chaotic struct {
	model     prospect.LLM
	calm      prospect.LLM // has few faults, so that now and then many calls in a row have none
	rewriters []*skillqr.Rewriter
	oracles   []*skillqr.Rewriter // the same with an honest model and steady tools
	flaky     skillqr.Retriever   // fails for some queries
	grown     *shelf
	mined     *skillqr.Mining // of the shelf before it grew
	minedYAML string
}

// unlucky says of a share of the texts that they are.
func unlucky(text string, share float64) bool {
	h := fnv.New64a()
	h.Write([]byte(text))
	return float64(h.Sum64()%1000) < 1000*share
}

var errFlaky = errors.New("the index is away")

// setting makes what jobs work with, with a model that has faults.
func setting(t *testing.T, model, calm prospect.LLM) *chaotic {
	lib := newLibrary("math theorem", "code types and bread", "medicine of bread", "expanded by math", "hive")
	flaky := func(ctx context.Context, parts []skillqr.Part, k int) ([]prospect.Hit, error) {
		if unlucky(skillqr.Join(parts), 0.2) {
			return nil, errFlaky
		}
		return lib.find(ctx, parts, k)
	}
	texts := func(ctx context.Context, ids []string) ([]string, error) {
		if unlucky(strings.Join(ids, " "), 0.2) {
			return nil, errFlaky
		}
		return lib.get(ctx, ids)
	}
	prior := func(_ context.Context, query string) (map[string]float64, error) {
		if unlucky(query, 0.2) {
			return nil, errFlaky
		}
		return map[string]float64{"code": 0.4, "math": 0.3}, nil
	}
	s := &chaotic{model: model, calm: calm, flaky: flaky}
	for _, o := range []skillqr.Options{
		{},
		{Feedback: &skillqr.Feedback{Find: flaky, Texts: texts}, Top: 2},
		{Routing: skillqr.Routing{Votes: 3, Prior: prior}, Timeout: 20 * time.Second, MaxExpansion: 40},
		{Cache: skillqr.NewLRU(50), Gate: skillqr.KeepShort(1), Join: skillqr.JoinWeights{Original: 3, Expansion: 1}},
	} {
		s.rewriters = append(s.rewriters, newRewriter(t, threeSkills(), model, o))
		o.Timeout, o.Cache = 0, nil
		s.oracles = append(s.oracles, newRewriter(t, threeSkills(), honestModel, o))
	}
	s.mined = mine(t, threeDomains(), skillqr.MineOptions{Proposer: honestModel})
	s.minedYAML = yamlOf(t, s.mined.Set)
	s.grown = threeDomains().plant("dance", 5, 12).plant("eating", 6, 9)
	return s
}

// job draws one.
func (s *chaotic) job(t *testing.T, ctx context.Context, r *rand.Rand, n int) *job {
	j := &job{diary: diary{sincere: true}}
	ctx = context.WithValue(ctx, diaryKey{}, &j.diary)
	words := strings.Fields("math code medicine bread hive tide")
	r.Shuffle(len(words), func(a, b int) { words[a], words[b] = words[b], words[a] })
	query := strings.Join(words[:1+r.IntN(3)], " ")
	if r.IntN(4) > 0 {
		query += fmt.Sprintf(" %d", n)
	}
	at := r.IntN(len(s.rewriters))
	rw := s.rewriters[at]
	proposer := s.model
	if r.IntN(3) == 0 {
		proposer = s.calm
	}
	switch kind := r.IntN(20); {
	case kind == 0:
		j.kind = "mine"
		o := skillqr.MineOptions{Proposer: proposer, Seed: uint64(n), MaxFailures: r.IntN(20), Concurrency: 1 + r.IntN(6)}
		corpus := threeDomains().corpus(t)
		m, err := skillqr.Mine(ctx, corpus, nil, o)
		j.check = func(t *testing.T) string {
			o.Proposer = honestModel
			return j.mining(t, m, err, corpus, func() (*skillqr.Mining, error) { return skillqr.Mine(t.Context(), corpus, nil, o) })
		}
	case kind == 1:
		j.kind = "refresh"
		o := skillqr.RefreshOptions{MineOptions: skillqr.MineOptions{Proposer: proposer, Seed: uint64(n), MaxFailures: r.IntN(20)}}
		corpus := s.grown.corpus(t)
		m, err := skillqr.Refresh(ctx, corpus, s.mined.Set, s.mined.Clusters, o)
		j.check = func(t *testing.T) string {
			require.Equal(t, s.minedYAML, yamlOf(t, s.mined.Set), "the old set is not changed")
			refresh := func(r *skillqr.Refreshed, err error) (*skillqr.Mining, error) {
				if r == nil {
					return nil, err
				}
				return &r.Mining, err
			}
			o.Proposer = honestModel
			got, err := refresh(m, err)
			return j.mining(t, got, err, corpus, func() (*skillqr.Mining, error) {
				return refresh(skillqr.Refresh(t.Context(), corpus, s.mined.Set, s.mined.Clusters, o))
			})
		}
	case kind < 9:
		j.kind = "rewrite"
		out, err := rw.Rewrite(ctx, query)
		j.check = func(t *testing.T) string { return j.rewriting(t, out, err, query, s.oracles[at]) }
	case kind < 11:
		j.kind = "rewrite with"
		skill := threeSkills().Skills[n%3]
		out, err := rw.RewriteWith(ctx, query, skill)
		j.check = func(t *testing.T) string {
			if out != nil && out.Skill != "" {
				require.Equal(t, skill.Name, out.Skill)
			}
			return j.rewriting(t, out, err, query, nil)
		}
	case kind < 13:
		j.kind = "route"
		route, trace, err := rw.Route(ctx, query)
		j.check = func(t *testing.T) string {
			if err != nil {
				return j.cancelled(t, err, route == nil && trace == nil)
			}
			require.Contains(t, allNames(threeSkills()), route.Skill)
			require.Equal(t, route, trace.Route)
			return j.traced(t, trace)
		}
	case kind < 19:
		j.kind = "search"
		o := skillqr.SearchOptions{K: 2, Raw: float64(r.IntN(2)), Compare: r.IntN(2) == 0}
		found, err := rw.Search(ctx, s.flaky, query, o)
		j.check = func(t *testing.T) string { return j.search(t, found, err, query, s.oracles[at]) }
	default:
		j.kind = "warm"
		queries := []string{query, query + " tide", query, query + " hive", ""}
		warmed, err := s.rewriters[3].Warm(ctx, queries, skillqr.WarmOptions{})
		j.check = func(t *testing.T) string {
			sum := warmed.Rewritten + warmed.Cached + warmed.Kept + warmed.Failed
			require.LessOrEqual(t, sum, 4)
			if err != nil {
				return j.cancelled(t, err, true)
			}
			require.Equal(t, 4, sum)
			if warmed.Failed > 0 {
				require.Error(t, warmed.Err)
				return "degraded"
			}
			require.NoError(t, warmed.Err)
			return "complete"
		}
	}
	j.ended = ctx.Err()
	return j
}

// chaos does jobs until the model was called often enough, many at once, some
// of which end early.
func chaos(t *testing.T, seed uint64, calls int, meter *llm.Meter, s *chaotic) []*job {
	r := rand.New(rand.NewPCG(seed, 1))
	var all []*job
	for meter.Total().Calls < calls {
		batch := make([]*job, 60)
		var wg sync.WaitGroup
		for i := range batch {
			n := len(all) + i
			ctx, cancel := context.WithCancel(t.Context())
			after := time.Duration(r.Int64N(int64(60 * time.Second)))
			switch r.IntN(8) {
			case 0:
				ctx, cancel = context.WithTimeout(ctx, after)
			case 1:
				time.AfterFunc(after, cancel)
			}
			own := rand.New(rand.NewPCG(r.Uint64(), 2))
			wg.Go(func() {
				defer cancel()
				batch[i] = s.job(t, ctx, own, n)
			})
		}
		wg.Wait()
		all = append(all, batch...)
	}
	return all
}

// TestChaos lets a model delay, hang, fail, break off and lie in 10,000 calls.
// Every result has to be complete or to say what is missing and why.
func TestChaos(t *testing.T) {
	for _, c := range []struct {
		name   string
		calls  int
		faults llm.Faults
		around func(t *testing.T, m prospect.LLM) prospect.LLM
	}{
		{"bare", 4000, llm.Faults{Seed: 1, Errors: 0.05, Refusals: 0.03, Truncations: 0.1, Empty: 0.05, Lies: 0.2, MaxDelay: 10 * time.Second},
			func(_ *testing.T, m prospect.LLM) prospect.LLM { return m }},
		{"wrapped", 6000, llm.Faults{Seed: 2, Errors: 0.3, Refusals: 0.02, Hangs: 0.03, Truncations: 0.05, Empty: 0.05, Lies: 0.1, MaxDelay: 5 * time.Second},
			func(t *testing.T, m prospect.LLM) prospect.LLM {
				limited, err := llm.Limit(m, 100)
				require.NoError(t, err)
				retried, err := llm.Retry(limited, llm.RetryOptions{Timeout: 15 * time.Second, Seed: 3})
				require.NoError(t, err)
				return retried
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			calls := c.calls
			if testing.Short() { // the race detector takes ten times as long
				calls /= 10
			}
			var all []*job
			synctest.Test(t, func(t *testing.T) { // fails if all are blocked, or one is left behind
				var meter llm.Meter
				with := func(f llm.Faults) prospect.LLM {
					return withDiary(c.around(t, meter.Wrap(llm.NewFaulty(honestModel, f))))
				}
				calm := llm.Faults{Seed: c.faults.Seed, Refusals: 0.005, Lies: 0.01, MaxDelay: time.Second}
				all = chaos(t, c.faults.Seed, calls, &meter, setting(t, with(c.faults), with(calm)))
				require.GreaterOrEqual(t, meter.Total().Calls, calls)
			})
			goleak.VerifyNone(t)
			seen := map[string]map[string]int{}
			for _, j := range all {
				if seen[j.kind] == nil {
					seen[j.kind] = map[string]int{}
				}
				seen[j.kind][j.check(t)]++
			}
			t.Log(seen)
			if testing.Short() {
				return
			}
			for kind, verdicts := range map[string]string{ // those that no luck of the draw leaves out
				"mine":         "as without faults, degraded, ended",
				"refresh":      "as without faults, degraded, ended",
				"rewrite":      "as without faults, complete, degraded, ended",
				"rewrite with": "complete, degraded",
				"route":        "complete, degraded",
				"search":       "as without faults, complete, degraded, ended, not found",
				"warm":         "complete, degraded",
			} {
				for _, v := range strings.Split(verdicts, ", ") {
					require.Positive(t, seen[kind][v], "%s: %s", kind, v)
				}
			}
		})
	}
}
