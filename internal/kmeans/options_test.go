package kmeans

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
)

func TestOptions(t *testing.T) {
	large := math.MaxInt32
	large++ // negative where an int has 32 bits
	for name, o := range map[string]Options{
		"K":             {K: -1},
		"K is an int32": {K: large},
		"MaxIterations": {MaxIterations: -1},
		"Tolerance":     {Tolerance: -0.1},
		"Tolerance 1":   {Tolerance: 1},
		"Tolerance NaN": {Tolerance: math.NaN()},
	} {
		require.ErrorIs(t, o.Validate(), prospect.ErrOption, name)
		_, err := Cluster(t.Context(), Matrix{}, o)
		require.ErrorIs(t, err, prospect.ErrOption, name)
	}
	require.NoError(t, Options{}.Validate())
	require.NoError(t, Options{K: math.MaxInt32, Tolerance: math.SmallestNonzeroFloat64}.Validate())
}

func TestDefaults(t *testing.T) {
	for n, k := range map[int]int{1: 1, 2: 1, 3: 2, 6: 2, 7: 3, 100: 10, 400_000: 632} {
		require.Equal(t, k, Options{}.filled(n).K, "%d rows", n)
	}
	require.Equal(t, 5, Options{K: 7}.filled(5).K)
	require.Equal(t, Options{K: 3, MaxIterations: 25, Tolerance: 1e-3}, Options{}.filled(9))
	set := Options{K: 2, MaxIterations: 1, Tolerance: 0.5}
	require.Equal(t, set, set.filled(9))
}
