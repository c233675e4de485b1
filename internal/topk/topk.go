// Package topk keeps the k best rows of a stream of scored rows. Every index
// of the library ranks with it, so that there is one total order of hits:
// score descending, then the order in which documents were first added.
package topk

import (
	"cmp"
	"slices"
)

// A Score is the type in which an index computes.
type Score interface{ ~float32 | ~float64 }

// An Item is a scored row.
type Item[S Score] struct {
	Score S
	Seq   uint32 // order of first insertion; breaks ties, smaller first
	Row   uint32 // whatever the index wants to find the document by
}

// Compare is the total order of hits, best first: score descending, Seq
// ascending. NaN is worse than every number (cmp.Compare puts it last here),
// so that it can never push out a real hit.
func Compare[S Score](a, b Item[S]) int {
	if a.Score > b.Score {
		return -1
	}
	if a.Score < b.Score {
		return 1
	}
	return compareUnordered(a, b)
}

// compareUnordered is Compare of equal scores and of NaN, apart so that the
// rest is small enough to be inlined.
func compareUnordered[S Score](a, b Item[S]) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Seq, b.Seq))
}

// A Heap accumulates the k best items pushed so far.
//
// Invariant: items holds at most k items, and once it holds k it is a binary
// heap with the worst of them at items[0]. The zero Heap keeps nothing; call
// Reset. A Heap is for one goroutine.
type Heap[S Score] struct {
	k     int
	items []Item[S]
}

// Reset empties the heap and sets how many items it keeps. Memory grows with
// what is pushed, not with k, and is kept for reuse.
func (h *Heap[S]) Reset(k int) {
	h.k = max(k, 0)
	h.items = h.items[:0]
}

// Len is the number of items kept.
func (h *Heap[S]) Len() int { return len(h.items) }

// Cap is the number of items that there is memory for, whatever is kept now.
func (h *Heap[S]) Cap() int { return cap(h.items) }

// Full says whether k items are kept, so that only a better one enters.
func (h *Heap[S]) Full() bool { return len(h.items) == h.k }

// Worst is the worst item kept. It is meaningful only when Full and k > 0:
// a row whose score is below Worst().Score cannot enter.
func (h *Heap[S]) Worst() Item[S] { return h.items[0] }

// Push offers an item. Cost: O(log k) when it enters, one comparison when it
// does not.
func (h *Heap[S]) Push(it Item[S]) {
	if len(h.items) < h.k {
		h.items = append(h.items, it)
		if len(h.items) == h.k {
			for i := h.k/2 - 1; i >= 0; i-- {
				h.down(i)
			}
		}
		return
	}
	if h.k == 0 || Compare(it, h.items[0]) >= 0 {
		return
	}
	h.items[0] = it
	h.down(0)
}

// Merge pushes all items of other, which is left unchanged.
func (h *Heap[S]) Merge(other *Heap[S]) {
	for _, it := range other.items {
		h.Push(it)
	}
}

// Sorted sorts the items best first and returns them. The slice belongs to
// the heap and is valid until the next Reset, after which pushing may go on.
func (h *Heap[S]) Sorted() []Item[S] {
	slices.SortFunc(h.items, Compare[S])
	return h.items
}

// down restores the heap below i: no child is worse than its parent.
func (h *Heap[S]) down(i int) {
	for {
		c := 2*i + 1
		if c >= len(h.items) {
			return
		}
		if r := c + 1; r < len(h.items) && Compare(h.items[r], h.items[c]) > 0 {
			c = r
		}
		if Compare(h.items[c], h.items[i]) <= 0 {
			return
		}
		h.items[i], h.items[c] = h.items[c], h.items[i]
		i = c
	}
}
