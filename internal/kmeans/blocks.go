package kmeans

import (
	"context"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// each calls f for every i below n, from as many goroutines as there are
// processors, and returns ctx's error where it ends first. Which goroutine
// gets which i is open: f may write only to what belongs to i, or to the
// worker's own scratch.
func each(ctx context.Context, n int, f func(worker, i int)) error {
	var next atomic.Int64
	work := func(worker int) error {
		for {
			if err := ctx.Err(); err != nil {
				return err
			}
			i := int(next.Add(1)) - 1
			if i >= n {
				return nil
			}
			f(worker, i)
		}
	}
	workers := workersFor(n)
	if workers == 1 {
		return work(0)
	}
	var g errgroup.Group
	for w := 1; w < workers; w++ {
		g.Go(func() error { return work(w) })
	}
	err := work(0)
	if other := g.Wait(); err == nil {
		err = other
	}
	return err
}

// workersFor is how many goroutines each uses for n tasks.
func workersFor(n int) int { return max(min(n, runtime.GOMAXPROCS(0)), 1) }

// ceilDiv is n/size, rounded up.
func ceilDiv(n, size int) int { return (n + size - 1) / size }
