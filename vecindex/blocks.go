package vecindex

import "math/bits"

// blockBytes is about the size of a block. A smaller one wastes less memory at
// the end, a larger one means fewer of them.
const blockBytes = 256 << 10

// blocks holds rows of dim floats in blocks of equal, fixed size, so that
// adding copies no row that is there.
//
// Invariant: what a snapshot can see never changes. A copy of the struct is a
// snapshot's: later rows go beyond the rows it knows of, later blocks beyond
// its data's length. The first block alone is replaced by a larger copy while
// it is the only one, so that a small index stays small; the old one remains
// for those who see it.
type blocks struct {
	dim   int
	shift int         // a full block has 1<<shift rows
	data  [][]float32 // full blocks; a single one may be smaller
}

func newBlocks(dim int) blocks {
	return blocks{dim: dim, shift: max(bits.Len(uint(blockBytes/4/dim))-1, 0)}
}

// row is the vector of a row.
func (b *blocks) row(i uint32) []float32 {
	at := int(i) & (1<<b.shift - 1) * b.dim
	return b.data[i>>b.shift][at : at+b.dim : at+b.dim]
}

// span is the vectors of the rows from first on, one after the other, up to
// limit (excluded) or the end of first's block.
func (b *blocks) span(first, limit uint32) []float32 {
	at := int(first) & (1<<b.shift - 1)
	n := min(int(limit-first), 1<<b.shift-at)
	return b.data[first>>b.shift][at*b.dim : (at+n)*b.dim]
}

// extend makes room for n rows in all.
func (b *blocks) extend(n int) {
	full := 1 << b.shift
	if n > 0 && n <= full && len(b.data) <= 1 {
		b.extendFirst(n)
		return
	}
	if len(b.data) == 1 && len(b.data[0]) < full*b.dim {
		b.extendFirst(full)
	}
	for len(b.data)*full < n {
		b.data = append(b.data, make([]float32, full*b.dim))
	}
}

// extendFirst makes room for n rows in the first block, which is the only one.
func (b *blocks) extendFirst(n int) {
	var old []float32
	if len(b.data) == 1 {
		old = b.data[0]
	}
	have := len(old) / b.dim
	if n <= have {
		return
	}
	first := make([]float32, min(max(n, have+have/2), 1<<b.shift)*b.dim)
	copy(first, old)
	b.data = [][]float32{first} // not b.data[0] = first: snapshots read that
}
