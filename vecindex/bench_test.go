package vecindex_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/viterin/vek/vek32"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/vecindex"
)

var sizes = []int{1_000, 10_000, 100_000}

const benchDim = 384

// filled returns an index of n random documents "0", "1", …, the same for the
// same n.
var filled = func() func(testing.TB, int, ...vecindex.Options) *vecindex.Index {
	type key struct {
		n        int
		quantise bool
	}
	made := map[key]*vecindex.Index{}
	return func(tb testing.TB, n int, options ...vecindex.Options) *vecindex.Index {
		var opts vecindex.Options
		if len(options) > 0 {
			opts = options[0]
		}
		at := key{n, opts.Quantize}
		if made[at] == nil {
			r := rand.New(rand.NewPCG(1, uint64(n)))
			docs := make([]vecindex.Doc, n)
			for i := range docs {
				docs[i] = vecindex.Doc{ID: strconv.Itoa(i), Vector: randomVector(r, benchDim)}
			}
			ix, err := vecindex.New(benchDim, opts)
			require.NoError(tb, err)
			require.NoError(tb, ix.Apply(vecindex.Changes{Add: docs}))
			made[at] = ix
		}
		return made[at]
	}
}()

func randomVector(r *rand.Rand, dim int) []float32 {
	v := make([]float32, dim)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

// report adds what reading n rows of benchDim floats for each of m queries
// means: queries a second, and the rate at which rows pass the kernel.
func report(b *testing.B, n, m int) {
	perOp := b.Elapsed().Seconds() / float64(b.N)
	b.ReportMetric(float64(m)/perOp, "queries/s")
	b.ReportMetric(float64(n)*benchDim*4*float64(m)/perOp/1e9, "GB/s")
	b.ReportAllocs()
}

func BenchmarkSearch(b *testing.B) {
	for _, n := range sizes {
		for _, form := range []string{"float32", "int8"} {
			b.Run(fmt.Sprintf("%dx%d/%s", n, benchDim, form), func(b *testing.B) {
				ix := filled(b, n, vecindex.Options{Quantize: form == "int8"})
				q := prospect.Query{Vector: randomVector(rand.New(rand.NewPCG(2, 2)), benchDim), K: 10}
				for b.Loop() {
					_, err := ix.Search(context.Background(), q)
					require.NoError(b, err)
				}
				report(b, n, 1)
			})
		}
	}
}

// BenchmarkPieces has documents of several vectors: the best of each for every
// query, and sums of two.
func BenchmarkPieces(b *testing.B) {
	const n, each, m = 20_000, 5, 4
	r := rand.New(rand.NewPCG(3, 3))
	docs := make([]vecindex.Doc, n)
	for i := range docs {
		docs[i] = vecindex.Doc{ID: strconv.Itoa(i), Vector: randomVector(r, benchDim)}
		for range each - 1 {
			docs[i].More = append(docs[i].More, randomVector(r, benchDim))
		}
	}
	ix, err := vecindex.New(benchDim, vecindex.Options{})
	require.NoError(b, err)
	require.NoError(b, ix.Apply(vecindex.Changes{Add: docs}))
	var vectors [][]float32
	var sums [][]vecindex.Term
	for j := range m + 1 {
		vectors = append(vectors, randomVector(r, benchDim))
		if j > 0 {
			sums = append(sums, []vecindex.Term{{Vector: 0, Weight: 2}, {Vector: j, Weight: 1}})
		}
	}
	b.Run("best", func(b *testing.B) {
		for b.Loop() {
			_, err := ix.ScoreBatch(context.Background(), vectors, 20, vecindex.Filter{})
			require.NoError(b, err)
		}
		report(b, n*each, m+1)
	})
	b.Run("sums", func(b *testing.B) {
		for b.Loop() {
			_, err := ix.ScoreSums(context.Background(), vectors, sums, 20, vecindex.Filter{})
			require.NoError(b, err)
		}
		report(b, n*each, m+1)
	})
}

func BenchmarkScoreBatch(b *testing.B) {
	for _, n := range sizes {
		for _, m := range []int{2, 8, 32, 128} {
			for _, form := range []string{"float32", "int8"} {
				b.Run(fmt.Sprintf("%dx%d/%d/%s", n, benchDim, m, form), func(b *testing.B) {
					ix := filled(b, n, vecindex.Options{Quantize: form == "int8"})
					r := rand.New(rand.NewPCG(2, 2))
					vectors := make([][]float32, m)
					for i := range vectors {
						vectors[i] = randomVector(r, benchDim)
					}
					for b.Loop() {
						_, err := ix.ScoreBatch(context.Background(), vectors, 20, vecindex.Filter{})
						require.NoError(b, err)
					}
					report(b, n, m)
				})
			}
		}
	}
}

// BenchmarkFiltered has a filter that keeps one document in a thousand.
func BenchmarkFiltered(b *testing.B) {
	const n = 100_000
	var ids []string
	for i := 0; i < n; i += 1000 {
		ids = append(ids, strconv.Itoa(i))
	}
	q := prospect.Query{Vector: randomVector(rand.New(rand.NewPCG(2, 2)), benchDim), K: 10}
	within, keep := q, q
	within.Within = ids
	keep.Keep = func(id string) bool { return len(id) > 3 && id[len(id)-3:] == "000" }
	for name, q := range map[string]prospect.Query{"within": within, "keep": keep} {
		b.Run(name, func(b *testing.B) {
			ix := filled(b, n)
			b.ReportAllocs()
			for b.Loop() {
				_, err := ix.Search(context.Background(), q)
				require.NoError(b, err)
			}
		})
	}
}

// BenchmarkReadBandwidth is what a plain sum over as many bytes reaches: the
// bound for a search of one query.
func BenchmarkReadBandwidth(b *testing.B) {
	const n = 100_000
	block := make([]float32, n*benchDim)
	for i := range block {
		block[i] = 1
	}
	workers := runtime.GOMAXPROCS(0)
	for b.Loop() {
		var wg sync.WaitGroup
		for w := range workers {
			wg.Go(func() { vek32.Sum(block[w*len(block)/workers : (w+1)*len(block)/workers]) })
		}
		wg.Wait()
	}
	report(b, n, 1)
}

func BenchmarkAdd(b *testing.B) {
	v := randomVector(rand.New(rand.NewPCG(2, 2)), benchDim)
	for _, batch := range []int{1, 1000} {
		b.Run(strconv.Itoa(batch), func(b *testing.B) {
			ix, err := vecindex.New(benchDim, vecindex.Options{})
			require.NoError(b, err)
			docs := make([]vecindex.Doc, batch)
			next := 0
			b.ReportAllocs()
			for b.Loop() {
				for i := range docs {
					docs[i] = vecindex.Doc{ID: strconv.Itoa(next), Vector: v}
					next++
				}
				require.NoError(b, ix.Apply(vecindex.Changes{Add: docs}))
				if ix.Len() >= 100_000 {
					ix, _ = vecindex.New(benchDim, vecindex.Options{})
				}
			}
			b.ReportMetric(float64(batch)*float64(b.N)/b.Elapsed().Seconds(), "docs/s")
		})
	}
}

func BenchmarkSaveAndOpen(b *testing.B) {
	ix := filled(b, 100_000)
	path := b.TempDir() + "/index"
	b.Run("save", func(b *testing.B) {
		b.SetBytes(100_000 * benchDim * 4)
		for b.Loop() {
			require.NoError(b, ix.Save(path))
		}
	})
	b.Run("open", func(b *testing.B) {
		b.SetBytes(100_000 * benchDim * 4)
		for b.Loop() {
			_, err := vecindex.Open(path, benchDim, vecindex.Options{})
			require.NoError(b, err)
		}
	})
}

// BenchmarkMemory reports what a document costs besides its 4·dim bytes.
func BenchmarkMemory(b *testing.B) {
	const n = 100_000
	r := rand.New(rand.NewPCG(1, 1))
	docs := make([]vecindex.Doc, n)
	for i := range docs {
		docs[i] = vecindex.Doc{ID: strconv.Itoa(i), Vector: randomVector(r, benchDim)}
	}
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	for b.Loop() {
		before := heap()
		ix, err := vecindex.New(benchDim, vecindex.Options{})
		require.NoError(b, err)
		require.NoError(b, ix.Apply(vecindex.Changes{Add: docs}))
		b.ReportMetric(float64(heap()-before)/n-4*benchDim, "extra-B/doc")
		runtime.KeepAlive(ix)
	}
}
