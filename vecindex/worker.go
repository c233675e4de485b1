package vecindex

import (
	"slices"
	"sync"

	"github.com/prospect-go/prospect/internal/topk"
)

// A worker is what one goroutine of a scan writes to.
type worker struct {
	heaps  []topk.Heap[float32] // by probe
	scores []float32            // of one tile
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

// maxPooled bounds the items that a rare, large search leaves in the pool.
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
