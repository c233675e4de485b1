package llm_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/llm"
)

func budget(t *testing.T, l llm.Limits) *llm.Budget {
	t.Helper()
	b, err := llm.NewBudget(l)
	require.NoError(t, err)
	return b
}

func TestABudgetOfCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget(t, llm.Limits{Calls: 7})
		var ok, refused, under, most atomic.Int64
		m := prospect.NewLLM("m", func(ctx context.Context, _ prospect.LLMRequest) (prospect.LLMResponse, error) {
			most.Store(max(most.Load(), under.Add(1)))
			defer under.Add(-1)
			time.Sleep(time.Second)
			return prospect.LLMResponse{}, errors.New("failed calls cost too")
		})
		one, other := b.Wrap(m), b.Wrap(m) // two models, one budget
		require.Equal(t, "m", one.Identity())
		var wg sync.WaitGroup
		for i := range 100 {
			wg.Go(func() {
				m := one
				if i%2 == 0 {
					m = other
				}
				if _, err := ask(t, m, "p"); errors.Is(err, llm.ErrBudget) {
					refused.Add(1)
				} else {
					ok.Add(1)
				}
			})
		}
		wg.Wait()
		require.EqualValues(t, 7, ok.Load())
		require.EqualValues(t, 93, refused.Load())
		require.EqualValues(t, 7, most.Load(), "all at once")
		require.Equal(t, llm.Spent{Calls: 7, Time: time.Second}, b.Spent())

		_, err := ask(t, one, "p")
		e, is := errors.AsType[*llm.BudgetError](err)
		require.True(t, is)
		require.Equal(t, llm.BudgetError{Limit: "calls", Limits: llm.Limits{Calls: 7}, Spent: b.Spent()}, *e)
		require.Equal(t, "llm: the budget is spent: at most 7 calls allowed; 7 calls, 0 tokens and 1s were used", err.Error())
		require.NotErrorIs(t, err, prospect.ErrTransient)
	})
}

func TestABudgetOfTokens(t *testing.T) {
	b := budget(t, llm.Limits{Tokens: 20})
	m := b.Wrap(llm.NewScripted("m",
		llm.Turn{Text: "1", Usage: prospect.Usage{InputTokens: 10, OutputTokens: 5}},
		llm.Turn{Text: strings.Repeat("x", 15)}, // (5 + 15) bytes are 5 tokens
		llm.Turn{Text: "3"},
	))
	for range 2 {
		_, err := ask(t, m, "12345")
		require.NoError(t, err)
	}
	require.Equal(t, 20, b.Spent().Tokens)
	_, err := ask(t, m, "12345")
	require.ErrorIs(t, err, llm.ErrBudget)
	require.ErrorContains(t, err, "at most 20 tokens allowed; 2 calls, 20 tokens")
}

func TestABudgetOfTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget(t, llm.Limits{Time: 10 * time.Second})
		time.Sleep(time.Minute) // it begins with the first call
		require.Zero(t, b.Spent())
		quick := b.Wrap(llm.NewScripted("m", llm.Turn{Text: "x", Delay: 4 * time.Second, Repeat: true}))
		for range 2 {
			_, err := ask(t, quick, "p")
			require.NoError(t, err)
		}
		begin := time.Now()
		_, err := ask(t, quick, "p")
		require.ErrorIs(t, err, llm.ErrBudget, "broken off after 2 s")
		require.NotErrorIs(t, err, context.DeadlineExceeded, "the caller's context has not ended")
		require.Equal(t, 2*time.Second, time.Since(begin))
		_, err = ask(t, quick, "p")
		require.ErrorIs(t, err, llm.ErrBudget)
		require.ErrorContains(t, err, "at most 10s allowed; 3 calls")

		// The caller's own end comes first.
		b = budget(t, llm.Limits{Time: 10 * time.Second})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = b.Wrap(llm.NewScripted("m", llm.Turn{Text: "x", Delay: time.Hour})).Generate(ctx, prospect.LLMRequest{})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NotErrorIs(t, err, llm.ErrBudget)
	})
}

func TestACallThatIsNotMadeCostsNothing(t *testing.T) {
	b := budget(t, llm.Limits{Calls: 1})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := b.Wrap(steady()).Generate(ctx, prospect.LLMRequest{})
	require.ErrorIs(t, err, context.Canceled)
	require.Zero(t, b.Spent())
}

func TestLimitsAreChecked(t *testing.T) {
	for _, l := range []llm.Limits{{Calls: -1}, {Tokens: -1}, {Time: -1}} {
		_, err := llm.NewBudget(l)
		require.ErrorIs(t, err, prospect.ErrOption)
	}
	for _, n := range []int{0, -1} {
		_, err := llm.Limit(steady(), n)
		require.ErrorIs(t, err, prospect.ErrOption)
	}
}

func TestLimitBoundsCallsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var under, most atomic.Int64
		m, err := llm.Limit(prospect.NewLLM("m", func(context.Context, prospect.LLMRequest) (prospect.LLMResponse, error) {
			most.Store(max(most.Load(), under.Add(1)))
			defer under.Add(-1)
			time.Sleep(time.Second)
			return prospect.LLMResponse{}, nil
		}), 3)
		require.NoError(t, err)
		require.Equal(t, "m", m.Identity())
		begin := time.Now()
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() { ask(t, m, "p") })
		}
		synctest.Wait()
		require.EqualValues(t, 3, under.Load())

		ctx, cancel := context.WithCancel(t.Context())
		var late error
		wg.Go(func() { _, late = m.Generate(ctx, prospect.LLMRequest{}) })
		synctest.Wait()
		cancel()
		synctest.Wait()
		require.Equal(t, context.Canceled, late)
		require.Zero(t, time.Since(begin), "it leaves at once")
		wg.Wait()
		require.Equal(t, 4*time.Second, time.Since(begin), "10 calls, 3 at once")
		require.EqualValues(t, 3, most.Load())
	})
}

// A call that panics gives its place back.
// With its context ended a call does not take a place that is free.
func TestLimitRefusesEndedContexts(t *testing.T) {
	m := echo()
	limited, err := llm.Limit(m, 1)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 50 {
		_, err := limited.Generate(ctx, prospect.LLMRequest{})
		require.Equal(t, context.Canceled, err)
	}
	require.Zero(t, m.calls.Load())
}

func TestLimitSurvivesAPanic(t *testing.T) {
	m, err := llm.Limit(prospect.NewLLM("m", func(context.Context, prospect.LLMRequest) (prospect.LLMResponse, error) { panic("a bug") }), 1)
	require.NoError(t, err)
	for range 3 {
		require.Panics(t, func() { ask(t, m, "p") })
	}
}
