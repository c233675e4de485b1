package vecindex

import (
	"math"
	"slices"

	"github.com/prospect-go/prospect/internal/kernel"
)

// A tile is some rows, whose vectors are as many as in a block: enough to forget
// the price of a call, few enough to stay in the second-level cache with their
// scores. They are those of list, or where that is nil those from first on.
type tile struct {
	first uint32
	list  []uint32
	n     int // how many
}

func (t *tile) row(i int) uint32 {
	if t.list != nil {
		return t.list[i]
	}
	return t.first + uint32(i)
}

// run is how many rows from the i-th on have adjacent numbers.
func (t *tile) run(i int) int {
	if t.list == nil {
		return t.n - i
	}
	n := 1
	for i+n < t.n && t.list[i+n] == t.list[i]+uint32(n) {
		n++
	}
	return n
}

// A product scores rows: the highest inner product of their vectors with each
// of some factors.
type product struct {
	vecs    *vectors
	factors []float32 // m vectors, one after the other
	tile    int       // vectors at a time, as many as in a block
}

// scores returns the scores of a tile: for each factor a list of t.n. They
// belong to w until its next tile.
func (p *product) scores(w *worker, t tile) []float32 {
	v := p.vecs
	if t.list == nil && v.starts == nil {
		if span := v.unit.span(t.first, t.first+uint32(t.n)); len(span) == t.n*v.unit.dim {
			return p.kernel(w, span)
		}
	}
	m := len(p.factors) / v.unit.dim
	w.best = sized(w.best, m*t.n)
	for i := range w.best {
		w.best[i] = float32(math.Inf(-1))
	}
	for i := 0; i < t.n; {
		n := t.run(i)
		p.fold(w, t, i, n)
		i += n
	}
	return w.best
}

// fold raises w.best by the scores of the vectors of n adjacent rows, from the
// i-th of the tile on.
func (p *product) fold(w *worker, t tile, i, n int) {
	v := p.vecs
	row := t.row(i)
	at, end := v.first(row), v.first(row+uint32(n))
	for at < end {
		span := v.unit.span(at, min(end, at+uint32(p.tile)))
		size := len(span) / v.unit.dim
		scores := p.kernel(w, span)
		next := i // after the loops: the row of the next span's first vector
		for f := 0; f*size < len(scores); f++ {
			best := w.best[f*t.n : (f+1)*t.n]
			next = i
			vec := at
			for _, x := range scores[f*size : (f+1)*size] {
				for vec >= v.first(t.row(next)+1) {
					next++
				}
				if x > best[next] {
					best[next] = x
				}
				vec++
			}
		}
		i = next
		at += uint32(size)
	}
}

// kernel multiplies vectors that lie in one span: for each factor a list.
func (p *product) kernel(w *worker, span []float32) []float32 {
	dim := p.vecs.unit.dim
	w.scores = sized(w.scores, len(p.factors)/dim*(len(span)/dim))
	if len(p.factors) == dim {
		kernel.Dots(w.scores, p.factors, span)
	} else {
		kernel.DotMatrix(w.scores, p.factors, span, dim)
	}
	return w.scores
}

// sized is s with length n, of whatever content.
func sized[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }
