package kmeans

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stretchr/testify/require"
)

// testing.T, or rapid.T.
type tester interface {
	require.TestingT
	Helper()
}

// rowsOf makes unit rows of vectors.
func rowsOf(t tester, vectors ...[]float32) Matrix {
	t.Helper()
	_, m, err := Gather(slices.All(vectors), len(vectors))
	require.NoError(t, err)
	return m
}

// angles makes rows in the plane, in degrees.
func angles(t tester, degrees ...float64) Matrix {
	t.Helper()
	vectors := make([][]float32, len(degrees))
	for i, d := range degrees {
		vectors[i] = []float32{float32(math.Cos(d * math.Pi / 180)), float32(math.Sin(d * math.Pi / 180))}
	}
	return rowsOf(t, vectors...)
}

// gaussian is n rows whose directions are equally likely.
func gaussian(t tester, r *rand.Rand, n, dim int) Matrix {
	t.Helper()
	return around(t, r, make([]float32, dim), n, 1)
}

// around is n rows about a centre, with some spread.
func around(t tester, r *rand.Rand, centre []float32, n int, spread float64) Matrix {
	t.Helper()
	vectors := make([][]float32, n)
	for i := range vectors {
		vectors[i] = slices.Clone(centre)
		for j := range vectors[i] {
			vectors[i][j] += float32(r.NormFloat64() * spread)
		}
	}
	return rowsOf(t, vectors...)
}

// join puts rows below each other.
func join(of ...Matrix) Matrix {
	all := Matrix{Dim: of[0].Dim}
	for _, m := range of {
		all.Data = append(all.Data, m.Data...)
	}
	return all
}

// planted is rows about k centres, shuffled, with the centre of each. The
// spread is the length of the noise beside a centre's 1.
func planted(t tester, r *rand.Rand, sizes []int, dim int, spread float64) (Matrix, []int) {
	t.Helper()
	centres := gaussian(t, r, len(sizes), dim)
	var parts []Matrix
	var of []int
	for c, n := range sizes {
		parts = append(parts, around(t, r, centres.Row(c), n, spread/math.Sqrt(float64(dim))))
		of = append(of, slices.Repeat([]int{c}, n)...)
	}
	m := join(parts...)
	r.Shuffle(len(of), func(i, j int) {
		of[i], of[j] = of[j], of[i]
		for x := range dim {
			a, b := i*dim+x, j*dim+x
			m.Data[a], m.Data[b] = m.Data[b], m.Data[a]
		}
	})
	return m, of
}

// dot is the inner product in float64.
func dot(a, b []float32) float64 {
	var sum float64
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}

// requireBest checks that each row is where its cosine is highest, and that
// what a result says of itself is so.
func requireBest(t tester, rows Matrix, c *Clusters) {
	t.Helper()
	const tolerance = 5e-6
	require.Len(t, c.Of, rows.Len())
	require.Equal(t, c.K(), c.Centroids.Len())
	sizes, all := make([]int, c.K()), 0.0
	for row := range rows.Len() {
		own := dot(rows.Row(row), c.Centroids.Row(int(c.Of[row])))
		for other := range c.K() {
			require.LessOrEqual(t, dot(rows.Row(row), c.Centroids.Row(other)), own+tolerance, "row %d", row)
		}
		require.InDelta(t, own, c.Similarity[row], tolerance)
		sizes[c.Of[row]]++
		all += own
	}
	require.Equal(t, sizes, c.Sizes)
	for i, size := range sizes {
		require.InDelta(t, 1, dot(c.Centroids.Row(i), c.Centroids.Row(i)), 2*unitSlack)
		require.Len(t, c.Members(i), size)
	}
	n := float64(rows.Len())
	require.InDelta(t, all/n, c.MeanCosine, tolerance)
	require.InDelta(t, 2*(n-all), c.Inertia, 2*n*tolerance)
}
