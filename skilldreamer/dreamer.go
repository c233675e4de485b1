package skilldreamer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/prospect-go/prospect"
)

// ErrNotImagined: nothing was imagined, and [Options.Strict] forbids plain
// retrieval instead.
var ErrNotImagined = errors.New("skilldreamer: nothing was imagined")

// reasons are notes as an error, with the errors behind them.
type reasons []Note

func (r reasons) Error() string {
	texts := make([]string, len(r))
	for i, n := range r {
		texts[i] = n.Text
	}
	return strings.Join(texts, "; ")
}

func (r reasons) Unwrap() []error {
	var errs []error
	for _, n := range r {
		if n.Err != nil {
			errs = append(errs, n.Err)
		}
	}
	return errs
}

// A Dreamer finds skills by imagining them first. It is immutable and safe for
// concurrent use.
type Dreamer struct {
	store   Store
	model   prospect.LLM // nil: Imagine imagines nothing
	opts    Options
	prompts *templates
}

// New returns a Dreamer over a store. A nil model is allowed: then Imagine
// gives nothing, Find is plain retrieval that says so, and Retrieve works with
// what an agent imagined itself. Error: [prospect.ErrOption] for a missing
// store, for options out of range and for prompts that are not valid templates.
func New(store Store, model prospect.LLM, opts Options) (*Dreamer, error) {
	if store == nil {
		return nil, fmt.Errorf("%w: no store", prospect.ErrOption)
	}
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	prompts, err := opts.Prompts.parse()
	if err != nil {
		return nil, err
	}
	return &Dreamer{store: store, model: model, opts: opts, prompts: prompts}, nil
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
// [Result.Plain], [Result.Notes] and [Options.Strict]. If ctx's deadline comes
// while the model thinks, what was imagined by then steers the retrieval, which
// is still finished, and the result is marked partial: with an embedder in the
// same process that takes tens of milliseconds, and never more than
// [Options.Grace]. (Go does not tell of a cancelling that follows a deadline,
// so none is noticed in that time.) A cancelled ctx is an error.
func (d *Dreamer) Find(ctx context.Context, req Request) (*Result, error) {
	if _, err := d.k(req); err != nil {
		return nil, err
	}
	imagined, err := d.Imagine(ctx, req.Task)
	if err != nil {
		return nil, err
	}
	if d.opts.Strict && len(imagined.Capabilities) == 0 && !isBlank(req.Task) {
		return nil, fmt.Errorf("%w: %w", ErrNotImagined, reasons(imagined.Notes))
	}
	ctx, cancel := d.withGrace(ctx)
	defer cancel()
	return d.Retrieve(ctx, req, imagined)
}

// Plain retrieves skills by the cosine of the task's vector alone. No model is
// asked.
func (d *Dreamer) Plain(ctx context.Context, req Request) (*Result, error) {
	return d.Retrieve(ctx, req, nil)
}

// withGrace follows the cancelling of ctx, and its deadline by Grace later.
func (d *Dreamer) withGrace(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	free, cancel := context.WithDeadline(context.WithoutCancel(ctx), deadline.Add(d.opts.Grace))
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
	return cmp.Or(req.K, d.opts.K), nil
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }
