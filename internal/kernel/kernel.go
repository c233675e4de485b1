package kernel

import "fmt"

// MaxDimInt8 is the highest dimension at which no int8 product can overflow:
// 131,071 · (-128)² is 2³¹ - 16,384.
const MaxDimInt8 = 1<<17 - 1

// active is what the exported functions use.
var active = available()[0]

// ISA names the instructions in use, for reports: "avx512vnni", "avx512",
// "avx2" or "portable".
func ISA() string { return active.String() }

// Dot returns Σ a[i]·b[i]. It panics where the lengths differ.
func Dot(a, b []float32) float32 {
	if len(a) != len(b) {
		panic(fmt.Sprintf("kernel: dot of %d and %d floats", len(a), len(b)))
	}
	var dst [1]float32
	if len(a) > 0 {
		active.dots(dst[:], a, b)
	}
	return dst[0]
}

// Dots sets dst[j] to Σ query[i]·rows[j·d+i], d = len(query), for each of the
// n = len(rows)/d rows. It panics unless d > 0, rows holds whole rows and dst
// has n floats.
func Dots(dst, query, rows []float32) {
	shape(len(dst), len(query), len(rows), len(query))
	active.dots(dst, query, rows)
}

// DotMatrix sets dst[i·n+j] to the inner product of query i and row j, for
// each of the m = len(queries)/dim queries and n = len(rows)/dim rows. The
// scores of one query lie side by side: searching for the best rows of each
// query reads them in order, and so does k-means where points are the queries
// and centroids the rows. It panics unless dim > 0, both blocks hold whole
// vectors and dst has m·n floats.
//
// It reads rows from memory once where the queries stay in the second-level
// cache (some 250 queries of 384 floats). While it multiplies it fetches the
// rows that follow in the same call, so hundreds of rows a call are faster
// than a few at a time.
func DotMatrix(dst, queries, rows []float32, dim int) {
	shape(len(dst), len(queries), len(rows), dim)
	active.dotMatrix(dst, queries, rows, dim)
}

// DotsInt8 sets dst[j] to Σ query[i]·rows[j·d+i], d = len(query), for each of
// the n = len(rows)/d rows of signed codes from -128 to 127. Results are
// exact and the same everywhere. It panics as [Dots] does, and where d exceeds
// [MaxDimInt8].
func DotsInt8(dst []int32, query, rows []int8) {
	shapeInt8(len(dst), len(query), len(rows), len(query))
	active.dotsInt8(dst, query, rows)
}

// DotMatrixInt8 is [DotMatrix] of signed codes, exact as [DotsInt8].
func DotMatrixInt8(dst []int32, queries, rows []int8, dim int) {
	shapeInt8(len(dst), len(queries), len(rows), dim)
	active.dotMatrixInt8(dst, queries, rows, dim)
}

// shape panics unless the blocks have whole vectors of length dim and dst has
// a place for each pair: assembly checks no bounds.
func shape(dst, queries, rows, dim int) {
	if dim <= 0 || queries%dim != 0 || rows%dim != 0 || (queries/dim)*(rows/dim) != dst {
		panic(fmt.Sprintf("kernel: %d results for blocks of %d and %d in dimension %d", dst, queries, rows, dim))
	}
}

func shapeInt8(dst, queries, rows, dim int) {
	shape(dst, queries, rows, dim)
	if dim > MaxDimInt8 {
		panic(fmt.Sprintf("kernel: int8 vectors of dimension %d may overflow", dim))
	}
}
