package kmeans

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// One seed gives one result, to the last bit, on any number of processors.
func TestSameOnAnyNumberOfProcessors(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	mixed, _ := planted(t, r, []int{9000, 5000, 2000, 500, 37}, 9, 1.5)
	twice := Matrix{9, mixed.Data[:9*500]}
	twice = join(twice, twice)
	few := join(angles(t, 1, 1, 1, 90, 90, 91), angles(t, 180, 180.001, 180.001))
	most := 8
	if testing.Short() {
		most = 3
	}
	for name, c := range map[string]struct {
		rows Matrix
		k    int
	}{
		"with a sample": {mixed, 20},
		"duplicates":    {twice, 300},
		"many clusters": {Matrix{9, mixed.Data[:9*900]}, 400},
		"few rows":      {few, 5},
	} {
		t.Run(name, func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
			var want *Clusters
			for procs := 1; procs <= most; procs++ {
				runtime.GOMAXPROCS(procs)
				got, err := Cluster(t.Context(), c.rows, Options{K: c.k, Seed: 3})
				require.NoError(t, err)
				again, err := Assign(t.Context(), c.rows, got.Centroids)
				require.NoError(t, err)
				if want == nil {
					want = got
				}
				require.Equal(t, want, got, "%d processors", procs)
				require.Equal(t, bits(want.Centroids.Data), bits(got.Centroids.Data))
				require.Equal(t, bits(want.Similarity), bits(got.Similarity))
				if got.Repaired == 0 {
					require.Equal(t, got.Of, again.Of, "what Assign does too")
				}
				require.Equal(t, bits(got.Similarity), bits(again.Similarity))
			}
		})
	}
}

func bits(x []float32) []uint32 {
	b := make([]uint32, len(x))
	for i, f := range x {
		b[i] = math.Float32bits(f)
	}
	return b
}
