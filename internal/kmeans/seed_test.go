package kmeans

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSeedsAreDistinctRows(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	distinct := gaussian(t, r, 40, 8)
	rows := join(distinct, distinct, distinct)
	for k, want := range map[int]int{1: 1, 2: 2, 39: 39, 40: 40, 41: 40, 100: 40} {
		seeds, err := seed(t.Context(), rows, k, r)
		require.NoError(t, err)
		require.Equal(t, want, seeds.Len())
		var at []int
		for i := range seeds.Len() {
			for j := range distinct.Len() {
				if slices.Equal(seeds.Row(i), distinct.Row(j)) {
					at = append(at, j)
				}
			}
		}
		slices.Sort(at)
		require.Len(t, slices.Compact(at), want)
	}
}

// Clusters far apart get a seed each.
func TestSeedsSpread(t *testing.T) {
	for i := range uint64(20) {
		r := rand.New(rand.NewPCG(3, i))
		rows, of := planted(t, r, []int{1000, 300, 100, 30, 10}, 32, 0.2)
		seeds, err := seed(t.Context(), rows, 5, r)
		require.NoError(t, err)
		a, err := Assign(t.Context(), rows, seeds)
		require.NoError(t, err)
		at := map[int]int32{}
		for row, cluster := range a.Of {
			at[of[row]] = cluster
		}
		require.Len(t, at, 5)
		require.NotContains(t, a.Sizes, 0)
	}
}

// Weights by hand: rows at 0°, 60°, 90° and 180° beside a seed at 0° have
// 1 - cos = 0, 1/2, 1 and 2.
func TestSeedDrawsByWeight(t *testing.T) {
	rows := angles(t, 0, 60, 90, 180)
	s := &seeder{rows: rows, nearest: []float32{1, 0.5, 0, -1}, left: []float64{3.5}}
	for x, want := range map[float64]int{0: 1, 0.49: 1, 0.5: 2, 1.49: 2, 1.5: 3, 3.49: 3, 3.5: 3, 99: 3} {
		require.Equal(t, want, s.at(x), "at %g", x)
	}
	s.nearest = []float32{1, 0.5, 1, 1}
	s.left = []float64{0.5}
	require.Equal(t, 1, s.at(7), "the last with a weight")

	// Over blocks: only rows 600 and 1100 have a weight.
	many := &seeder{rows: Matrix{1, slices.Repeat([]float32{1}, 1600)}, nearest: slices.Repeat([]float32{1}, 1600), left: []float64{0, 1, 2, 0}}
	many.nearest[600], many.nearest[1100] = 0, -1
	for x, want := range map[float64]int{0: 600, 0.99: 600, 1: 1100, 2.99: 1100, 3: 1100} {
		require.Equal(t, want, many.at(x), "at %g", x)
	}
}

// Of its trials a step takes the one that leaves least: after a seed at 0°,
// 90° beats 170° for rows at 0°, 80°, 90°, 100° and 170°.
func TestSeedTakesTheBestTrial(t *testing.T) {
	rows := angles(t, 0, 80, 90, 100, 170)
	s := &seeder{
		rows:    rows,
		nearest: slices.Repeat([]float32{-1}, 5),
		scores:  make([]float32, 5*trials), sums: make([]float64, 2), left: make([]float64, 1),
		candidates: slices.Clone(rows.Row(0)),
	}
	best, err := s.try(t.Context())
	require.NoError(t, err)
	require.NoError(t, s.choose(t.Context(), best))
	rad := math.Pi / 180
	require.InDelta(t, 4-math.Cos(80*rad)-math.Cos(100*rad)-math.Cos(170*rad), s.left[0], 1e-6)

	s.candidates = slices.Concat(rows.Row(4), rows.Row(2))
	best, err = s.try(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, best)
	require.NoError(t, s.choose(t.Context(), best))
	// Left: 2·(1 - cos 10°) of 80° and 100°, and 1 - cos 80° of 170°.
	require.InDelta(t, 2*(1-math.Cos(10*rad))+1-math.Cos(80*rad), s.left[0], 1e-6)
}

func TestDraw(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	require.Empty(t, draw(0, 3, r))
	require.Empty(t, draw(3, 0, r))
	require.Equal(t, []int{0, 1, 2}, draw(3, 3, r))
	require.Equal(t, []int{0, 1, 2}, draw(3, 9, r))
	// The six pairs of four come up alike: 6,000 draws, 1,000 each within six
	// standard deviations of √(6000·1/6·5/6) = 29.
	count := map[[2]int]int{}
	for range 6000 {
		pair := draw(4, 2, r)
		count[[2]int(pair)]++
	}
	require.Len(t, count, 6)
	for pair, n := range count {
		require.InDelta(t, 1000, n, 173, "%v", pair)
	}
}
