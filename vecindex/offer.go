package vecindex

import (
	"math"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/internal/topk"
)

// limit is the least score that may still enter the heap.
func (r *ranking) limit(h *topk.Heap[float64], p *probe) float64 {
	limit := r.min
	if h.Full() {
		limit = max(limit, h.Worst().Score)
	}
	switch {
	case p.cosine && limit <= -1:
		return math.Inf(-1) // lower ones are clamped to it
	case p.cosine && limit > 1:
		return math.Inf(1) // higher ones are clamped to less
	}
	return limit
}

// offer pushes the rows of a tile that may enter the heap. The order of the
// tests is by price: most rows end at the first.
func offer[S topk.Score](c *scan, w *worker, h *topk.Heap[float64], p *probe, t *tile, scores []S) {
	docs := &c.s.docs
	limit := c.limit(h, p)
	for i, s := range scores {
		score := float64(s)
		if score < limit {
			continue
		}
		row := t.row(i)
		if c.list == nil && c.hidden.Contains(row) {
			continue
		}
		if p.cosine {
			score = min(max(score, -1), 1)
		}
		it := topk.Item[float64]{Score: score, Seq: docs.Seq(row), Row: row}
		if h.Full() && topk.Compare(it, h.Worst()) >= 0 || !c.keeps(w, p, i, row) {
			continue
		}
		h.Push(it)
		limit = c.limit(h, p)
	}
}

// keeps asks the filters about the i-th row of a tile. What all probes share is
// asked once a row.
func (c *scan) keeps(w *worker, p *probe, i int, row uint32) bool {
	if c.keep == nil && p.keep == nil {
		return true
	}
	id := c.s.docs.ID(row)
	switch {
	case c.keep == nil:
	case len(c.probes) == 1:
		if !c.keep(id) {
			return false
		}
	default:
		if w.asked[i] == unasked {
			w.asked[i] = no
			if c.keep(id) {
				w.asked[i] = yes
			}
		}
		if w.asked[i] == no {
			return false
		}
	}
	return p.keep == nil || p.keep(id)
}

// hits merges what the workers found into lists, one a probe.
func (c *scan) hits(lists [][]prospect.Hit) {
	total := 0
	for p := range c.probes {
		best := &c.workers[0].heaps[p]
		for _, w := range c.workers[1:] {
			best.Merge(&w.heaps[p])
		}
		total += best.Len()
	}
	all := make([]prospect.Hit, 0, total)
	for p := range lists {
		from := len(all)
		for _, it := range c.workers[0].heaps[p].Sorted() {
			all = append(all, prospect.Hit{ID: c.s.docs.ID(it.Row), Score: it.Score})
		}
		lists[p] = all[from:len(all):len(all)]
	}
}
