package skillqr_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/llm"
	"github.com/prospect-go/prospect/skillqr"
)

// A budget that runs out at any call leaves a set that says so, or an error
// where there is nothing to give.
func TestABudgetThatEndsAtAnyCallOfMining(t *testing.T) {
	base := mine(t, threeDomains(), skillqr.MineOptions{Proposer: honestModel})
	corpus, grown := threeDomains().corpus(t), threeDomains().plant("dance", 5, 12).corpus(t)
	for name, do := range map[string]func(o skillqr.MineOptions) (*skillqr.Mining, error){
		"mine": func(o skillqr.MineOptions) (*skillqr.Mining, error) { return skillqr.Mine(t.Context(), corpus, nil, o) },
		"refresh": func(o skillqr.MineOptions) (*skillqr.Mining, error) {
			r, err := skillqr.Refresh(t.Context(), grown, base.Set, base.Clusters, skillqr.RefreshOptions{MineOptions: o})
			if err != nil {
				require.Nil(t, r)
				return nil, err
			}
			return &r.Mining, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			whole, err := do(skillqr.MineOptions{Proposer: honestModel})
			require.NoError(t, err)
			require.False(t, whole.Set.Degraded())
			given := 0
			for calls := 1; calls <= whole.Calls; calls++ {
				for _, failures := range []int{1, 100} {
					budget, err := llm.NewBudget(llm.Limits{Calls: calls})
					require.NoError(t, err)
					var meter llm.Meter
					m, err := do(skillqr.MineOptions{Proposer: budget.Wrap(meter.Wrap(honestModel)), MaxFailures: failures})
					require.LessOrEqual(t, meter.Total().Calls, calls)
					if calls == whole.Calls {
						require.NoError(t, err)
						require.NoError(t, m.Err)
						require.Equal(t, yamlOf(t, whole.Set), yamlOf(t, m.Set))
						continue
					}
					if err != nil {
						require.ErrorIs(t, err, llm.ErrBudget)
						require.Zero(t, given, "with fewer calls there was a set")
						continue
					}
					if failures == 100 {
						given++
					}
					require.ErrorIs(t, m.Err, llm.ErrBudget)
					require.NoError(t, m.Set.Validate())
					require.True(t, m.Set.Degraded())
					require.LessOrEqual(t, m.Calls-meter.Total().Calls, failures+4, "no more fail than may, but those under way")

					// Another budget completes it.
					refreshed := corpus
					if name == "refresh" {
						refreshed = grown
					}
					done, err := skillqr.Refresh(t.Context(), refreshed, m.Set, m.Clusters, skillqr.RefreshOptions{
						MineOptions: skillqr.MineOptions{Proposer: honestModel},
					})
					require.NoError(t, err)
					require.False(t, done.Set.Degraded(), "%v", done.Set.Notes)
					require.Equal(t, 1.0, done.Set.Coverage())
				}
			}
			require.Positive(t, given)
		})
	}
}

// The calls of a rewriter with all its ways of asking: three votes, then two
// expansions.
func TestABudgetThatEndsAtAnyCallOfARewrite(t *testing.T) {
	o := skillqr.Options{Routing: skillqr.Routing{Votes: 3}, Top: 2, Parallel: 1}
	second := &onlineModel{route: func(_ context.Context, prompt string) (string, error) {
		return chooses(placeInPrompt(prompt, "math"), placeInPrompt(prompt, "code")), nil
	}}
	for calls := 1; calls <= 5; calls++ {
		budget, err := llm.NewBudget(llm.Limits{Calls: calls})
		require.NoError(t, err)
		var meter llm.Meter
		lib := newLibrary("math bread", "code bread", "bread")
		rw := newRewriter(t, threeSkills(), budget.Wrap(meter.Wrap(second)), o)
		found, err := rw.Search(t.Context(), lib.find, "bread", skillqr.SearchOptions{K: 3, Raw: 1})
		require.NoError(t, err)
		require.Len(t, found.Hits, 3, "whatever happens, there are hits")
		require.Equal(t, calls, meter.Total().Calls)
		out := found.Rewrite
		require.Len(t, out.Trace.Calls, 5)
		require.Equal(t, min(calls, 3), out.Trace.Route.Answers)
		require.Equal(t, "math", out.Trace.Route.Skill)
		require.Len(t, out.Expansions, max(0, calls-3))
		if calls == 5 {
			require.Empty(t, out.Trace.Fallbacks)
			continue
		}
		require.ErrorIs(t, out.Trace.Err(), llm.ErrBudget)
		require.Equal(t, calls < 3, out.Trace.Fell(skillqr.RouteFailed))
		require.True(t, out.Trace.Fell(skillqr.RewriteFailed))
		require.Equal(t, calls < 4, out.Trace.Fell(skillqr.NotRewritten))
		require.Equal(t, calls < 4, out.Final == "bread")
	}
}

// Whenever a context ends, what was asked for is there whole or not at all. A
// call takes a second, and contexts end at each half.
func TestCancelAtAnyMoment(t *testing.T) {
	base := mine(t, threeDomains(), skillqr.MineOptions{Proposer: honestModel})
	corpus, grown := threeDomains().corpus(t), threeDomains().plant("dance", 5, 12).corpus(t)
	lib := newLibrary("math bread", "code bread", "bread")
	model := prospect.NewLLM("honest/1", func(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
		select {
		case <-ctx.Done():
			return prospect.LLMResponse{}, ctx.Err()
		case <-time.After(time.Second):
			return honestModel.Generate(ctx, req)
		}
	})
	rw := newRewriter(t, threeSkills(), model, skillqr.Options{Feedback: lib.feedback(), Cache: skillqr.NewLRU(9), Top: 2})
	mining := func(m *skillqr.Mining, err error) (string, error) {
		if m == nil {
			return "", err
		}
		return yamlOf(t, m.Set), err
	}
	for name, do := range map[string]func(ctx context.Context, n int) (string, error){
		"mine": func(ctx context.Context, _ int) (string, error) {
			return mining(skillqr.Mine(ctx, corpus, nil, skillqr.MineOptions{Proposer: model}))
		},
		"refresh": func(ctx context.Context, _ int) (string, error) {
			r, err := skillqr.Refresh(ctx, grown, base.Set, base.Clusters, skillqr.RefreshOptions{MineOptions: skillqr.MineOptions{Proposer: model}})
			if r == nil {
				return mining(nil, err)
			}
			return mining(&r.Mining, err)
		},
		"rewrite": func(ctx context.Context, n int) (string, error) {
			out, err := rw.RewriteWith(ctx, "math bread", threeSkills().Skills[0])
			if out == nil {
				return "", err
			}
			return out.Final, err
		},
		"search": func(ctx context.Context, n int) (string, error) {
			// Each query is a new one, which no cache has.
			found, err := rw.Search(ctx, lib.find, "code bread "+time.Duration(n).String(), skillqr.SearchOptions{K: 2})
			if found == nil {
				return "", err
			}
			return asJSON(found.Hits), err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				want, err := do(t.Context(), -1)
				require.NoError(t, err)
				took := time.Since(begin)
				require.GreaterOrEqual(t, took, time.Second)
				n := 0
				for after := 500 * time.Millisecond; after < took+time.Second; after += 500 * time.Millisecond {
					for _, within := range []func() (context.Context, context.CancelFunc){
						func() (context.Context, context.CancelFunc) { return context.WithTimeout(t.Context(), after) },
						func() (context.Context, context.CancelFunc) {
							ctx, cancel := context.WithCancel(t.Context())
							time.AfterFunc(after, cancel)
							return ctx, cancel
						},
					} {
						ctx, cancel := within()
						begin := time.Now()
						n++
						got, err := do(ctx, n)
						if after > took {
							require.NoError(t, err)
						}
						if err == nil {
							require.Equal(t, want, got)
						} else {
							require.ErrorIs(t, err, ctx.Err())
							require.Empty(t, got)
							require.Equal(t, after, time.Since(begin), "it ends at once")
						}
						cancel()
					}
				}
			})
		})
	}
}

// A recording of a mining and of the queries after it gives the same set and
// the same rewrites, byte for byte, with no model: of answers as they should
// be, and of what a bad model answered.
func TestAReplayGivesTheSameSetAndRewrites(t *testing.T) {
	shelf := threeDomains()
	lib := newLibrary("math theorem", "code types and bread", "medicine of bread", "hive", "algebra of hives")
	queries := []string{"math of bread", "which code", "algebra", "botany of the hive", "cooking bread", "tide", ""}

	// run mines, and rewrites all queries at once.
	run := func(t *testing.T, m prospect.LLM, o skillqr.Options) (set string, rewrites []string) {
		mined, err := skillqr.Mine(t.Context(), shelf.corpus(t), nil, skillqr.MineOptions{Proposer: m})
		require.NoError(t, err)
		rw := newRewriter(t, mined.Set, m, o)
		rewrites = make([]string, len(queries))
		var wg sync.WaitGroup
		for i, q := range queries {
			wg.Go(func() {
				found, err := rw.Search(t.Context(), lib.find, q, skillqr.SearchOptions{K: 3, Raw: 1})
				if err != nil {
					t.Errorf("%q: %v", q, err)
					return
				}
				rewrites[i] = untimed(t, found)
			})
		}
		wg.Wait()
		return yamlOf(t, mined.Set), rewrites
	}
	o := skillqr.Options{Feedback: lib.feedback(), Top: 2, Routing: skillqr.Routing{Votes: 3}}
	for name, faults := range map[string]llm.Faults{
		"good": {MaxDelay: time.Minute},
		"bad":  {Seed: 7, Errors: 0.3, Truncations: 0.2, Empty: 0.1, Lies: 0.4, MaxDelay: time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				record := func(path string) (string, []string) {
					m, err := llm.Retry(llm.NewFaulty(honestModel, faults), llm.RetryOptions{Attempts: 50})
					require.NoError(t, err)
					rec, err := llm.OpenRecording(path, m, llm.RecordingOptions{Mode: llm.RecordAll, By: "a test"})
					require.NoError(t, err)
					set, rewrites := run(t, rec, o)
					require.NoError(t, rec.Close())
					return set, rewrites
				}
				first, second := filepath.Join(t.TempDir(), "first"), filepath.Join(t.TempDir(), "second")
				wantSet, want := record(first)
				record(second)
				one, err := os.ReadFile(first)
				require.NoError(t, err)
				other, err := os.ReadFile(second)
				require.NoError(t, err)
				require.Equal(t, string(one), string(other), "two recordings of the same work")

				replay, err := llm.OpenRecording(first, nil, llm.RecordingOptions{})
				require.NoError(t, err)
				gotSet, got := run(t, replay, o)
				require.Equal(t, wantSet, gotSet)
				require.Equal(t, want, got)
				require.Empty(t, replay.Unused())

				// Other prompts are not in it: the queries stay as they are, and
				// the traces say why.
				o := o
				o.MaxTokens = 77
				set, err := skillqr.Parse([]byte(wantSet))
				require.NoError(t, err)
				out := rewrite(t, newRewriter(t, set, replay, o), queries[0])
				require.Equal(t, queries[0], out.Final)
				require.ErrorIs(t, out.Trace.Err(), llm.ErrNoRecord)
				require.ErrorContains(t, out.Trace.Err(), "max_tokens: recorded 0, asked 77")
			})
		})
	}
}
