package vecindex_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/vecindex"
)

var _ prospect.Searcher = (*vecindex.Index)(nil)
var _ prospect.Searcher = (*vecindex.Snapshot)(nil)

func TestSearchRanksByCosine(t *testing.T) {
	ix, err := vecindex.New(2, vecindex.Options{Identity: "m"})
	require.NoError(t, err)
	require.NoError(t, ix.AddBatch([]string{"east", "north", "northeast"}, [][]float32{{3, 0}, {0, 2}, {1, 1}}))
	hits, err := ix.Search(t.Context(), prospect.Query{Vector: []float32{5, 0}, K: 2})
	require.NoError(t, err)
	require.Len(t, hits, 2)
	require.Equal(t, prospect.Hit{ID: "east", Score: 1}, hits[0])
	require.Equal(t, "northeast", hits[1].ID)
	require.InDelta(t, 0.70710678, hits[1].Score, 1e-7) // 1/√2
}
