package vecindex

import (
	"math/bits"
	"unsafe"
)

// blockBytes is the size of a block at most, and less than twice that of one
// unless a vector is larger. A smaller one wastes less memory at the end, a
// larger one means fewer of them, and as much is scored at a time (see tile): it
// is to fit the second-level cache.
const blockBytes = 256 << 10

// blocks holds vectors of dim elements in blocks of equal, fixed size, so that
// adding copies no vector that is there.
//
// Invariant: what a snapshot can see never changes. A copy of the struct is a
// snapshot's: later vectors go beyond those that it knows of, later blocks
// beyond its data's length. The first block alone is replaced by a larger copy
// while it is the only one, so that a small index stays small; the old one
// remains for those who see it. Blocks made at one time are one piece of memory.
type blocks[T any] struct {
	dim   int
	shift int   // a full block has 1<<shift vectors
	data  [][]T // full blocks; a single one may be smaller
}

func newBlocks[T any](dim int) blocks[T] {
	var element T
	fit := uint(blockBytes / int(unsafe.Sizeof(element)) / dim)
	return blocks[T]{dim: dim, shift: max(bits.Len(fit)-1, 0)}
}

// full is how many vectors a full block has.
func (b *blocks[T]) full() int { return 1 << b.shift }

// at is the i-th vector.
func (b *blocks[T]) at(i uint32) []T {
	from := int(i) & (1<<b.shift - 1) * b.dim
	return b.data[i>>b.shift][from : from+b.dim : from+b.dim]
}

// span is the vectors from first on, one after the other, up to limit
// (excluded) or the end of first's block.
func (b *blocks[T]) span(first, limit uint32) []T {
	from := int(first) & (1<<b.shift - 1)
	n := min(int(limit-first), 1<<b.shift-from)
	return b.data[first>>b.shift][from*b.dim : (from+n)*b.dim]
}

// extend makes room for n vectors in all.
func (b *blocks[T]) extend(n int) {
	full := b.full()
	if n > 0 && n <= full && len(b.data) <= 1 {
		b.extendFirst(n)
		return
	}
	if len(b.data) == 1 && len(b.data[0]) < full*b.dim {
		b.extendFirst(full)
	}
	if missing := (n+full-1)/full - len(b.data); missing > 0 {
		// In one piece, which a large one can have huge pages for. Where an
		// index grows little by little, by a share of what there is.
		missing = max(missing, len(b.data)/growth)
		piece := make([]T, missing*full*b.dim)
		hugePages(piece)
		for size := full * b.dim; len(piece) > 0; piece = piece[size:] {
			b.data = append(b.data, piece[:size:size])
		}
	}
}

// growth is the part of an index that is made ready beyond what is needed: 3 %.
const growth = 32

// extendFirst makes room for n vectors in the first block, which is the only
// one.
func (b *blocks[T]) extendFirst(n int) {
	var old []T
	if len(b.data) == 1 {
		old = b.data[0]
	}
	have := len(old) / b.dim
	if n <= have {
		return
	}
	first := make([]T, min(max(n, have+have/2), 1<<b.shift)*b.dim)
	copy(first, old)
	b.data = [][]T{first} // not b.data[0] = first: snapshots read that
}
