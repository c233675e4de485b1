package kmeans

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// naive is Lloyd's algorithm in float64, a line for each of its steps. An
// empty cluster keeps its centroid.
func naive(rows Matrix, seeds Matrix, iterations int) (of []int, centroids [][]float64) {
	for c := range seeds.Len() {
		centroids = append(centroids, widen(seeds.Row(c)))
	}
	of = make([]int, rows.Len())
	for i := range iterations {
		for row := range of {
			of[row] = 0
			for c := range centroids {
				if dot64(rows.Row(row), centroids[c]) > dot64(rows.Row(row), centroids[of[row]]) {
					of[row] = c
				}
			}
		}
		if i == iterations-1 {
			return of, centroids
		}
		for c := range centroids {
			if slices.Contains(of, c) {
				centroids[c] = naiveMean(rows, of, c)
			}
		}
	}
	return of, centroids
}

func naiveMean(rows Matrix, of []int, c int) []float64 {
	sum := make([]float64, rows.Dim)
	for row, at := range of {
		if at == c {
			for j, x := range rows.Row(row) {
				sum[j] += float64(x)
			}
		}
	}
	var square float64
	for _, x := range sum {
		square += x * x
	}
	for j := range sum {
		sum[j] /= math.Sqrt(square)
	}
	return sum
}

func widen(v []float32) []float64 {
	w := make([]float64, len(v))
	for i, x := range v {
		w[i] = float64(x)
	}
	return w
}

func dot64(a []float32, b []float64) (sum float64) {
	for i, x := range a {
		sum += float64(x) * b[i]
	}
	return sum
}

// From the same seeds the clusters are those of the naive loop. (One row in a
// near-tie could lead the two apart; on these rows none does.)
func TestAgainstNaiveLloyd(t *testing.T) {
	for _, c := range []struct{ n, dim, k, iterations int }{
		{60, 2, 4, 10}, {500, 8, 20, 15}, {700, 33, 7, 25}, {400, 384, 20, 6}, {1500, 16, 600, 8},
	} {
		r := rand.New(rand.NewPCG(uint64(c.n), uint64(c.dim)))
		rows := gaussian(t, r, c.n, c.dim)
		seeds, err := seed(t.Context(), rows, c.k, r)
		require.NoError(t, err)
		of, centroids := naive(rows, seeds, c.iterations)

		p := newPartition(rows, Matrix{c.dim, slices.Clone(seeds.Data)})
		done, err := p.lloyd(t.Context(), Options{K: c.k, MaxIterations: c.iterations, Tolerance: math.SmallestNonzeroFloat64})
		require.NoError(t, err)
		require.Zero(t, done.repaired, "the naive loop repairs nothing")
		for row := range of {
			require.EqualValues(t, of[row], p.of[row], "row %d of %+v", row, c)
		}
		for i := range centroids {
			for j, x := range centroids[i] {
				require.InDelta(t, x, p.centroids.Row(i)[j], 1e-6)
			}
		}
	}
}

// A step at a time near-ties do not add up: however the rows are, each goes
// where its cosine is highest but for rounding, and each centroid to the mean.
func TestEachStepAgainstNaive(t *testing.T) {
	for i := range uint64(40) {
		r := rand.New(rand.NewPCG(9, i))
		n, dim, k := 1+r.IntN(600), 1+r.IntN(70), 1+r.IntN(40)
		rows := gaussian(t, r, n, dim)
		if r.IntN(2) == 0 { // many ties
			rows = Matrix{dim, slices.Repeat(rows.Row(0), n)}
			copy(rows.Data, gaussian(t, r, (n+1)/2, dim).Data)
		}
		p := newPartition(rows, gaussian(t, r, k, dim))
		for range 3 {
			old := Matrix{dim, slices.Clone(p.centroids.Data)}
			_, err := p.assign(t.Context())
			require.NoError(t, err)
			requireBest(t, rows, p.clusters())
			require.NoError(t, p.update(t.Context()))
			of := make([]int, n)
			for row, c := range p.of {
				of[row] = int(c)
			}
			for c, size := range p.sizes {
				want := widen(old.Row(c))
				if size > 0 {
					want = naiveMean(rows, of, c)
				}
				for j, x := range want {
					if !math.IsNaN(x) { // 0/0: rows that cancel out
						require.InDelta(t, x, p.centroids.Row(c)[j], 1e-6)
					}
				}
			}
		}
	}
}
