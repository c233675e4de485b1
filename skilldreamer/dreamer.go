package skilldreamer

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/prospect-go/prospect"
)

// A Dreamer finds skills by imagining them first. It is immutable and safe for
// concurrent use.
type Dreamer struct {
	store Store
	model prospect.LLM // nil: Imagine imagines nothing
	opts  Options
}

// New returns a Dreamer over a store. A nil model is allowed: then Imagine
// gives nothing, Find is plain retrieval that says so, and Retrieve works with
// what an agent imagined itself. It fails on options that make no sense and on
// prompts that are not valid templates.
func New(store Store, model prospect.LLM, opts Options) (*Dreamer, error) {
	if store == nil {
		return nil, errors.New("skilldreamer: New needs a store")
	}
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Dreamer{store: store, model: model, opts: opts}, nil
}

// A Request is one task and what is particular to it.
type Request struct {
	// Task is the text of the task, in full. A blank task finds nothing.
	Task string
	// K is how many skills are wanted at most. Default: that of the options.
	K int
	// Sources are the names of the sources to look in. Default: all.
	Sources []string
}

// Find imagines skills for the task and retrieves real ones.
//
// A failing or unusable model makes the result plainer, not an error: see
// [Result.Plain] and [Result.Notes]. If ctx's deadline comes while the model
// thinks, the skills imagined so far steer the retrieval, which is still
// finished, and the result is marked partial: with an embedder in the same
// process that takes tens of milliseconds. A cancelled ctx is an error.
func (d *Dreamer) Find(ctx context.Context, req Request) (*Result, error) {
	imagined, err := d.Imagine(ctx, req.Task)
	if err != nil {
		return nil, err
	}
	ctx, cancel := withoutDeadline(ctx)
	defer cancel()
	return d.Retrieve(ctx, req, imagined)
}

// Plain retrieves skills by the cosine of the task's vector alone. No model is
// asked.
func (d *Dreamer) Plain(ctx context.Context, req Request) (*Result, error) {
	return d.Retrieve(ctx, req, nil)
}

// withoutDeadline follows the cancelling of ctx but not its deadline.
func withoutDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	free, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			cancel()
		}
	})
	return free, func() { stop(); cancel() }
}

// k is the number of results asked for.
func (d *Dreamer) k(req Request) (int, error) {
	if req.K < 0 {
		return 0, fmt.Errorf("%w: %d", prospect.ErrInvalidK, req.K)
	}
	return or(req.K, d.opts.K), nil
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }
