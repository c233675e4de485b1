package vecindex

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/internal/docids"
	"github.com/prospect-go/prospect/internal/kernel"
)

// shapes are ways to make a vector that is hard on codes in one way or another.
var shapes = map[string]func(r *rand.Rand, v []float32){
	"gaussian": func(r *rand.Rand, v []float32) {
		for i := range v {
			v[i] = float32(r.NormFloat64())
		}
	},
	"one component dwarfs the others": func(r *rand.Rand, v []float32) {
		for i := range v {
			v[i] = float32(r.NormFloat64()) / 200 // all but one become 0
		}
		v[r.IntN(len(v))] = 1
	},
	"halfway between codes": func(r *rand.Rand, v []float32) {
		for i := range v {
			v[i] = (float32(r.IntN(253)-126) + 0.5) / 127
		}
		v[r.IntN(len(v))] = 1
	},
	"of one sign": func(r *rand.Rand, v []float32) {
		for i := range v {
			v[i] = 1 + float32(r.Float64())/1000
		}
	},
	"spread over forty orders of magnitude": func(r *rand.Rand, v []float32) {
		for i := range v {
			v[i] = float32(math.Pow(10, -40*r.Float64()))
		}
		v[r.IntN(len(v))] = 1
	},
}

// interval is what codes say about an inner product.
func interval(t require.TestingT, q, x []float32) (lower, upper float32) {
	c := newCodes(len(x)).extended(1)
	c.set(0, x)
	values := make([]int8, len(q))
	coded, ok := codedOf(values, q)
	require.True(t, ok)
	dot := []int32{0}
	kernel.DotsInt8(dot, values, c.values.at(0))
	p := c.params.at(0)[0]
	middle := float32(dot[0]) * (p.scale * coded.scale)
	half := p.err*coded.slope + coded.offset
	return middle - half, middle + half
}

// TestIntervalsHoldTheScores: whatever the vectors, and for queries of any
// norm, the score lies within what the codes say; the worst query for a row is
// its own error, for which the bound is nearly reached.
func TestIntervalsHoldTheScores(t *testing.T) {
	var names []string
	for name := range shapes {
		names = append(names, name)
	}
	slices.Sort(names)
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(1, 1537).Draw(t, "dim")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		raw, x, q := make([]float32, dim), make([]float32, dim), make([]float32, dim)
		shapes[rapid.SampledFrom(names).Draw(t, "row")](r, raw)
		norm, err := normOf(raw, dim)
		require.NoError(t, err)
		scale(x, raw, norm)

		length := math.Pow(10, rapid.Float64Range(-9.9, 9.9).Draw(t, "log10 norm"))
		shapes[rapid.SampledFrom(names).Draw(t, "query")](r, raw)
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 1: // its own error
			codes := make([]int8, dim)
			s, _ := quantise(codes, x)
			for i := range raw {
				raw[i] = x[i] - s*float32(codes[i])
			}
		case 2: // near to it
			for i := range raw {
				raw[i] = x[i] + raw[i]/1000
			}
		}
		if norm, err = normOf(raw, dim); err != nil {
			t.Skip("the codes are exact")
		}
		scale(q, raw, norm/length)
		lower, upper := interval(t, q, x)
		score := kernel.Dot(q, x)
		require.LessOrEqual(t, lower, score)
		require.GreaterOrEqual(t, upper, score)
		// Not by being vague: a component in 254 parts, √d/254 of the largest in
		// all, for each side, and the roundings.
		require.LessOrEqual(t, float64(upper-lower)/length, 2*(3*math.Sqrt(float64(dim))/254+1e-4+2e-7*float64(dim)))
	})
}

// By hand: x = (0.6, 0.8), whose scale is 0.8/127 and codes 95 (0.6/0.8·127 =
// 95.25) and 127, so the error is (0.25·0.8/127, 0) = (0.0015748, 0).
func TestQuantiseByHand(t *testing.T) {
	codes := make([]int8, 2)
	scale, err := quantise(codes, []float32{-0.6, 0.8})
	require.Equal(t, []int8{-95, 127}, codes)
	require.InDelta(t, 0.8/127, scale, 1e-9)
	require.InDelta(t, 0.0015748, err, 1e-7)
}

// By hand: for the same x the query (1, 0) is exact in codes and lies along the
// error, so the score -0.6 is the whole of ‖e‖ = 0.0015748 from the middle,
// -95·0.8/127: the bound is reached, but for some 1e-6 that roundings are given.
func TestIntervalByHand(t *testing.T) {
	lower, upper := interval(t, []float32{1, 0}, []float32{-0.6, 0.8})
	require.InDelta(t, -95*0.8/127, (lower+upper)/2, 1e-6)
	require.LessOrEqual(t, lower, float32(-0.6))
	require.InDelta(t, -0.6, lower, 1e-5)
}

// quantisedPair is the same documents with and without codes.
func quantisedPair(t testing.TB, docs []Doc) (exact, quick *Index) {
	dim := len(docs[0].Vector)
	exact, err := New(dim, Options{MaxDead: 1})
	require.NoError(t, err)
	quick, err = New(dim, Options{MaxDead: 1, Quantize: true})
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(4, 4))
	change := Changes{}
	for _, d := range docs {
		switch r.IntN(20) {
		case 0:
			change.Delete = append(change.Delete, d.ID)
		case 1:
			change.Update = append(change.Update, Doc{ID: d.ID, Vector: docs[r.IntN(len(docs))].Vector})
		}
	}
	for _, ix := range []*Index{exact, quick} {
		require.NoError(t, ix.Apply(Changes{Add: docs}))
		require.NoError(t, ix.Apply(change))
	}
	return exact, quick
}

// TestCodesChangeNoHit: identical ids and scores on collections that differ in
// how many rows the codes can tell apart, and the codes are really used where
// they can.
func TestCodesChangeNoHit(t *testing.T) {
	if testing.Short() {
		t.Skip("compares hits, one search at a time; a minute under the race detector, which has nothing to find here")
	}
	const n, dim = 6000, 96
	for _, tc := range []struct {
		name   string
		make   func(r *rand.Rand) []Doc
		useful bool // few rows are left to score
	}{
		{"random", func(r *rand.Rand) (docs []Doc) {
			for i := range n {
				v := make([]float32, dim)
				shapes["gaussian"](r, v)
				docs = append(docs, Doc{ID: fmt.Sprint(i), Vector: v})
			}
			return docs
		}, true},
		{"several vectors", func(r *rand.Rand) (docs []Doc) {
			for i := range n / 3 {
				vs := make([][]float32, 1+r.IntN(5))
				for j := range vs {
					vs[j] = make([]float32, dim)
					shapes["gaussian"](r, vs[j])
				}
				docs = append(docs, Doc{ID: fmt.Sprint(i), Vector: vs[0], More: vs[1:]})
			}
			return docs
		}, true},
		{"near duplicates", func(r *rand.Rand) (docs []Doc) {
			centre := make([]float32, dim)
			shapes["gaussian"](r, centre)
			for i := range n {
				v := slices.Clone(centre)
				v[r.IntN(dim)] += float32(r.NormFloat64()) / 1e4
				docs = append(docs, Doc{ID: fmt.Sprint(i), Vector: v})
			}
			return docs
		}, false},
		{"one dwarfs the others", func(r *rand.Rand) (docs []Doc) {
			for i := range n {
				v := make([]float32, dim)
				shapes["one component dwarfs the others"](r, v)
				docs = append(docs, Doc{ID: fmt.Sprint(i), Vector: v})
			}
			return docs
		}, false},
		{"ties", func(*rand.Rand) []Doc { return numbered(n, dim) }, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(9, 9))
			exact, quick := quantisedPair(t, tc.make(r))
			for range 30 {
				q := make([]float32, dim)
				shapes["gaussian"](r, q)
				if r.IntN(2) == 0 {
					q, _ = exact.Get(slices.Collect(ids(exact))[r.IntN(exact.Len())])
				}
				k := []int{1, 10, 100}[r.IntN(3)]
				length := float32(math.Pow(10, 6*r.Float64()-3))
				for i := range q {
					q[i] *= length
				}
				f := Filter{}
				switch r.IntN(4) {
				case 1:
					f.Keep = func(id string) bool { return id[len(id)-1] == '7' }
				case 2:
					f.Without = []string{"1", "2", "3"}
				case 3:
					f.MinScore = new(0.3)
				}
				query := []prospect.Query{{Vector: q, K: k}}
				want, err := exact.SearchBatch(t.Context(), query, f)
				require.NoError(t, err)
				got, err := quick.SearchBatch(t.Context(), query, f)
				require.NoError(t, err)
				require.Equal(t, want, got)

				want, err = exact.ScoreBatch(t.Context(), [][]float32{q}, k, f)
				require.NoError(t, err)
				got, err = quick.ScoreBatch(t.Context(), [][]float32{q}, k, f)
				require.NoError(t, err)
				require.Equal(t, want, got)

				// Several at once, one of which is not for codes.
				queries := []prospect.Query{{Vector: q, K: k, Keep: func(id string) bool { return id[0] != '4' }}}
				vectors := [][]float32{q, make([]float32, dim)}
				for range r.IntN(9) {
					v := make([]float32, dim)
					shapes["gaussian"](r, v)
					vectors = append(vectors, v)
					queries = append(queries, prospect.Query{Vector: v, K: 1 + r.IntN(20)})
				}
				want, err = exact.SearchBatch(t.Context(), queries, f)
				require.NoError(t, err)
				got, err = quick.SearchBatch(t.Context(), queries, f)
				require.NoError(t, err)
				require.Equal(t, want, got)
				want, err = exact.ScoreBatch(t.Context(), vectors, k, f)
				require.NoError(t, err)
				got, err = quick.ScoreBatch(t.Context(), vectors, k, f)
				require.NoError(t, err)
				require.Equal(t, want, got)

				s := quick.Snapshot()
				ranking := takeRanking(selection{min: math.Inf(-1)})
				ranking.add(q, probe{k: k})
				done, err := s.rankByCodes(t.Context(), ranking, make([][]prospect.Hit, 1))
				require.NoError(t, err)
				if tc.useful && k < 100 {
					require.True(t, done, "the codes were of no use")
				}
			}
		})
	}
}

func ids(ix *Index) func(func(string) bool) {
	return func(yield func(string) bool) {
		for id := range ix.All() {
			if !yield(id) {
				return
			}
		}
	}
}

func TestQueriesWithoutCodes(t *testing.T) {
	exact, quick := quantisedPair(t, numbered(500, 8))
	for _, x := range []float32{0, 1e-30, 1e-44, 1e30} {
		q := []float32{x, 0, -x, 0, 0, x, 0, 0}
		_, ok := codedOf(make([]int8, len(q)), q)
		require.False(t, ok)
		want, err := exact.ScoreBatch(t.Context(), [][]float32{q}, 20, Filter{})
		require.NoError(t, err)
		got, err := quick.ScoreBatch(t.Context(), [][]float32{q}, 20, Filter{})
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := New(kernel.MaxDimInt8+1, Options{Quantize: true})
	require.ErrorIs(t, err, prospect.ErrDimension)
}

// TestMemoryPerVector counts what an index holds: the table of ids aside,
// within 5 % of the raw vectors, and 27 % more with codes.
func TestMemoryPerVector(t *testing.T) {
	const n, dim = 20_000, 384
	r := rand.New(rand.NewPCG(1, 1))
	docs := make([]Doc, n)
	for i := range docs {
		docs[i] = Doc{ID: fmt.Sprint(i), Vector: make([]float32, dim)}
		shapes["gaussian"](r, docs[i].Vector)
	}
	table := heapAfter(func() any {
		table := docids.NewTable()
		table.Add(idsOf(docs))
		return table
	})
	for _, tc := range []struct {
		quantise bool
		most     float64
	}{{false, 1.05}, {true, 1.05 + 0.27}} {
		heap := heapAfter(func() any {
			ix, err := New(dim, Options{Quantize: tc.quantise})
			require.NoError(t, err)
			require.NoError(t, ix.Apply(Changes{Add: docs}))
			return ix
		})
		share := float64(heap) / (4 * dim * n)
		alone := float64(heap-table) / (4 * dim * n)
		t.Logf("quantise %v: %.3f of the raw vectors, %.3f without the table of ids", tc.quantise, share, alone)
		require.Less(t, alone, tc.most)
		require.Less(t, share, tc.most+0.02, "with it")
		require.Greater(t, share, 1.0, "the measurement is wrong")
	}
}
