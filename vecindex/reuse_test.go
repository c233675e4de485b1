package vecindex

import (
	"bytes"
	"errors"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"testing"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/internal/topk"
)

// bothKinds tests an index of the documents that has codes and one that has
// none.
func bothKinds(t *testing.T, docs []Doc, test func(t *testing.T, ix *Index)) {
	for name, opts := range map[string]Options{"exact": {}, "codes": {Quantize: true}} {
		t.Run(name, func(t *testing.T) {
			ix, err := New(len(docs[0].Vector), opts)
			require.NoError(t, err)
			require.NoError(t, ix.Apply(Changes{Add: docs}))
			test(t, ix)
		})
	}
}

// What a search returned is the caller's: no later search writes to it, and no
// list runs into the next.
func TestHitsAreTheCallers(t *testing.T) {
	docs := numbered(3000, 32)
	bothKinds(t, docs, func(t *testing.T, ix *Index) {
		query := func(i int) prospect.Query { return prospect.Query{Vector: docs[i].Vector, K: 5 + i%7} }
		queries := []prospect.Query{query(1), query(2), {Vector: docs[3].Vector, K: 4, Within: idsOf(docs[:50])}, query(4)}
		one, err := ix.Search(t.Context(), query(0))
		require.NoError(t, err)
		many, err := ix.SearchBatch(t.Context(), queries, Filter{})
		require.NoError(t, err)
		oneThen, manyThen := slices.Clone(one), make([][]prospect.Hit, len(many))
		for i := range many {
			manyThen[i] = slices.Clone(many[i])
		}
		for i := range 50 {
			hits, err := ix.Search(t.Context(), query(i))
			require.NoError(t, err)
			clear(hits)
		}
		lists, err := ix.SearchBatch(t.Context(), queries, Filter{})
		require.NoError(t, err)
		for _, list := range lists {
			clear(append(list, prospect.Hit{}))
		}
		for i := range many {
			_ = append(many[i], prospect.Hit{ID: "the caller's"})
		}
		require.Equal(t, oneThen, one)
		require.Equal(t, manyThen, many)
	})
}

// A filter may search, in whichever goroutine it is asked.
func TestFilterThatSearches(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	docs := numbered(40_000, 128) // enough for two workers, also by codes
	bothKinds(t, docs, func(t *testing.T, ix *Index) {
		best := func(id string) string {
			v, err := ix.Get(id)
			require.NoError(t, err)
			hits, err := ix.Search(t.Context(), prospect.Query{Vector: v, K: 1, Keep: func(id string) bool { return id[len(id)-1] == '3' }})
			require.NoError(t, err)
			return hits[0].ID
		}
		q := prospect.Query{Vector: docs[7].Vector, K: 3, Within: idsOf(docs[:20_000])}
		want := []prospect.Hit{}
		all, err := ix.Search(t.Context(), prospect.Query{Vector: q.Vector, K: 20, Within: q.Within})
		require.NoError(t, err)
		for _, h := range all {
			if len(want) < q.K && best(h.ID) != h.ID {
				want = append(want, h)
			}
		}
		q.Keep = func(id string) bool { return best(id) != id }
		got, err := ix.Search(t.Context(), q)
		require.NoError(t, err)
		require.Equal(t, want, got)
	})
}

// runtime.Goexit in a filter, such as FailNow of a test, ends the goroutine of
// the caller. It gets no hits: some rows were never looked at.
func TestExitInAFilterExitsTheCaller(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	docs := numbered(40_000, 128) // enough for two workers, also by codes
	bothKinds(t, docs, func(t *testing.T, ix *Index) {
		q := prospect.Query{Vector: docs[0].Vector, K: 10}
		want, err := ix.Search(t.Context(), q)
		require.NoError(t, err)
		bad := q
		bad.Keep = first(t, runtime.Goexit)
		var returned bool
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = ix.Search(t.Context(), bad); returned = true })
		wg.Wait()
		require.False(t, returned)
		got, err := ix.Search(t.Context(), q)
		require.NoError(t, err)
		require.Equal(t, want, got)
	})
}

// An error that is thrown in another goroutine is still that error.
func TestErrorThrownInAFilter(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	docs := numbered(40_000, 128) // enough for two workers, also by codes
	bothKinds(t, docs, func(t *testing.T, ix *Index) {
		thrown := errors.New("no such skill")
		defer func() {
			err, _ := recover().(error)
			require.ErrorIs(t, err, thrown)
			require.ErrorContains(t, err, "reuse_test.go", "its stack")
		}()
		_, _ = ix.Search(t.Context(), prospect.Query{Vector: docs[0].Vector, K: 10, Keep: first(t, func() { panic(thrown) })})
		t.Error("Search returned")
	})
}

// first is a filter that does something when it is first asked, which must be in
// the goroutine of a worker.
func first(t *testing.T, do func()) func(string) bool {
	var once sync.Once
	return func(string) bool {
		once.Do(func() {
			if !bytes.Contains(debug.Stack(), []byte("vecindex.(*scan).help")) {
				t.Error("the filter was asked in the caller's goroutine")
			}
			do()
		})
		return true
	}
}

// The pools hold memory alone: no snapshot, no filter, no worker twice.
func TestPoolsKeepNothingAlive(t *testing.T) {
	docs := numbered(3000, 32)
	bothKinds(t, docs, func(t *testing.T, ix *Index) {
		type caller struct{ asked [1 << 10]byte }
		search := func() (weak.Pointer[Snapshot], weak.Pointer[caller]) {
			c := new(caller)
			keep := func(string) bool { c.asked[0] = 1; return true }
			s := ix.Snapshot()
			ix.mu.Lock()
			ix.publish() // the index lets go of s
			ix.mu.Unlock()
			queries := []prospect.Query{{Vector: docs[0].Vector, K: 2, Keep: keep}, {Vector: docs[1].Vector, K: 2, Keep: keep}}
			_, err := s.SearchBatch(t.Context(), queries, Filter{Keep: keep})
			require.NoError(t, err)
			_, err = s.Search(t.Context(), queries[0])
			require.NoError(t, err)
			return weak.Make(s), weak.Make(c)
		}
		s, c := search()
		r := rankingPool.Get().(*ranking)
		for _, w := range r.workers[:cap(r.workers)] {
			require.Nil(t, w, "it is in the pool of workers, or was too large for it")
		}
		rankingPool.Put(r)
		runtime.GC() // a second one would empty the pools
		require.Nil(t, s.Value())
		require.Nil(t, c.Value())
	})
}

// Whatever searches come one after the other, what a worker keeps is bounded:
// here each needs much for one list, and that is another one every time, first
// of more and more lists and then of fewer and fewer; hits first, then candidates.
func TestPooledMemoryIsBounded(t *testing.T) {
	if poolsForget {
		t.Skip("the race detector's pools forget; and it has nothing to find here")
	}
	kept := func(w *worker) (bytes int) {
		for _, h := range w.heaps[:cap(w.heaps)] {
			bytes += 16 * h.Cap()
		}
		for _, f := range w.found[:cap(w.found)] {
			bytes += 8 * cap(f)
		}
		return bytes
	}
	const much = maxPooled / 40
	for i := range 400 {
		n := min(i%200, 199-i%200)
		probes := make([]probe, n+1)
		for i := range probes {
			probes[i].k = 1
		}
		probes[n].k = math.MaxInt
		w := takeWorker(probes)
		require.LessOrEqual(t, kept(w), maxPooled+64*(n+1))
		for row := range uint32(much) {
			if i < 200 {
				w.heaps[n].Push(topk.Item[float64]{Row: row})
			} else {
				w.found[n] = append(w.found[n], candidate{})
			}
		}
		w.release()
	}
	for range 10 {
		r := takeRanking(selection{})
		require.LessOrEqual(t, 4*cap(r.factors), maxPooled)
		r.factors = make([]float32, 0, maxPooled)
		r.release()
	}
}

// No reading waits for a writer, who holds mu for as long as a change takes. A
// failure is a deadlock.
func TestReadersDoNotWaitForAWriter(t *testing.T) {
	docs := numbered(3000, 8)
	bothKinds(t, docs, func(t *testing.T, ix *Index) {
		ix.mu.Lock()
		defer ix.mu.Unlock()
		v := [][]float32{docs[0].Vector}
		_, err := ix.Search(t.Context(), prospect.Query{Vector: v[0], K: 3, Within: idsOf(docs)})
		require.NoError(t, err)
		_, err = ix.SearchBatch(t.Context(), []prospect.Query{{Vector: v[0], K: 3}}, Filter{Without: idsOf(docs[:9])})
		require.NoError(t, err)
		_, err = ix.ScoreBatch(t.Context(), v, 3, Filter{})
		require.NoError(t, err)
		_, err = ix.ScoreSums(t.Context(), v, [][]Term{{{0, 1}}}, 3, Filter{})
		require.NoError(t, err)
		_, err = ix.Scores(t.Context(), v, idsOf(docs))
		require.NoError(t, err)
		_, err = ix.Get("0")
		require.NoError(t, err)
		require.True(t, ix.Has("0"))
		require.Equal(t, 3000, ix.Len())
		for range ix.All() {
		}
		_, err = ix.WriteTo(new(bytes.Buffer))
		require.NoError(t, err)
	})
}
