package onnx

import (
	"cmp"
	"math/bits"
	"slices"
)

// A batch is a set of texts that run at once, all padded to one length.
type batch struct {
	texts  []int // positions in the token lists
	length int
}

// plan groups token lists into batches: longest first, each batch padded to
// the bucket of its longest. Without padding (a graph that has no mask) only
// lists of equal length run together.
//
// Both sides of a batch take few values, for every shape is compiled anew:
// lengths are 8, 16, 24, 32, 48, 64, 96, … (a power of two, or one and a half
// times it), and a full batch has a power of two of rows. Only the last batch
// of a call, and one at a change of length without padding, is not full; the
// runtime pads those to 1, 2, 3, 4, 6, 8, 12, … rows.
func plan(ids [][]uint32, maxTokens, batchSize int, padding bool) []batch {
	order := make([]int, len(ids))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(ids[b]), len(ids[a])) })
	var batches []batch
	for len(order) > 0 {
		longest := len(ids[order[0]])
		length := longest
		if padding {
			length = min(bucket(longest), max(maxTokens, longest))
		}
		n := min(rows(length, batchSize), len(order))
		if !padding {
			n = 1 + slices.IndexFunc(append(order[1:n:n], -1), func(i int) bool { return i < 0 || len(ids[i]) != longest })
		}
		batches = append(batches, batch{order[:n], length})
		order = order[n:]
	}
	return batches
}

// rows is how many texts of a length run at once.
func rows(length, batchSize int) int {
	n := max(1, batchTokens/length)
	return min(batchSize, 1<<(bits.Len(uint(n))-1))
}

// bucket rounds a length up to 8, 16, 24 or a larger 2^k or 3·2^k.
func bucket(n int) int {
	if n <= 8 {
		return 8
	}
	p := 1 << bits.Len(uint(n-1)) // the power of two at or above n
	if q := p / 4 * 3; n <= q && q%8 == 0 {
		return q
	}
	return p
}
