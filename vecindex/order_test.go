package vecindex_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/vecindex"
)

// Clamping makes ties of scores that were not equal; order decides them too.
func TestScoresThatBecomeEqualByClampingAreTies(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for range 50 {
		ix, err := vecindex.New(200, vecindex.Options{})
		require.NoError(t, err)
		v := randomVector(r, 200)
		for i := range 20 { // the same direction at lengths that round differently
			w := make([]float32, len(v))
			for j := range w {
				w[j] = v[j] * (1 + float32(i)/7)
			}
			require.NoError(t, ix.Add(strconv.Itoa(i), w))
		}
		hits, err := ix.Search(t.Context(), prospect.Query{Vector: v, K: 20})
		require.NoError(t, err)
		for i := 1; i < len(hits); i++ {
			if hits[i-1].Score == hits[i].Score {
				a, _ := strconv.Atoi(hits[i-1].ID)
				b, _ := strconv.Atoi(hits[i].ID)
				require.Less(t, a, b)
			}
		}
	}
}

// A score that float32 puts below -1 ties with one that it does not, also where
// the heap is full and the later row is the earlier document.
func TestScoresBelowMinusOneAreTies(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	below := 0
	for range 300 {
		v := randomVector(r, 384)
		opposite := make([]float32, len(v))
		for i := range v {
			opposite[i] = -v[i]
		}
		for _, quantise := range []bool{false, true} {
			ix, err := vecindex.New(384, vecindex.Options{Quantize: quantise})
			require.NoError(t, err)
			require.NoError(t, ix.AddBatch([]string{"a", "b"}, [][]float32{v, opposite}))
			require.NoError(t, ix.Update("a", opposite)) // its row comes after b's now
			hits, err := ix.Search(t.Context(), prospect.Query{Vector: v, K: 1})
			require.NoError(t, err)
			require.Equal(t, "a", hits[0].ID)
			unit, err := ix.Get("a")
			require.NoError(t, err)
			for i := range unit {
				unit[i] = -unit[i]
			}
			scores, err := ix.Scores(t.Context(), [][]float32{unit}, []string{"a"})
			require.NoError(t, err)
			if scores[0][0] < -1 {
				below++
			}
		}
	}
	require.NotZero(t, below, "no case here would have needed it")
}

func TestOrderOfTies(t *testing.T) {
	same := []float32{1, 1}
	ix := plane(t)
	require.NoError(t, ix.AddBatch([]string{"a", "b", "c", "d"}, [][]float32{same, {9, 0}, same, same}))
	require.NoError(t, ix.Update("b", same)) // keeps its place
	require.NoError(t, ix.Delete("a"))
	require.NoError(t, ix.Add("a", same)) // comes last now
	want := []string{"b", "c", "d", "a"}
	check := func(ix *vecindex.Index) {
		t.Helper()
		for k := 1; k <= 5; k++ {
			hits, err := ix.Search(t.Context(), prospect.Query{Vector: same, K: k})
			require.NoError(t, err)
			require.Len(t, hits, min(k, 4))
			for i, h := range hits {
				require.Equal(t, want[i], h.ID)
			}
		}
	}
	check(ix)
	ix.Compact()
	check(ix)
	path := t.TempDir() + "/index"
	require.NoError(t, ix.Save(path))
	opened, err := vecindex.Open(path, 2, vecindex.Options{})
	require.NoError(t, err)
	check(opened)
}

func TestKAboveN(t *testing.T) {
	ix := plane(t)
	for i := range 10 {
		require.NoError(t, ix.Add(fmt.Sprint(i), []float32{float32(i), 1}))
	}
	for _, k := range []int{10, 11, math.MaxInt} {
		hits, err := ix.Search(t.Context(), prospect.Query{Vector: []float32{1, 0}, K: k})
		require.NoError(t, err)
		require.Len(t, hits, 10)
	}
}

func TestEmptyIndexAndBatch(t *testing.T) {
	ix := plane(t)
	hits, err := ix.Search(t.Context(), prospect.Query{Vector: []float32{1, 0}, K: 1})
	require.NoError(t, err)
	require.Empty(t, hits)
	lists, err := ix.SearchBatch(t.Context(), nil, vecindex.Filter{})
	require.NoError(t, err)
	require.Empty(t, lists)
	lists, err = ix.ScoreBatch(t.Context(), nil, 1, vecindex.Filter{})
	require.NoError(t, err)
	require.Empty(t, lists)
	scores, err := ix.Scores(t.Context(), [][]float32{{1, 0}}, nil)
	require.NoError(t, err)
	require.Equal(t, [][]float64{{}}, scores)
	for range ix.All() {
		t.Fatal("an empty index has no documents")
	}
	require.NoError(t, ix.Delete())
	require.NoError(t, ix.AddBatch(nil, nil))
	ix.Compact()
	require.Zero(t, ix.Len())
}

// What was deleted can be added again, for ever: rows do not pile up.
func TestChurn(t *testing.T) {
	ix := plane(t)
	for i := range 3000 {
		v := []float32{float32(i + 1), 1}
		require.NoError(t, ix.Add("a", v))
		require.NoError(t, ix.Update("a", []float32{1, v[0]}))
		hits, err := ix.Search(t.Context(), prospect.Query{Vector: []float32{0, 1}, K: 3})
		require.NoError(t, err)
		require.Len(t, hits, 1)
		require.InDelta(t, float64(v[0])/math.Hypot(float64(v[0]), 1), hits[0].Score, 1e-6)
		require.NoError(t, ix.Delete("a"))
		require.Zero(t, ix.Len())
	}
}
