package kernel

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Blocks of any alignment, of numbers of any size, with canaries around the
// results.
func TestAnyBlocks(t *testing.T) {
	each(t, func(t *testing.T, s isa) {
		rapid.Check(t, func(rt *rapid.T) {
			d := rapid.IntRange(1, 1537).Draw(rt, "dimension")
			m, n := rapid.IntRange(1, 33).Draw(rt, "queries"), rapid.IntRange(0, 70).Draw(rt, "rows")
			if d > 200 {
				m, n = min(m, 9), min(n, 20)
			}
			shift := rapid.IntRange(0, 63).Draw(rt, "alignment")
			r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
			scale := float32(math.Ldexp(1, rapid.IntRange(-60, 60).Draw(rt, "exponent")))
			queries, rows := floats(r, shift+m*d)[shift:], floats(r, shift+n*d)[shift:]
			for i := range rows {
				rows[i] *= scale
			}
			checkFloats(t, s, queries, rows, d)
			checkInt8(t, s, codes(r, shift+m*d)[shift:], codes(r, shift+n*d)[shift:], d)

			const canary = 12345
			all := make([]float32, m*n+2*64)
			ints := make([]int32, len(all))
			for i := range all {
				all[i], ints[i] = canary, canary
			}
			s.dotMatrix(all[64:64+m*n], queries, rows, d)
			s.dotMatrixInt8(ints[64:64+m*n], codes(r, m*d), codes(r, n*d), d)
			for i := range 64 {
				for _, at := range []int{i, 64 + m*n + i} {
					require.Equal(t, float32(canary), all[at])
					require.Equal(t, int32(canary), ints[at])
				}
			}
		})
	})
}

// FuzzKernels reads a shape and the vectors' bytes from data.
func FuzzKernels(f *testing.F) {
	f.Add(uint16(1), uint8(1), []byte{1, 2, 3, 4})
	f.Add(uint16(17), uint8(3), make([]byte, 1000))
	f.Add(uint16(64), uint8(7), []byte("any bytes, as floats of all kinds and as codes, repeated until they fill the blocks"))
	f.Fuzz(func(t *testing.T, dim uint16, count uint8, data []byte) {
		d, m := int(dim)%1600+1, int(count)%13+1
		n := 1 + len(data)/d%40
		if len(data) == 0 {
			data = []byte{0}
		}
		at := 0
		next := func() byte { at++; return data[(at-1)%len(data)] }
		queries, rows := make([]float32, m*d), make([]float32, n*d)
		q8, r8 := make([]int8, m*d), make([]int8, n*d)
		fill := func(v []float32, c []int8) {
			for i := range v {
				c[i] = int8(next())
				x := math.Float32frombits(binary.LittleEndian.Uint32([]byte{next(), next(), next(), next()}))
				if !(x > -1e15 && x < 1e15) { // products stay finite; NaN and Inf have a test
					x = float32(c[i])
				}
				v[i] = x
			}
		}
		fill(queries, q8)
		fill(rows, r8)
		for _, s := range available() {
			checkFloats(t, s, queries, rows, d)
			checkInt8(t, s, q8, r8, d)
		}
	})
}
