package vecindex

import (
	"math"

	"github.com/viterin/vek/vek32"
)

// codes are the vectors in eight bits a component: x = scale·c + e, with c
// from -127 to 127. A copy of the struct is a snapshot's, as with blocks.
type codes struct {
	values blocks[int8]
	params blocks[param]
}

// A param is what a vector's codes mean.
type param struct {
	scale float32
	err   float32 // at least the norm of e
}

func newCodes(dim int) *codes {
	return &codes{values: newBlocks[int8](dim), params: newBlocks[param](1)}
}

// extended returns codes with room for n vectors in all.
func (c *codes) extended(n int) *codes {
	e := *c
	e.values.extend(n)
	e.params.extend(n)
	return &e
}

func (c *codes) set(i uint32, x []float32) {
	scale, err := quantise(c.values.at(i), x)
	// Above the float64 by the next float32, and by more than the float64's
	// own rounding, which is some 2⁻⁵² of it a component.
	up := math.Nextafter32(float32(err*(1+1e-9)), math.MaxFloat32)
	c.params.at(i)[0] = param{scale, up}
}

// quantise sets dst to the codes of x, which is finite and not zero, and
// returns their scale and the norm of x - scale·dst.
//
// The scale maps the largest component to 127. As codes are nearest integers
// and 0 is one, no component of the error exceeds that of x, so neither does
// its norm.
func quantise(dst []int8, x []float32) (scale float32, err float64) {
	scale = max(vek32.Max(x), -vek32.Min(x)) / 127
	wide := float64(scale)
	inverse := 1 / wide
	dst = dst[:len(x)]
	var sums [4]float64 // four, so that additions need not wait for each other
	for i, v := range x {
		// Adding and subtracting 1.5·2⁵² rounds to the nearest integer, which is
		// at most 127, for scale·127 is at least 0.9999999 of any component.
		const shift = 3 << 51
		c := float64(float64(v)*inverse+shift) - shift
		dst[i] = int8(c)
		e := float64(v) - c*wide
		sums[i&3] += e * e
	}
	return scale, math.Sqrt(sums[0] + sums[1] + sums[2] + sums[3])
}
