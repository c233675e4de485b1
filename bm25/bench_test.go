package bm25_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/bm25"
	"github.com/prospect-go/prospect/internal/evaldata"
)

// The gallery of the skills benchmark: 5,536 texts, 43 MB.

func BenchmarkBuild(b *testing.B) {
	docs := load(b, "skillsbench", fullText).docs
	bytes := 0
	for _, d := range docs {
		bytes += len(d.Text)
	}
	b.SetBytes(int64(bytes))
	b.ReportAllocs()
	for b.Loop() {
		build(b, bm25.Options{}, docs)
	}
}

func BenchmarkTokenize(b *testing.B) {
	docs := load(b, "skillsbench", fullText).docs
	a := standard(b, bm25.StandardOptions{})
	bytes := 0
	for _, d := range docs {
		bytes += len(d.Text)
	}
	b.SetBytes(int64(bytes))
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		for _, d := range docs {
			n += bm25.CountTerms(a, d.Text)
		}
	}
	b.ReportMetric(float64(n)/float64(b.N), "terms")
}

func BenchmarkSearch(b *testing.B) {
	c := load(b, "skillsbench", fullText)
	ix := build(b, bm25.Options{}, c.docs)
	short := []evaldata.Doc{
		{Text: "extract tables from a PDF"}, {Text: "kubernetes deployment rollback"},
		{Text: "write unit tests for React components"}, {Text: "optimise a slow SQL query"},
	}
	for _, bench := range []struct {
		name    string
		queries []evaldata.Doc
	}{{"short", short}, {"task", c.queries}} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				_, err := ix.Search(context.Background(), prospect.Query{Text: bench.queries[i%len(bench.queries)].Text, K: 10})
				require.NoError(b, err)
				i++
			}
		})
	}
	b.Run("scores20", func(b *testing.B) {
		var some []string
		for i := range 20 {
			some = append(some, c.docs[i*len(c.docs)/20].ID)
		}
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			_, err := ix.Scores(context.Background(), c.queries[i%len(c.queries)].Text, some)
			require.NoError(b, err)
			i++
		}
	})
}
