package llm_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/llm"
)

var errDown = fmt.Errorf("503: %w", prospect.ErrTransient)

func retry(t *testing.T, m prospect.LLM, o llm.RetryOptions) prospect.LLM {
	t.Helper()
	r, err := llm.Retry(m, o)
	require.NoError(t, err)
	require.Equal(t, m.Identity(), r.Identity())
	return r
}

// failing fails n times with err, and then answers. It keeps when it was called.
type failing struct {
	n     int
	err   error
	calls []time.Time
}

func (m *failing) Identity() string { return "failing" }

func (m *failing) Generate(ctx context.Context, _ prospect.LLMRequest) (prospect.LLMResponse, error) {
	m.calls = append(m.calls, time.Now())
	if len(m.calls) <= m.n {
		return prospect.LLMResponse{}, m.err
	}
	return prospect.LLMResponse{Text: "yes"}, ctx.Err()
}

// waits are the times between calls.
func (m *failing) waits() []time.Duration {
	var d []time.Duration
	for i := 1; i < len(m.calls); i++ {
		d = append(d, m.calls[i].Sub(m.calls[i-1]))
	}
	return d
}

func TestRetryTriesAgain(t *testing.T) {
	for _, c := range []struct {
		name   string
		n      int
		err    error
		o      llm.RetryOptions
		calls  int
		answer bool
	}{
		{"at once", 0, nil, llm.RetryOptions{}, 1, true},
		{"the third time", 2, errDown, llm.RetryOptions{}, 3, true},
		{"the last time", 3, errDown, llm.RetryOptions{}, 4, true},
		{"never", 99, errDown, llm.RetryOptions{}, 4, false},
		{"only once", 99, errDown, llm.RetryOptions{Attempts: 1}, 1, false},
		{"refused", 1, errors.New("400"), llm.RetryOptions{}, 1, false},
		{"out of budget", 1, llm.ErrBudget, llm.RetryOptions{}, 1, false},
		{"a context's error of somebody else", 1, context.DeadlineExceeded, llm.RetryOptions{}, 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &failing{n: c.n, err: c.err}
				got, err := ask(t, retry(t, m, c.o), "p")
				require.Len(t, m.calls, c.calls)
				if c.answer {
					require.NoError(t, err)
					require.Equal(t, "yes", got)
				} else {
					require.ErrorIs(t, err, c.err)
				}
			})
		})
	}
}

func TestRetryWaitsLongerEachTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const attempts, draws = 7, 400
		limits := []time.Duration{100, 200, 400, 800, 1000, 1000} // min(MaxDelay, Base·2ⁿ⁻¹), ms
		longest, sum := make([]time.Duration, attempts-1), make([]time.Duration, attempts-1)
		o := llm.RetryOptions{Attempts: attempts, Base: 100 * time.Millisecond, MaxDelay: time.Second}
		for seed := range draws {
			o.Seed = uint64(seed + 1)
			m := &failing{n: 99, err: errDown}
			_, err := ask(t, retry(t, m, o), "p")
			require.ErrorContains(t, err, "attempt 7 of 7")
			for i, d := range m.waits() {
				longest[i], sum[i] = max(longest[i], d), sum[i]+d
			}
		}
		for i, limit := range limits {
			limit *= time.Millisecond
			require.LessOrEqual(t, longest[i], limit)
			require.Greater(t, longest[i], limit*9/10)
			// The mean of 400 draws from 0 to L is L/2 with a deviation of L/√12/20 = 0.014 L.
			require.InDelta(t, 0.5, float64(sum[i]/draws)/float64(limit), 0.07)
		}
	})
}

func TestRetryIsSeeded(t *testing.T) {
	waits := func(seed uint64) (out []time.Duration) {
		synctest.Test(t, func(t *testing.T) {
			m := &failing{n: 3, err: errDown}
			_, err := ask(t, retry(t, m, llm.RetryOptions{Seed: seed}), "p")
			require.NoError(t, err)
			out = m.waits()
		})
		return out
	}
	require.Equal(t, waits(7), waits(7))
	require.NotEqual(t, waits(7), waits(8))
	require.NotEqual(t, waits(0), waits(0))
	require.LessOrEqual(t, slices.Max(waits(0)), 2*time.Second)
}

func TestRetryHeedsWhatTheServiceAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := errors.New("429")
		m := &failing{n: 2, err: fmt.Errorf("client: %w", &llm.TransientError{Err: busy, After: 20 * time.Second})}
		_, err := ask(t, retry(t, m, llm.RetryOptions{}), "p")
		require.NoError(t, err)
		for i, d := range m.waits() {
			require.Greater(t, d, 20*time.Second, "clients that were asked to wait do not come back together")
			require.LessOrEqual(t, d, 20*time.Second+time.Second<<i)
		}

		m = &failing{n: 1, err: &llm.TransientError{Err: busy, After: time.Minute}}
		_, err = ask(t, retry(t, m, llm.RetryOptions{}), "p")
		require.NoError(t, err, "as long as MaxDelay and no longer")

		m = &failing{n: 1, err: &llm.TransientError{Err: busy, After: time.Hour}}
		_, err = ask(t, retry(t, m, llm.RetryOptions{}), "p")
		require.Len(t, m.calls, 1)
		require.ErrorIs(t, err, busy)
		require.ErrorIs(t, err, prospect.ErrTransient)
		require.ErrorContains(t, err, "try again after 1h")

		m = &failing{n: 1, err: &llm.TransientError{Err: busy, After: -time.Hour}}
		_, err = ask(t, retry(t, m, llm.RetryOptions{}), "p")
		require.NoError(t, err, "a hint that is none")
		require.Equal(t, "prospect: transient failure: 429", m.err.Error())
	})
}

// The longest waits there are do not overflow.
func TestRetryWithoutABound(t *testing.T) {
	const forever = math.MaxInt64
	synctest.Test(t, func(t *testing.T) {
		for _, base := range []time.Duration{time.Second, forever} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			for seed := range uint64(20) {
				m := &failing{n: 99, err: &llm.TransientError{Err: errDown, After: forever - time.Hour}}
				_, err := retry(t, m, llm.RetryOptions{Base: base, MaxDelay: forever, Seed: seed + 1}).Generate(ctx, prospect.LLMRequest{})
				require.ErrorContains(t, err, "the deadline is near")
				require.Len(t, m.calls, 1)
			}
		}
		m := &failing{n: 99, err: errDown}
		_, err := ask(t, retry(t, m, llm.RetryOptions{Attempts: 99, Base: 1, MaxDelay: 1 << 40}), "p")
		require.ErrorContains(t, err, "attempt 99 of 99")
	})
}

func TestRetryEndsWithItsContext(t *testing.T) {
	slow := llm.RetryOptions{Base: time.Hour, MaxDelay: time.Hour, Attempts: 100, Seed: 1}
	synctest.Test(t, func(t *testing.T) { // no attempt that would come too late
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		m := &failing{n: 99, err: errDown}
		begin := time.Now()
		_, err := retry(t, m, slow).Generate(ctx, prospect.LLMRequest{})
		require.ErrorIs(t, err, errDown)
		require.NotErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "the deadline is near")
		require.Zero(t, time.Since(begin), "it does not wait for nothing")
		require.Len(t, m.calls, 1)
	})
	synctest.Test(t, func(t *testing.T) { // cancelled while it waits
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		begin := time.Now()
		_, err := retry(t, &failing{n: 99, err: errDown}, slow).Generate(ctx, prospect.LLMRequest{})
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, errDown)
		require.Equal(t, time.Second, time.Since(begin))
	})
	synctest.Test(t, func(t *testing.T) { // cancelled during an attempt that fails otherwise
		ctx, cancel := context.WithCancel(t.Context())
		m := prospect.NewLLM("m", func(context.Context, prospect.LLMRequest) (prospect.LLMResponse, error) {
			cancel()
			return prospect.LLMResponse{}, errDown
		})
		_, err := retry(t, m, slow).Generate(ctx, prospect.LLMRequest{})
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, errDown)
	})
}

func TestRetryBoundsEachAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		m := prospect.NewLLM("m", func(ctx context.Context, _ prospect.LLMRequest) (prospect.LLMResponse, error) {
			if calls++; calls < 3 {
				<-ctx.Done() // hangs
				return prospect.LLMResponse{}, errors.New("connection closed")
			}
			return prospect.LLMResponse{Text: "yes"}, nil
		})
		got, err := ask(t, retry(t, m, llm.RetryOptions{Timeout: time.Second}), "p")
		require.NoError(t, err)
		require.Equal(t, "yes", got)

		calls = -99
		_, err = ask(t, retry(t, m, llm.RetryOptions{Timeout: time.Second, Attempts: 2}), "p")
		require.ErrorIs(t, err, prospect.ErrTransient)
		require.ErrorContains(t, err, "no answer in 1s: connection closed")
	})
}

func TestRetryOptionsAreChecked(t *testing.T) {
	for _, o := range []llm.RetryOptions{{Attempts: -1}, {Base: -1}, {MaxDelay: -1}, {Timeout: -1}} {
		_, err := llm.Retry(steady(), o)
		require.ErrorIs(t, err, prospect.ErrOption, "%+v", o)
	}
}
