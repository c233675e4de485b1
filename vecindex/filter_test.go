package vecindex_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/vecindex"
)

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
		"without":       {Without: ids[:30]},
		"all but":       {Within: ids, Without: ids[3:12]},
		"without all":   {Within: ids, Without: ids},
		"unknown out":   {Without: []string{"x", ""}},
		"nothing":       {Keep: func(string) bool { return false }},
		"empty within":  {Within: []string{}},
		"unknown alone": {Within: []string{"x", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			want := o.rank(unit64(v), f)
			hits, err := ix.Search(t.Context(), prospect.Query{Vector: v, K: 10, Within: f.Within, Keep: f.Keep})
			require.NoError(t, err)
			if len(f.Without) == 0 {
				o.requireTopK(t, hits, want, 10, 1)
			}
			queries := []prospect.Query{{Vector: v, K: 10}, {Vector: v, K: 3}}
			lists, err := ix.SearchBatch(t.Context(), queries, f)
			require.NoError(t, err)
			o.requireTopK(t, lists[0], want, 10, 1)
			o.requireTopK(t, lists[1], want, 3, 1)
		})
	}
}

// A query's own Within and that of the batch restrict to what is in both.
func TestWithinTwice(t *testing.T) {
	ix := plane(t)
	for i := range 6 {
		require.NoError(t, ix.Add(strconv.Itoa(i), []float32{1, float32(i)}))
	}
	q := prospect.Query{Vector: []float32{1, 0}, K: 9, Within: []string{"3", "1", "2", "x"}}
	for want, f := range map[string]vecindex.Filter{
		"123": {},
		"23":  {Within: []string{"5", "3", "2"}},
		"2":   {Within: []string{"5", "3", "2"}, Without: []string{"3"}},
		"13":  {Without: []string{"2", "4"}},
		"":    {Within: []string{"5"}},
		"3":   {Keep: func(id string) bool { return id == "3" }},
	} {
		lists, err := ix.SearchBatch(t.Context(), []prospect.Query{q}, f)
		require.NoError(t, err)
		got := ""
		for _, h := range lists[0] {
			got += h.ID
		}
		require.Equal(t, want, got)
	}
}

func TestMinScore(t *testing.T) {
	ix := plane(t, vecindex.Doc{ID: "east", Vector: []float32{1, 0}}, vecindex.Doc{ID: "north", Vector: []float32{0, 1}},
		vecindex.Doc{ID: "west", Vector: []float32{-1, 0}})
	for min, n := range map[float64]int{math.Inf(-1): 3, -1: 3, -0.5: 2, 0: 2, 1e-300: 1, 1: 1, math.Nextafter(1, 2): 0, 1.5: 0} {
		for _, f := range []vecindex.Filter{{MinScore: &min}, {MinScore: &min, Within: []string{"west", "north", "east"}}} {
			lists, err := ix.SearchBatch(t.Context(), []prospect.Query{{Vector: []float32{3, 0}, K: 3}}, f)
			require.NoError(t, err)
			require.Len(t, lists[0], n, "%v", min)
			lists, err = ix.ScoreBatch(t.Context(), [][]float32{{1, 0}}, 3, f)
			require.NoError(t, err)
			require.Len(t, lists[0], n)
			lists, err = ix.ScoreSums(t.Context(), [][]float32{{1, 0}}, [][]vecindex.Term{{{0, 1}}}, 3, f)
			require.NoError(t, err)
			require.Len(t, lists[0], n)
		}
	}
}

// What queries share is asked once a document, however many there are.
func TestSharedFilterIsAskedOnce(t *testing.T) {
	ix := filled(t, 1_000)
	var asked sync.Map
	vectors := make([][]float32, 9)
	for i := range vectors {
		vectors[i], _ = ix.Get(strconv.Itoa(i))
	}
	_, err := ix.ScoreBatch(t.Context(), vectors, 1000, vecindex.Filter{Keep: func(id string) bool {
		if _, twice := asked.LoadOrStore(id, true); twice {
			t.Errorf("%s was asked for twice", id)
		}
		return id[0] == '7'
	}})
	require.NoError(t, err)
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
	_, err = ix.SearchBatch(done, []prospect.Query{{Vector: vectors[0], K: 1}}, vecindex.Filter{})
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
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	for _, rows := range []int{500, 10_000} { // in the caller's goroutine, in workers'
		ix := filled(t, rows)
		v, err := ix.Get("0")
		require.NoError(t, err)
		q := prospect.Query{Vector: v, K: 10}
		want, err := ix.Search(t.Context(), q)
		require.NoError(t, err)

		var inWorker bool
		var once sync.Once
		bad := q
		bad.Keep = func(string) bool {
			once.Do(func() {
				inWorker = bytes.Contains(debug.Stack(), []byte("vecindex.(*scan).help"))
				panic("no such skill")
			})
			return true
		}
		func() {
			defer func() { require.Contains(t, fmt.Sprint(recover()), "no such skill") }()
			_, err := ix.Search(t.Context(), bad)
			t.Errorf("Search returned, error %v", err)
		}()
		require.Equal(t, rows == 10_000, inWorker)
		got, err := ix.Search(t.Context(), q)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}
