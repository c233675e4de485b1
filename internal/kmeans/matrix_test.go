package kmeans

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/vecindex"
)

func TestGatherScales(t *testing.T) {
	keys, m, err := Gather(slices.All([][]float32{{3, 4}, {0, -1e20}, {1e-40, 0}}), 0)
	require.NoError(t, err)
	require.Equal(t, []int{0, 1, 2}, keys)
	require.Equal(t, Matrix{2, []float32{0.6, 0.8, 0, -1, 1, 0}}, m)
	require.Equal(t, 3, m.Len())
	require.Equal(t, []float32{0, -1}, m.Row(1))

	keys, m, err = Gather(slices.All([][]float32{}), 5)
	require.NoError(t, err)
	require.Empty(t, keys)
	require.Zero(t, m.Len())
}

func TestGatherFromAnIndex(t *testing.T) {
	ix, err := vecindex.New(2, vecindex.Options{})
	require.NoError(t, err)
	require.NoError(t, ix.Apply(vecindex.Changes{Add: []vecindex.Doc{
		{ID: "b", Vector: []float32{3, 4}, More: [][]float32{{0, 2}}},
		{ID: "a", Vector: []float32{1, 0}},
	}}))
	ids, m, err := Gather(ix.All(), ix.Len())
	require.NoError(t, err)
	require.Equal(t, []string{"b", "b", "a"}, ids, "a document's vectors follow each other")
	require.Equal(t, []float32{0.6, 0.8, 0, 1, 1, 0}, m.Data)
}

func TestGatherRefuses(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for name, c := range map[string]struct {
		second []float32
		want   error
	}{
		"shorter":  {[]float32{1}, prospect.ErrDimension},
		"longer":   {[]float32{1, 2, 3}, prospect.ErrDimension},
		"empty":    {nil, prospect.ErrDimension},
		"zero":     {[]float32{0, 0}, prospect.ErrZeroVector},
		"NaN":      {[]float32{1, nan}, prospect.ErrNotFinite},
		"infinite": {[]float32{-inf, inf}, prospect.ErrNotFinite},
	} {
		_, _, err := Gather(slices.All([][]float32{{1, 0}, c.second}), 2)
		require.ErrorIs(t, err, c.want, name)
		require.ErrorContains(t, err, "row 1", name)
	}
	_, _, err := Gather(maps.All(map[string][]float32{"a": {}}), 1)
	require.ErrorIs(t, err, prospect.ErrDimension, "the first sets the dimension, which is not 0")
}

func TestClusterAndAssignRefuse(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	good := Matrix{2, []float32{1, 0, 0, 1}}
	for name, c := range map[string]struct {
		rows Matrix
		want error
		text string
	}{
		"no dimension":   {Matrix{0, []float32{1}}, prospect.ErrDimension, "1 floats"},
		"negative":       {Matrix{-1, []float32{1}}, prospect.ErrDimension, "of -1"},
		"half a row":     {Matrix{2, []float32{1, 0, 1}}, prospect.ErrDimension, "3 floats"},
		"zero":           {Matrix{2, []float32{1, 0, 0, 0}}, prospect.ErrZeroVector, "row 1:"},
		"NaN":            {Matrix{2, []float32{1, 0, 0, nan}}, prospect.ErrNotFinite, "row 1:"},
		"infinite":       {Matrix{2, []float32{inf, 0, 0, 0}}, prospect.ErrNotFinite, "row 0:"},
		"not unit":       {Matrix{2, []float32{1, 0, 0, 1, 0.6, 0.7}}, ErrNotUnit, "row 2:"},
		"in a later row": {Matrix{1, append(slices.Repeat([]float32{1}, 1000), 2, nan)}, ErrNotUnit, "row 1000:"},
	} {
		_, err := Cluster(t.Context(), c.rows, Options{})
		require.ErrorIs(t, err, c.want, name)
		require.ErrorContains(t, err, c.text, name)
		_, err = Assign(t.Context(), c.rows, good)
		require.ErrorIs(t, err, c.want, name)
		require.ErrorContains(t, err, c.text, name)
		_, err = Assign(t.Context(), good, c.rows)
		require.ErrorIs(t, err, c.want, name)
		require.ErrorContains(t, err, "centroids: ", name)
	}
	for name, centroids := range map[string]Matrix{
		"another dimension":  {3, []float32{1, 0, 0}},
		"none":               {},
		"none of right size": {2, nil},
	} {
		_, err := Assign(t.Context(), good, centroids)
		require.ErrorIs(t, err, prospect.ErrDimension, name)
	}
}

// The slack is that of rows scaled in float32, no more.
func TestHowFarFromUnitARowMayBe(t *testing.T) {
	row := func(square float64) Matrix { return Matrix{1, []float32{float32(math.Sqrt(square))}} }
	for _, square := range []float64{1, 1 + 5e-6, 1 - 5e-6} {
		_, err := Cluster(t.Context(), row(square), Options{})
		require.NoError(t, err, "%v", square)
	}
	for _, square := range []float64{1 + 2e-5, 1 - 2e-5} {
		_, err := Cluster(t.Context(), row(square), Options{})
		require.ErrorIs(t, err, ErrNotUnit, "%v", square)
	}
}
