package kmeans

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFewRows(t *testing.T) {
	ctx := t.Context()
	c, err := Cluster(ctx, Matrix{}, Options{K: 3})
	require.NoError(t, err)
	require.Equal(t, &Clusters{}, c)
	require.Zero(t, c.K())

	for _, o := range []Options{{}, {K: 1}, {K: 5}} {
		c, err = Cluster(ctx, angles(t, 10), o)
		require.NoError(t, err)
		require.Equal(t, []int32{0}, c.Of)
		require.Equal(t, []int{1}, c.Sizes)
		require.InDelta(t, 1, c.MeanCosine, 1e-6)
		require.True(t, c.Converged)
	}

	two := angles(t, 10, 50)
	c, err = Cluster(ctx, two, Options{})
	require.NoError(t, err)
	require.Equal(t, 1, c.K(), "√2 rounded")
	require.InDeltaSlice(t, angles(t, 30).Data, c.Centroids.Data, 1e-6, "half way")
	require.InDelta(t, math.Cos(20*math.Pi/180), c.MeanCosine, 1e-6)
	require.InDelta(t, 4*(1-math.Cos(20*math.Pi/180)), c.Inertia, 1e-5)

	c, err = Cluster(ctx, two, Options{K: 9})
	require.NoError(t, err)
	require.ElementsMatch(t, []int32{0, 1}, c.Of)
	require.InDelta(t, 0, c.Inertia, 1e-6)
}

// As many clusters as rows leave every row alone.
func TestAClusterForEachRow(t *testing.T) {
	rows := gaussian(t, rand.New(rand.NewPCG(1, 1)), 300, 8)
	for _, k := range []int{300, 1000} {
		c, err := Cluster(t.Context(), rows, Options{K: k})
		require.NoError(t, err)
		require.Equal(t, slices.Repeat([]int{1}, 300), c.Sizes)
		require.Equal(t, 2, c.Iterations, "the second sees that nothing moves")
		require.True(t, c.Converged)
		requireBest(t, rows, c)
	}
}

func TestOneClusterIsTheMean(t *testing.T) {
	rows := gaussian(t, rand.New(rand.NewPCG(2, 2)), 5000, 12)
	c, err := Cluster(t.Context(), rows, Options{K: 1})
	require.NoError(t, err)
	mean := make([]float64, 12)
	for i := range rows.Len() {
		for j, x := range rows.Row(i) {
			mean[j] += float64(x)
		}
	}
	var square float64
	for _, x := range mean {
		square += x * x
	}
	for j, x := range mean {
		require.InDelta(t, x/math.Sqrt(square), c.Centroids.Data[j], 1e-6)
	}
	require.InDelta(t, math.Sqrt(square)/5000, c.MeanCosine, 1e-6, "Σ x·c = ‖Σ x‖")
}

func TestIdenticalRows(t *testing.T) {
	row := gaussian(t, rand.New(rand.NewPCG(3, 3)), 1, 24)
	for _, n := range []int{2, 100, 20_000} { // the last has a sample
		rows := Matrix{24, slices.Repeat(row.Data, n)}
		for _, k := range []int{0, 1, 7, min(n, 500)} {
			c, err := Cluster(t.Context(), rows, Options{K: k})
			require.NoError(t, err)
			require.Equal(t, []int{n}, c.Sizes, "one direction is one cluster")
			require.InDeltaSlice(t, row.Data, c.Centroids.Data, 1e-6)
		}
	}
}

// Fewer distinct rows than clusters are as many clusters as distinct rows,
// and as many are found where one is rare.
func TestDuplicates(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	distinct := gaussian(t, r, 6, 16)
	rows := Matrix{Dim: 16}
	for i := range 20_000 {
		from := i % 5
		if i == 7777 {
			from = 5
		}
		rows.Data = append(rows.Data, distinct.Row(from)...)
	}
	for _, k := range []int{6, 7, 50} {
		c, err := Cluster(t.Context(), rows, Options{K: k})
		require.NoError(t, err)
		require.Equal(t, 6, c.K())
		require.Equal(t, 1, c.Sizes[c.Of[7777]])
		require.InDelta(t, 0, c.Inertia, 0.02)
		requireBest(t, rows, c)
	}
	c, err := Cluster(t.Context(), rows, Options{K: 3})
	require.NoError(t, err)
	require.Equal(t, 3, c.K())
}

// Rows that cancel out have no mean; their centroid stays.
func TestOppositeRows(t *testing.T) {
	rows := Matrix{2, []float32{1, 0, -1, 0}}
	c, err := Cluster(t.Context(), rows, Options{K: 1})
	require.NoError(t, err)
	require.InDelta(t, 0, c.MeanCosine, 1e-6)
	require.InDelta(t, 1, math.Abs(float64(c.Centroids.Data[0])), 1e-6)
	c, err = Cluster(t.Context(), rows, Options{K: 2})
	require.NoError(t, err)
	require.Equal(t, []int{1, 1}, c.Sizes)
}

func TestProgress(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	rows := gaussian(t, r, 20_000, 8)
	var seen []Progress
	c, err := Cluster(t.Context(), rows, Options{K: 20, MaxIterations: 4, Tolerance: 1e-9,
		Progress: func(p Progress) { seen = append(seen, p) }})
	require.NoError(t, err)
	require.Len(t, seen, 8)
	for i, p := range seen {
		require.Equal(t, i%4+1, p.Iteration)
		if p.Iteration == 1 {
			require.Equal(t, p.Rows, p.Moved, "from nowhere")
		} else {
			require.Greater(t, p.MeanCosine, seen[i-1].MeanCosine)
		}
		require.Equal(t, []int{sampleAtLeast, 20_000}[i/4], p.Rows)
	}
	require.Equal(t, c.MeanCosine, seen[7].MeanCosine)
	require.Equal(t, 4, c.Iterations)
	require.False(t, c.Converged)
}

func TestTolerance(t *testing.T) {
	rows := gaussian(t, rand.New(rand.NewPCG(6, 6)), 2000, 8)
	run := func(tolerance float64) (c *Clusters, last Progress) {
		c, err := Cluster(t.Context(), rows, Options{K: 12, MaxIterations: 1000, Tolerance: tolerance,
			Progress: func(p Progress) { last = p }})
		require.NoError(t, err)
		require.True(t, c.Converged)
		return c, last
	}
	coarse, _ := run(0.1)
	usual, _ := run(0)
	fixed, last := run(math.SmallestNonzeroFloat64)
	require.Less(t, coarse.Iterations, usual.Iterations)
	require.Less(t, usual.Iterations, fixed.Iterations)
	require.Greater(t, fixed.MeanCosine, coarse.MeanCosine)
	require.Less(t, last.Moved, 20, "at rest but for rounding")
}

// Where no row moves the next centroids are the same again: there is nothing to
// wait for, whatever the tolerance, although the last centroids served better.
func TestNothingMovedIsTheEnd(t *testing.T) {
	var moved []int
	c, err := Cluster(t.Context(), angles(t, -5, 7, 83, 95), Options{K: 2, Tolerance: math.SmallestNonzeroFloat64,
		Progress: func(p Progress) { moved = append(moved, p.Moved) }})
	require.NoError(t, err)
	require.True(t, c.Converged)
	require.Equal(t, []int{4, 0}, moved)
}

// Cancelling stops seeding, the sample's iterations and those of all rows.
func TestCancel(t *testing.T) {
	rows := gaussian(t, rand.New(rand.NewPCG(7, 7)), 20_000, 8)
	done, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Cluster(done, rows, Options{})
	require.ErrorIs(t, err, context.Canceled)
	_, err = Cluster(done, Matrix{}, Options{})
	require.ErrorIs(t, err, context.Canceled)
	_, err = Assign(done, rows, angles(t, 0))
	require.ErrorIs(t, err, context.Canceled)

	for _, at := range []int{sampleAtLeast, rows.Len()} {
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		_, err := Cluster(ctx, rows, Options{K: 20, Progress: func(p Progress) {
			if p.Rows == at {
				calls++
				cancel()
			}
		}})
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, 1, calls, "no iteration after it")
	}
	for _, after := range []int{1, 2, 5, 20, 50, 100, 200, 400, 800} { // looks at the context
		ctx := &countdown{Context: t.Context(), left: after}
		_, err := Cluster(ctx, rows, Options{K: 20, Tolerance: math.SmallestNonzeroFloat64})
		require.ErrorIs(t, err, context.DeadlineExceeded, "after %d", after)
	}
}

func TestSeedsDiffer(t *testing.T) {
	rows := gaussian(t, rand.New(rand.NewPCG(8, 8)), 2000, 8)
	one, err := Cluster(t.Context(), rows, Options{K: 10, Seed: 1})
	require.NoError(t, err)
	two, err := Cluster(t.Context(), rows, Options{K: 10, Seed: 2})
	require.NoError(t, err)
	require.NotEqual(t, one.Of, two.Of)
}
