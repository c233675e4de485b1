package vecindex

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/viterin/vek/vek32"

	"github.com/prospect-go/prospect"
)

// taskFloats is about the number of multiplications that a worker takes on at
// a time, and after which it looks at the context: 20 to 40 µs for one query.
// A second goroutine costs 5 to 10 µs (measured on 2 cores), so one task a
// worker is the least that repays it. Several queries need fewer µs for each.
const taskFloats = 1 << 19

// A ranking says what to rank by: one or more probes over shared factors. It
// owns the memory of a search, which a pool keeps for the next one.
type ranking struct {
	selection
	factors []float32 // vectors one after the other; products with rows are finite
	probes  []probe

	scan    scan
	byCodes codeScan
	workers []*worker         // of the scan
	one     [1][]prospect.Hit // where a search for a single list puts it
}

// A probe is one list of hits to find.
type probe struct {
	k      int    // at least 1
	terms  []Term // of the score; nil for the factor of the probe's position
	cosine bool   // clamp to [-1, 1]
	keep   func(id string) bool
}

var rankingPool = sync.Pool{New: func() any { return new(ranking) }}

// takeRanking returns a ranking without probes, to be released when its lists
// are made.
func takeRanking(sel selection) *ranking {
	r := rankingPool.Get().(*ranking)
	r.selection = sel
	return r
}

// release gives back the memory, also that of the workers.
func (r *ranking) release() {
	for _, w := range r.workers {
		w.release()
	}
	bytes := 4*cap(r.factors) + 64*cap(r.probes) + r.byCodes.bytes()
	if bytes > maxPooled {
		return
	}
	// What belongs to the caller or to a snapshot is not kept alive.
	clear(r.workers)
	clear(r.probes)
	r.selection, r.one = selection{}, [1][]prospect.Hit{}
	r.scan.s, r.scan.product = nil, product{}
	r.scan.panicked.Store(nil)
	r.factors, r.probes, r.workers = r.factors[:0], r.probes[:0], r.workers[:0]
	rankingPool.Put(r)
}

// room appends a vector of dim components, to be written to. It is valid until
// the next.
func (r *ranking) room(dim int) []float32 {
	n := len(r.factors)
	r.factors = slices.Grow(r.factors, dim)[:n+dim]
	return r.factors[n:]
}

// add appends a vector and the probe that ranks by it.
func (r *ranking) add(v []float32, p probe) {
	r.factors = append(r.factors, v...)
	r.probes = append(r.probes, p)
}

// A scan ranks rows for all probes in one pass. Workers take tasks, ranges of
// adjacent rows, until none is left. Which worker gets which does not matter:
// a row's score depends on nothing else, and the order of hits is total.
type scan struct {
	*ranking
	s         *Snapshot
	product   product
	codesOnly bool // read codes instead of vectors
	n         int  // how many rows
	task      int  // rows a task
	next      atomic.Int64

	helpers  sync.WaitGroup      // workers in goroutines of their own
	panicked atomic.Pointer[any] // what a filter threw in one of them, or exited
}

// rank sets lists to the hits of each probe.
func (s *Snapshot) rank(ctx context.Context, r *ranking, lists [][]prospect.Hit) error {
	if len(r.probes) == 0 {
		return ctx.Err()
	}
	if len(r.probes) == 1 { // one filter instead of two
		r.keep, r.probes[0].keep = both(r.keep, r.probes[0].keep), nil
	}
	if done, err := s.rankByCodes(ctx, r, lists); done || err != nil {
		return err
	}
	return s.rankExactly(ctx, r, lists)
}

// rankExactly is rank by the vectors themselves.
func (s *Snapshot) rankExactly(ctx context.Context, r *ranking, lists [][]prospect.Hit) error {
	c := s.newScan(r)
	if err := c.run(ctx); err != nil {
		return err
	}
	c.hits(lists)
	return nil
}

// newScan prepares r's scan.
func (s *Snapshot) newScan(r *ranking) *scan {
	c := &r.scan
	c.ranking, c.s, c.codesOnly, c.n = r, s, false, s.docs.Rows()
	c.next.Store(0)
	c.product = product{vecs: &s.vecs, factors: r.factors, tile: s.vecs.unit.full()}
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

// run lets workers do all tasks. What they found is in c.workers.
func (c *scan) run(ctx context.Context) error {
	for range max(min(c.n/c.task, runtime.GOMAXPROCS(0)), 1) {
		c.workers = append(c.workers, takeWorker(c.probes))
	}
	if len(c.workers) == 1 {
		c.work(ctx, c.workers[0])
		return c.workers[0].err
	}
	// A goroutine for each, none of them the caller's: an idle processor that
	// looks for work sleeps before it takes the goroutine that a running one
	// made last, expecting it to be started there soon. If the caller went on to
	// work, the other would join late: on an idle machine with two processors
	// that is a quarter of the time of 10,000 rows.
	c.helpers.Add(len(c.workers))
	for _, w := range c.workers {
		go c.help(ctx, w)
	}
	c.helpers.Wait()
	if p := c.panicked.Load(); p == &exited {
		runtime.Goexit()
	} else if p != nil {
		panic(*p)
	}
	for _, w := range c.workers {
		if w.err != nil {
			return w.err
		}
	}
	return nil
}

// exited stands for runtime.Goexit in a filter, such as a test's FailNow.
var exited any

// help is work in a goroutine of its own. It keeps a filter's panic for the
// caller's goroutine, where it can be recovered: a panic that leaves any other
// goroutine ends the program. Exiting it would leave rows out without a word,
// so that too is for the caller's.
func (c *scan) help(ctx context.Context, w *worker) {
	defer c.helpers.Done()
	done := false
	defer func() {
		if done {
			return
		}
		c.next.Store(int64(c.n)) // nobody needs the rest
		switch p := recover().(type) {
		case nil:
			c.panicked.Store(&exited)
		case error:
			c.keepPanic(fmt.Errorf("vecindex: panic while filtering: %w\n\n%s", p, debug.Stack()))
		default:
			c.keepPanic(fmt.Errorf("vecindex: panic while filtering: %v\n\n%s", p, debug.Stack()))
		}
	}()
	c.work(ctx, w)
	done = true
}

func (c *scan) keepPanic(p any) { c.panicked.Store(&p) }

// work takes tasks until there are no more or ctx is done.
func (c *scan) work(ctx context.Context, w *worker) {
	for {
		if w.err = ctx.Err(); w.err != nil {
			return
		}
		hi := int(c.next.Add(int64(c.task)))
		lo := hi - c.task
		if lo >= c.n {
			return
		}
		if hi = min(hi, c.n); c.codesOnly {
			c.byCodes.rows(w, lo, hi)
		} else {
			c.rows(w, lo, hi)
		}
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
		t.n = min(hi-lo, size-lo%size) // up to the end of lo's block
		return t
	}
	for t.n = 1; lo+t.n < hi && int(v.first(uint32(lo+t.n+1))-v.first(uint32(lo))) <= size; {
		t.n++
	}
	return t
}
