package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/viterin/vek/vek32"
)

// What can be had: rows are read once by a sum that does nothing else.
func BenchmarkReadBandwidth(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("vek32.Sum/%dx384", n), func(b *testing.B) {
			rows := floats(rand.New(rand.NewPCG(1, 2)), n*384)
			b.SetBytes(int64(4 * len(rows)))
			for b.Loop() {
				vek32.Sum(rows)
			}
		})
	}
}

// One query, beside a loop of vek32.Dot.
func BenchmarkDots(b *testing.B) {
	for _, c := range []struct{ n, d int }{{1_000, 384}, {10_000, 384}, {100_000, 384}, {100_000, 1024}} {
		r := rand.New(rand.NewPCG(1, 2))
		query, rows := floats(r, c.d), floats(r, c.n*c.d)
		dst := make([]float32, c.n)
		run := func(name string, f func()) {
			b.Run(fmt.Sprintf("%s/%dx%d", name, c.n, c.d), func(b *testing.B) {
				b.SetBytes(int64(4 * len(rows)))
				for b.Loop() {
					f()
				}
			})
		}
		for _, s := range available() {
			run(s.String(), func() { s.dots(dst, query, rows) })
		}
		run("vek32.Dot", func() {
			for j := range dst {
				dst[j] = vek32.Dot(rows[j*c.d:(j+1)*c.d], query)
			}
		})
	}
}

// Many queries. The bandwidth is that of one reading of the rows.
func BenchmarkDotMatrix(b *testing.B) {
	const d = 384
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{64, 1_000, 100_000} {
		rows := floats(r, n*d)
		for _, m := range []int{2, 5, 6, 7, 32, 128} {
			queries, dst := floats(r, m*d), make([]float32, m*n)
			for _, s := range available() {
				b.Run(fmt.Sprintf("%s/%dx%dx%d", s, m, n, d), func(b *testing.B) {
					b.SetBytes(int64(4 * len(rows)))
					for b.Loop() {
						s.dotMatrix(dst, queries, rows, d)
					}
					b.ReportMetric(2*float64(m*n*d)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
				})
			}
		}
	}
}

func BenchmarkInt8(b *testing.B) {
	const d = 384
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1_000, 100_000} {
		rows := codes(r, n*d)
		for _, m := range []int{1, 32} {
			queries, dst := codes(r, m*d), make([]int32, m*n)
			for _, s := range available() {
				b.Run(fmt.Sprintf("%s/%dx%dx%d", s, m, n, d), func(b *testing.B) {
					b.SetBytes(int64(len(rows)))
					for b.Loop() {
						if m == 1 {
							s.dotsInt8(dst, queries, rows)
						} else {
							s.dotMatrixInt8(dst, queries, rows, d)
						}
					}
					b.ReportMetric(2*float64(m*n*d)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GOP/s")
				})
			}
		}
	}
}
