package kmeans

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNearest(t *testing.T) {
	rows := angles(t, 90, 9, 0, 100, -3, 6, -6, 9)
	c, err := Assign(t.Context(), rows, angles(t, 0, 90, 180))
	require.NoError(t, err)
	require.Equal(t, []int32{1, 0, 0, 1, 0, 0, 0, 0}, c.Of)
	require.Equal(t, []int{6, 2, 0}, c.Sizes)
	require.Equal(t, []int{1, 2, 4, 5, 6, 7}, c.Members(0))
	require.Equal(t, []int{2, 4}, c.Nearest(0, 2))
	require.Equal(t, []int{2, 4, 5, 6, 1, 7}, c.Nearest(0, 9), "6° before -6°, and the first of 9°")
	require.Equal(t, []int{0, 3}, c.Nearest(1, 2))
	require.Empty(t, c.Nearest(0, 0))
	require.Empty(t, c.Nearest(0, -1))
	require.Empty(t, c.Nearest(2, 3))
	require.Empty(t, c.Members(2))
	require.Empty(t, c.Sample(2, 3, 1))
	requireBest(t, rows, c)
}

func TestAssignNoRows(t *testing.T) {
	c, err := Assign(t.Context(), Matrix{}, angles(t, 0, 90))
	require.NoError(t, err)
	require.Equal(t, 2, c.K())
	require.Equal(t, []int{0, 0}, c.Sizes)
	require.Empty(t, c.Members(1))
	require.Zero(t, c.MeanCosine)
	c, err = Assign(t.Context(), Matrix{}, Matrix{})
	require.NoError(t, err)
	require.Zero(t, c.K())
}

func TestSample(t *testing.T) {
	rows := gaussian(t, rand.New(rand.NewPCG(1, 1)), 1000, 4)
	c, err := Cluster(t.Context(), rows, Options{K: 2})
	require.NoError(t, err)
	members := c.Members(0)
	drawn := c.Sample(0, 7, 5)
	require.Len(t, drawn, 7)
	require.True(t, slices.IsSorted(drawn))
	require.Len(t, slices.Compact(slices.Clone(drawn)), 7, "none twice")
	require.Subset(t, members, drawn)
	require.Equal(t, drawn, c.Sample(0, 7, 5))
	require.NotEqual(t, drawn, c.Sample(0, 7, 6))
	require.Equal(t, members, c.Sample(0, len(members), 5))
	require.Equal(t, members, c.Sample(0, 5000, 5))
	require.Empty(t, c.Sample(0, 0, 5))
	require.Empty(t, c.Sample(0, -3, 5))

	// All members alike: of 2,000 draws of 7 each comes up 2000·7/size times,
	// and none is off by six standard deviations.
	count := map[int]int{}
	for seed := range uint64(2000) {
		for _, row := range c.Sample(0, 7, seed) {
			count[row]++
		}
	}
	mean := 2000 * 7 / float64(len(members))
	for _, row := range members {
		require.InDelta(t, mean, count[row], 6*math.Sqrt(mean))
	}
}

func TestResultsMayBeShared(t *testing.T) {
	rows := gaussian(t, rand.New(rand.NewPCG(1, 1)), 1000, 4)
	c, err := Cluster(t.Context(), rows, Options{K: 5})
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range c.K() {
				c.Members(i)[0] = -1 // copies
				c.Nearest(i, 5)[0] = -1
				c.Sample(i, 5, 1)[0] = -1
			}
		})
	}
	wg.Wait()
	requireBest(t, rows, c)
	require.NotContains(t, c.Members(0), -1)
}
