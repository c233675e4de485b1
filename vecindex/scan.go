package vecindex

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync/atomic"

	"github.com/viterin/vek/vek32"
	"golang.org/x/sync/errgroup"

	"github.com/prospect-go/prospect"
)

// taskFloats is about the number of multiplications that a worker takes on at
// a time, and after which it looks at the context: 20 to 40 µs for one query.
// A second goroutine costs 5 to 10 µs (measured on 2 cores), so one task a
// worker is the least that repays it. Several queries need fewer µs for each.
const taskFloats = 1 << 19

// A ranking says what to rank by: one or more probes over shared factors.
type ranking struct {
	selection
	factors []float32 // vectors one after the other; products with rows are finite
	probes  []probe
}

// A probe is one list of hits to find.
type probe struct {
	k      int    // at least 1
	terms  []Term // of the score; nil for the factor of the probe's position
	cosine bool   // clamp to [-1, 1]
	keep   func(id string) bool
}

// room makes room for n probes by vectors of dim components.
func (r *ranking) room(n, dim int) {
	r.probes = make([]probe, 0, n)
	if n > 1 {
		r.factors = make([]float32, 0, n*dim)
	}
}

// add appends a vector and the probe that ranks by it.
func (r *ranking) add(v []float32, p probe) {
	if cap(r.factors) == 0 {
		r.factors = v[:len(v):len(v)] // the next one copies both
	} else {
		r.factors = append(r.factors, v...)
	}
	r.probes = append(r.probes, p)
}

// A scan ranks rows for all probes in one pass. Workers take tasks, ranges of
// adjacent rows, until none is left. Which worker gets which does not matter:
// a row's score depends on nothing else, and the order of hits is total.
type scan struct {
	*ranking
	s       *Snapshot
	product product
	n       int // how many rows
	task    int // rows a task
	next    atomic.Int64

	panicked atomic.Pointer[any] // what a filter threw in another goroutine than the caller's
}

// rank returns the hits of each probe.
func (s *Snapshot) rank(ctx context.Context, r *ranking) ([][]prospect.Hit, error) {
	if len(r.probes) == 0 {
		return nil, ctx.Err()
	}
	if len(r.probes) == 1 { // one filter instead of two
		r.keep, r.probes[0].keep = both(r.keep, r.probes[0].keep), nil
	}
	if lists, done, err := s.rankByCodes(ctx, r); done || err != nil {
		return lists, err
	}
	return s.rankExactly(ctx, r)
}

// rankExactly is rank by the vectors themselves.
func (s *Snapshot) rankExactly(ctx context.Context, r *ranking) ([][]prospect.Hit, error) {
	c := s.newScan(r)
	workers, err := c.run(ctx, (*scan).rows)
	if err != nil {
		return nil, err
	}
	defer release(workers)
	return c.hits(workers), nil
}

func (s *Snapshot) newScan(r *ranking) *scan {
	c := &scan{ranking: r, s: s, n: s.docs.Rows()}
	c.product = product{vecs: &s.vecs, factors: r.factors, tile: tileOf(s.Dim())}
	if r.list != nil {
		c.n = len(r.list)
	}
	work := max(len(r.factors), 1) // multiplications a row
	if rows := s.docs.Rows(); rows > 0 {
		work *= max(s.vecs.n/rows, 1)
	}
	c.task = max(taskFloats/work, 1)
	if t := c.product.tile; c.task > t {
		c.task -= c.task % t
	} else if len(r.factors) > s.Dim() {
		c.task = t // the kernel for many factors wants many rows
	}
	return c
}

// run lets workers do all tasks and returns them, to be released by the
// caller, with what they found.
func (c *scan) run(ctx context.Context, rows func(c *scan, w *worker, lo, hi int)) ([]*worker, error) {
	workers := make([]*worker, max(min(c.n/c.task, runtime.GOMAXPROCS(0)), 1))
	for i := range workers {
		workers[i] = takeWorker(c.probes)
	}
	ok := false
	var others errgroup.Group
	defer func() {
		_ = others.Wait() // also when a filter panics
		if !ok {
			release(workers)
		}
	}()
	for _, w := range workers[1:] {
		others.Go(func() error {
			defer c.catch()
			return c.work(ctx, w, rows)
		})
	}
	err := c.work(ctx, workers[0], rows)
	if err2 := others.Wait(); err == nil {
		err = err2
	}
	if p := c.panicked.Load(); p != nil {
		panic(*p)
	}
	ok = err == nil
	return workers, err
}

func release(workers []*worker) {
	for _, w := range workers {
		w.release()
	}
}

// catch keeps a filter's panic for the caller's goroutine, where it can be
// recovered: a panic that leaves any other goroutine ends the program.
func (c *scan) catch() {
	if p := recover(); p != nil {
		c.next.Store(int64(c.n)) // nobody needs the rest
		p = fmt.Errorf("vecindex: panic while filtering: %v\n\n%s", p, debug.Stack())
		c.panicked.Store(&p)
	}
}

// work takes tasks until there are no more or ctx is done.
func (c *scan) work(ctx context.Context, w *worker, rows func(c *scan, w *worker, lo, hi int)) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := int(c.next.Add(int64(c.task)))
		lo := hi - c.task
		if lo >= c.n {
			return nil
		}
		rows(c, w, lo, min(hi, c.n))
	}
}

// rows offers rows lo to hi (excluded) of the scan to w's heaps, tile by tile.
func (c *scan) rows(w *worker, lo, hi int) {
	for lo < hi {
		t := c.tileAt(lo, hi)
		scores := c.product.scores(w, t)
		if c.keep != nil && len(c.probes) > 1 {
			w.asked = sized(w.asked, t.n)
			clear(w.asked)
		}
		for i := range c.probes {
			p := &c.probes[i]
			h := &w.heaps[i]
			if p.terms != nil {
				w.sums = sized(w.sums, t.n)
				sum(w.sums, p.terms, scores)
				offer(c, w, h, p, &t, w.sums)
				continue
			}
			own := scores[i*t.n : (i+1)*t.n]
			// Once a heap is full most tiles have nothing for it, which a
			// vector instruction sees sooner than the loop.
			if float64(vek32.Max(own)) >= c.limit(h, p) {
				offer(c, w, h, p, &t, own)
			}
		}
		lo += t.n
	}
}

// tileAt is the tile of the rows from lo on, up to hi: a tile's worth of
// vectors that lie side by side where the index has one vector a row.
func (c *scan) tileAt(lo, hi int) tile {
	v, size := &c.s.vecs, c.product.tile
	if c.list != nil {
		n := min(hi-lo, size)
		return tile{list: c.list[lo : lo+n], n: n}
	}
	t := tile{first: uint32(lo)}
	if v.starts == nil {
		left := 1<<v.unit.shift - lo&(1<<v.unit.shift-1) // of lo's block
		t.n = min(hi-lo, size, left)
		return t
	}
	for t.n = 1; lo+t.n < hi && int(v.first(uint32(lo+t.n+1))-v.first(uint32(lo))) <= size; {
		t.n++
	}
	return t
}
