package llm_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/llm"
)

func ask(t *testing.T, m prospect.LLM, prompt string) (string, error) {
	t.Helper()
	resp, err := m.Generate(t.Context(), prospect.LLMRequest{Prompt: prompt})
	return resp.Text, err
}

func TestScriptedAnswersInOrder(t *testing.T) {
	m := llm.NewScripted("s", llm.Turn{Text: "one"}, llm.Turn{Text: "two"})
	require.Equal(t, "s", m.Identity())
	for _, want := range []string{"one", "two"} {
		got, err := ask(t, m, "p")
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := ask(t, m, "p")
	require.ErrorIs(t, err, llm.ErrNoAnswer)
	require.ErrorContains(t, err, "turn 1 of 2")
	require.ErrorContains(t, err, "used up")
}

func TestScriptedAnswersByMatch(t *testing.T) {
	refused := errors.New("refused")
	m := llm.NewScripted("s",
		llm.Turn{Match: "charts", Text: "C", Repeat: true},
		llm.Turn{Match: "tables", Text: "T", Truncated: true, Usage: prospect.Usage{InputTokens: 1, OutputTokens: 2}},
		llm.Turn{Match: "secrets", Err: refused},
		llm.Turn{Match: "infer", Text: "by system"},
	)
	resp, err := m.Generate(t.Context(), prospect.LLMRequest{Prompt: "read tables"})
	require.NoError(t, err)
	require.Equal(t, prospect.LLMResponse{Text: "T", Truncated: true, Usage: prospect.Usage{InputTokens: 1, OutputTokens: 2}}, resp)
	for range 3 {
		got, err := ask(t, m, "draw charts")
		require.NoError(t, err)
		require.Equal(t, "C", got)
	}
	_, err = ask(t, m, "tell secrets")
	require.Equal(t, refused, err)
	require.Equal(t, []llm.Turn{{Match: "infer", Text: "by system"}}, m.Unused())
	resp, err = m.Generate(t.Context(), prospect.LLMRequest{System: "You infer.", Prompt: "x"})
	require.NoError(t, err)
	require.Equal(t, "by system", resp.Text)
	require.Empty(t, m.Unused())
	require.Len(t, m.Calls(), 6)
	require.Equal(t, "read tables", m.Calls()[0].Prompt)
}

func TestScriptedShowsTheNearestTurn(t *testing.T) {
	m := llm.NewScripted("s",
		llm.Turn{Match: "draw a bar chart", Text: "1"},
		llm.Turn{Match: "read tables from a PDF", Text: "2"},
		llm.Turn{Match: "zz", Text: "3"},
	)
	_, err := ask(t, m, "Task: read the tables of a PDF file.")
	require.ErrorIs(t, err, llm.ErrNoAnswer)
	require.ErrorContains(t, err, `for the prompt "Task: read the tables of a PDF file."`)
	require.ErrorContains(t, err, `the nearest is turn 2 of 3, matching "read tables from a PDF"`)

	_, err = ask(t, llm.NewScripted("s"), strings.Repeat("é", 1000))
	require.ErrorContains(t, err, "the script is empty")
	require.Less(t, len(err.Error()), 700, "long prompts are cut")
}

func TestScriptedHeedsItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := llm.NewScripted("s", llm.Turn{Text: "late", Delay: time.Hour})
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := m.Generate(cancelled, prospect.LLMRequest{})
		require.ErrorIs(t, err, context.Canceled)
		require.Len(t, m.Unused(), 1, "a call that comes too late uses no turn")

		begin := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err = m.Generate(ctx, prospect.LLMRequest{})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, time.Minute, time.Since(begin))
	})
}

func TestScriptedServesConcurrentCalls(t *testing.T) {
	const n = 50
	var turns []llm.Turn
	for i := range n {
		turns = append(turns, llm.Turn{Match: fmt.Sprintf("task %d.", i), Text: fmt.Sprint(i)})
	}
	m := llm.NewScripted("s", turns...)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			resp, err := m.Generate(t.Context(), prospect.LLMRequest{Prompt: fmt.Sprintf("task %d.", i)})
			if err != nil || resp.Text != fmt.Sprint(i) {
				t.Errorf("task %d: %q, %v", i, resp.Text, err)
			}
			m.Calls()
			m.Unused()
		})
	}
	wg.Wait()
	require.Empty(t, m.Unused())
}

func TestMistakesInTheProgramPanic(t *testing.T) {
	require.Panics(t, func() { llm.NewScripted("") })
	for _, share := range []float64{-0.1, 1.1} {
		require.Panics(t, func() { llm.NewFaulty(llm.NewScripted("s"), llm.Faults{Errors: share}) })
	}
}

func ExampleScripted() {
	m := llm.NewScripted("script",
		llm.Turn{Match: "PDF", Text: `{"capabilities": ["read tables from PDF files"]}`},
		llm.Turn{Text: `{"capabilities": []}`, Repeat: true}, // anything else
	)
	for _, prompt := range []string{"Sum up this PDF.", "Say hello."} {
		resp, err := m.Generate(context.Background(), prospect.LLMRequest{Prompt: prompt})
		fmt.Println(resp.Text, err)
	}
	// Output:
	// {"capabilities": ["read tables from PDF files"]} <nil>
	// {"capabilities": []} <nil>
}
