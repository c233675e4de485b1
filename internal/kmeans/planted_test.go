package kmeans

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// adjustedRand is the adjusted Rand index of Hubert and Arabie (1985): 1 for
// the same partition, 0 for what chance gives.
func adjustedRand(a, b []int) float64 {
	type pair struct{ a, b int }
	both, left, right := map[pair]int{}, map[int]int{}, map[int]int{}
	for i := range a {
		both[pair{a[i], b[i]}]++
		left[a[i]]++
		right[b[i]]++
	}
	pairs := func(n int) float64 { return float64(n) * float64(n-1) / 2 }
	var together, inA, inB float64
	for _, n := range both {
		together += pairs(n)
	}
	for _, n := range left {
		inA += pairs(n)
	}
	for _, n := range right {
		inB += pairs(n)
	}
	chance := inA * inB / pairs(len(a))
	return (together - chance) / ((inA+inB)/2 - chance)
}

func TestAdjustedRand(t *testing.T) {
	require.InDelta(t, 1.0, adjustedRand([]int{0, 0, 1, 1}, []int{5, 5, 2, 2}), 1e-12)
	// Pairs together in both 1, in a 2, in b 3 of 6 pairs: chance 2·3/6 = 1,
	// (1 - 1)/(2.5 - 1) = 0.
	require.InDelta(t, 0.0, adjustedRand([]int{0, 0, 1, 1}, []int{0, 0, 0, 1}), 1e-12)
}

// Clusters that are there, and apart, are found, whatever their sizes, with and
// without a sample.
func TestPlantedClusters(t *testing.T) {
	for seed := range uint64(6) {
		if testing.Short() && seed != 0 && seed != 3 {
			continue
		}
		r := rand.New(rand.NewPCG(seed, 6))
		scale := 1
		if seed >= 3 {
			scale = 3
		}
		var sizes []int
		for range 25 {
			sizes = append(sizes, scale*(50+r.IntN(300)))
		}
		sizes = append(sizes, scale*2000)
		rows, want := planted(t, r, sizes, 32, 0.03)
		sampled := false
		c, err := Cluster(t.Context(), rows, Options{K: len(sizes), Seed: seed,
			Progress: func(p Progress) { sampled = sampled || p.Rows < rows.Len() }})
		require.NoError(t, err)
		require.Equal(t, scale > 1, sampled)
		got := make([]int, len(want))
		for i, of := range c.Of {
			got[i] = int(of)
		}
		require.Equal(t, 1.0, adjustedRand(want, got), "seed %d", seed)
		require.True(t, c.Converged)
	}
}

// More clusters than there are divide them, and fewer join them: no cluster
// has much of one that it lacks most of.
func TestPlantedAtAnotherK(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	rows, want := planted(t, r, []int{100, 100, 100, 100, 100, 100}, 64, 0.5)
	for _, k := range []int{3, 12} {
		c, err := Cluster(t.Context(), rows, Options{K: k})
		require.NoError(t, err)
		require.Equal(t, k, c.K())
		var shares [6][12]int
		for row, of := range c.Of {
			shares[want[row]][of]++
		}
		for _, counts := range shares {
			for of, n := range counts {
				if k == 3 {
					require.Contains(t, []int{0, 100}, n, "joined as a whole")
				} else if n > 0 {
					require.Equal(t, c.Sizes[of], n, "of one alone")
				}
			}
		}
	}
}
