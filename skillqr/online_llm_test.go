package skillqr_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/llm"
	"github.com/prospect-go/prospect/skillqr"
)

// What a recording gave once it gives again, byte for byte, the votes over
// permuted lists among it.
func TestReplaysAreTheSameByteForByte(t *testing.T) {
	path := filepath.Join(t.TempDir(), "answers.jsonl")
	lib := newLibrary("math one", "code two", "medicine three")
	run := func(m prospect.LLM) string {
		rw := newRewriter(t, threeSkills(), m, skillqr.Options{Feedback: lib.feedback(), Top: 2, Routing: skillqr.Routing{Votes: 4}})
		var all []*skillqr.Found
		for i := range 5 {
			f, err := rw.Search(t.Context(), lib.find, fmt.Sprintf("%s %d", []string{"math", "code", "else"}[i%3], i), skillqr.SearchOptions{K: 3, Raw: 1})
			require.NoError(t, err)
			f.Rewrite.Trace.Elapsed = 0
			for j := range f.Rewrite.Trace.Calls {
				f.Rewrite.Trace.Calls[j].Elapsed = 0
			}
			require.Empty(t, f.Rewrite.Trace.Fallbacks)
			all = append(all, f)
		}
		data, err := json.Marshal(all)
		require.NoError(t, err)
		return string(data)
	}
	recorded, err := llm.OpenRecording(path, &onlineModel{}, llm.RecordingOptions{Mode: llm.RecordAll, KeysOnly: true})
	require.NoError(t, err)
	want := run(recorded)
	require.NoError(t, recorded.Close())
	for range 3 {
		replay, err := llm.OpenRecording(path, nil, llm.RecordingOptions{})
		require.NoError(t, err)
		require.Equal(t, want, run(replay))
		require.Empty(t, replay.Unused())
	}
}

func TestASpentBudgetIsToldApart(t *testing.T) {
	budget, err := llm.NewBudget(llm.Limits{Calls: 3})
	require.NoError(t, err)
	rw := newRewriter(t, threeSkills(), budget.Wrap(&onlineModel{}), skillqr.Options{})
	require.NoError(t, rewrite(t, rw, "math").Trace.Err())
	half := rewrite(t, rw, "math")
	require.Equal(t, "math", half.Trace.Route.Skill)
	require.Equal(t, "math", half.Final)
	require.ErrorIs(t, half.Trace.Err(), llm.ErrBudget)
	none := rewrite(t, rw, "math")
	require.Equal(t, "math", none.Final)
	require.ErrorIs(t, none.Trace.Err(), llm.ErrBudget)
	require.True(t, none.Trace.Fell(skillqr.NotRouted))
}

// A model that fails, breaks off and says nothing, asked from many goroutines:
// each rewrite holds the query, has a skill of the set or none, and says what
// went wrong.
func TestAFaultyModel(t *testing.T) {
	for seed := range uint64(20) {
		m := llm.NewFaulty(&onlineModel{}, llm.Faults{Seed: seed, Errors: 0.2, Truncations: 0.2, Empty: 0.2, Refusals: 0.1, Lies: 0.3})
		lib := newLibrary("math one", "code two")
		rw := newRewriter(t, threeSkills(), m, skillqr.Options{Feedback: lib.feedback(), Top: 2, Routing: skillqr.Routing{Votes: 2}, Cache: skillqr.NewLRU(4)})
		var wait sync.WaitGroup
		for i := range 16 {
			wait.Go(func() {
				query := fmt.Sprintf("math %d", i%8)
				out, err := rw.Rewrite(t.Context(), query)
				switch {
				case err != nil:
					t.Error(err)
				case len(out.Expansions) == 0 && (out.Final != query || !out.Trace.Fell(skillqr.NotRewritten)):
					t.Errorf("%q of %v", out.Final, out.Trace.Fallbacks)
				case len(out.Expansions) > 0 && out.Final != query+"\n"+out.Expansion():
					t.Errorf("%q", out.Final)
				}
			})
		}
		wait.Wait()
	}
}
