package vecindex_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

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
		require.Error(t, err)
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
		_, err = ix.SearchBatch(t.Context(), []prospect.Query{{Vector: []float32{1, 0}, K: 1}, tc.q})
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
	_, err = ix.Get("x")
	require.ErrorIs(t, err, prospect.ErrNotFound)
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
	lists, err := ix.SearchBatch(t.Context(), nil)
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

func TestFilters(t *testing.T) {
	const n = 5000
	r := rand.New(rand.NewPCG(7, 7))
	ix, err := vecindex.New(16, vecindex.Options{})
	require.NoError(t, err)
	o := &oracle{dim: 16}
	for i := range n {
		v := randomVector(r, 16)
		require.NoError(t, ix.Add(strconv.Itoa(i), v))
		o.add(strconv.Itoa(i), v)
	}
	v := randomVector(r, 16)
	percent := func(id string) bool { return len(id) > 2 && id[len(id)-2:] == "00" }
	var ids []string
	for i := range n {
		if id := strconv.Itoa(i); percent(id) {
			ids = append(ids, id, id, "x"+id)
		}
	}
	for name, f := range map[string]vecindex.Filter{
		"keep 1 %":      {Keep: percent},
		"within 1 %":    {Within: ids},
		"both":          {Within: ids, Keep: func(id string) bool { return id[0] == '4' }},
		"nothing":       {Keep: func(string) bool { return false }},
		"empty within":  {Within: []string{}},
		"unknown alone": {Within: []string{"x", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			want := o.rank(unit64(v), f)
			hits, err := ix.Search(t.Context(), prospect.Query{Vector: v, K: 10, Within: f.Within, Keep: f.Keep})
			require.NoError(t, err)
			o.requireTopK(t, hits, want, 10, 1)
		})
	}
}

func TestCancelledContext(t *testing.T) {
	const n, dim = 20_000, 128
	ix, err := vecindex.New(dim, vecindex.Options{})
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(8, 8))
	docs := make([]vecindex.Doc, n)
	for i := range docs {
		docs[i] = vecindex.Doc{ID: strconv.Itoa(i), Vector: randomVector(r, dim)}
	}
	require.NoError(t, ix.Apply(vecindex.Changes{Add: docs}))
	vectors := [][]float32{docs[0].Vector, docs[1].Vector}
	ids := make([]string, n)
	for i := range ids {
		ids[i] = docs[i].ID
	}

	done, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = ix.Search(done, prospect.Query{Vector: vectors[0], K: 1})
	require.ErrorIs(t, err, context.Canceled)
	_, err = ix.SearchBatch(done, []prospect.Query{{Vector: vectors[0], K: 1}})
	require.ErrorIs(t, err, context.Canceled)
	_, err = ix.ScoreBatch(done, vectors, 1, vecindex.Filter{})
	require.ErrorIs(t, err, context.Canceled)
	_, err = ix.Scores(done, vectors, ids)
	require.ErrorIs(t, err, context.Canceled)

	// In the middle: the filter cancels when it is first asked.
	during, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err = ix.ScoreBatch(during, vectors, 1, vecindex.Filter{Keep: func(string) bool { cancel(); return true }})
	require.ErrorIs(t, err, context.Canceled)
}

// A panic in a filter can be recovered by the caller of the search, whichever
// goroutine ran the filter, and leaves nothing behind.
func TestPanicInAFilterReachesTheCaller(t *testing.T) {
	ix := filled(t, 10_000)
	v, err := ix.Get("0")
	require.NoError(t, err)
	q := prospect.Query{Vector: v, K: 10}
	want, err := ix.Search(t.Context(), q)
	require.NoError(t, err)
	for range 20 {
		var calls atomic.Int64
		second := make(chan struct{})
		bad := q
		bad.Keep = func(string) bool {
			switch calls.Add(1) {
			case 1: // holds one goroutine, so that another gets to ask
				select {
				case <-second:
				case <-time.After(10 * time.Millisecond):
				}
				panic("first")
			case 2:
				defer close(second)
				panic("second")
			}
			return true
		}
		func() {
			defer func() {
				p := fmt.Sprint(recover())
				require.True(t, strings.Contains(p, "first") || strings.Contains(p, "second"), p)
			}()
			_, err := ix.Search(t.Context(), bad)
			t.Errorf("Search returned with error %v", err)
		}()
		got, err := ix.Search(t.Context(), q)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}
