package onnx_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/embed/onnx"
	"github.com/stretchr/testify/require"
)

// sentence has n tokens in the vocabulary of the test models, special tokens
// included.
func sentence(n int) string {
	words := []string{"find", "the", "right", "skill", "for", "a", "task", "embed"}
	var b strings.Builder
	for i := range n - 2 {
		b.WriteString(words[i%len(words)] + " ")
	}
	return b.String()
}

// BenchmarkEmbed runs a static model of 16 dimensions: what is measured is the
// way to the runtime and back more than the runtime.
func BenchmarkEmbed(b *testing.B) {
	m := with(files(pooledGraph(rows)), map[string]string{"config.json": "{}"})
	e, err := onnx.OpenFS(b.Context(), m, onnx.Options{})
	require.NoError(b, err)
	defer e.Close()
	for _, texts := range []int{1, 32, 1024} {
		for _, tokens := range []int{16, 64, 256} {
			b.Run(fmt.Sprintf("texts=%d/tokens=%d", texts, tokens), func(b *testing.B) {
				batch := slices.Repeat([]string{sentence(tokens)}, texts)
				b.ReportAllocs()
				for b.Loop() {
					if _, err := e.Embed(b.Context(), prospect.RoleDocument, batch); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(texts*b.N)/b.Elapsed().Seconds(), "texts/s")
			})
		}
	}
}

// BenchmarkMiniLM is for GOEXPERIMENT=simd; a plain build is some thirty times slower.
func BenchmarkMiniLM(b *testing.B) {
	e := minilm(b)
	text := strings.TrimSpace(strings.Repeat("find the right skill for a task ", 9)) // 63 words
	for _, texts := range []int{1, 32} {
		b.Run(fmt.Sprintf("texts=%d/tokens=65", texts), func(b *testing.B) {
			batch := slices.Repeat([]string{text}, texts)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.Embed(b.Context(), prospect.RoleDocument, batch); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(texts*b.N)/b.Elapsed().Seconds(), "texts/s")
		})
	}
}
