package metrics_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect/metrics"
)

func BenchmarkCompareAll(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	row := func(n int) []float64 {
		values := make([]float64, n)
		for i := range values {
			values[i] = r.Float64()
		}
		return values
	}
	for _, queries := range []int{47, 580} {
		for _, systems := range []int{1, 30} {
			b.Run(fmt.Sprintf("queries=%d/systems=%d", queries, systems), func(b *testing.B) {
				rows := make([][]float64, systems)
				for s := range rows {
					rows[s] = row(queries)
				}
				baseline := row(queries)
				b.ReportAllocs()
				for b.Loop() {
					_, err := metrics.CompareAll(rows, baseline, metrics.Resampling{})
					require.NoError(b, err)
				}
			})
		}
	}
}

func BenchmarkEvaluate(b *testing.B) {
	run, qrels := metrics.Run[int, int]{}, metrics.Qrels[int, int]{}
	r := rand.New(rand.NewPCG(1, 2))
	for q := range 580 {
		run[q] = r.Perm(1000)
		qrels[q] = map[int]float64{}
		for range 5 {
			qrels[q][r.IntN(2000)] = 1
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		_, err := metrics.Evaluate(run, qrels, metrics.Recall(5), metrics.NDCG(10), metrics.AP(metrics.All), metrics.RR(metrics.All))
		require.NoError(b, err)
	}
	b.ReportMetric(float64(b.N*len(run))/b.Elapsed().Seconds(), "queries/s")
}
