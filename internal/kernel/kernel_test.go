package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// each runs test for every implementation that this machine has.
func each(t *testing.T, test func(t *testing.T, s isa)) {
	for _, s := range available() {
		t.Run(s.String(), func(t *testing.T) { test(t, s) })
	}
}

// floats returns n numbers from -1 to 1.
func floats(r *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = r.Float32()*2 - 1
	}
	return v
}

// codes returns n int8, of all values.
func codes(r *rand.Rand, n int) []int8 {
	v := make([]int8, n)
	for i := range v {
		v[i] = int8(r.Uint32())
	}
	return v
}

// near fails unless got is the inner product of a and b within the bound that
// the package states, for sums in as many lanes as s has.
func near(t *testing.T, s isa, a, b []float32, got float32) {
	t.Helper()
	lanes := 16.
	if s.String() == "portable" {
		lanes = 4
	}
	var want, size float64
	for i := range a {
		p := float64(a[i]) * float64(b[i])
		want += p
		size += math.Abs(p)
	}
	// Nothing is near the smallest normal number except where all is.
	bound := (math.Ceil(float64(len(a))/lanes)+5)*0x1p-24*size + float64(len(a))*0x1p-149
	if !(math.Abs(float64(got)-want) <= bound) {
		require.Failf(t, "far from the oracle", "%s, dimension %d: %v, want %v ± %v", s, len(a), got, want, bound)
	}
}

// exact is the oracle of int8.
func exact(a, b []int8) int32 {
	var sum int64
	for i := range a {
		sum += int64(a[i]) * int64(b[i])
	}
	if int64(int32(sum)) != sum {
		panic("the test's own dimension is too high")
	}
	return int32(sum)
}

// checkFloats compares all pairs of two blocks with the oracle, and bit by bit
// what each score is in the whole matrix, in a block of rows, and alone.
func checkFloats(t *testing.T, s isa, queries, rows []float32, d int) {
	t.Helper()
	m, n := len(queries)/d, len(rows)/d
	dst, alone, one := make([]float32, m*n), make([]float32, n), make([]float32, 1)
	s.dotMatrix(dst, queries, rows, d)
	for i := range m {
		q := queries[i*d : (i+1)*d]
		s.dots(alone, q, rows)
		for j := range n {
			row := rows[j*d : (j+1)*d]
			s.dots(one, q, row)
			bits := math.Float32bits(dst[i*n+j])
			if bits != math.Float32bits(alone[j]) || bits != math.Float32bits(one[0]) {
				require.Failf(t, "a score depends on its place", "%s, dimension %d, %d×%d, at %d, %d: %v in a matrix, %v in a block, %v alone",
					s, d, m, n, i, j, dst[i*n+j], alone[j], one[0])
			}
			near(t, s, q, row, dst[i*n+j])
		}
	}
}

// checkInt8 is checkFloats for codes.
func checkInt8(t *testing.T, s isa, queries, rows []int8, d int) {
	t.Helper()
	m, n := len(queries)/d, len(rows)/d
	dst, alone := make([]int32, m*n), make([]int32, n)
	s.dotMatrixInt8(dst, queries, rows, d)
	for i := range m {
		q := queries[i*d : (i+1)*d]
		s.dotsInt8(alone, q, rows)
		for j := range n {
			want := exact(q, rows[j*d:(j+1)*d])
			if dst[i*n+j] != want || alone[j] != want {
				require.Failf(t, "not exact", "%s, dimension %d, %d×%d, at %d, %d: %d in a matrix, %d in a block, want %d",
					s, d, m, n, i, j, dst[i*n+j], alone[j], want)
			}
		}
	}
}

// All dimensions from 1 to 1,537, with 1 to 8 queries and 0 to 12 rows, so that
// each meets many kernels and remainders. TestAllShapes has larger shapes.
func TestAllDimensions(t *testing.T) {
	each(t, func(t *testing.T, s isa) {
		r := rand.New(rand.NewPCG(1, 2))
		for d := 1; d <= 1537; d++ {
			m, n := 1+d%8, d%13
			checkFloats(t, s, floats(r, m*d), floats(r, n*d), d)
			checkInt8(t, s, codes(r, m*d), codes(r, n*d), d)
		}
	})
}

// All numbers of queries from 1 to 33 by all numbers of rows from 0 to 70, so
// every kernel and remainder and panels that end everywhere.
func TestAllShapes(t *testing.T) {
	each(t, func(t *testing.T, s isa) {
		r := rand.New(rand.NewPCG(3, 4))
		for m := 1; m <= 33; m++ {
			for n := 0; n <= 70; n++ {
				d := 17 + (m+n)%3
				checkFloats(t, s, floats(r, m*d), floats(r, n*d), d)
				checkInt8(t, s, codes(r, m*d), codes(r, n*d), d)
			}
		}
	})
}

// Blocks of many panels: 384 floats are 42 rows a panel, 40 of them taken.
func TestManyPanels(t *testing.T) {
	each(t, func(t *testing.T, s isa) {
		r := rand.New(rand.NewPCG(5, 6))
		for _, n := range []int{39, 40, 41, 80, 81, 250, 700} {
			const d = 384
			checkFloats(t, s, floats(r, 7*d), floats(r, n*d), d)
			checkInt8(t, s, codes(r, 5*d), codes(r, n*d), d)
		}
		// One row is more than a panel.
		const d = 1<<17 - 1
		checkFloats(t, s, floats(r, 2*d), floats(r, 9*d), d)
		checkInt8(t, s, codes(r, 2*d), codes(r, 9*d), d)
	})
}

// AVX2 and AVX-512 sum in one order.
func TestAssemblyAgreesBitByBit(t *testing.T) {
	list := available()
	if len(list) < 3 {
		t.Skipf("one kind of assembly at most here: %v", list)
	}
	r := rand.New(rand.NewPCG(7, 8))
	for d := 1; d <= 1537; d += 1 + d/50 {
		queries, rows := floats(r, 7*d), floats(r, 13*d)
		want, got := make([]float32, 7*13), make([]float32, 7*13)
		list[0].dotMatrix(want, queries, rows, d)
		for _, s := range list[1 : len(list)-1] {
			s.dotMatrix(got, queries, rows, d)
			require.Equal(t, want, got, "%s and %s in dimension %d", list[0], s, d)
		}
	}
}

func TestInt8Extremes(t *testing.T) {
	each(t, func(t *testing.T, s isa) {
		for _, d := range []int{1, 15, 16, 63, 64, 65, 4096, MaxDimInt8} {
			for _, q := range []int8{-128, -127, -1, 0, 1, 127} {
				for _, x := range []int8{-128, -127, 0, 127} {
					queries, rows := make([]int8, 2*d), make([]int8, 5*d)
					for i := range queries {
						queries[i] = q
					}
					for i := range rows {
						rows[i] = x
					}
					dst := make([]int32, 10)
					s.dotMatrixInt8(dst, queries, rows, d)
					for _, got := range dst {
						require.Equal(t, int32(d)*int32(q)*int32(x), got, "%d times %d by %d", d, q, x)
					}
				}
			}
		}
	})
}

// By hand: lanes 0 and 8 are added first, so the ones of element 0 and 8
// cancel before element 4's small number comes, which 1 would swallow.
func TestOrderOfSummation(t *testing.T) {
	each(t, func(t *testing.T, s isa) {
		if s.String() == "portable" {
			// Lane 0 takes all three in turn: (1 + 2⁻²⁵) rounds to 1, minus 1 is 0.
			require.Equal(t, float32(0), dotOf(s, 0, 4, 8))
			// Lane 1 takes the small number alone.
			require.Equal(t, float32(0x1p-25), dotOf(s, 0, 1, 8))
			return
		}
		require.Equal(t, float32(0x1p-25), dotOf(s, 0, 4, 8)) // (1 - 1) + 2⁻²⁵
		require.Equal(t, float32(0), dotOf(s, 0, 8, 4))       // (1 + 2⁻²⁵) - 1
		require.Equal(t, float32(0), dotOf(s, 0, 16, 32))     // one lane, in order
		require.Equal(t, float32(0), dotOf(s, 0, 4, 2))       // 4 before 2
		require.Equal(t, float32(0), dotOf(s, 0, 2, 1))       // 2 before 1
	})
}

// dotOf is the inner product, with ones, of a vector that has 1, 2⁻²⁵ and -1
// at the three positions.
func dotOf(s isa, one, small, minus int) float32 {
	a, b, dst := make([]float32, 40), make([]float32, 40), make([]float32, 1)
	for i := range b {
		b[i] = 1
	}
	a[one], a[small], a[minus] = 1, 0x1p-25, -1
	s.dots(dst, a, b)
	return dst[0]
}

func TestSpecialValues(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	each(t, func(t *testing.T, s isa) {
		for _, d := range []int{1, 7, 16, 23, 32, 33} {
			for _, at := range []int{0, d / 2, d - 1} {
				for _, c := range []struct{ x, y, want float32 }{
					{inf, 1, inf}, {inf, -1, -inf}, {nan, 1, nan}, {inf, 0, nan},
					{math.MaxFloat32, 2, inf}, {math.SmallestNonzeroFloat32, 1, math.SmallestNonzeroFloat32},
				} {
					// The value is in one of eight rows: the others stay what they are.
					queries, rows := make([]float32, 7*d), make([]float32, 9*d)
					for i := range 7 {
						queries[i*d+at] = c.y
					}
					rows[5*d+at] = c.x
					dst := make([]float32, 7*9)
					s.dotMatrix(dst, queries, rows, d)
					for i, got := range dst {
						switch {
						case i%9 != 5:
							require.Zero(t, got)
						case c.want != c.want:
							require.True(t, got != got, "%v", got)
						default:
							require.Equal(t, c.want, got)
						}
					}
				}
			}
		}
	})
}

func TestExportedFunctions(t *testing.T) {
	require.Contains(t, fmt.Sprint(available()), ISA())

	q, rows := []float32{1, 2, 3}, []float32{1, 0, 0, 0, 10, 0, 1, 1, 100}
	dst := make([]float32, 3)
	Dots(dst, q, rows)
	require.Equal(t, []float32{1, 20, 303}, dst)
	require.Equal(t, float32(303), Dot(q, rows[6:]))
	require.Zero(t, Dot(nil, nil))
	both := make([]float32, 6)
	DotMatrix(both, append(q, 0, 0, -1), rows, 3)
	require.Equal(t, []float32{1, 20, 303, 0, 0, -100}, both)

	c, codes := []int8{1, -2}, []int8{127, -128, -1, 0}
	ints := make([]int32, 2)
	DotsInt8(ints, c, codes)
	require.Equal(t, []int32{383, -1}, ints)
	four := make([]int32, 4)
	DotMatrixInt8(four, append(c, 0, 1), codes, 2)
	require.Equal(t, []int32{383, -1, -128, 0}, four)

	Dots(nil, q, nil)
	DotMatrix(nil, nil, rows, 3)
	DotMatrixInt8(nil, nil, nil, 2)
}

func TestWrongShapesPanic(t *testing.T) {
	f, i, d, e := make([]float32, 12), make([]int8, 12), make([]float32, 4), make([]int32, 4)
	for name, call := range map[string]func(){
		"unequal lengths":    func() { Dot(f[:2], f[:3]) },
		"no dimension":       func() { Dots(d[:0], nil, nil) },
		"a part of a row":    func() { Dots(d[:2], f[:3], f[:7]) },
		"a part of a query":  func() { DotMatrix(d[:4], f[:7], f[:6], 3) },
		"short of results":   func() { DotMatrix(d[:3], f[:6], f[:6], 3) },
		"too many results":   func() { Dots(d[:3], f[:3], f[:6]) },
		"negative dimension": func() { DotMatrix(d, f[:6], f[:6], -3) },
		"int8 results":       func() { DotsInt8(e[:1], i[:3], i[:6]) },
		"int8 dimension":     func() { DotMatrixInt8(nil, nil, nil, 0) },
		"int8 overflow":      func() { DotMatrixInt8(nil, nil, nil, MaxDimInt8+1) },
	} {
		require.Panics(t, call, name)
	}
}

func TestNoAllocations(t *testing.T) {
	f, dst, i, ints := make([]float32, 70), make([]float32, 49), make([]int8, 70), make([]int32, 49)
	require.Zero(t, testing.AllocsPerRun(10, func() {
		DotMatrix(dst, f, f, 10)
		Dots(dst[:7], f[:10], f)
		dst[0] += Dot(f[:9], f[9:18])
		DotMatrixInt8(ints, i, i, 10)
		DotsInt8(ints[:7], i[:10], i)
	}))
}
