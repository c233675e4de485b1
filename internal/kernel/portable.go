package kernel

// dotPortable returns Σ a[i]·b[i], and is what every float32 kernel must
// agree with but for rounding:
//
//	for i := range a { sum += a[i] * b[i] }
//
// Its own order: lane l of four adds up the positions i with i mod 4 = l, from
// the first on; what is left over after whole groups of four goes to lane 0;
// the result is (lane 0 + lane 2) + (lane 1 + lane 3). All portable float32
// kernels call it, and none may inline it: a second copy of the loop could be
// fused in another way.
//
//go:noinline
func dotPortable(a, b []float32) float32 {
	var s0, s1, s2, s3 float32
	b = b[:len(a)]
	for len(a) >= 8 && len(b) >= 8 {
		s0 += a[0] * b[0]
		s1 += a[1] * b[1]
		s2 += a[2] * b[2]
		s3 += a[3] * b[3]
		s0 += a[4] * b[4]
		s1 += a[5] * b[5]
		s2 += a[6] * b[6]
		s3 += a[7] * b[7]
		a, b = a[8:], b[8:]
	}
	if len(a) >= 4 && len(b) >= 4 {
		s0 += a[0] * b[0]
		s1 += a[1] * b[1]
		s2 += a[2] * b[2]
		s3 += a[3] * b[3]
		a, b = a[4:], b[4:]
	}
	for i, x := range a {
		s0 += x * b[i]
	}
	return (s0 + s2) + (s1 + s3)
}

func dotsPortable(dst, query, rows []float32) {
	d := len(query)
	for j := range dst {
		dst[j] = dotPortable(query, rows[j*d:(j+1)*d])
	}
}

// dotMatrixPortable takes rows in tiles that stay in the first-level cache
// while all queries pass over them.
func dotMatrixPortable(dst, queries, rows []float32, dim int) {
	n := len(rows) / dim
	tile := max(16<<10/4/dim, 1)
	for lo := 0; lo < n; lo += tile {
		hi := min(lo+tile, n)
		for i := 0; i*dim < len(queries); i++ {
			dotsPortable(dst[i*n+lo:i*n+hi], queries[i*dim:(i+1)*dim], rows[lo*dim:hi*dim])
		}
	}
}

// dotInt8Portable returns Σ a[i]·b[i]. The order does not matter.
func dotInt8Portable(a, b []int8) int32 {
	var s0, s1, s2, s3 int32
	b = b[:len(a)]
	for len(a) >= 4 && len(b) >= 4 {
		s0 += int32(a[0]) * int32(b[0])
		s1 += int32(a[1]) * int32(b[1])
		s2 += int32(a[2]) * int32(b[2])
		s3 += int32(a[3]) * int32(b[3])
		a, b = a[4:], b[4:]
	}
	for i, x := range a {
		s0 += int32(x) * int32(b[i])
	}
	return s0 + s1 + s2 + s3
}

func dotsInt8Portable(dst []int32, query, rows []int8) {
	d := len(query)
	for j := range dst {
		dst[j] = dotInt8Portable(query, rows[j*d:(j+1)*d])
	}
}

func dotMatrixInt8Portable(dst []int32, queries, rows []int8, dim int) {
	n := len(rows) / dim
	tile := max(16<<10/dim, 1)
	for lo := 0; lo < n; lo += tile {
		hi := min(lo+tile, n)
		for i := 0; i*dim < len(queries); i++ {
			dotsInt8Portable(dst[i*n+lo:i*n+hi], queries[i*dim:(i+1)*dim], rows[lo*dim:hi*dim])
		}
	}
}
