package skilldreamer_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/internal/fence"
	"github.com/prospect-go/prospect/llm"
	"github.com/prospect-go/prospect/skill"
	"github.com/prospect-go/prospect/skilldreamer"
)

// honest answers every kind of prompt as it should be: a capability for each
// word of the task, and a skill for each capability.
func honest(req prospect.LLMRequest) string {
	inside := func(name string) string {
		if parts := fence.Inside(req.Prompt, name); len(parts) > 0 {
			return parts[0]
		}
		return ""
	}
	imagine := func(capability string) skilldreamer.ImaginedSkill {
		return skilldreamer.ImaginedSkill{Name: "a-skill", Description: capability, Body: "1. Begin.\n2. End: " + capability}
	}
	var answer any
	switch req.SchemaName {
	case "capabilities", "everything":
		words := strings.Fields(inside("task"))
		im := skilldreamer.Imagined{Anchors: words}
		for _, w := range words[:min(4, len(words))] {
			c := skilldreamer.Capability{Text: "Know about " + w + ".", Evidence: skilldreamer.Evidence(w)}
			if req.SchemaName == "everything" {
				c.Skill = new(imagine(c.Text))
			}
			im.Capabilities = append(im.Capabilities, c)
		}
		answer = im
	case "imagine":
		answer = imagine(inside("capability"))
	case "imagine_all":
		var all struct {
			Skills []skilldreamer.ImaginedSkill `json:"skills"`
		}
		for _, c := range fence.Inside(req.Prompt, "capability") {
			all.Skills = append(all.Skills, imagine(c))
		}
		answer = all
	}
	text, err := json.Marshal(answer)
	if err != nil {
		panic(err)
	}
	return string(text)
}

var honestModel = prospect.NewLLM("honest/1", func(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
	return prospect.LLMResponse{Text: honest(req), Usage: prospect.Usage{InputTokens: len(req.Prompt) / 4, OutputTokens: 100}}, ctx.Err()
})

var plans = []skilldreamer.CallPlan{skilldreamer.CallPerCapability, skilldreamer.CallBatched, skilldreamer.CallOnce}

// A search is one search in the chaos and what came of it.
type search struct {
	task   string
	plan   skilldreamer.CallPlan
	result *skilldreamer.Result
	err    error
	timed  bool  // its context had a deadline
	ended  error // of its context, when it returned
}

const chaosK = 3

// chaos searches until the model was called often enough, some searches at
// once, some of which end early.
func chaos(t *testing.T, seed uint64, calls int, meter *llm.Meter, dreamers map[skilldreamer.CallPlan]*skilldreamer.Dreamer) []search {
	r := rand.New(rand.NewPCG(seed, 1))
	words := strings.Fields("bread hive bank PDF git tide formula mites ledger form commit height")
	var all []search
	for meter.Total().Calls < calls {
		batch := make([]search, 60)
		var wg sync.WaitGroup
		for i := range batch {
			s := &batch[i]
			r.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
			s.task = strings.Join(words[:1+r.IntN(5)], " ") + fmt.Sprintf(" %d", len(all)+i)
			s.plan = plans[r.IntN(len(plans))]
			ctx, cancel := context.WithCancel(t.Context())
			after := time.Duration(r.Int64N(int64(40 * time.Second)))
			switch r.IntN(6) {
			case 0:
				ctx, cancel = context.WithTimeout(ctx, after)
				s.timed = true
			case 1:
				time.AfterFunc(after, cancel)
			}
			wg.Go(func() {
				defer cancel()
				s.result, s.err = dreamers[s.plan].Find(ctx, skilldreamer.Request{Task: s.task})
				s.ended = ctx.Err()
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
	g := newGallery(t, hash(), trades()...)
	dreamers := func(m prospect.LLM) map[skilldreamer.CallPlan]*skilldreamer.Dreamer {
		all := map[skilldreamer.CallPlan]*skilldreamer.Dreamer{}
		for _, plan := range plans {
			all[plan] = newDreamer(t, g, m, skilldreamer.Options{K: chaosK, Calls: plan})
		}
		return all
	}
	oracle := dreamers(honestModel)
	for _, c := range []struct {
		name   string
		calls  int
		faults llm.Faults
		around func(t *testing.T, m prospect.LLM) prospect.LLM
	}{
		{"bare", 4000, llm.Faults{Seed: 1, Errors: 0.1, Refusals: 0.05, Truncations: 0.1, Empty: 0.05, Lies: 0.25, MaxDelay: 10 * time.Second},
			func(_ *testing.T, m prospect.LLM) prospect.LLM { return m }},
		{"wrapped", 6000, llm.Faults{Seed: 2, Errors: 0.3, Refusals: 0.02, Hangs: 0.05, Truncations: 0.1, Empty: 0.05, Lies: 0.25, MaxDelay: 10 * time.Second},
			func(t *testing.T, m prospect.LLM) prospect.LLM {
				limited, err := llm.Limit(m, 40)
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
			var all []search
			synctest.Test(t, func(t *testing.T) { // fails if all are blocked, or one is left behind
				var meter llm.Meter
				all = chaos(t, c.faults.Seed, calls, &meter, dreamers(c.around(t, meter.Wrap(llm.NewFaulty(honestModel, c.faults)))))
				require.GreaterOrEqual(t, meter.Total().Calls, calls)
			})
			goleak.VerifyNone(t)
			seen := map[string]int{}
			for _, s := range all {
				seen[judge(t, s, oracle)]++
			}
			t.Log(seen)
			for _, kind := range []string{"as without faults", "complete", "degraded", "plain", "partial", "cancelled"} {
				require.Positive(t, seen[kind], kind)
			}
		})
	}
}

// judge holds a result to what it says of itself, and names its kind.
func judge(t *testing.T, s search, oracle map[skilldreamer.CallPlan]*skilldreamer.Dreamer) string {
	if s.err != nil {
		require.Equal(t, context.Canceled, s.ended, "only a search that was cancelled fails: %v", s.err)
		require.ErrorIs(t, s.err, context.Canceled)
		require.Nil(t, s.result)
		return "cancelled"
	}
	r := s.result
	text, err := json.Marshal(r)
	require.NoError(t, err)
	has := func(kind skilldreamer.NoteKind, j int) bool {
		return slices.ContainsFunc(r.Notes, func(n skilldreamer.Note) bool { return n.Kind == kind && n.Capability == j })
	}

	// Whatever happened, there are skills, and they are in bounds.
	require.Len(t, ids(r), chaosK, "%s", text)
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(ids(r)))), chaosK)
	require.LessOrEqual(t, len(r.Imagined.Capabilities), 8)
	require.LessOrEqual(t, len(r.Imagined.Anchors), 24)
	for j, c := range r.Imagined.Capabilities {
		require.NotEmpty(t, c.Text)
		require.LessOrEqual(t, utf8.RuneCountInString(c.Text), 600)
		if c.Skill != nil {
			require.LessOrEqual(t, utf8.RuneCountInString(c.Skill.Name+c.Skill.Description+c.Skill.Body), 100+1024+6000)
		}
		imagined := c.Skill != nil && r.Trace.Texts[j] == skilldreamer.Recipe{}.Text(&skill.Skill{Name: c.Skill.Name, Description: c.Skill.Description, Body: c.Skill.Body})
		require.Equal(t, !imagined, has(skilldreamer.NotImagined, j), "%s", text)
		if c.Skill == nil && s.plan == skilldreamer.CallPerCapability && !r.Partial {
			require.True(t, has(skilldreamer.ModelFailed, j), "%s", text)
		}
	}

	// What is missing is noted, with the reason.
	require.Equal(t, strings.Join(r.Trace.Texts, "") == "", r.Plain)
	require.Equal(t, r.Plain, has(skilldreamer.NoCapabilities, -1))
	require.Equal(t, r.Partial, has(skilldreamer.Deadline, -1))
	if r.Partial {
		require.True(t, s.timed)
	}
	last := map[string]skilldreamer.Call{} // of each question
	sincere := true
	for _, c := range r.Imagined.Calls {
		last[fmt.Sprint(c.Stage, c.Capability)] = c
		req := prospect.LLMRequest{Prompt: c.Prompt, SchemaName: strings.ReplaceAll(c.Stage, "-", "_")}
		sincere = sincere && c.Error == "" && c.Answer == honest(req)
	}
	for _, c := range last {
		if c.Error == "" || r.Partial {
			continue
		}
		i := slices.IndexFunc(r.Notes, func(n skilldreamer.Note) bool {
			return n.Kind == skilldreamer.ModelFailed && n.Capability == c.Capability
		})
		require.GreaterOrEqual(t, i, 0, "%s", text)
		require.Contains(t, r.Notes[i].Text, c.Error, "the note gives the reason")
	}
	failed := slices.ContainsFunc(r.Notes, func(n skilldreamer.Note) bool { return n.Kind == skilldreamer.ModelFailed })
	if r.Plain {
		require.True(t, failed || r.Partial, "%s", text)
	}

	switch {
	case r.Partial:
		return "partial"
	case r.Plain:
		return "plain"
	case slices.ContainsFunc(r.Notes, func(n skilldreamer.Note) bool { return n.Kind == skilldreamer.NotImagined }):
		return "degraded"
	case sincere:
		want, err := oracle[s.plan].Find(t.Context(), skilldreamer.Request{Task: s.task})
		require.NoError(t, err)
		require.Empty(t, r.Notes)
		require.Equal(t, untimed(t, want), strings.ReplaceAll(untimed(t, r), r.Imagined.Model, honestModel.Identity()))
		return "as without faults"
	}
	require.False(t, failed, "%s", text)
	return "complete"
}

// untimed is a result as JSON, without durations.
func untimed(t *testing.T, r *skilldreamer.Result) string {
	text, err := json.Marshal(r)
	require.NoError(t, err)
	var v any
	require.NoError(t, json.Unmarshal(text, &v))
	var strip func(any)
	strip = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, x := range v {
				strip(x)
			}
		case map[string]any:
			for k, x := range v {
				if strings.HasSuffix(k, "_ns") {
					delete(v, k)
				}
				strip(x)
			}
		}
	}
	strip(v)
	text, err = json.MarshalIndent(v, "", " ")
	require.NoError(t, err)
	return string(text)
}

// A budget that runs out in the middle leaves results that say so.
func TestASpentBudgetIsInTheNotes(t *testing.T) {
	g := newGallery(t, hash(), trades()...)
	for calls := 1; calls <= 4; calls++ {
		budget, err := llm.NewBudget(llm.Limits{Calls: calls})
		require.NoError(t, err)
		var meter llm.Meter
		m := budget.Wrap(meter.Wrap(honestModel))
		d := newDreamer(t, g, m, skilldreamer.Options{K: chaosK})
		find := func(task string) *skilldreamer.Result {
			r, err := d.Find(t.Context(), skilldreamer.Request{Task: task})
			require.NoError(t, err)
			require.Len(t, r.Skills, chaosK)
			return r
		}
		r := find("bread hive tide") // needs 4 calls
		require.Equal(t, calls, meter.Total().Calls)
		require.Len(t, r.Imagined.Capabilities, 3)
		var failed, missing int
		for _, n := range r.Notes {
			switch n.Kind {
			case skilldreamer.ModelFailed:
				failed++
				require.ErrorIs(t, n.Err, llm.ErrBudget)
				require.Contains(t, n.Text, llm.ErrBudget.Error())
				require.Contains(t, n.Text, fmt.Sprintf("at most %d calls allowed", calls))
			case skilldreamer.NotImagined:
				missing++
			}
		}
		require.Equal(t, 4-calls, failed)
		require.Equal(t, 4-calls, missing)
		require.False(t, r.Plain)

		r = find("bread")
		require.True(t, r.Plain)
		require.Equal(t, []skilldreamer.NoteKind{skilldreamer.ModelFailed, skilldreamer.NoCapabilities}, kinds(r.Notes))
		require.Equal(t, calls, meter.Total().Calls)

		strict := newDreamer(t, g, m, skilldreamer.Options{K: chaosK, Strict: true})
		_, err = strict.Find(t.Context(), skilldreamer.Request{Task: "bread"})
		require.ErrorIs(t, err, skilldreamer.ErrNotImagined)
		require.ErrorIs(t, err, llm.ErrBudget)
	}
}

// demoModel answers for the tasks of the demo as was recorded for them.
func demoModel(t *testing.T) (model prospect.LLM, tasks []string) {
	t.Helper()
	lines := func(name string, take func(line []byte)) {
		data, err := os.ReadFile(filepath.Join("..", "testdata", name))
		require.NoError(t, err)
		for line := range strings.Lines(string(data)) {
			take([]byte(line))
		}
	}
	texts := map[string]string{} // by id
	lines("tasks.jsonl", func(line []byte) {
		var task struct{ ID, Text string }
		require.NoError(t, json.Unmarshal(line, &task))
		texts[task.ID] = task.Text
		tasks = append(tasks, task.Text)
	})
	byTask, skills := map[string]skilldreamer.Imagined{}, map[string]*skilldreamer.ImaginedSkill{}
	lines("llm_outputs.jsonl", func(line []byte) {
		var out struct {
			ID string `json:"query_id"`
			skilldreamer.Imagined
		}
		require.NoError(t, json.Unmarshal(line, &out))
		for i, c := range out.Capabilities {
			skills[c.Text] = c.Skill
			out.Capabilities[i].Skill = nil
		}
		byTask[texts[out.ID]] = out.Imagined
	})
	return prospect.NewLLM("demo/1", func(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
		var answer any
		switch part := func(name string) string { return append(fence.Inside(req.Prompt, name), "")[0] }; req.SchemaName {
		case "capabilities":
			im, ok := byTask[part("task")]
			if !ok {
				return prospect.LLMResponse{}, errors.New("no such task")
			}
			answer = im
		case "imagine":
			answer = cmp.Or(skills[part("capability")], &skilldreamer.ImaginedSkill{Description: "whatever was asked"})
		default:
			return prospect.LLMResponse{}, fmt.Errorf("asked for %q", req.SchemaName)
		}
		text, err := json.Marshal(answer)
		return prospect.LLMResponse{Text: string(text), Usage: prospect.Usage{InputTokens: len(req.Prompt), OutputTokens: len(text)}}, cmp.Or(err, ctx.Err())
	}), tasks
}

// A recording gives the same results, byte for byte, with no model: of answers
// as they should be, and of what a bad model answered.
func TestAReplayGivesTheSameResults(t *testing.T) {
	demo, tasks := demoModel(t)
	loaded, err := skill.LoadDir(t.Context(), filepath.Join("..", "testdata", "skills"), skill.LoadOptions{})
	require.NoError(t, err)
	g := newGallery(t, hash(), loaded.Skills...)

	// run searches for all tasks at once.
	run := func(t *testing.T, m prospect.LLM, o skilldreamer.Options) []*skilldreamer.Result {
		d := newDreamer(t, g, m, o)
		results := make([]*skilldreamer.Result, len(tasks))
		var wg sync.WaitGroup
		for i, task := range tasks {
			wg.Go(func() {
				r, err := d.Find(t.Context(), skilldreamer.Request{Task: task})
				if err != nil {
					t.Errorf("%q: %v", task, err)
				}
				results[i] = r
			})
		}
		wg.Wait()
		return results
	}
	for name, c := range map[string]struct {
		faults   llm.Faults
		complete bool
	}{
		"good": {llm.Faults{MaxDelay: time.Minute}, true},
		"bad":  {llm.Faults{Seed: 5, Errors: 0.3, Truncations: 0.2, Empty: 0.1, Lies: 0.4, MaxDelay: time.Minute}, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				record := func(path string) []*skilldreamer.Result {
					m, err := llm.Retry(llm.NewFaulty(demo, c.faults), llm.RetryOptions{Attempts: 50})
					require.NoError(t, err)
					rec, err := llm.OpenRecording(path, m, llm.RecordingOptions{Mode: llm.RecordAll, By: "a test"})
					require.NoError(t, err)
					results := run(t, rec, skilldreamer.Options{})
					require.NoError(t, rec.Close())
					return results
				}
				first, second := filepath.Join(t.TempDir(), "first"), filepath.Join(t.TempDir(), "second")
				recorded := record(first)
				record(second)
				one, err := os.ReadFile(first)
				require.NoError(t, err)
				other, err := os.ReadFile(second)
				require.NoError(t, err)
				require.Equal(t, string(one), string(other), "two recordings of the same work")

				replay, err := llm.OpenRecording(first, nil, llm.RecordingOptions{})
				require.NoError(t, err)
				noted := 0
				for i, r := range run(t, replay, skilldreamer.Options{}) {
					require.Equal(t, untimed(t, recorded[i]), untimed(t, r), tasks[i])
					require.Len(t, r.Skills, 15)
					noted += len(r.Notes)
				}
				require.Equal(t, c.complete, noted == 0)
				require.Empty(t, replay.Unused())

				// Other prompts are not in it: plain results that say why.
				for _, r := range run(t, replay, skilldreamer.Options{MaxTokens: 77}) {
					require.True(t, r.Plain)
					require.Equal(t, skilldreamer.ModelFailed, r.Notes[0].Kind)
					require.Contains(t, r.Notes[0].Text, "max_tokens: recorded 0, asked 77")
				}
			})
		})
	}
}
