package kernel

import (
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

// near fails unless got is the inner product of a and b within the bound that
// the package states for sums in as few as four lanes.
func near(t *testing.T, a, b []float32, got float32) {
	t.Helper()
	var want, size float64
	for i := range a {
		p := float64(a[i]) * float64(b[i])
		want += p
		size += math.Abs(p)
	}
	bound := (float64(len(a))/4 + 5) * 0x1p-24 * size
	if math.Abs(float64(got)-want) > bound {
		require.InDelta(t, want, got, bound, "dimension %d", len(a))
	}
}

// dims are all small dimensions and those around multiples of what a register
// holds, up to 1,537.
func dims() []int {
	var list []int
	for d := 1; d <= 200; d++ {
		list = append(list, d)
	}
	for _, d := range []int{256, 384, 512, 768, 1024, 1536} {
		list = append(list, d-1, d, d+1)
	}
	return append(list, 1537)
}

func TestFloatsAgreeWithTheOracleAndOneAnother(t *testing.T) {
	each(t, func(t *testing.T, s isa) {
		r := rand.New(rand.NewPCG(1, 2))
		for _, d := range dims() {
			m, n := 1+r.IntN(33), r.IntN(71)
			queries, rows := floats(r, m*d), floats(r, n*d)
			dst := make([]float32, m*n)
			s.dotMatrix(dst, queries, rows, d)
			alone, one := make([]float32, n), make([]float32, 1)
			for i := range m {
				q := queries[i*d : (i+1)*d]
				s.dots(alone, q, rows)
				for j := range n {
					row := rows[j*d : (j+1)*d]
					near(t, q, row, dst[i*n+j])
					s.dots(one, q, row)
					if dst[i*n+j] != alone[j] || alone[j] != one[0] {
						t.Fatalf("dim %d, %d×%d, at %d, %d: %v in a matrix, %v in a block, %v alone",
							d, m, n, i, j, dst[i*n+j], alone[j], one[0])
					}
				}
			}
		}
	})
}
