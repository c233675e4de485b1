package kmeans

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// By hand: centroids at 0°, 0° and 90°. All rows below 45° go to the first of
// the equal two, the others to the third. The row that is worst off is 40°
// (of 0°; 130° is as far, but later), which founds the empty cluster, and 30°
// goes there too.
func TestRepair(t *testing.T) {
	rows := angles(t, -5, 5, 30, 40, 90, 130)
	p := newPartition(rows, angles(t, 0, 0, 90))
	_, err := p.assign(t.Context())
	require.NoError(t, err)
	require.Equal(t, []int32{0, 0, 0, 0, 2, 2}, p.of)
	filled, err := p.repair(t.Context(), 3)
	require.NoError(t, err)
	require.Equal(t, 1, filled)
	require.Equal(t, []int32{0, 0, 1, 1, 2, 2}, p.of)
	require.Equal(t, []int{2, 2, 2}, p.sizes)
	require.Equal(t, rows.Row(3), p.centroids.Row(1))

	// A fourth, that there is not yet, becomes 130°.
	filled, err = p.repair(t.Context(), 4)
	require.NoError(t, err)
	require.Equal(t, 1, filled)
	require.Equal(t, []int32{0, 0, 1, 1, 2, 3}, p.of)
	require.Equal(t, 4, p.k())
}

// A row by itself is left alone, however far it is from its centroid: taking
// it would only move the hole.
func TestRepairLeavesRowsByThemselves(t *testing.T) {
	rows := angles(t, 0, 20, 180)
	p := newPartition(rows, angles(t, 0, 100, -60))
	_, err := p.assign(t.Context())
	require.NoError(t, err)
	require.Equal(t, []int32{0, 0, 1}, p.of)
	filled, err := p.repair(t.Context(), 3)
	require.NoError(t, err)
	require.Equal(t, 1, filled)
	require.Equal(t, []int32{0, 2, 1}, p.of)
}

// By hand: 90° founds the empty cluster. 45° is as near to it as to 0°, where it
// is, and stays.
func TestRepairMovesNoRowThatIsAsNear(t *testing.T) {
	h := float32(math.Sqrt2 / 2)
	rows := Matrix{2, []float32{1, 0, h, h, 0, 1}}
	p := newPartition(rows, Matrix{2, []float32{1, 0, 1, 0}})
	_, err := p.assign(t.Context())
	require.NoError(t, err)
	require.Equal(t, []int32{0, 0, 0}, p.of)
	filled, err := p.repair(t.Context(), 2)
	require.NoError(t, err)
	require.Equal(t, 1, filled)
	require.Equal(t, []int32{0, 0, 1}, p.of)
}

func TestDropEmpty(t *testing.T) {
	p := newPartition(angles(t, 0, 180, 0), angles(t, 90, 0, 91, 180, 92))
	_, err := p.assign(t.Context())
	require.NoError(t, err)
	filled, err := p.repair(t.Context(), 5)
	require.NoError(t, err)
	require.Zero(t, filled, "no row is apart from its centroid")
	p.dropEmpty()
	require.Equal(t, []int32{0, 1, 0}, p.of)
	require.Equal(t, []int{2, 1}, p.sizes)
	require.Equal(t, angles(t, 0, 180), p.centroids)
}
