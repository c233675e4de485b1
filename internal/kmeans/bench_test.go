package kmeans

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// rows of a loose structure, as embeddings of texts have it.
func benchRows(b *testing.B, n int) Matrix {
	sizes := make([]int, 100)
	for i := range sizes {
		sizes[i] = n / len(sizes)
	}
	rows, _ := planted(b, rand.New(rand.NewPCG(1, 2)), sizes, 384, 1.5)
	return rows
}

func BenchmarkCluster(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("%dx384", n), func(b *testing.B) {
			rows := benchRows(b, n)
			b.ReportAllocs()
			b.SetBytes(int64(4 * len(rows.Data)))
			var c *Clusters
			for b.Loop() {
				var err error
				if c, err = Cluster(b.Context(), rows, Options{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(c.Iterations), "iterations")
			b.ReportMetric(c.MeanCosine, "cosine")
		})
	}
}

func BenchmarkAssign(b *testing.B) {
	for _, k := range []int{1, 10, 632} {
		b.Run(fmt.Sprintf("100000x384/k=%d", k), func(b *testing.B) {
			rows := benchRows(b, 100_000)
			centroids := Matrix{rows.Dim, rows.Data[:k*rows.Dim]}
			b.ReportAllocs()
			b.SetBytes(int64(4 * len(rows.Data)))
			for b.Loop() {
				if _, err := Assign(b.Context(), rows, centroids); err != nil {
					b.Fatal(err)
				}
			}
			flops := 2 * float64(len(rows.Data)*k) * float64(b.N)
			b.ReportMetric(flops/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}
