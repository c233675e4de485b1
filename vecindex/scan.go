package vecindex

import (
	"context"
	"runtime"
	"slices"
	"sync"

	"github.com/viterin/vek/vek32"
	"golang.org/x/sync/errgroup"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/internal/topk"
)

const (
	// tileBytes of rows are scored for one probe after the other: small
	// enough that the tile and a probe's vector stay in the first-level cache.
	tileBytes = 16 << 10
	// workerFloats is the number of multiplications that repay a goroutine.
	workerFloats = 1 << 19
	// checkFloats is the number of multiplications between looks at the
	// context: some hundred microseconds.
	checkFloats = 1 << 20
)

// A probe is one vector to rank the rows by.
type probe struct {
	vector []float32 // of the index's dimension; products with rows are finite
	k      int       // at least 1
	cosine bool      // clamp to [-1, 1]
	keep   func(id string) bool
}

// rowSet is what a scan reads: all rows below n, or those in list.
type rowSet struct {
	n    int
	list []uint32 // ascending, live, none twice; nil for all rows
}

// scan ranks the rows, or those of the ids in within where that is not nil,
// for each probe. Hits do not depend on the number of workers: scores do not,
// and the order of hits is total.
func (s *Snapshot) scan(ctx context.Context, probes []probe, within []string) ([][]prospect.Hit, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(probes) == 0 {
		return nil, nil
	}
	set := rowSet{n: s.docs.Rows()}
	if within != nil {
		list := s.docs.LiveRows(within)
		slices.Sort(list)
		set.list = slices.Compact(list)
		set.n = len(set.list)
	}

	n := set.n * s.rows.dim * len(probes) / workerFloats
	n = max(min(n, runtime.GOMAXPROCS(0)), 1)
	workers := make([]*worker, n)
	for i := range workers {
		workers[i] = newWorker(probes)
		defer workers[i].release()
	}
	var g errgroup.Group
	for i, w := range workers[1:] {
		lo, hi := set.n*(i+1)/n, set.n*(i+2)/n
		g.Go(func() error { return s.rank(ctx, w, probes, set, lo, hi) })
	}
	err := s.rank(ctx, workers[0], probes, set, 0, set.n/n)
	if err2 := g.Wait(); err == nil {
		err = err2
	}
	if err != nil {
		return nil, err
	}

	lists := make([][]prospect.Hit, len(probes))
	for p := range probes {
		best := &workers[0].heaps[p]
		for _, w := range workers[1:] {
			best.Merge(&w.heaps[p])
		}
		items := best.Sorted()
		hits := make([]prospect.Hit, len(items))
		for i, it := range items {
			hits[i] = prospect.Hit{ID: s.docs.ID(it.Row), Score: float64(it.Score)}
		}
		lists[p] = hits
	}
	return lists, nil
}

// A worker is what one goroutine of a scan writes to.
type worker struct {
	heaps  []topk.Heap[float32] // by probe
	scores []float32            // of one tile
	rows   []uint32             // of one tile
}

var workerPool = sync.Pool{New: func() any { return new(worker) }}

func newWorker(probes []probe) *worker {
	w := workerPool.Get().(*worker)
	w.heaps = slices.Grow(w.heaps[:0], len(probes))[:len(probes)]
	for i := range w.heaps {
		w.heaps[i].Reset(probes[i].k)
	}
	return w
}

// maxPooled bounds what a rare, large search leaves in the pool.
const maxPooled = 1 << 16

func (w *worker) release() {
	kept := 0
	for i := range w.heaps {
		kept += w.heaps[i].Len()
	}
	if kept <= maxPooled {
		workerPool.Put(w)
	}
}

// rank offers the rows lo to hi (excluded) of the set to the worker's heaps,
// tile by tile.
func (s *Snapshot) rank(ctx context.Context, w *worker, probes []probe, set rowSet, lo, hi int) error {
	dim := s.rows.dim
	tile := max(tileBytes/4/dim, 1)
	work := 0
	for lo < hi {
		limit := min(lo+tile, hi)
		w.rows = w.rows[:0]
		var span []float32
		if set.list != nil {
			w.rows = append(w.rows, set.list[lo:limit]...)
		} else {
			span = s.rows.span(uint32(lo), uint32(limit))
			for row := lo; row < lo+len(span)/dim; row++ {
				w.rows = append(w.rows, uint32(row))
			}
		}
		w.scores = slices.Grow(w.scores[:0], len(w.rows))[:len(w.rows)]
		for p := range probes {
			if span != nil {
				dots(w.scores, span, probes[p].vector)
			} else {
				for i, row := range w.rows {
					w.scores[i] = vek32.Dot(s.rows.row(row), probes[p].vector)
				}
			}
			s.offer(&w.heaps[p], &probes[p], w.rows, w.scores)
		}
		lo += len(w.rows)
		if work += len(w.rows) * dim * len(probes); work >= checkFloats {
			work = 0
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}

// dots sets dst[i] to the inner product of v and the i-th row of rows, which
// holds len(dst) rows of len(v) floats.
func dots(dst, rows, v []float32) {
	d := len(v)
	for i := range dst {
		dst[i] = vek32.Dot(rows[i*d:(i+1)*d], v)
	}
}

// offer pushes what may enter the heap. The order of the tests is by price:
// most rows end at the first.
func (s *Snapshot) offer(h *topk.Heap[float32], p *probe, rows []uint32, scores []float32) {
	allLive := s.docs.AllLive()
	for i, score := range scores {
		if h.Full() && score < h.Worst().Score {
			continue
		}
		row := rows[i]
		if !allLive && !s.docs.Live(row) {
			continue
		}
		if p.cosine {
			score = min(max(score, -1), 1)
		}
		it := topk.Item[float32]{Score: score, Seq: s.docs.Seq(row), Row: row}
		if h.Full() && topk.Compare(it, h.Worst()) >= 0 {
			continue
		}
		if p.keep != nil && !p.keep(s.docs.ID(row)) {
			continue
		}
		h.Push(it)
	}
}

// products is Scores by row.
func (s *Snapshot) products(ctx context.Context, vectors [][]float32, rows []uint32) ([][]float64, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	lists := make([][]float64, len(vectors))
	for i := range lists {
		lists[i] = make([]float64, len(rows))
	}
	work := 0
	for j, row := range rows {
		r := s.rows.row(row)
		for i, v := range vectors {
			lists[i][j] = float64(vek32.Dot(r, v))
		}
		if work += len(r) * len(vectors); work >= checkFloats {
			work = 0
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
	}
	return lists, nil
}
