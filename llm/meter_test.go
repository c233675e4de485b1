package llm_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/llm"
)

func TestAMeterCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var meter llm.Meter
		require.Zero(t, meter.Total())
		require.Empty(t, meter.ByLabel())
		usage := prospect.Usage{InputTokens: 3, OutputTokens: 1}
		m := meter.Wrap(llm.NewScripted("m",
			llm.Turn{Match: "good", Text: "x", Usage: usage, Delay: time.Second, Repeat: true},
			llm.Turn{Match: "cut", Text: "x", Usage: usage, Truncated: true, Repeat: true},
			llm.Turn{Match: "bad", Err: errors.New("refused"), Delay: time.Second, Repeat: true},
		))
		require.Equal(t, "m", m.Identity())
		var wg sync.WaitGroup
		for i := range 30 {
			ctx := t.Context()
			if i%3 == 0 {
				ctx = llm.WithLabel(ctx, "ada")
			}
			wg.Go(func() { m.Generate(ctx, prospect.LLMRequest{Prompt: []string{"good", "cut", "bad"}[i%3]}) })
		}
		wg.Wait()
		ten := prospect.Usage{InputTokens: 30, OutputTokens: 10}
		ada := llm.Count{Calls: 10, Usage: ten, Time: 10 * time.Second}
		rest := llm.Count{Calls: 20, Errors: 10, Truncated: 10, Usage: ten, Time: 10 * time.Second}
		require.Equal(t, map[string]llm.Count{"ada": ada, "": rest}, meter.ByLabel())
		require.Equal(t, llm.Count{Calls: 30, Errors: 10, Truncated: 10, Usage: ten.Add(ten), Time: 20 * time.Second}, meter.Total())
	})
}

// A call that failed is counted as that alone, whatever came with the error.
func TestAMeterCountsACallOnce(t *testing.T) {
	var meter llm.Meter
	m := meter.Wrap(prospect.NewLLM("m", func(context.Context, prospect.LLMRequest) (prospect.LLMResponse, error) {
		return prospect.LLMResponse{Truncated: true}, errors.New("broke off")
	}))
	_, err := ask(t, m, "p")
	require.Error(t, err)
	total := meter.Total()
	require.Equal(t, llm.Count{Calls: 1, Errors: 1, Time: total.Time}, total)
}

// logLines runs f with a logger and returns what it wrote.
func logLines(o slog.Leveler, f func(*slog.Logger)) string {
	var b bytes.Buffer
	f(slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: o, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})))
	return b.String()
}

func TestLogTellsOfCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script := llm.NewScripted("m",
			llm.Turn{Text: "private answer", Delay: time.Second, Truncated: true, Usage: prospect.Usage{InputTokens: 3, OutputTokens: 4}},
			llm.Turn{Err: errors.New("refused")},
		)
		got := logLines(slog.LevelInfo, func(l *slog.Logger) {
			m := llm.Log(script, l, llm.LogOptions{})
			require.Equal(t, "m", m.Identity())
			_, err := m.Generate(llm.WithLabel(t.Context(), "ada"), prospect.LLMRequest{System: "private", Prompt: "private", SchemaName: "infer"})
			require.NoError(t, err)
			_, err = ask(t, m, "private")
			require.Error(t, err)
		})
		require.Equal(t, `level=INFO msg="model call" model=m duration=1s label=ada schema=infer input_tokens=3 output_tokens=4 prompt_bytes=14 answer_bytes=14 truncated=true
level=WARN msg="model call" model=m duration=0s input_tokens=0 output_tokens=0 prompt_bytes=7 answer_bytes=0 error=refused
`, got)
	})
}

func TestLogLevels(t *testing.T) {
	m := llm.NewScripted("m", llm.Turn{Match: "x", Text: "yes", Repeat: true}, llm.Turn{Match: "y", Err: errors.New("no"), Repeat: true})
	got := logLines(slog.LevelInfo, func(l *slog.Logger) {
		quiet := llm.Log(m, l, llm.LogOptions{Level: slog.LevelDebug})
		ask(t, quiet, "x")
		ask(t, quiet, "y")
	})
	require.Equal(t, 1, strings.Count(got, "\n"))
	require.Contains(t, got, "level=INFO")
	require.Contains(t, got, "error=no")
	require.Equal(t, prospect.LLM(m), llm.Log(m, nil, llm.LogOptions{}))
}

func TestLogTellsTextsWhenAsked(t *testing.T) {
	r := open(t, write(t, recordingPath(t), header+`{"request":{"prompt":"known prompt"},"response":"known answer"}`), nil, llm.RecordingOptions{})
	all := func(texts bool) string {
		return logLines(slog.LevelInfo, func(l *slog.Logger) {
			m := llm.Log(r, l, llm.LogOptions{Texts: texts})
			ask(t, m, "known prompt")
			ask(t, m, "unknown prompt")
			ask(t, llm.Log(llm.NewScripted("m"), l, llm.LogOptions{Texts: texts}), "other prompt")
		})
	}
	for _, text := range []string{"known prompt", "known answer", "unknown prompt", "other prompt"} {
		require.NotContains(t, all(false), text)
		require.Contains(t, all(true), text)
	}
	require.Contains(t, all(false), "no record of the request")
	require.Contains(t, all(false), "no answer in the script")
}

func TestMiddlewaresConform(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		m := prospect.LLM(llm.NewScripted("m", llm.Turn{Text: "yes", Repeat: true, Delay: 10 * time.Millisecond}))
		retried, err := llm.Retry(m, llm.RetryOptions{Timeout: time.Minute})
		require.NoError(t, err)
		limited, err := llm.Limit(m, 2)
		require.NoError(t, err)
		flaky, err := llm.Retry(llm.NewFaulty(m, llm.Faults{Errors: 0.2}), llm.RetryOptions{Attempts: 20})
		require.NoError(t, err)
		var meter llm.Meter
		models := []prospect.LLM{
			retried, limited, flaky, budget(t, llm.Limits{Calls: 100, Tokens: 10000, Time: time.Hour}).Wrap(m), meter.Wrap(m),
			llm.Log(m, slog.New(slog.DiscardHandler), llm.LogOptions{}), cacheIn(t, dir, llm.CacheOptions{}).Wrap(m),
		}
		for i, m := range models {
			require.NoError(t, llm.TestLLM(t.Context(), m), i)
		}
		all := stack(t, m, dir, &meter)
		require.NoError(t, llm.TestLLM(t.Context(), all))
		require.Equal(t, "m", all.Identity())
	})
}

// stack is the order that the documentation recommends.
func stack(t *testing.T, client prospect.LLM, dir string, meter *llm.Meter) prospect.LLM {
	m, err := llm.Limit(client, 2)
	require.NoError(t, err)
	m = budget(t, llm.Limits{Calls: 1000}).Wrap(m)
	m = meter.Wrap(m)
	m, err = llm.Retry(m, llm.RetryOptions{})
	require.NoError(t, err)
	m = cacheIn(t, dir, llm.CacheOptions{}).Wrap(m)
	return llm.Log(m, slog.New(slog.DiscardHandler), llm.LogOptions{})
}

func Example() {
	ctx := context.Background()
	// In a program, the client that it already has: see [prospect.NewLLM].
	var client prospect.LLM = llm.NewScripted("model 1",
		llm.Turn{Err: fmt.Errorf("503: %w", prospect.ErrTransient)},
		llm.Turn{Text: "yes", Repeat: true, Usage: prospect.Usage{InputTokens: 9, OutputTokens: 1}},
	)
	budget, err := llm.NewBudget(llm.Limits{Calls: 3})
	if err != nil {
		panic(err)
	}
	limited, err := llm.Limit(client, 4) // innermost
	if err != nil {
		panic(err)
	}
	model, err := llm.Retry(budget.Wrap(limited), llm.RetryOptions{Base: time.Millisecond})
	if err != nil {
		panic(err)
	}
	for range 3 {
		answer, err := model.Generate(ctx, prospect.LLMRequest{Prompt: "Are you there?"})
		fmt.Printf("%q, out of budget: %v\n", answer.Text, errors.Is(err, llm.ErrBudget))
	}
	fmt.Println(budget.Spent().Calls, "calls,", budget.Spent().Tokens, "tokens")
	// Output:
	// "yes", out of budget: false
	// "yes", out of budget: false
	// "", out of budget: true
	// 3 calls, 20 tokens
}
