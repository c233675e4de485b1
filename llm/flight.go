package llm

import (
	"context"
	"errors"
	"sync"

	"github.com/prospect-go/prospect"
)

// flights lets one call of several that ask the same at the same time go
// ahead; the others share its outcome. The zero value is ready.
type flights struct {
	mu    sync.Mutex
	under map[string]*flight // by key, guarded by mu
}

type flight struct {
	done chan struct{} // closed when the fields below are set
	resp prospect.LLMResponse
	err  error
	// left says that the call ended by what is its caller's alone: see own.
	// It does too by a panic.
	left bool
}

var errFlightLeft = errors.New("llm: the call that was waited for did not end")

// do makes the call, or waits for one with the same key that is under way and
// shares its outcome. A waiting call leaves with ctx; where the one that it
// waits for failed by its own context or budget, it asks itself.
func (g *flights) do(ctx context.Context, key string, call func() (prospect.LLMResponse, error)) (resp prospect.LLMResponse, shared bool, err error) {
	for {
		g.mu.Lock()
		f := g.under[key]
		if f == nil {
			f = &flight{done: make(chan struct{}), err: errFlightLeft, left: true}
			if g.under == nil {
				g.under = make(map[string]*flight)
			}
			g.under[key] = f
			g.mu.Unlock()
			resp, err := g.lead(ctx, key, f, call)
			return resp, false, err
		}
		g.mu.Unlock()
		select {
		case <-f.done:
		case <-ctx.Done():
			return prospect.LLMResponse{}, false, ctx.Err()
		}
		if !f.left {
			return f.resp, true, f.err
		}
		if err := ctx.Err(); err != nil {
			return prospect.LLMResponse{}, false, err
		}
	}
}

func (g *flights) lead(ctx context.Context, key string, f *flight, call func() (prospect.LLMResponse, error)) (prospect.LLMResponse, error) {
	defer func() { // also when call panics
		g.mu.Lock()
		delete(g.under, key)
		g.mu.Unlock()
		close(f.done)
	}()
	resp, err := call()
	f.resp, f.err, f.left = resp, err, own(ctx, err)
	return resp, err
}

// own says that an error is about the call's own context or budget, and so
// nobody else's outcome: others may have more time, or another budget.
func own(ctx context.Context, err error) bool {
	return err != nil && (ctx.Err() != nil || errors.Is(err, ErrBudget) || errors.Is(err, errDeadline))
}
