package skillqr_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/llm"
	"github.com/prospect-go/prospect/skillqr"
)

func TestTheTextFunctionFails(t *testing.T) {
	s := threeDomains()
	broken := errors.New("disk is gone")
	for name, c := range map[string]struct {
		text skillqr.TextFunc
		want error
	}{
		"an error":      {func(context.Context, []string) ([]string, error) { return nil, broken }, broken},
		"too few texts": {func(context.Context, []string) ([]string, error) { return []string{"a"}, nil }, prospect.ErrContract},
	} {
		corpus, err := skillqr.NewCorpus(s.ids, s.vectors, "", c.text)
		require.NoError(t, err)
		_, err = skillqr.Mine(t.Context(), corpus, nil, skillqr.MineOptions{Proposer: &clerk{}})
		require.ErrorIs(t, err, c.want, name)
	}
}

func TestMineCanBeCancelledAtEveryCall(t *testing.T) {
	defer goleak.VerifyNone(t)
	s := threeDomains()
	corpus := s.corpus(t)
	clusters, err := skillqr.Cluster(t.Context(), corpus, skillqr.ClusterOptions{})
	require.NoError(t, err)
	total := mine(t, s, skillqr.MineOptions{Proposer: twoRounds()}).Calls
	require.Equal(t, 21, total, "8 labels, a draft, 8 + 3 judgements, a revision")
	for _, concurrency := range []int{1, 4} {
		for at := 1; at <= total; at++ {
			ctx, cancel := context.WithCancel(t.Context())
			var calls atomic.Int32
			own := twoRounds()
			model := prospect.NewLLM("clerk/1", func(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
				if int(calls.Add(1)) == at {
					cancel()
					<-ctx.Done()
				}
				return own.Generate(ctx, req)
			})
			m, err := skillqr.Mine(ctx, corpus, clusters, skillqr.MineOptions{Proposer: model, Concurrency: concurrency})
			require.ErrorIs(t, err, context.Canceled, "call %d", at)
			require.Nil(t, m)
			require.LessOrEqual(t, int(calls.Load()), at+concurrency)
			cancel()
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = skillqr.Mine(ctx, corpus, nil, skillqr.MineOptions{Proposer: &clerk{}})
	require.ErrorIs(t, err, context.Canceled)
}

// A process that is killed at call i, for each i, loses that call at most: the
// next run, with what was answered on disk, gives the same set and asks only
// the rest.
func TestMineResumesAfterAKillAtEveryCall(t *testing.T) {
	s := threeDomains()
	corpus := s.corpus(t)
	clusters, err := skillqr.Cluster(t.Context(), corpus, skillqr.ClusterOptions{})
	require.NoError(t, err)
	whole, err := skillqr.Mine(t.Context(), corpus, clusters, skillqr.MineOptions{Proposer: twoRounds()})
	require.NoError(t, err)
	want := yamlOf(t, whole.Set)
	killed := errors.New("killed")
	for at := 1; at <= whole.Calls; at++ {
		cache, err := llm.OpenCache(t.TempDir(), llm.CacheOptions{})
		require.NoError(t, err)
		run := func(dieAt int) (*skillqr.Mining, int, error) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			answered := 0
			own := twoRounds()
			dying := prospect.NewLLM("clerk/1", func(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
				if answered+1 == dieAt {
					cancel(killed) // as a signal would; nothing after it is answered
					return prospect.LLMResponse{}, ctx.Err()
				}
				answered++
				return own.Generate(ctx, req)
			})
			m, err := skillqr.Mine(ctx, corpus, clusters, skillqr.MineOptions{Proposer: cache.Wrap(dying), Concurrency: 1})
			return m, answered, err
		}
		_, first, err := run(at)
		require.Error(t, err)
		require.Equal(t, at-1, first)
		m, second, err := run(0)
		require.NoError(t, err)
		require.Equal(t, want, yamlOf(t, m.Set), "killed at call %d", at)
		require.Equal(t, whole.Calls-first, second, "nothing is asked twice")
	}
}

func TestMineWithinABudget(t *testing.T) {
	total := mine(t, threeDomains(), skillqr.MineOptions{Proposer: twoRounds()}).Calls
	for calls := 1; calls <= total; calls++ {
		budget, err := llm.NewBudget(llm.Limits{Calls: calls})
		require.NoError(t, err)
		s := threeDomains()
		m, err := skillqr.Mine(t.Context(), s.corpus(t), nil, skillqr.MineOptions{
			Proposer: budget.Wrap(twoRounds()), Concurrency: 1, MaxFailures: 1,
		})
		switch {
		case calls < 9: // not even a draft
			require.ErrorIs(t, err, llm.ErrBudget, "%d calls", calls)
			require.Nil(t, m)
		case calls < total:
			require.NoError(t, err)
			require.ErrorIs(t, m.Err, llm.ErrBudget, "%d calls", calls)
			require.True(t, m.Set.Degraded(), "%d calls", calls)
			require.NoError(t, m.Set.Validate())
			require.Equal(t, "algebra notes", m.Set.Skills[0].Name)
			require.LessOrEqual(t, m.Calls, calls+2, "after two failures no more is asked")
		default:
			require.NoError(t, err)
			require.NoError(t, m.Err)
			require.False(t, m.Set.Degraded())
		}
	}
}

// One document that a service refuses costs its cluster a label, not the set.
func TestASingleFailureIsEndured(t *testing.T) {
	refused := errors.New("content policy")
	model := &clerk{instead: func(req prospect.LLMRequest, _ string) (string, error, bool) {
		if (req.SchemaName == "label" || req.SchemaName == "judge") && strings.Contains(req.Prompt, "botany text") {
			return "", refused, false
		}
		return "", nil, false
	}}
	m := mine(t, threeDomains(), skillqr.MineOptions{Proposer: model})
	require.ErrorIs(t, m.Err, refused)
	require.Equal(t, []string{"algebra notes", "cooking notes"}, skillNames(m.Set))
	require.Subset(t, kindsOf(m.Set), []skillqr.NoteKind{skillqr.NotLabelled, skillqr.NotJudged})
	for _, n := range m.Set.Notes {
		if n.Kind == skillqr.NotLabelled {
			require.Contains(t, n.Text, "content policy")
		}
	}
}

func TestMineWithAFaultyModel(t *testing.T) {
	for seed := range uint64(30) {
		model := llm.NewFaulty(twoRounds(), llm.Faults{Seed: seed, Errors: 0.1, Truncations: 0.2, Empty: 0.1})
		s := threeDomains()
		m, err := skillqr.Mine(t.Context(), s.corpus(t), nil, skillqr.MineOptions{Proposer: model})
		if err != nil {
			require.ErrorIs(t, err, prospect.ErrTransient)
			require.ErrorContains(t, err, "no skills could be drafted")
			continue
		}
		require.NoError(t, m.Set.Validate())
		// What happens to a call depends on the seed and the call alone.
		again, err := skillqr.Mine(t.Context(), s.corpus(t), nil, skillqr.MineOptions{
			Proposer: llm.NewFaulty(twoRounds(), llm.Faults{Seed: seed, Errors: 0.1, Truncations: 0.2, Empty: 0.1}), Concurrency: 2,
		})
		require.NoError(t, err)
		require.Equal(t, yamlOf(t, m.Set), yamlOf(t, again.Set))
	}
}

// MaxFailures calls may fail, and not one more.
func TestTheNumberOfFailuresThatEndsMining(t *testing.T) {
	for failures, stops := range map[int]bool{4: false, 3: true} {
		asked := 0
		judge := &clerk{instead: func(prospect.LLMRequest, string) (string, error, bool) {
			if asked++; asked <= 4 {
				return "", errAway, false
			}
			return "", nil, false
		}}
		m := mine(t, threeDomains(), skillqr.MineOptions{Proposer: &clerk{}, Judge: judge, MaxFailures: failures, Concurrency: 1})
		require.Equal(t, stops, slices.Contains(kindsOf(m.Set), skillqr.Stopped), "MaxFailures %d", failures)
		if stops {
			require.Equal(t, 4, asked)
		} else {
			require.Equal(t, 8, asked, "the judge goes on")
		}
	}
}

// The error reads the same whichever call came back first.
func TestErrorsAreInOneOrder(t *testing.T) {
	var texts []string
	for _, concurrency := range []int{1, 8, 8} {
		model := &clerk{instead: func(req prospect.LLMRequest, _ string) (string, error, bool) {
			sum := sha256.Sum256([]byte(req.Prompt))
			if req.SchemaName == "draft" {
				return "", nil, false
			}
			if concurrency > 1 {
				time.Sleep(time.Duration(sum[0]) * 100 * time.Microsecond)
			}
			return "", fmt.Errorf("%x: %w", sum[:4], errAway), false
		}}
		// The labels of algebra work, so that there is a draft.
		labels := &clerk{}
		proposer := prospect.NewLLM("clerk/1", func(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
			if req.SchemaName == "label" && strings.Contains(req.Prompt, "algebra text") {
				return labels.Generate(ctx, req)
			}
			return model.Generate(ctx, req)
		})
		m := mine(t, threeDomains(), skillqr.MineOptions{Proposer: proposer, Concurrency: concurrency, MaxFailures: 100})
		texts = append(texts, m.Err.Error())
	}
	require.Len(t, strings.Split(texts[0], "\n"), 3+8, "three labels, eight judgements; of the rest nothing is known that could be revised")
	require.Equal(t, texts[0], texts[1])
	require.Equal(t, texts[0], texts[2])
}
