package kmeans

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Rows of all kinds: clustered or not, many of them equal, few or many
// dimensions.
func drawRows(t *rapid.T) (rows Matrix, distinct int) {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	dim := rapid.IntRange(2, 40).Draw(t, "dim")
	distinct = rapid.IntRange(1, 200).Draw(t, "distinct")
	n := distinct + rapid.IntRange(0, 400).Draw(t, "repeated")
	topics := gaussian(t, r, rapid.IntRange(1, 12).Draw(t, "topics"), dim)
	spread := rapid.SampledFrom([]float64{0.01, 0.1, 0.5, 3}).Draw(t, "spread")
	var parts []Matrix
	for range distinct {
		parts = append(parts, around(t, r, topics.Row(r.IntN(topics.Len())), 1, spread))
	}
	for range n - distinct {
		parts = append(parts, parts[r.IntN(distinct)])
	}
	r.Shuffle(n, func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	return join(parts...), distinct
}

// directions is how many rows are left when rows that count as one are taken
// together, greedily; it is at least the number of clusters that there must be.
func directions(rows Matrix, apart float64) int {
	var kept []int
	for row := range rows.Len() {
		if !slices.ContainsFunc(kept, func(other int) bool { return dot(rows.Row(row), rows.Row(other)) > apart }) {
			kept = append(kept, row)
		}
	}
	return len(kept)
}

func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, _ := drawRows(t)
		o := Options{
			K:         rapid.IntRange(0, 250).Draw(t, "k"),
			Seed:      rapid.Uint64().Draw(t, "of k-means"),
			Tolerance: rapid.SampledFrom([]float64{0, 0.05, math.SmallestNonzeroFloat64}).Draw(t, "tolerance"),
		}
		last := math.Inf(1)
		o.Progress = func(p Progress) {
			require.LessOrEqual(t, 1-p.MeanCosine, last+1e-6, "inertia never rises")
			last = 1 - p.MeanCosine
		}
		c, err := Cluster(t.Context(), rows, o)
		require.NoError(t, err)
		requireBest(t, rows, c)
		require.NotContains(t, c.Sizes, 0)
		k := o.filled(rows.Len()).K
		require.LessOrEqual(t, c.K(), k)
		// Rows within sameCosine of a centroid are within four times its angle's
		// square of each other.
		require.GreaterOrEqual(t, c.K(), min(k, directions(rows, 1-4.5*(1-sameCosine))))

		again, err := Cluster(t.Context(), rows, o2(o))
		require.NoError(t, err)
		require.Equal(t, c, again)
	})
}

// o2 is o without its callback.
func o2(o Options) Options { o.Progress = nil; return o }

// Repairing keeps what each row has: nothing gets farther from its centroid.
func TestRepairProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, _ := drawRows(t)
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "centroids"), 0))
		k := rapid.IntRange(1, rows.Len()).Draw(t, "k")
		// Centroids at random places, one of them several times, so that many
		// clusters are empty.
		centroids := gaussian(t, r, rapid.IntRange(1, k).Draw(t, "there"), rows.Dim)
		for c := range centroids.Len() / 2 {
			copy(centroids.Row(c), centroids.Row(0))
		}
		p := newPartition(rows, centroids)
		_, err := p.assign(t.Context())
		require.NoError(t, err)
		before, missing := slices.Clone(p.similarity), k-p.k()
		for _, size := range p.sizes {
			if size == 0 {
				missing++
			}
		}
		filled, err := p.repair(t.Context(), k)
		require.NoError(t, err)
		for row := range before {
			require.GreaterOrEqual(t, p.similarity[row], before[row])
		}
		if need := min(k, directions(rows, 1-4.5*(1-sameCosine))); need == k {
			require.GreaterOrEqual(t, filled, missing)
			require.NotContains(t, p.sizes, 0)
			require.Equal(t, k, p.k())
		}
		p.dropEmpty()
		requireBest(t, rows, p.clusters())
	})
}

// Assign of a result's rows and centroids is the result.
func TestAssignProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, _ := drawRows(t)
		c, err := Cluster(t.Context(), rows, Options{K: rapid.IntRange(1, 30).Draw(t, "k")})
		require.NoError(t, err)
		a, err := Assign(t.Context(), rows, c.Centroids)
		require.NoError(t, err)
		requireBest(t, rows, a)
		require.Equal(t, c.Similarity, a.Similarity)
		require.Equal(t, c.MeanCosine, a.MeanCosine)
		// Rows alone go where they go together.
		row := rapid.IntRange(0, rows.Len()-1).Draw(t, "row")
		one, err := Assign(t.Context(), Matrix{rows.Dim, rows.Row(row)}, c.Centroids)
		require.NoError(t, err)
		require.Equal(t, a.Of[row], one.Of[0])
		require.Equal(t, a.Similarity[row], one.Similarity[0])
	})
}
