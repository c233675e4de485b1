package vecindex_test

import (
	"bytes"
	"cmp"
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

// drawDoc draws a document with one vector or some, and returns all of them too.
func drawDoc(t *rapid.T, id string, dim int) (vecindex.Doc, [][]float32) {
	vs := [][]float32{drawVector(t, dim, "x")}
	for range rapid.SampledFrom([]int{0, 0, 0, 1, 2, 5}).Draw(t, "more") {
		vs = append(vs, drawVector(t, dim, "x"))
	}
	return vecindex.Doc{ID: id, Vector: vs[0], More: vs[1:]}, vs
}

func drawFilter(t *rapid.T, names []string) (f vecindex.Filter) {
	if rapid.Bool().Draw(t, "within") {
		f.Within = rapid.SliceOf(rapid.SampledFrom(append(names, "never"))).Draw(t, "Within")
		if f.Within == nil {
			f.Within = []string{}
		}
	}
	if rapid.Bool().Draw(t, "without") {
		f.Without = rapid.SliceOf(rapid.SampledFrom(append(names, "never"))).Draw(t, "Without")
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
		opts := vecindex.Options{Identity: "model", Quantize: rapid.Bool().Draw(t, "quantize")}
		ix, err := vecindex.New(dim, opts)
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
				var updated, added [][][]float32
				ids := some(t, o.ids(), "ids")
				split := rapid.IntRange(0, len(ids)).Draw(t, "split")
				c.Delete = ids[:split]
				for _, id := range ids[split:] {
					d, vs := drawDoc(t, id, dim)
					c.Update, updated = append(c.Update, d), append(updated, vs)
				}
				for _, id := range some(t, free(), "new ids") {
					d, vs := drawDoc(t, id, dim)
					c.Add, added = append(c.Add, d), append(added, vs)
				}
				require.NoError(t, ix.Apply(c))
				for _, id := range c.Delete {
					o.delete(id)
				}
				for i, d := range c.Update {
					o.update(d.ID, updated[i]...)
				}
				for i, d := range c.Add {
					o.add(d.ID, added[i]...)
				}
			},
			"compact": func(*rapid.T) { ix.Compact() },
			"reload": func(t *rapid.T) {
				var file bytes.Buffer
				n, err := ix.WriteTo(&file)
				require.NoError(t, err)
				require.EqualValues(t, file.Len(), n)
				ix, err = vecindex.Read(&file, dim, opts)
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
	requireSameContents(t, s, o, names)

	k := rapid.IntRange(1, len(names)+1).Draw(t, "k")
	f := drawFilter(t, names)
	q := prospect.Query{Vector: drawVector(t, o.dim, "q"), K: k}
	lists, err := s.SearchBatch(t.Context(), []prospect.Query{q}, f)
	require.NoError(t, err)
	hits := lists[0]
	o.requireTopK(t, hits, o.rank(unit64(q.Vector), f), k, 1)

	// Filters of the batch and of the query are one.
	own := q
	own.Within, own.Keep = f.Within, f.Keep
	lists, err = s.SearchBatch(t.Context(), []prospect.Query{own}, vecindex.Filter{Without: f.Without})
	require.NoError(t, err)
	require.Equal(t, [][]prospect.Hit{hits}, lists)
	if len(f.Without) == 0 {
		alone, err := s.Search(t.Context(), own)
		require.NoError(t, err)
		require.Equal(t, hits, alone)
	}

	// A batch gives what its queries give alone, also where they alone are
	// searched by codes.
	q2 := prospect.Query{Vector: drawVector(t, o.dim, "q"), K: 2, Keep: own.Keep}
	alone, err := s.SearchBatch(t.Context(), []prospect.Query{q2}, f)
	require.NoError(t, err)
	lists, err = s.SearchBatch(t.Context(), []prospect.Query{q, q2, own}, f)
	require.NoError(t, err)
	require.Equal(t, [][]prospect.Hit{hits, alone[0], hits}, lists)

	// A minimum score cuts the list where its scores fall below.
	if len(hits) > 0 {
		least := hits[rapid.IntRange(0, len(hits)-1).Draw(t, "least")].Score
		f := f
		f.MinScore = &least
		lists, err = s.SearchBatch(t.Context(), []prospect.Query{q}, f)
		require.NoError(t, err)
		n := 0
		for n < len(hits) && hits[n].Score >= least {
			n++
		}
		require.Equal(t, hits[:n], lists[0])
	}

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
	requireSums(t, s, o, w, f, k)
}

// requireSums holds sums of two maxima against the oracle, and against the
// scores of which they are made.
func requireSums(t *rapid.T, s *vecindex.Snapshot, o *oracle, w []float32, f vecindex.Filter, k int) {
	q := drawVector(t, o.dim, "q")
	u64, u := unit64(q), make([]float32, o.dim)
	w64, norm := make([]float64, o.dim), 0.0
	for j := range u {
		u[j], w64[j] = float32(u64[j]), float64(w[j])
		norm += w64[j] * w64[j]
	}
	a := rapid.SampledFrom([]float64{0, 2, -1, 0.3}).Draw(t, "alpha")
	const b = 1.5
	lists, err := s.ScoreSums(t.Context(), [][]float32{u, w}, [][]vecindex.Term{{{0, a}, {1, b}}, {{1, 1}}, {}}, k, f)
	require.NoError(t, err)
	want := o.rankBy(func(d oracleDoc) float64 { return a*d.best(u64) + b*d.best(w64) }, f)
	o.requireTopK(t, lists[0], want, k, math.Abs(a)+b*math.Sqrt(norm)+1)
	for i, list := range lists[:2] {
		for _, h := range list {
			parts, err := s.Scores(t.Context(), [][]float32{u, w}, []string{h.ID})
			require.NoError(t, err)
			sum := float64(a*parts[0][0]) + float64(b*parts[1][0])
			if i == 1 {
				sum = parts[1][0]
			}
			require.Equal(t, sum, h.Score, "bit for bit")
		}
	}
	o.requireTopK(t, lists[2], o.rankBy(func(oracleDoc) float64 { return 0 }, f), k, 0)
}

func requireSameContents(t *rapid.T, s *vecindex.Snapshot, o *oracle, names []string) {
	require.Equal(t, len(o.docs), s.Len())
	i, j := 0, 0 // the j-th vector of the i-th document comes next
	for id, v := range s.All() {
		require.Equal(t, o.docs[i].id, id)
		for c, x := range v {
			require.InDelta(t, o.docs[i].units[j][c], x, 1e-7)
		}
		all, err := s.Vectors(id)
		require.NoError(t, err)
		require.Len(t, all, len(o.docs[i].units))
		require.Equal(t, all[j], v)
		first, err := s.Get(id)
		require.NoError(t, err)
		require.Equal(t, all[0], first)
		if j++; j == len(all) {
			i, j = i+1, 0
		}
	}
	require.Equal(t, len(o.docs), i)
	require.Zero(t, j)
	for _, name := range names {
		require.Equal(t, o.at(name) >= 0, s.Has(name))
	}
}

// TestSizesAndDimensions compares with the oracle over sizes and dimensions
// that cross tiles, blocks, tasks and the kernels' unrolling, with every tenth
// document a copy of another, some with several vectors and some dead, with and
// without codes.
func TestSizesAndDimensions(t *testing.T) {
	edges := []int{1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 384, 768, 1024, 1536, 1537}
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.OneOf(rapid.SampledFrom(edges), rapid.IntRange(1, 1537)).Draw(t, "dim")
		n := rapid.OneOf(rapid.IntRange(0, 40), rapid.IntRange(0, 2000), rapid.IntRange(0, 10_000)).Draw(t, "n")
		n = min(n, 1_000_000/dim) // the oracle's time
		several := rapid.Bool().Draw(t, "several vectors")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		ix, err := vecindex.New(dim, vecindex.Options{Quantize: rapid.Bool().Draw(t, "quantize")})
		require.NoError(t, err)
		o := &oracle{dim: dim}
		vectors := func() [][]float32 {
			vs := [][]float32{randomVector(r, dim)}
			if several && r.IntN(3) == 0 {
				for range r.IntN(6) {
					vs = append(vs, randomVector(r, dim))
				}
			}
			return vs
		}
		c := vecindex.Changes{}
		var made [][][]float32
		for i := range n {
			vs := vectors()
			if i%10 == 9 {
				vs = made[r.IntN(i)]
			}
			made = append(made, vs)
			d := vecindex.Doc{ID: strconv.Itoa(i), Vector: vs[0], More: vs[1:]}
			c.Add = append(c.Add, d)
			o.add(d.ID, vs...)
		}
		require.NoError(t, ix.Apply(c))
		c = vecindex.Changes{}
		for i := range n {
			switch id := strconv.Itoa(i); r.IntN(10) {
			case 0:
				c.Delete = append(c.Delete, id)
			case 1:
				vs := vectors()
				c.Update = append(c.Update, vecindex.Doc{ID: id, Vector: vs[0], More: vs[1:]})
				o.docs[i].units = units64(vs)
			}
		}
		o.docs = slices.DeleteFunc(o.docs, func(d oracleDoc) bool {
			_, gone := slices.BinarySearchFunc(c.Delete, d.id, func(a, b string) int {
				return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
			})
			return gone
		})
		require.NoError(t, ix.Apply(c))
		require.Equal(t, len(o.docs), ix.Len())

		k := rapid.SampledFrom([]int{1, 2, 10, 100, n + 1, math.MaxInt}).Draw(t, "k")
		var f vecindex.Filter
		switch rapid.IntRange(0, 3).Draw(t, "filter") {
		case 1:
			f.Keep = func(id string) bool { return id[len(id)-1]%3 == 0 }
		case 2:
			f.Within = []string{}
			for i := 0; i < n && len(f.Within) < 200; i += 1 + r.IntN(20) {
				f.Within = append(f.Within, strconv.Itoa(i))
			}
		case 3:
			f.Without = []string{"0", "3", "x", "8"}
		}
		var queries []prospect.Query
		var factors [][]float32
		for range rapid.SampledFrom([]int{1, 1, 2, 3, 5, 17}).Draw(t, "queries") {
			v := randomVector(r, dim)
			factors = append(factors, v)
			queries = append(queries, prospect.Query{Vector: v, K: k})
		}
		cosines, err := ix.SearchBatch(t.Context(), queries, f)
		require.NoError(t, err)
		products, err := ix.ScoreBatch(t.Context(), factors, k, f)
		require.NoError(t, err)
		sums, err := ix.ScoreSums(t.Context(), factors, [][]vecindex.Term{{{0, 0.5}, {len(factors) - 1, 0.5}}}, k, f)
		require.NoError(t, err)
		if len(factors) == 1 {
			require.Equal(t, products, sums, "halves are exact")
		}
		for i, v := range factors[:min(len(factors), 3)] {
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
