package vecindex_test

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/vecindex"
)

var (
	nan = float32(math.NaN())
	inf = float32(math.Inf(1))
)

// plane is an index of two-dimensional vectors.
func plane(t testing.TB, docs ...vecindex.Doc) *vecindex.Index {
	ix, err := vecindex.New(2, vecindex.Options{})
	require.NoError(t, err)
	require.NoError(t, ix.Apply(vecindex.Changes{Add: docs}))
	return ix
}

// Every refusal names the document, and leaves the index as it was although
// what comes before the culprit is fine.
func TestRefusedChangesChangeNothing(t *testing.T) {
	fine := vecindex.Doc{ID: "fine", Vector: []float32{1, 0}}
	doc := func(id string, v ...float32) vecindex.Doc { return vecindex.Doc{ID: id, Vector: v} }
	for _, tc := range []struct {
		name string
		c    vecindex.Changes
		id   string
		err  error
	}{
		{"zero", vecindex.Changes{Add: []vecindex.Doc{fine, doc("x", 0, 0)}}, "x", prospect.ErrZeroVector},
		{"negative zero", vecindex.Changes{Add: []vecindex.Doc{doc("x", 0, float32(math.Copysign(0, -1)))}}, "x", prospect.ErrZeroVector},
		{"NaN", vecindex.Changes{Add: []vecindex.Doc{fine, doc("x", nan, 1)}}, "x", prospect.ErrNotFinite},
		{"infinite", vecindex.Changes{Add: []vecindex.Doc{fine, doc("x", 1, -inf)}}, "x", prospect.ErrNotFinite},
		{"infinities that cancel out", vecindex.Changes{Add: []vecindex.Doc{fine, doc("x", inf, -inf)}}, "x", prospect.ErrNotFinite},
		{"too short", vecindex.Changes{Add: []vecindex.Doc{fine, doc("x", 1)}}, "x", prospect.ErrDimension},
		{"too long", vecindex.Changes{Add: []vecindex.Doc{fine, doc("x", 1, 2, 3)}}, "x", prospect.ErrDimension},
		{"nil", vecindex.Changes{Add: []vecindex.Doc{fine, doc("x")}}, "x", prospect.ErrDimension},
		{"zero piece", vecindex.Changes{Add: []vecindex.Doc{{ID: "x", Vector: fine.Vector, More: [][]float32{{1, 1}, {0, 0}}}}}, "x", prospect.ErrZeroVector},
		{"short piece", vecindex.Changes{Update: []vecindex.Doc{{ID: "a", Vector: fine.Vector, More: [][]float32{{1}}}}}, "a", prospect.ErrDimension},
		{"pieces alone", vecindex.Changes{Add: []vecindex.Doc{{ID: "x", More: [][]float32{{1, 1}}}}}, "x", prospect.ErrDimension},
		{"no id", vecindex.Changes{Add: []vecindex.Doc{fine, doc("", 1, 0)}}, "", prospect.ErrEmptyID},
		{"twice", vecindex.Changes{Add: []vecindex.Doc{fine, fine}}, "fine", prospect.ErrDuplicateID},
		{"there already", vecindex.Changes{Add: []vecindex.Doc{fine, doc("a", 1, 0)}}, "a", prospect.ErrDuplicateID},
		{"update of nothing", vecindex.Changes{Add: []vecindex.Doc{fine}, Update: []vecindex.Doc{doc("x", 1, 0)}}, "x", prospect.ErrNotFound},
		{"update to zero", vecindex.Changes{Delete: []string{"b"}, Update: []vecindex.Doc{doc("a", 0, 0)}}, "a", prospect.ErrZeroVector},
		{"delete of nothing", vecindex.Changes{Add: []vecindex.Doc{fine}, Delete: []string{"x"}}, "x", prospect.ErrNotFound},
		{"delete and add", vecindex.Changes{Delete: []string{"a"}, Add: []vecindex.Doc{doc("a", 1, 0)}}, "a", prospect.ErrDuplicateID},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ix := plane(t, doc("a", 0, 1), doc("b", 1, 1))
			before := ix.Snapshot()
			err := ix.Apply(tc.c)
			require.ErrorIs(t, err, tc.err)
			var named *prospect.IDError
			require.True(t, errors.As(err, &named))
			require.Equal(t, tc.id, named.ID)
			require.Same(t, before, ix.Snapshot())

			// And nothing lies in wait: the next change is right.
			require.NoError(t, ix.Add("next", []float32{3, 0}))
			hits, err := ix.Search(t.Context(), prospect.Query{Vector: []float32{1, 0}, K: 5})
			require.NoError(t, err)
			require.Len(t, hits, 3)
			require.Equal(t, prospect.Hit{ID: "next", Score: 1}, hits[0])
		})
	}
	require.Error(t, plane(t).AddBatch([]string{"a", "b"}, [][]float32{{1, 0}}))
	require.Error(t, plane(t).UpdateBatch(nil, [][]float32{{1, 0}}))
}

func TestNewRefusesBadArguments(t *testing.T) {
	for _, dim := range []int{0, -1, 1<<20 + 1} {
		_, err := vecindex.New(dim, vecindex.Options{})
		require.ErrorIs(t, err, prospect.ErrDimension)
	}
	for _, share := range []float64{-0.1, 1.1, math.NaN()} {
		_, err := vecindex.New(2, vecindex.Options{MaxDead: share})
		require.ErrorIs(t, err, prospect.ErrOption)
	}
}

func TestBadQueries(t *testing.T) {
	ix := plane(t, vecindex.Doc{ID: "a", Vector: []float32{1, 0}})
	for name, tc := range map[string]struct {
		q   prospect.Query
		err error
	}{
		"k 0":       {prospect.Query{Vector: []float32{1, 0}}, prospect.ErrInvalidK},
		"k -1":      {prospect.Query{Vector: []float32{1, 0}, K: -1}, prospect.ErrInvalidK},
		"no vector": {prospect.Query{Text: "a", K: 1}, prospect.ErrUnsupportedQuery},
		"zero":      {prospect.Query{Vector: []float32{0, 0}, K: 1}, prospect.ErrZeroVector},
		"NaN":       {prospect.Query{Vector: []float32{0, nan}, K: 1}, prospect.ErrNotFinite},
		"infinite":  {prospect.Query{Vector: []float32{inf, 0}, K: 1}, prospect.ErrNotFinite},
		"dimension": {prospect.Query{Vector: []float32{1, 0, 0}, K: 1}, prospect.ErrDimension},
	} {
		_, err := ix.Search(t.Context(), tc.q)
		require.ErrorIs(t, err, tc.err, name)
		_, err = ix.SearchBatch(t.Context(), []prospect.Query{{Vector: []float32{1, 0}, K: 1}, tc.q}, vecindex.Filter{})
		require.ErrorIs(t, err, tc.err, name)
		require.ErrorContains(t, err, "query 1")
	}
	one := [][]float32{{1, 0}}
	_, err := ix.ScoreBatch(t.Context(), one, 0, vecindex.Filter{})
	require.ErrorIs(t, err, prospect.ErrInvalidK)
	for _, tc := range []struct {
		v   []float32
		err error
	}{
		{nil, prospect.ErrDimension},
		{[]float32{0}, prospect.ErrDimension},
		{[]float32{nan, 0}, prospect.ErrNotFinite},
		{[]float32{inf, 0}, prospect.ErrNotFinite},
		{[]float32{3e38, 3e38}, prospect.ErrNotFinite}, // its product with (1, 1)/√2 is 4.2e38
	} {
		_, err := ix.ScoreBatch(t.Context(), append(one, tc.v), 1, vecindex.Filter{})
		require.ErrorIs(t, err, tc.err)
		require.ErrorContains(t, err, "vector 1")
		_, err = ix.Scores(t.Context(), append(one, tc.v), []string{"a"})
		require.ErrorIs(t, err, tc.err)
	}
	_, err = ix.Scores(t.Context(), one, []string{"a", "x"})
	require.ErrorIs(t, err, prospect.ErrNotFound)
	require.ErrorContains(t, err, `"x"`)
	_, err = ix.ScoreSums(t.Context(), one, nil, 0, vecindex.Filter{})
	require.ErrorIs(t, err, prospect.ErrInvalidK)
	for _, term := range []vecindex.Term{{0, math.NaN()}, {0, math.Inf(-1)}, {0, 1e39}} {
		_, err = ix.ScoreSums(t.Context(), one, [][]vecindex.Term{{{0, 1}}, {term}}, 1, vecindex.Filter{})
		require.ErrorIs(t, err, prospect.ErrNotFinite)
		require.ErrorContains(t, err, "sum 1")
	}
	for _, at := range []int{-1, 1} {
		_, err = ix.ScoreSums(t.Context(), one, [][]vecindex.Term{{{at, 1}}}, 1, vecindex.Filter{})
		require.ErrorContains(t, err, "sum 0")
	}
	_, err = ix.SearchBatch(t.Context(), nil, vecindex.Filter{MinScore: new(math.NaN())})
	require.ErrorIs(t, err, prospect.ErrNotFinite)
	_, err = ix.Vectors("x")
	require.ErrorIs(t, err, prospect.ErrNotFound)
	_, err = ix.Get("x")
	require.ErrorIs(t, err, prospect.ErrNotFound)
}
