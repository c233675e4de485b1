//go:build !noasm

package kernel

import "golang.org/x/sys/cpu"

// An isa is a set of instructions that has kernels; each contains the lower.
type isa uint8

const (
	portable   isa = iota
	avx2           // AVX2, FMA
	avx512         // AVX-512 F, BW, DQ, VL
	avx512vnni     // and VNNI
)

func (s isa) String() string {
	return [...]string{"portable", "avx2", "avx512", "avx512vnni"}[s]
}

// available lists what this machine can run, the fastest first.
func available() []isa {
	list := []isa{portable}
	x := &cpu.X86
	if x.HasAVX2 && x.HasFMA {
		list = append([]isa{avx2}, list...)
		if x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL {
			list = append([]isa{avx512}, list...)
			if x.HasAVX512VNNI {
				list = append([]isa{avx512vnni}, list...)
			}
		}
	}
	return list
}

const (
	// streamBytes of rows are handed to assembly at a time where there is one
	// query: some ten microseconds at the speed of memory.
	streamBytes = 256 << 10
	// panelBytes of rows meet all queries before the next panel, which is
	// fetched into the second-level cache meanwhile. Without that, 32 queries
	// would spend a third of the time waiting for memory; half or twice the
	// size makes little difference.
	panelBytes = 64 << 10
	cacheLine  = 64
)

// even is a step, a multiple of 8 as most is, in which n rows make pieces of about
// one size, at most most: a last piece of a few rows would cost as many calls as
// the others.
func even(n, most int) int {
	pieces := max((n+most-1)/most, 1)
	return ((n+pieces-1)/pieces + 7) &^ 7
}

// panel is how many rows of so many bytes make up about total: a multiple of
// the rows that assembly takes at a time.
func panel(total, row int) int { return max(total/row&^7, 8) }

func (s isa) dots(dst, query, rows []float32) {
	if s == portable {
		dotsPortable(dst, query, rows)
		return
	}
	d, step := len(query), panel(streamBytes, 4*len(query))
	for lo := 0; lo < len(dst); lo += step {
		n := min(step, len(dst)-lo)
		s.floats(1, &dst[lo], &query[0], &rows[lo*d], nil, d, n, 0, 0)
	}
}

func (s isa) dotMatrix(dst, queries, rows []float32, dim int) {
	if s == portable {
		dotMatrixPortable(dst, queries, rows, dim)
		return
	}
	m, n := len(queries)/dim, len(rows)/dim
	if m == 1 {
		s.dots(dst, queries, rows)
		return
	}
	most := 3
	if s >= avx512 {
		most = 6
	}
	passes := (m + most - 1) / most // over each panel
	step := even(n, panel(panelBytes, 4*dim))
	for lo := 0; lo < n; lo += step {
		hi := min(lo+step, n)
		for q, pass := 0, 0; q < m; pass++ {
			count := share(m-q, most)
			// The passes share the work of fetching the next panel.
			ahead, advance := &rows[lo*dim], 0
			if next := min(hi+step, n) - hi; next > 0 {
				ahead = &rows[(hi+next*pass/passes)*dim]
				advance = (s.tileRows(count) + passes - 1) / passes * cacheLine
			}
			s.floats(count, &dst[q*n+lo], &queries[q*dim], &rows[lo*dim], ahead, dim, hi-lo, n, advance)
			q += count
		}
	}
}

// tileRows is how many rows the float kernel for so many queries takes at a
// time.
func (s isa) tileRows(count int) int {
	switch {
	case s == avx2:
		return 2
	case count <= 3:
		return 8
	default:
		return 4
	}
}

func (s isa) dotsInt8(dst []int32, query, rows []int8) {
	if s == portable {
		dotsInt8Portable(dst, query, rows)
		return
	}
	d, step := len(query), panel(streamBytes, len(query))
	for lo := 0; lo < len(dst); lo += step {
		n := min(step, len(dst)-lo)
		s.int8s(1, &dst[lo], &query[0], &rows[lo*d], d, n, 0)
	}
}

func (s isa) dotMatrixInt8(dst []int32, queries, rows []int8, dim int) {
	if s == portable {
		dotMatrixInt8Portable(dst, queries, rows, dim)
		return
	}
	m, n := len(queries)/dim, len(rows)/dim
	most := 2
	if s == avx512vnni {
		most = 4
	}
	step := even(n, panel(panelBytes, dim))
	for lo := 0; lo < n; lo += step {
		hi := min(lo+step, n)
		for q, left := 0, m; left > 0; {
			count := share(left, most)
			s.int8s(count, &dst[q*n+lo], &queries[q*dim], &rows[lo*dim], dim, hi-lo, n)
			q, left = q+count, left-count
		}
	}
}

// share is how many of the queries left to take next, at most most: as few
// kernels as can be, with about as many queries each (7 are 4 and 3, not 6
// and 1, which would load every row for a single multiplication).
func share(left, most int) int {
	kernels := (left + most - 1) / most
	return (left + kernels - 1) / kernels
}

// floats sets dst[i*stride+j], for i < count and j < n.
func (s isa) floats(count int, dst, queries, rows, ahead *float32, dim, n, stride, advance int) {
	if count == 1 {
		floatAVX2x1(dst, queries, rows, dim, n, stride)
		return
	}
	if s == avx2 {
		switch count {
		case 2:
			floatAVX2x2(dst, queries, rows, ahead, dim, n, stride, advance)
		case 3:
			floatAVX2x3(dst, queries, rows, ahead, dim, n, stride, advance)
		}
		return
	}
	switch count {
	case 2:
		floatAVX512x2(dst, queries, rows, ahead, dim, n, stride, advance)
	case 3:
		floatAVX512x3(dst, queries, rows, ahead, dim, n, stride, advance)
	case 4:
		floatAVX512x4(dst, queries, rows, ahead, dim, n, stride, advance)
	case 5:
		floatAVX512x5(dst, queries, rows, ahead, dim, n, stride, advance)
	case 6:
		floatAVX512x6(dst, queries, rows, ahead, dim, n, stride, advance)
	}
}

// int8s sets dst[i*stride+j], for i < count and j < n.
func (s isa) int8s(count int, dst *int32, queries, rows *int8, dim, n, stride int) {
	if s < avx512vnni {
		switch count {
		case 1:
			int8AVX2x1(dst, queries, rows, dim, n, stride)
		case 2:
			int8AVX2x2(dst, queries, rows, dim, n, stride)
		}
		return
	}
	switch count {
	case 1:
		int8VNNIx1(dst, queries, rows, dim, n, stride)
	case 2:
		int8VNNIx2(dst, queries, rows, dim, n, stride)
	case 3:
		int8VNNIx3(dst, queries, rows, dim, n, stride)
	case 4:
		int8VNNIx4(dst, queries, rows, dim, n, stride)
	}
}
