package vecindex_test

import (
	"math"
	"math/rand/v2"
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

func TestHugeAndTinyVectorsKeepTheirDirection(t *testing.T) {
	for _, x := range []float32{1e20, 3.4e38, 1, 1e-40, math.SmallestNonzeroFloat32} {
		ix := plane(t, vecindex.Doc{ID: "diagonal", Vector: []float32{x, x}}, vecindex.Doc{ID: "up", Vector: []float32{0, x}})
		hits, err := ix.Search(t.Context(), prospect.Query{Vector: []float32{x, 0}, K: 3})
		require.NoError(t, err)
		require.Len(t, hits, 2)
		require.InDelta(t, math.Sqrt2/2, hits[0].Score, 1e-7, "%g", x)
		require.Equal(t, prospect.Hit{ID: "up", Score: 0}, hits[1])
	}
}

func TestManyHugeComponents(t *testing.T) {
	const dim = 1024
	v := make([]float32, dim)
	for i := range v {
		v[i] = math.MaxFloat32
	}
	ix, err := vecindex.New(dim, vecindex.Options{})
	require.NoError(t, err)
	require.NoError(t, ix.Add("a", v))
	got, err := ix.Get("a")
	require.NoError(t, err)
	require.EqualValues(t, 1.0/32, got[dim-1]) // 1/√1024
}

// A cosine never leaves [-1, 1], although float32 sums of rounded unit vectors
// do; an inner product does as the vector asks.
func TestCosinesAreClampedAndProductsAreNot(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	above := 0
	for range 200 {
		v := randomVector(r, 384)
		opposite := make([]float32, len(v))
		for i := range v {
			opposite[i] = -v[i]
		}
		ix, err := vecindex.New(384, vecindex.Options{})
		require.NoError(t, err)
		require.NoError(t, ix.AddBatch([]string{"v", "-v"}, [][]float32{v, opposite}))
		hits, err := ix.Search(t.Context(), prospect.Query{Vector: v, K: 2})
		require.NoError(t, err)
		require.InDelta(t, 1, hits[0].Score, 1e-6)
		require.InDelta(t, -1, hits[1].Score, 1e-6)
		require.LessOrEqual(t, hits[0].Score, 1.0)
		require.GreaterOrEqual(t, hits[1].Score, -1.0)
		lists, err := ix.SearchBatch(t.Context(), []prospect.Query{{Vector: v, K: 2}}, vecindex.Filter{MinScore: new(math.Nextafter(1, 2))})
		require.NoError(t, err)
		require.Empty(t, lists[0], "no cosine is above 1")

		unit, err := ix.Get("v")
		require.NoError(t, err)
		scores, err := ix.Scores(t.Context(), [][]float32{unit}, []string{"v"})
		require.NoError(t, err)
		if scores[0][0] > 1 {
			above++
		}
	}
	require.NotZero(t, above, "no case here would have needed the clamp")

	ix := plane(t, vecindex.Doc{ID: "a", Vector: []float32{1, 0}}, vecindex.Doc{ID: "b", Vector: []float32{-1, 0}})
	lists, err := ix.ScoreBatch(t.Context(), [][]float32{{3, 4}, {0, 0}}, 2, vecindex.Filter{})
	require.NoError(t, err)
	require.Equal(t, [][]prospect.Hit{{{ID: "a", Score: 3}, {ID: "b", Score: -3}}, {{ID: "a"}, {ID: "b"}}}, lists)
}
