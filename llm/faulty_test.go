package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/llm"
)

const answer = "a longer answer"

func steady() prospect.LLM {
	return llm.NewScripted("steady", llm.Turn{Text: answer, Repeat: true})
}

// outcomes sends every prompt twice and says what came of it.
func outcomes(t *testing.T, m prospect.LLM, concurrent bool) []string {
	t.Helper()
	const n = 200
	out := make([]string, 2*n)
	one := func(i int) {
		for k := range 2 {
			resp, err := m.Generate(t.Context(), prospect.LLMRequest{Prompt: fmt.Sprint("prompt ", i)})
			out[2*i+k] = fmt.Sprintf("%q %v %v", resp.Text, resp.Truncated, err)
		}
	}
	var wg sync.WaitGroup
	for i := range n {
		if concurrent {
			wg.Go(func() { one(i) })
		} else {
			one(i)
		}
	}
	wg.Wait()
	return out
}

func TestFaultsAreReproducible(t *testing.T) {
	f := llm.Faults{Seed: 7, Errors: 0.2, Refusals: 0.1, Truncations: 0.2, Empty: 0.1, Lies: 0.5}
	first := outcomes(t, llm.NewFaulty(steady(), f), false)
	require.Equal(t, first, outcomes(t, llm.NewFaulty(steady(), f), true), "whatever the timing")
	f.Seed = 8
	require.NotEqual(t, first, outcomes(t, llm.NewFaulty(steady(), f), false))
}

// What a request meets does not depend on another whose texts are the same
// once joined.
func TestFaultsOfEachRequest(t *testing.T) {
	send := func(m prospect.LLM, system, prompt string) bool {
		_, err := m.Generate(t.Context(), prospect.LLMRequest{System: system, Prompt: prompt})
		return err != nil
	}
	alone, mixed := llm.NewFaulty(steady(), llm.Faults{Errors: 0.5}), llm.NewFaulty(steady(), llm.Faults{Errors: 0.5})
	for range 50 {
		send(mixed, "ab", "c")
		require.Equal(t, send(alone, "a", "bc"), send(mixed, "a", "bc"))
	}
}

func TestFaultsComeAsOftenAsAsked(t *testing.T) {
	count := func(f llm.Faults, what func(prospect.LLMResponse, error) bool) float64 {
		m := llm.NewFaulty(steady(), f)
		n := 0
		for range 4000 {
			if what(m.Generate(t.Context(), prospect.LLMRequest{Prompt: "p"})) {
				n++
			}
		}
		return float64(n) / 4000
	}
	// 4,000 draws of share 0.25 have a standard deviation of 0.007.
	require.InDelta(t, 0.25, count(llm.Faults{Errors: 0.25}, func(_ prospect.LLMResponse, err error) bool {
		return errors.Is(err, prospect.ErrTransient)
	}), 0.035)
	require.InDelta(t, 0.25, count(llm.Faults{Empty: 0.25}, func(r prospect.LLMResponse, err error) bool {
		return err == nil && r.Text == ""
	}), 0.035)
	require.InDelta(t, 0.25, count(llm.Faults{Truncations: 0.25}, func(r prospect.LLMResponse, err error) bool {
		return err == nil && r.Truncated && strings.HasPrefix(answer, r.Text) && len(r.Text) < len(answer)
	}), 0.035)
	require.Equal(t, 1.0, count(llm.Faults{}, func(r prospect.LLMResponse, err error) bool {
		return err == nil && r.Text == answer && !r.Truncated
	}))
	require.InDelta(t, 0.25, count(llm.Faults{Refusals: 0.25}, func(_ prospect.LLMResponse, err error) bool {
		return errors.Is(err, llm.ErrFault) && !errors.Is(err, prospect.ErrTransient)
	}), 0.035)
	// Some of the lies leave an answer without JSON as it is.
	lied := count(llm.Faults{Lies: 0.25}, func(r prospect.LLMResponse, err error) bool { return err == nil && r.Text != answer && !r.Truncated })
	require.Less(t, lied, 0.285)
	require.Greater(t, lied, 0.15)
	other := errors.New("other")
	require.Equal(t, 1.0, count(llm.Faults{Errors: 1, Err: other}, func(_ prospect.LLMResponse, err error) bool {
		return err == other
	}))
}

func TestFaultyDelaysAndHeedsItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := llm.NewFaulty(steady(), llm.Faults{MaxDelay: time.Second})
		var longest time.Duration
		for range 100 {
			begin := time.Now()
			_, err := m.Generate(t.Context(), prospect.LLMRequest{Prompt: "p"})
			require.NoError(t, err)
			longest = max(longest, time.Since(begin))
		}
		require.LessOrEqual(t, longest, time.Second)
		require.Greater(t, longest, 900*time.Millisecond)

		m = llm.NewFaulty(steady(), llm.Faults{MaxDelay: 1000 * time.Hour})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := m.Generate(ctx, prospect.LLMRequest{Prompt: "p"})
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

func TestFaultyPassesTheModelsErrorOn(t *testing.T) {
	m := llm.NewFaulty(llm.NewScripted("empty"), llm.Faults{Truncations: 1, Empty: 1})
	_, err := m.Generate(t.Context(), prospect.LLMRequest{Prompt: "p"})
	require.ErrorIs(t, err, llm.ErrNoAnswer)
	require.NotEqual(t, "empty", m.Identity())
	require.Contains(t, m.Identity(), "empty")
}

func TestFaultyHangsUntilItsContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		begin := time.Now()
		_, err := llm.NewFaulty(steady(), llm.Faults{Hangs: 1}).Generate(ctx, prospect.LLMRequest{})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, time.Hour, time.Since(begin))
	})
}

// Lies are of many kinds, and bounded.
func TestLies(t *testing.T) {
	const said = `{"capabilities": [{"capability": "read", "evidence": "x"}], "anchors": ["a", "b"]}`
	m := llm.NewFaulty(llm.NewScripted("m", llm.Turn{Text: said, Repeat: true}), llm.Faults{Lies: 1})
	kinds := map[string]func(string) bool{
		"empty":         func(s string) bool { return s == "" },
		"not UTF-8":     func(s string) bool { return !utf8.ValidString(s) },
		"huge":          func(s string) bool { return len(s) > 1<<20 },
		"deep":          func(s string) bool { return strings.HasPrefix(s, "[[[[[[[[") },
		"the prompt":    func(s string) bool { return s == "prompt" },
		"orders":        func(s string) bool { return strings.Contains(s, "Ignore all") },
		"orders within": func(s string) bool { return strings.Contains(s, "Ignore all") && strings.Contains(s, "anchors") },
		"JSON":          func(s string) bool { return json.Valid([]byte(s)) },
		"broken":        func(s string) bool { return strings.HasPrefix(s, "{") && !json.Valid([]byte(s)) },
		"chat":          func(s string) bool { return strings.Contains(s, "sorry") },
		"reasoning":     func(s string) bool { return strings.Contains(s, "<think>") },
		"a start":       func(s string) bool { return len(s) > 0 && len(s) < len(said) && strings.HasPrefix(said, s) },
	}
	seen := map[string]int{}
	for range 1500 {
		resp, err := m.Generate(t.Context(), prospect.LLMRequest{Prompt: "prompt"})
		require.NoError(t, err)
		require.LessOrEqual(t, len(resp.Text), 3<<20)
		for kind, is := range kinds {
			if is(resp.Text) {
				seen[kind]++
			}
		}
	}
	for kind := range kinds {
		require.Positive(t, seen[kind], kind)
	}
}
