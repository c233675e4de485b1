package vecindex

import (
	"slices"
	"sync"

	"github.com/prospect-go/prospect/internal/topk"
)

// A worker is what one goroutine of a scan writes to.
type worker struct {
	heaps []topk.Heap[float64] // by probe

	// Of one tile.
	scores []float32 // by factor and vector of a span
	best   []float32 // by factor and row
	sums   []float64 // by row
	asked  []answer  // by row: what the filter said

	err error // why it stopped before the end

	// Of a scan of codes.
	dots  []int32
	ends  []ends        // by probe: of the row whose vectors go on in the next span
	found [][]candidate // by probe
}

// An answer is what a filter said about a row of the tile.
type answer uint8

const (
	unasked answer = iota
	yes
	no
)

var workerPool = sync.Pool{New: func() any { return new(worker) }}

// takeWorker returns a worker with an empty heap for each probe.
func takeWorker(probes []probe) *worker {
	w := workerPool.Get().(*worker)
	w.err = nil
	w.heaps = slices.Grow(w.heaps[:0], len(probes))[:len(probes)]
	for i := range w.heaps {
		w.heaps[i].Reset(probes[i].k)
	}
	w.found = slices.Grow(w.found[:0], len(probes))[:len(probes)]
	for i := range w.found {
		w.found[i] = w.found[i][:0]
	}
	return w
}

// maxPooled bounds the bytes that a rare, large search leaves in the pool.
const maxPooled = 2 << 20

func (w *worker) release() {
	if w.bytes() <= maxPooled {
		workerPool.Put(w)
	}
}

// bytes is the memory kept, also that of earlier searches: with more probes,
// whose heaps and candidates lie beyond the length, or with a larger k.
func (w *worker) bytes() int {
	bytes := 4*cap(w.scores) + 4*cap(w.best) + 8*cap(w.sums) + cap(w.asked) +
		4*cap(w.dots) + 8*cap(w.ends) + 32*cap(w.heaps) + 24*cap(w.found)
	heaps := w.heaps[:cap(w.heaps)]
	for i := range heaps {
		bytes += 16 * heaps[i].Cap()
	}
	for _, f := range w.found[:cap(w.found)] {
		bytes += 8 * cap(f)
	}
	return bytes
}
