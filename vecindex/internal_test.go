package vecindex

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
)

// numbered returns n documents "0", "1", … with vectors of -1, 0 and 1, so
// that many scores are equal.
func numbered(n, dim int) []Doc {
	r := rand.New(rand.NewPCG(uint64(n), uint64(dim)))
	docs := make([]Doc, n)
	for i := range docs {
		v := make([]float32, dim)
		for j := range v {
			v[j] = float32(r.IntN(3) - 1)
		}
		v[i%dim] = 1
		docs[i] = Doc{ID: fmt.Sprint(i), Vector: v}
	}
	return docs
}

func TestSameHitsForAnyNumberOfCPUs(t *testing.T) {
	const n, dim = 40_000, 48
	docs := numbered(n, dim)
	ix, err := New(dim, Options{MaxDead: 1})
	require.NoError(t, err)
	require.NoError(t, ix.Apply(Changes{Add: docs}))
	update := Changes{}
	for i := 0; i < n; i += 7 {
		update.Update = append(update.Update, Doc{ID: docs[i].ID, Vector: docs[n-1-i].Vector})
		update.Delete = append(update.Delete, docs[i+1].ID)
	}
	require.NoError(t, ix.Apply(update))
	vectors := [][]float32{docs[3].Vector, docs[4].Vector, docs[5].Vector}
	filters := []Filter{{}, {Keep: func(id string) bool { return id[len(id)-1] < '5' }}, {Within: idsOf(docs[:n-n/3])}}

	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var want [][][]prospect.Hit
	for _, f := range filters {
		lists, err := ix.ScoreBatch(t.Context(), vectors, 500, f)
		require.NoError(t, err)
		want = append(want, lists)
	}
	for _, cpus := range []int{2, 3, 8} {
		runtime.GOMAXPROCS(cpus)
		for range 5 {
			for i, f := range filters {
				lists, err := ix.ScoreBatch(t.Context(), vectors, 500, f)
				require.NoError(t, err)
				require.Equal(t, want[i], lists)
			}
		}
	}
}

func TestAddingCopiesNoBlock(t *testing.T) {
	const dim = 64
	ix, err := New(dim, Options{})
	require.NoError(t, err)
	perBlock := 1 << ix.vecs.unit.shift
	require.LessOrEqual(t, perBlock*dim*4, blockBytes)
	require.Greater(t, perBlock*dim*4, blockBytes/4)

	docs := numbered(3*perBlock+1, dim)
	require.NoError(t, ix.Apply(Changes{Add: docs[:perBlock/3]}))
	small := ix.Snapshot()
	require.Len(t, small.vecs.unit.data, 1)
	require.Len(t, small.vecs.unit.data[0], perBlock/3*dim, "a small index is small")

	for _, d := range docs[perBlock/3 : 3*perBlock] {
		require.NoError(t, ix.Apply(Changes{Add: []Doc{d}}))
	}
	before := ix.Snapshot()
	require.Len(t, before.vecs.unit.data, 3)
	require.Len(t, small.vecs.unit.data[0], perBlock/3*dim, "it still sees the block of its time")
	require.NoError(t, ix.Apply(Changes{Add: docs[3*perBlock:]}))
	after := ix.Snapshot()
	require.Len(t, after.vecs.unit.data, 4)
	for i := range before.vecs.unit.data {
		require.Same(t, &before.vecs.unit.data[i][0], &after.vecs.unit.data[i][0])
	}
	for i := range perBlock / 3 {
		require.Equal(t, after.vecs.unit.at(uint32(i)), small.vecs.unit.at(uint32(i)))
	}
}

func TestExtendInOneStepEqualsManySteps(t *testing.T) {
	for _, dim := range []int{1, 3, 100, 70_000} {
		perBlock := 1 << newBlocks[float32](dim).shift
		for _, n := range []int{1, 2, max(perBlock-1, 1), perBlock, perBlock + 1, 2*perBlock + 3} {
			once, steps := newBlocks[float32](dim), newBlocks[float32](dim)
			once.extend(n)
			for i := 0; i <= n; i += max(n/5, 1) {
				steps.extend(i)
			}
			steps.extend(n)
			for _, b := range []*blocks[float32]{&once, &steps} {
				last := b.at(uint32(n - 1))
				require.Len(t, last, dim)
				require.Equal(t, dim, cap(last), "appending to a row must not reach the next")
			}
			once.extend(0)
		}
	}
}

// Little steps make ready a small share of what is there; a large one makes
// what it needs, in one piece.
func TestRoomAhead(t *testing.T) {
	b := newBlocks[float32](1024) // 64 vectors a block
	b.extend(64 * 320)
	require.Len(t, b.data, 320)
	for i := range b.data[1:] {
		end := unsafe.Add(unsafe.Pointer(&b.data[i][0]), 4*len(b.data[i]))
		require.Equal(t, end, unsafe.Pointer(&b.data[i+1][0]), "side by side")
		require.Equal(t, len(b.data[i]), cap(b.data[i]))
	}
	b.extend(64*320 + 1)
	require.Len(t, b.data, 330)
	b.extend(64 * 329)
	require.Len(t, b.data, 330)
}

func TestCompactsByItself(t *testing.T) {
	docs := numbered(10_000, 4)
	ix, err := New(4, Options{})
	require.NoError(t, err)
	require.NoError(t, ix.Apply(Changes{Add: docs}))
	old := ix.Snapshot()

	require.NoError(t, ix.Delete(idsOf(docs[:2500])...))
	require.Equal(t, 10_000, ix.docs.Rows(), "a quarter is not more than a quarter")
	require.NoError(t, ix.Delete(docs[2500].ID))
	require.Equal(t, 7499, ix.docs.Rows())
	require.Equal(t, 7499, ix.Len())

	require.Equal(t, 10_000, old.Len(), "snapshots keep what they saw")
	for i, d := range docs {
		got, err := old.Get(d.ID)
		require.NoError(t, err)
		require.Equal(t, old.vecs.unit.at(uint32(i)), got)
		if i > 2500 {
			now, err := ix.Get(d.ID)
			require.NoError(t, err)
			require.Equal(t, got, now)
		}
	}

	never, err := New(4, Options{MaxDead: 1})
	require.NoError(t, err)
	require.NoError(t, never.Apply(Changes{Add: docs}))
	require.NoError(t, never.Delete(idsOf(docs[:9999])...))
	require.Equal(t, 10_000, never.docs.Rows())
	never.Compact()
	require.Equal(t, 1, never.docs.Rows())
	small := never.Snapshot()
	never.Compact()
	require.Same(t, small, never.Snapshot(), "nothing to free, nothing done")
}

func TestSearchAllocatesAHandful(t *testing.T) {
	if poolsForget {
		t.Skip("allocations can't be counted under the race detector")
	}
	docs := numbered(2000, 32)
	for _, tc := range []struct {
		quantise bool
		most     float64
	}{{false, 4}, {true, 5}} {
		ix, err := New(32, Options{Quantize: tc.quantise})
		require.NoError(t, err)
		require.NoError(t, ix.Apply(Changes{Add: docs}))
		q := prospect.Query{Vector: docs[0].Vector, K: 10}
		require.LessOrEqual(t, testing.AllocsPerRun(100, func() { _, _ = ix.Search(t.Context(), q) }), tc.most)
	}
}

func TestAllStopsAndCopies(t *testing.T) {
	ix, err := New(3, Options{})
	require.NoError(t, err)
	docs := numbered(40, 3)
	require.NoError(t, ix.Apply(Changes{Add: docs}))
	var kept [][]float32
	for _, v := range ix.All() {
		kept = append(kept, v)
		if len(kept) == 20 {
			break
		}
	}
	require.Len(t, kept, 20)
	for i, v := range kept {
		want, err := ix.Get(docs[i].ID)
		require.NoError(t, err)
		require.Equal(t, want, v)
		v[0] = 99
		_ = append(v, 99)
		want = slices.Clone(want)
		got, err := ix.Get(docs[i].ID)
		require.NoError(t, err)
		got[0] = 99
		again, err := ix.Get(docs[i].ID)
		require.NoError(t, err)
		require.True(t, slices.Equal(want, again), "a caller cannot reach the index's rows")
	}
}

// heapAfter is how many bytes what make returns keeps alive.
func heapAfter(make func() any) uint64 {
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // empties pools too
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	kept := make()
	after := heap()
	runtime.KeepAlive(kept)
	return after - before
}
