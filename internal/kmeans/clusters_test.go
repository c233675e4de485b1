package kmeans

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAssign(t *testing.T) {
	rows := angles(t, 90, 9, 0, 100, -3, 6, -6, 9)
	c, err := Assign(t.Context(), rows, angles(t, 0, 90, 180))
	require.NoError(t, err)
	require.Equal(t, []int32{1, 0, 0, 1, 0, 0, 0, 0}, c.Of)
	require.Equal(t, []int{6, 2, 0}, c.Sizes)
	require.Equal(t, []int{1, 2, 4, 5, 6, 7}, c.Members(0))
	require.Equal(t, []int{0, 3}, c.Members(1))
	require.Empty(t, c.Members(2))
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

func TestResultsMayBeShared(t *testing.T) {
	rows := gaussian(t, rand.New(rand.NewPCG(1, 1)), 1000, 4)
	c, err := Cluster(t.Context(), rows, Options{K: 5})
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range c.K() {
				c.Members(i)[0] = -1 // a copy
			}
		})
	}
	wg.Wait()
	requireBest(t, rows, c)
	require.NotContains(t, c.Members(0), -1)
}
