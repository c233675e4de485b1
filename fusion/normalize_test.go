package fusion_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/fusion"
)

var normalizers = []struct {
	name string
	n    fusion.Normalizer
}{
	{"Raw", fusion.Raw}, {"MinMax", fusion.MinMax}, {"Max", fusion.Max}, {"ZScore", fusion.ZScore}, {"Rank", fusion.Rank},
	{"WhenFlat(MinMax, 1)", fusion.WhenFlat(fusion.MinMax, 1)},
}

func TestNormalizersByHand(t *testing.T) {
	for _, c := range []struct {
		name string
		n    fusion.Normalizer
		in   []float64
		want []float64
	}{
		{"raw", fusion.Raw, []float64{3, -1}, []float64{3, -1}},
		// (x − 2) / (10 − 2)
		{"min-max", fusion.MinMax, []float64{10, 2, 4}, []float64{1, 0, 0.25}},
		{"min-max of negatives", fusion.MinMax, []float64{-3, -1, -2}, []float64{0, 1, 0.5}},
		{"max", fusion.Max, []float64{2, -4, 1}, []float64{0.5, -1, 0.25}},
		{"max of zeros", fusion.Max, []float64{0, 0}, []float64{0, 0}},
		// mean 5, variance (9+1+1+1+0+0+4+16)/8 = 4, deviation 2
		{"z-score", fusion.ZScore, []float64{2, 4, 4, 4, 5, 5, 7, 9}, []float64{-1.5, -.5, -.5, -.5, 0, 0, 1, 2}},
		// Of four: best 3/3, the two equal ones (1 below, ½·1 equal) 1.5/3, worst 0
		{"rank", fusion.Rank, []float64{7, 100, 7, -2}, []float64{0.5, 1, 0.5, 0}},
		{"rank of zeros with signs", fusion.Rank, []float64{math.Copysign(0, -1), 0, 1}, []float64{0.25, 0.25, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dst := slices.Clone(c.in)
			require.NoError(t, c.n(dst))
			require.InDeltaSlice(t, c.want, dst, 1e-15)
		})
	}
}

// Equal and single scores have one documented outcome, and users
// can choose another.
func TestFlatLists(t *testing.T) {
	for _, c := range []struct {
		name string
		n    fusion.Normalizer
		want float64
	}{
		{"MinMax", fusion.MinMax, 0}, {"ZScore", fusion.ZScore, 0}, {"Rank", fusion.Rank, 0}, {"Max", fusion.Max, 1},
		{"WhenFlat(MinMax, 1)", fusion.WhenFlat(fusion.MinMax, 1), 1},
		{"WhenFlat(ZScore, 0.5)", fusion.WhenFlat(fusion.ZScore, 0.5), 0.5},
	} {
		for _, flat := range [][]float64{{5, 5}, {5}, {0.1, 0.1, 0.1}, {math.MaxFloat64}, {5e-324, 5e-324}} {
			dst := slices.Clone(flat)
			require.NoError(t, c.n(dst))
			for _, x := range dst {
				require.Equal(t, c.want, x, "%s of %v", c.name, flat)
			}
		}
	}
	dst := []float64{3, 1, 2}
	require.NoError(t, fusion.WhenFlat(fusion.MinMax, 1)(dst))
	require.Equal(t, []float64{1, 0, 0.5}, dst, "not flat: as MinMax")
	require.Panics(t, func() { fusion.WhenFlat(fusion.MinMax, math.NaN()) })
}

// An empty list is fine.
func TestNormalizersOfNothing(t *testing.T) {
	for _, c := range normalizers {
		require.NoError(t, c.n(nil), c.name)
		require.NoError(t, c.n([]float64{}), c.name)
	}
}

func TestNormalizersRefuseWhatIsNotFinite(t *testing.T) {
	for _, c := range normalizers {
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			dst := []float64{1, 4, bad, 2}
			err := c.n(dst)
			require.ErrorIs(t, err, prospect.ErrNotFinite, c.name)
			var where *fusion.ScoreError
			require.ErrorAs(t, err, &where)
			require.Equal(t, 2, where.Index)
			require.Equal(t, []float64{1, 4}, dst[:2], "unchanged")
		}
	}
}

func TestNormalizersOfExtremes(t *testing.T) {
	huge := math.MaxFloat64
	dst := []float64{huge, -huge, 0}
	require.NoError(t, fusion.MinMax(dst))
	require.Equal(t, []float64{1, 0, 0.5}, dst)

	dst = []float64{huge, -huge, huge, -huge}
	require.NoError(t, fusion.ZScore(dst))
	require.InDeltaSlice(t, []float64{1, -1, 1, -1}, dst, 1e-15)

	dst = []float64{5e-324, 0}
	require.NoError(t, fusion.ZScore(dst))
	require.InDeltaSlice(t, []float64{1, -1}, dst, 1e-15)

	// A spread in the last digit alone is a spread.
	for _, x := range []float64{huge, 1, -3, 1e-300, 1e-323} {
		dst = []float64{math.Nextafter(x, math.Inf(-1)), x}
		require.NoError(t, fusion.ZScore(dst))
		require.Less(t, dst[0], dst[1], x)
		require.InDelta(t, 0, dst[0], 2)
		require.InDelta(t, 0, dst[1], 2)
	}

	dst = []float64{huge, math.Nextafter(huge, 0)}
	require.NoError(t, fusion.Rank(dst))
	require.Equal(t, []float64{1, 0}, dst)
}

func TestNormalizersKeepTheOrder(t *testing.T) {
	score := rapid.OneOf(rapid.Float64Range(-10, 10), rapid.SampledFrom([]float64{0, 1, 1, 2, -1e300, 1e300, 5e-324}), rapid.Float64())
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.SliceOfN(score.Filter(func(x float64) bool { return !math.IsInf(x, 0) && !math.IsNaN(x) }), 1, 12).Draw(t, "scores")
		for _, c := range normalizers {
			dst := slices.Clone(in)
			require.NoError(t, c.n(dst), c.name)
			flat := slices.Min(in) == slices.Max(in)
			for i := range in {
				require.False(t, math.IsNaN(dst[i]) || math.IsInf(dst[i], 0), "%s of %v", c.name, in)
				for j := range in {
					if in[i] <= in[j] && !flat {
						require.LessOrEqual(t, dst[i], dst[j], "%s of %v", c.name, in)
					}
				}
			}
			if c.name == "MinMax" && !flat {
				require.Equal(t, 0.0, slices.Min(dst))
				require.Equal(t, 1.0, slices.Max(dst))
			}
		}
	})
}

// The rank of each score from its definition.
func TestRankAgainstCounting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.SliceOfN(rapid.Float64Range(-2, 2), 2, 20).Draw(t, "scores")
		for i := range in {
			in[i] = math.Round(in[i] * 2) // many ties
		}
		if slices.Min(in) == slices.Max(in) {
			t.Skip("flat")
		}
		dst := slices.Clone(in)
		require.NoError(t, fusion.Rank(dst))
		for i, x := range in {
			place := 0.0
			for j, y := range in {
				switch {
				case y < x:
					place++
				case y == x && j != i:
					place += 0.5
				}
			}
			require.InDelta(t, place/float64(len(in)-1), dst[i], 1e-12)
		}
	})
}
