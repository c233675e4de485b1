package vecindex

import (
	"fmt"
	"math"

	"github.com/prospect-go/prospect"
)

// normOf returns the Euclidean norm of a vector that has a direction:
// [prospect.ErrDimension], [prospect.ErrNotFinite] or
// [prospect.ErrZeroVector] otherwise.
//
// The squares of finite float32 values, from 2e-90 to 1.2e77, and any sum of
// them are normal float64 numbers, so nothing overflows or vanishes. A NaN or
// an infinity makes the sum one.
func normOf(v []float32, dim int) (float64, error) {
	if len(v) != dim {
		return 0, fmt.Errorf("%w: %d, want %d", prospect.ErrDimension, len(v), dim)
	}
	// Four sums, since an addition waits for the one before it.
	var sums [4]float64
	rest := v
	for ; len(rest) >= 4; rest = rest[4:] {
		for i, x := range rest[:4] {
			sums[i] += float64(x) * float64(x)
		}
	}
	for i, x := range rest {
		sums[i] += float64(x) * float64(x)
	}
	sum := (sums[0] + sums[1]) + (sums[2] + sums[3])
	switch {
	case math.IsNaN(sum) || math.IsInf(sum, 0):
		return 0, prospect.ErrNotFinite
	case sum == 0:
		return 0, prospect.ErrZeroVector
	}
	return math.Sqrt(sum), nil
}

// scale sets dst to v divided by its norm, to float32's precision: norms are far
// from the ends of float64's range.
func scale(dst, v []float32, norm float64) {
	dst = dst[:len(v)]
	inverse := 1 / norm
	for i, x := range v {
		dst[i] = float32(float64(x) * inverse)
	}
}

// checkFactor says whether inner products with v are certain to be finite:
// rows have unit length, so by Cauchy and Schwarz no partial sum exceeds v's
// norm. A zero vector is fine: every product is 0.
func checkFactor(v []float32, dim int) error {
	if len(v) == dim && isZero(v) {
		return nil
	}
	norm, err := normOf(v, dim)
	if err == nil && norm > math.MaxFloat32/2 {
		return fmt.Errorf("%w: norm %g is out of float32's range", prospect.ErrNotFinite, norm)
	}
	return err
}

func isZero(v []float32) bool {
	for _, x := range v {
		if x != 0 {
			return false
		}
	}
	return true
}
