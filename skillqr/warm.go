package skillqr

import (
	"context"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
)

// WarmOptions say how [Rewriter.Warm] goes about it.
type WarmOptions struct {
	// Parallel bounds the queries that are rewritten at the same time.
	// Default 4.
	Parallel int
	// Progress is told after each query how many of how many are done; calls
	// do not overlap.
	Progress func(done, of int)
}

// Warmed counts what [Rewriter.Warm] did. The counts add up to the number of
// distinct queries.
type Warmed struct {
	Rewritten int // by the model, and put into the cache
	Cached    int // in the cache already
	Kept      int // blank, or kept as they are by the gate
	Failed    int // something fell back, so it is not in the cache
	// Err is that of one failed query, nil where none failed with an error.
	Err error
}

// Warm rewrites queries beforehand, most often the frequent ones of a log, so
// that the cache has them when they are asked. Repeated queries count once.
// It fails with [prospect.ErrOption] where there is no cache, and with ctx's
// error; what was done by then is in the cache. The hook is not told.
func (rw *Rewriter) Warm(ctx context.Context, queries []string, opts WarmOptions) (Warmed, error) {
	var w Warmed
	if rw.opts.Cache == nil {
		return w, optionError("Warm needs a Cache")
	}
	if opts.Parallel < 0 {
		return w, optionError("Parallel is %d, want 0 or more", opts.Parallel)
	}
	if opts.Parallel == 0 {
		opts.Parallel = 4
	}
	var distinct []string
	seen := map[string]bool{}
	for _, q := range queries {
		if !seen[q] {
			seen[q] = true
			distinct = append(distinct, q)
		}
	}
	var mu sync.Mutex
	done := 0
	g, inner := errgroup.WithContext(ctx)
	g.SetLimit(opts.Parallel)
	for _, q := range distinct {
		g.Go(func() error {
			out, err := rw.rewrite(inner, q, nil)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			w.count(out)
			done++
			if opts.Progress != nil {
				opts.Progress(done, len(distinct))
			}
			return nil
		})
	}
	err := g.Wait()
	return w, err
}

func (w *Warmed) count(out *Rewrite) {
	fell := slices.ContainsFunc(out.Trace.Fallbacks, func(f Fallback) bool { return f.Reason != Blank && f.Reason != Shortened })
	switch {
	case out.Trace.Cached:
		w.Cached++
	case fell:
		w.Failed++
		if w.Err == nil {
			w.Err = out.Trace.Err()
		}
	case len(out.Expansions) == 0:
		w.Kept++
	default:
		w.Rewritten++
	}
}
