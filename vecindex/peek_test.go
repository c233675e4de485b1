package vecindex

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect/internal/peek"
)

func TestPeekGivesTheVectorsInOrder(t *testing.T) {
	for _, n := range []int{0, 1, 300, 3000} { // nothing, one block, several
		docs := numbered(n, 128)
		ix, err := New(128, Options{})
		require.NoError(t, err)
		require.NoError(t, ix.Apply(Changes{Add: docs}))
		blocks := peek.VectorBlocks(ix)
		var want []float32
		for _, d := range docs {
			v, err := ix.Get(d.ID)
			require.NoError(t, err)
			want = append(want, v...)
		}
		require.Equal(t, want, slices.Concat(blocks...))
		require.Equal(t, n > 512, len(blocks) > 1)
		if n > 0 { // the index's own memory
			require.Same(t, &ix.Snapshot().vecs.unit.at(0)[0], &blocks[0][0])
		}
	}
}
