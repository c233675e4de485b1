package vecindex

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync/atomic"

	"github.com/viterin/vek/vek32"
	"golang.org/x/sync/errgroup"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/internal/topk"
)

const (
	// tileBytes of rows are scored for one probe after the other: small
	// enough that the tile stays in the first-level cache meanwhile.
	tileBytes = 32 << 10
	// taskFloats is about the number of multiplications that a worker takes
	// on at a time, and after which it looks at the context: 20 to 40 µs.
	// A second goroutine costs 5 to 10 µs (measured on 2 cores), so one task
	// a worker is the least that repays it.
	taskFloats = 1 << 19
)

// A probe is one vector to rank the rows by.
type probe struct {
	vector []float32 // of the index's dimension; products with rows are finite
	k      int       // at least 1
	cosine bool      // clamp to [-1, 1]
	keep   func(id string) bool
}

// A scan ranks rows for all probes in one pass. Workers take tasks, ranges of
// adjacent rows, until none is left. Which worker gets which does not matter:
// a row's score depends on nothing else, and the order of hits is total.
type scan struct {
	s      *Snapshot
	probes []probe
	list   []uint32 // the rows to rank, ascending, all live; nil for all rows
	n      int      // how many rows
	tile   int      // rows a tile
	task   int      // rows a task, a multiple of tile
	next   atomic.Int64

	panicked atomic.Pointer[any] // what a filter threw in another goroutine than the caller's
}

// rank returns the hits of each probe among all documents, or among within
// where that is not nil.
func (s *Snapshot) rank(ctx context.Context, probes []probe, within []string) ([][]prospect.Hit, error) {
	if len(probes) == 0 {
		return nil, ctx.Err()
	}
	dim := s.rows.dim
	c := &scan{s: s, probes: probes, n: s.docs.Rows(), tile: max(tileBytes/4/dim, 1)}
	if within != nil {
		list := s.docs.LiveRows(make([]uint32, 0, len(within)), within)
		slices.Sort(list)
		c.list = slices.Compact(list)
		c.n = len(c.list)
	}
	c.task = max(taskFloats/dim/len(probes)/c.tile, 1) * c.tile

	workers := make([]*worker, max(min(c.n/c.task, runtime.GOMAXPROCS(0)), 1))
	for i := range workers {
		workers[i] = newWorker(probes)
		defer workers[i].release()
	}
	var others errgroup.Group
	defer func() { _ = others.Wait() }() // before release, also when a filter panics
	for _, w := range workers[1:] {
		others.Go(func() error {
			defer c.catch()
			return c.work(ctx, w)
		})
	}
	err := c.work(ctx, workers[0])
	if err2 := others.Wait(); err == nil {
		err = err2
	}
	if p := c.panicked.Load(); p != nil {
		panic(*p)
	}
	if err != nil {
		return nil, err
	}
	return c.hits(workers), nil
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
func (c *scan) work(ctx context.Context, w *worker) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := int(c.next.Add(int64(c.task)))
		lo := hi - c.task
		if lo >= c.n {
			return nil
		}
		c.rows(w, lo, min(hi, c.n))
	}
}

// rows offers rows lo to hi (excluded) of the scan to w's heaps, tile by tile.
func (c *scan) rows(w *worker, lo, hi int) {
	dim := c.s.rows.dim
	for lo < hi {
		limit := min(lo+c.tile, hi)
		var span []float32
		if c.list == nil {
			span = c.s.rows.span(uint32(lo), uint32(limit))
			limit = lo + len(span)/dim
		}
		scores := slices.Grow(w.scores[:0], limit-lo)[:limit-lo]
		w.scores = scores
		for p := range c.probes {
			v := c.probes[p].vector
			if c.list == nil {
				dots(scores, span, v)
			} else {
				for i, row := range c.list[lo:limit] {
					scores[i] = vek32.Dot(c.s.rows.row(row), v)
				}
			}
			c.offer(&w.heaps[p], &c.probes[p], lo, scores)
		}
		lo = limit
	}
}

// dots sets dst[i] to the inner product of v and the i-th row of rows, which
// holds len(dst) rows of len(v) floats.
func dots(dst, rows, v []float32) {
	d := len(v)
	for i := range dst {
		dst[i] = vek32.Dot(rows[i*d:(i+1)*d], v)
	}
}

// offer pushes what may enter the heap. The scores are those of the scan's
// rows from lo on. The order of the tests is by price: most rows end at the
// first.
func (c *scan) offer(h *topk.Heap[float32], p *probe, lo int, scores []float32) {
	docs := &c.s.docs
	allLive := docs.AllLive() || c.list != nil
	for i, score := range scores {
		if h.Full() && score < h.Worst().Score {
			continue
		}
		row := uint32(lo + i)
		if c.list != nil {
			row = c.list[lo+i]
		}
		if !allLive && !docs.Live(row) {
			continue
		}
		if p.cosine {
			score = min(max(score, -1), 1)
		}
		it := topk.Item[float32]{Score: score, Seq: docs.Seq(row), Row: row}
		if h.Full() && topk.Compare(it, h.Worst()) >= 0 {
			continue
		}
		if p.keep != nil && !p.keep(docs.ID(row)) {
			continue
		}
		h.Push(it)
	}
}

// hits merges what the workers found.
func (c *scan) hits(workers []*worker) [][]prospect.Hit {
	total := 0
	for p := range c.probes {
		best := &workers[0].heaps[p]
		for _, w := range workers[1:] {
			best.Merge(&w.heaps[p])
		}
		total += best.Len()
	}
	all := make([]prospect.Hit, 0, total)
	lists := make([][]prospect.Hit, len(c.probes))
	for p := range lists {
		from := len(all)
		for _, it := range workers[0].heaps[p].Sorted() {
			all = append(all, prospect.Hit{ID: c.s.docs.ID(it.Row), Score: float64(it.Score)})
		}
		lists[p] = all[from:len(all):len(all)]
	}
	return lists
}
