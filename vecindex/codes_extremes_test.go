package vecindex

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCodesChangeNoHitAtExtremes: vectors that differ by a unit in the last
// place or by denormals, of all lengths; queries that are a vector's own
// quantisation error, and whose norms lie around the limits within which codes
// are used; few dimensions, where bounds are tight, and many.
func TestCodesChangeNoHitAtExtremes(t *testing.T) {
	if testing.Short() {
		t.Skip("compares hits, one search at a time; slow under the race detector, which has nothing to find here")
	}
	names := slices.Sorted(maps.Keys(shapes))
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 77))
		dim := []int{1, 2, 3, 4, 5, 7, 16, 33, 384, 1537}[seed%10]
		shape := func(v []float32) { shapes[names[r.IntN(len(names))]](r, v) }
		centre := make([]float32, dim)
		shape(centre)
		docs := make([]Doc, 2500)
		for i := range docs {
			v := slices.Clone(centre)
			if i%3 == 0 {
				shape(v)
			}
			for j := range v {
				switch r.IntN(4) {
				case 0:
					v[j] = math.Nextafter32(v[j], float32(r.IntN(3)-1))
				case 1:
					v[j] *= 1e-38
				}
			}
			v[r.IntN(dim)] += 1e-3
			length := float32(math.Pow(10, 30*r.Float64()-15))
			for j := range v {
				v[j] *= length
			}
			docs[i] = Doc{ID: fmt.Sprint(i), Vector: v}
			if i%5 == 4 && seed%3 == 0 {
				docs[i].More = [][]float32{docs[i-1].Vector}
			}
		}
		exact, quick := quantisedPair(t, docs)
		for i := range 24 {
			q := slices.Clone(centre)
			switch i % 3 {
			case 1:
				shape(q)
			case 2:
				codes := make([]int8, dim)
				x := quick.vecs.unit.at(uint32(r.IntN(len(docs))))
				s, _ := quantise(codes, x)
				for j := range q {
					q[j] = x[j] - s*float32(codes[j])
				}
			}
			length := []float64{1e-30, minFactorNorm * 0.99, minFactorNorm * 1.01, 1, maxFactorNorm * 0.99, maxFactorNorm * 1.01, 1e20}[i%7]
			if norm, err := normOf(q, dim); err == nil {
				scale(q, q, norm/length)
			}
			for _, k := range []int{1, 10, 300} {
				want, err := exact.ScoreBatch(t.Context(), [][]float32{q}, k, Filter{})
				require.NoError(t, err)
				got, err := quick.ScoreBatch(t.Context(), [][]float32{q}, k, Filter{})
				require.NoError(t, err)
				require.Equal(t, want, got, "seed %d, dimension %d, query %d, k %d", seed, dim, i, k)
			}
		}
	}
}
