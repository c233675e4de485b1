package llm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/prospect-go/prospect"
)

// A TransientError is an error that may go away by itself, and when. A client
// returns it where the service says how long to wait (the header Retry-After).
// It wraps [prospect.ErrTransient] and Err.
type TransientError struct {
	Err error
	// After is how long the service asks to wait; 0 where it does not say.
	After time.Duration
}

// Error gives the error and the wait.
func (e *TransientError) Error() string {
	if e.After <= 0 {
		return fmt.Sprintf("%v: %v", prospect.ErrTransient, e.Err)
	}
	return fmt.Sprintf("%v: %v (try again after %v)", prospect.ErrTransient, e.Err, e.After)
}

// Unwrap returns the error and [prospect.ErrTransient].
func (e *TransientError) Unwrap() []error { return []error{prospect.ErrTransient, e.Err} }

// RetryOptions say how [Retry] tries again.
type RetryOptions struct {
	// Attempts is how many calls are made at most for one answer, the first
	// among them. Default 4.
	Attempts int
	// Base is the longest wait after the first attempt; it doubles with each
	// one. Default 500 ms.
	Base time.Duration
	// MaxDelay bounds the doubling. A service that asks to wait longer than
	// that is not asked again. Default 1 min.
	MaxDelay time.Duration
	// Timeout bounds each attempt; one that takes longer has failed in a way
	// that may go away. Default: the context alone bounds it.
	Timeout time.Duration
	// Seed of the waits, for tests. Default: a random one.
	Seed uint64
}

func (o RetryOptions) withDefaults() (RetryOptions, error) {
	if o.Attempts < 0 {
		return o, fmt.Errorf("%w: Attempts is %d, want 0 or more", prospect.ErrOption, o.Attempts)
	}
	o.Attempts = cmp.Or(o.Attempts, 4)
	for _, d := range []struct {
		name  string
		value *time.Duration
		zero  time.Duration
	}{{"Base", &o.Base, 500 * time.Millisecond}, {"MaxDelay", &o.MaxDelay, time.Minute}, {"Timeout", &o.Timeout, 0}} {
		if *d.value < 0 {
			return o, fmt.Errorf("%w: %s is %v, want 0 or more", prospect.ErrOption, d.name, *d.value)
		}
		*d.value = cmp.Or(*d.value, d.zero)
	}
	return o, nil
}

// Retry returns m with each call made again while its error wraps
// [prospect.ErrTransient]. Before attempt n+1 it waits a random time from 0 to
// min(MaxDelay, Base·2ⁿ⁻¹), in addition to what a [TransientError] asks for:
// full jitter, so that many clients that failed together do not come back
// together.
//
// It gives up, with the last error, after the last attempt, and as soon as the
// next one would begin at or after ctx's deadline. Where ctx ends, the error
// wraps that of ctx and the last one.
func Retry(m prospect.LLM, o RetryOptions) (prospect.LLM, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	seed := cmp.Or(o.Seed, rand.Uint64())
	return &retrying{LLM: m, opts: o, rand: rand.New(rand.NewPCG(seed, seed))}, nil
}

var errDeadline = errors.New("not tried again because the deadline is near")

type retrying struct {
	prospect.LLM
	opts RetryOptions

	mu   sync.Mutex
	rand *rand.Rand // guarded by mu
}

func (m *retrying) Generate(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
	for n := 1; ; n++ {
		resp, err := m.attempt(ctx, req)
		switch ended := ctx.Err(); {
		case err == nil:
			return resp, nil
		case ended != nil && !errors.Is(err, ended): // it failed just then
			return resp, fmt.Errorf("%w: %w", ended, err)
		case ended != nil, !errors.Is(err, prospect.ErrTransient):
			return resp, err
		case n == m.opts.Attempts:
			return resp, fmt.Errorf("llm: attempt %d of %d: %w", n, m.opts.Attempts, err)
		}
		delay := m.delay(n)
		if hint, ok := errors.AsType[*TransientError](err); ok {
			if hint.After > m.opts.MaxDelay {
				return resp, fmt.Errorf("llm: attempt %d of %d, not tried again because the wait is longer than %v: %w", n, m.opts.Attempts, m.opts.MaxDelay, err)
			}
			after := max(0, hint.After)
			delay = after + min(delay, math.MaxInt64-after)
		}
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= delay {
			return resp, fmt.Errorf("llm: attempt %d of %d, %w: %w", n, m.opts.Attempts, errDeadline, err)
		}
		if ended := wait(ctx, delay); ended != nil {
			return resp, fmt.Errorf("llm: waiting to try again: %w, after %w", ended, err)
		}
	}
}

// attempt makes one call, of bounded length.
func (m *retrying) attempt(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
	if m.opts.Timeout == 0 {
		return m.LLM.Generate(ctx, req)
	}
	bounded, cancel := context.WithTimeout(ctx, m.opts.Timeout)
	defer cancel()
	resp, err := m.LLM.Generate(bounded, req)
	if err != nil && bounded.Err() != nil && ctx.Err() == nil && !errors.Is(err, prospect.ErrTransient) {
		// Whatever the client made of its context's end.
		return resp, fmt.Errorf("%w: no answer in %v: %w", prospect.ErrTransient, m.opts.Timeout, err)
	}
	return resp, err
}

// delay draws the wait after attempt n, from 1.
func (m *retrying) delay(n int) time.Duration {
	limit := m.opts.Base
	for range n - 1 {
		if limit >= m.opts.MaxDelay/2 {
			limit = m.opts.MaxDelay
			break
		}
		limit *= 2
	}
	limit = min(limit, m.opts.MaxDelay)
	m.mu.Lock()
	defer m.mu.Unlock()
	return time.Duration(m.rand.Uint64N(uint64(limit) + 1)) // limit may be the greatest there is
}
