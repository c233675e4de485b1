//go:build !noasm

package kernel

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Pieces are as few as with the largest step, whole eights, and alike.
func TestEvenPieces(t *testing.T) {
	for _, most := range []int{8, 40, 64} {
		for n := 1; n < 500; n++ {
			step := even(n, most)
			require.Zero(t, step%8)
			require.LessOrEqual(t, step, most)
			pieces := (n + step - 1) / step
			require.Equal(t, (n+most-1)/most, pieces, "%d rows in steps of %d, at most %d", n, step, most)
			if last := n - (pieces-1)*step; n >= 8*pieces {
				require.Greater(t, last+8*pieces, step, "%d rows: the last piece has %d, the others %d", n, last, step)
			}
		}
	}
	require.Equal(t, 32, even(128, 40)) // 4 pieces, where steps of 40 leave 8
	require.Zero(t, even(0, 40))
}
