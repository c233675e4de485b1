package vecindex_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/vecindex"
)

// drawVector draws a vector with a direction: from a coarse grid, so that ties
// are common, and of any magnitude that float32 has.
func drawVector(t *rapid.T, dim int, label string) []float32 {
	magnitude := rapid.SampledFrom([]float32{1, 1, 1, 1e20, 1e-40, 3e38}).Draw(t, "magnitude")
	v := make([]float32, dim)
	for i := range v {
		v[i] = magnitude * rapid.SampledFrom([]float32{0, 0, 1, -1, 0.5}).Draw(t, label)
	}
	if slices.Max(v) == 0 && slices.Min(v) == 0 {
		v[0] = magnitude
	}
	return v
}

func drawFilter(t *rapid.T, names []string) (f vecindex.Filter) {
	if rapid.Bool().Draw(t, "within") {
		f.Within = rapid.SliceOf(rapid.SampledFrom(append(names, "never"))).Draw(t, "Within")
		if f.Within == nil {
			f.Within = []string{}
		}
	}
	if rapid.Bool().Draw(t, "keep") {
		kept := rapid.SliceOf(rapid.SampledFrom(names)).Draw(t, "Keep")
		f.Keep = func(id string) bool { return slices.Contains(kept, id) }
	}
	return f
}

// TestIndexAgainstOracle drives an index and the oracle through the same
// changes, with compaction and reloading in between, and compares all that can
// be read after each.
func TestIndexAgainstOracle(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.SampledFrom([]int{1, 2, 3, 5, 8, 17, 40}).Draw(t, "dim")
		ix, err := vecindex.New(dim, vecindex.Options{Identity: "model"})
		require.NoError(t, err)
		o := &oracle{dim: dim}
		oldIndex, oldOracle := ix.Snapshot(), o.clone()

		free := func() (ids []string) {
			for _, name := range names {
				if o.at(name) < 0 {
					ids = append(ids, name)
				}
			}
			return ids
		}
		some := func(t *rapid.T, from []string, label string) []string {
			if len(from) == 0 {
				return nil
			}
			return rapid.SliceOfNDistinct(rapid.SampledFrom(from), 0, len(from), rapid.ID[string]).Draw(t, label)
		}
		vectors := func(t *rapid.T, n int) (vs [][]float32) {
			for range n {
				vs = append(vs, drawVector(t, dim, "x"))
			}
			return vs
		}
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				ids := some(t, free(), "ids")
				vs := vectors(t, len(ids))
				require.NoError(t, ix.AddBatch(ids, vs))
				for i, id := range ids {
					o.add(id, vs[i])
				}
			},
			"update": func(t *rapid.T) {
				ids := some(t, o.ids(), "ids")
				vs := vectors(t, len(ids))
				require.NoError(t, ix.UpdateBatch(ids, vs))
				for i, id := range ids {
					o.update(id, vs[i])
				}
			},
			"delete": func(t *rapid.T) {
				ids := some(t, o.ids(), "ids")
				require.NoError(t, ix.Delete(ids...))
				for _, id := range ids {
					o.delete(id)
				}
			},
			"apply": func(t *rapid.T) {
				var c vecindex.Changes
				ids := some(t, o.ids(), "ids")
				split := rapid.IntRange(0, len(ids)).Draw(t, "split")
				c.Delete = ids[:split]
				for _, id := range ids[split:] {
					c.Update = append(c.Update, vecindex.Doc{ID: id, Vector: drawVector(t, dim, "x")})
				}
				for _, id := range some(t, free(), "new ids") {
					c.Add = append(c.Add, vecindex.Doc{ID: id, Vector: drawVector(t, dim, "x")})
				}
				require.NoError(t, ix.Apply(c))
				for _, id := range c.Delete {
					o.delete(id)
				}
				for _, d := range c.Update {
					o.update(d.ID, d.Vector)
				}
				for _, d := range c.Add {
					o.add(d.ID, d.Vector)
				}
			},
			"compact": func(*rapid.T) { ix.Compact() },
			"reload": func(t *rapid.T) {
				var file bytes.Buffer
				n, err := ix.WriteTo(&file)
				require.NoError(t, err)
				require.EqualValues(t, file.Len(), n)
				ix, err = vecindex.Read(&file, dim, vecindex.Options{Identity: "model"})
				require.NoError(t, err)
			},
			"pin": func(*rapid.T) { oldIndex, oldOracle = ix.Snapshot(), o.clone() },
			"": func(t *rapid.T) {
				requireSame(t, ix.Snapshot(), o, names)
				requireSame(t, oldIndex, oldOracle, names)
			},
		})
	})
}

func requireSame(t *rapid.T, s *vecindex.Snapshot, o *oracle, names []string) {
	require.Equal(t, len(o.docs), s.Len())
	i := 0
	for id, v := range s.All() {
		require.Equal(t, o.docs[i].id, id)
		for j, x := range v {
			require.InDelta(t, o.docs[i].unit[j], x, 1e-7)
		}
		got, err := s.Get(id)
		require.NoError(t, err)
		require.Equal(t, v, got)
		i++
	}
	require.Equal(t, len(o.docs), i)
	for _, name := range names {
		require.Equal(t, o.at(name) >= 0, s.Has(name))
	}

	k := rapid.IntRange(1, len(names)+1).Draw(t, "k")
	f := drawFilter(t, names)
	q := prospect.Query{Vector: drawVector(t, o.dim, "q"), K: k, Within: f.Within, Keep: f.Keep}
	hits, err := s.Search(t.Context(), q)
	require.NoError(t, err)
	o.requireTopK(t, hits, o.rank(unit64(q.Vector), f), k, 1)

	// Two queries with filters of their own in one batch.
	q2 := prospect.Query{Vector: drawVector(t, o.dim, "q"), K: 2}
	alone, err := s.Search(t.Context(), q2)
	require.NoError(t, err)
	lists, err := s.SearchBatch(t.Context(), []prospect.Query{q, q2, q})
	require.NoError(t, err)
	require.Equal(t, [][]prospect.Hit{hits, alone, hits}, lists)

	// An inner product with a vector of any length, and none.
	w := make([]float32, o.dim)
	w64 := make([]float64, o.dim)
	var scale float64
	for j := range w {
		w[j] = rapid.SampledFrom([]float32{0, 3, -2, 0.25}).Draw(t, "w")
		w64[j] = float64(w[j])
		scale += w64[j] * w64[j]
	}
	scale = math.Sqrt(scale)
	lists, err = s.ScoreBatch(t.Context(), [][]float32{w}, k, f)
	require.NoError(t, err)
	o.requireTopK(t, lists[0], o.rank(w64, f), k, scale)

	ids := make([]string, len(lists[0]))
	for j, h := range lists[0] {
		ids[j] = h.ID
	}
	scores, err := s.Scores(t.Context(), [][]float32{w, w}, ids)
	require.NoError(t, err)
	for j, h := range lists[0] {
		require.Equal(t, h.Score, scores[0][j], "bit for bit")
		require.Equal(t, h.Score, scores[1][j])
	}
}

// TestSizesAndDimensions compares with the oracle over sizes and dimensions
// that cross tiles, blocks, tasks and the kernel's unrolling, with every tenth
// document a copy of another and with some dead.
func TestSizesAndDimensions(t *testing.T) {
	dims := []int{1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 200, 384, 768, 1537}
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.SampledFrom(dims).Draw(t, "dim")
		n := rapid.OneOf(rapid.IntRange(0, 40), rapid.IntRange(0, 2000)).Draw(t, "n")
		if dim > 200 {
			n /= 4 // the oracle's time
		}
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		ix, err := vecindex.New(dim, vecindex.Options{})
		require.NoError(t, err)
		o := &oracle{dim: dim}
		c := vecindex.Changes{}
		for i := range n {
			d := vecindex.Doc{ID: strconv.Itoa(i), Vector: randomVector(r, dim)}
			if i%10 == 9 {
				d.Vector = c.Add[r.IntN(i)].Vector
			}
			c.Add = append(c.Add, d)
			o.add(d.ID, d.Vector)
		}
		require.NoError(t, ix.Apply(c))
		c = vecindex.Changes{}
		for i := range n {
			switch id := strconv.Itoa(i); r.IntN(10) {
			case 0:
				c.Delete = append(c.Delete, id)
				o.delete(id)
			case 1:
				v := randomVector(r, dim)
				c.Update = append(c.Update, vecindex.Doc{ID: id, Vector: v})
				o.update(id, v)
			}
		}
		require.NoError(t, ix.Apply(c))
		require.Equal(t, len(o.docs), ix.Len())

		k := rapid.SampledFrom([]int{1, 2, 10, 100, n + 1, math.MaxInt}).Draw(t, "k")
		var f vecindex.Filter
		switch rapid.IntRange(0, 2).Draw(t, "filter") {
		case 1:
			f.Keep = func(id string) bool { return id[len(id)-1]%3 == 0 }
		case 2:
			f.Within = []string{}
			for i := 0; i < n; i += 1 + r.IntN(20) {
				f.Within = append(f.Within, strconv.Itoa(i))
			}
		}
		var queries []prospect.Query
		var vectors [][]float32
		for range rapid.IntRange(1, 5).Draw(t, "queries") {
			v := randomVector(r, dim)
			vectors = append(vectors, v)
			queries = append(queries, prospect.Query{Vector: v, K: k, Within: f.Within, Keep: f.Keep})
		}
		cosines, err := ix.SearchBatch(t.Context(), queries)
		require.NoError(t, err)
		products, err := ix.ScoreBatch(t.Context(), vectors, k, f)
		require.NoError(t, err)
		for i, v := range vectors {
			o.requireTopK(t, cosines[i], o.rank(unit64(v), f), k, 1)
			v64, norm := make([]float64, dim), 0.0
			for j, x := range v {
				v64[j] = float64(x)
				norm += v64[j] * v64[j]
			}
			o.requireTopK(t, products[i], o.rank(v64, f), k, max(math.Sqrt(norm), 1))
		}
	})
}

// TestCombinedVector holds the identity that ScoreBatch exists for:
// (α·f(q) + β·f(s̃))·f(s) = α·cos(q, s) + β·cos(s̃, s).
func TestCombinedVector(t *testing.T) {
	const dim, n, alpha, beta = 64, 300, 2, 1
	r := rand.New(rand.NewPCG(3, 3))
	ix, err := vecindex.New(dim, vecindex.Options{})
	require.NoError(t, err)
	for i := range n {
		require.NoError(t, ix.Add(fmt.Sprint(i), randomVector(r, dim)))
	}
	q, s := unit64(randomVector(r, dim)), unit64(randomVector(r, dim))
	q32, s32, sum := make([]float32, dim), make([]float32, dim), make([]float32, dim)
	for i := range sum {
		q32[i], s32[i] = float32(q[i]), float32(s[i])
		sum[i] = float32(alpha*q[i] + beta*s[i])
	}
	lists, err := ix.ScoreBatch(t.Context(), [][]float32{sum}, n, vecindex.Filter{})
	require.NoError(t, err)
	require.Len(t, lists[0], n)
	ids := make([]string, n)
	for i, h := range lists[0] {
		ids[i] = h.ID
	}
	parts, err := ix.Scores(t.Context(), [][]float32{q32, s32}, ids)
	require.NoError(t, err)
	for i, h := range lists[0] {
		require.InDelta(t, alpha*parts[0][i]+beta*parts[1][i], h.Score, 1e-6)
	}
}
