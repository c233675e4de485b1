package embed_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/embed"
)

// constant gives every text the same vector, at no cost.
func constant(dim int) prospect.Embedder {
	return prospect.NewEmbedder("constant", dim, func(_ context.Context, _ prospect.Role, texts []string) ([][]float32, error) {
		vectors := make([][]float32, len(texts))
		for i := range vectors {
			vectors[i] = make([]float32, dim)
			vectors[i][0] = 1
		}
		return vectors, nil
	})
}

func benchmarkedCache(b *testing.B, vectors int) (e prospect.Embedder, dir string, texts []string) {
	const dim = 512
	e = constant(dim)
	for i := range vectors {
		texts = append(texts, fmt.Sprintf("a skill of number %d", i))
	}
	dir = b.TempDir()
	c, err := embed.NewCache(e, dir, embed.CacheOptions{})
	require.NoError(b, err)
	get(b, c, prospect.RoleDocument, texts...)
	require.NoError(b, c.Close())
	return e, dir, texts
}

func BenchmarkCacheOpen(b *testing.B) {
	for _, vectors := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(vectors), func(b *testing.B) {
			e, dir, _ := benchmarkedCache(b, vectors)
			b.ReportAllocs()
			for b.Loop() {
				c, err := embed.NewCache(e, dir, embed.CacheOptions{})
				require.NoError(b, err)
				require.Equal(b, vectors, c.Stats().Vectors)
				require.NoError(b, c.Close())
			}
			b.SetBytes(int64(vectors) * (4*512 + 40))
		})
	}
}

func BenchmarkCacheHits(b *testing.B) {
	e, dir, texts := benchmarkedCache(b, 10_000)
	c := newCache(b, e, dir, embed.CacheOptions{})
	b.ReportAllocs()
	for b.Loop() {
		get(b, c, prospect.RoleDocument, texts...)
	}
	b.ReportMetric(float64(b.N*len(texts))/b.Elapsed().Seconds(), "texts/s")
}
