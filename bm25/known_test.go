package bm25_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/bm25"
)

// Impacts that are kept change no bit of a score, in one window of rows and in
// several, with fields and dead rows, for each variant.
func TestKeptImpactsChangeNothing(t *testing.T) {
	for _, variant := range []bm25.Variant{bm25.Lucene, bm25.BM25L, bm25.BM25Plus} {
		for _, f := range [][]bm25.Field{nil, {{Name: "name", Weight: 3}}} {
			opts := bm25.Options{Analyzer: fields, Variant: variant, Fields: f}
			var docs []bm25.Doc
			for i := range 67_000 {
				d := bm25.Doc{ID: fmt.Sprint(i), Text: fmt.Sprintf("every w%d w%d w%d", i%7, i%113, i%997)}
				if f != nil {
					d.Fields = map[string]string{"name": fmt.Sprintf("every w%d", i%5)}
				}
				docs = append(docs, d)
			}
			kept := build(t, opts, docs)
			opts.MaxImpacts = -1
			plain := build(t, opts, docs)
			opts.MaxImpacts = 80_000 // room for one or two of the terms
			few := build(t, opts, docs)
			for round := range 2 {
				for _, query := range []string{"every", "w3 w5 w100", "w996", "w0 every w1 w112 w700 w3"} {
					q := prospect.Query{Text: query, K: 1000}
					want, err := plain.Search(t.Context(), q)
					require.NoError(t, err)
					require.NotEmpty(t, want)
					for range 4 {
						for _, ix := range []*bm25.Index{kept, few} {
							got, err := ix.Search(t.Context(), q)
							require.NoError(t, err)
							require.Equal(t, want, got)
						}
					}
					// and one by one, without them
					scores, err := kept.Scores(t.Context(), query, ids(want))
					require.NoError(t, err)
					for i := range want {
						require.Equal(t, want[i].Score, scores[i])
					}
				}
				require.Zero(t, bm25.Impacts(plain.Snapshot()))
				require.Positive(t, bm25.Impacts(few.Snapshot()))
				require.LessOrEqual(t, bm25.Impacts(few.Snapshot()), 80_000)
				require.Greater(t, bm25.Impacts(kept.Snapshot()), 80_000)
				if round == 0 {
					for _, ix := range []*bm25.Index{kept, plain, few} {
						require.NoError(t, ix.Delete("1", "17", "65536", "66999"))
						require.NoError(t, ix.Update(context.Background(), "20", "every w3 w3"))
					}
					require.Zero(t, bm25.Impacts(kept.Snapshot()), "a change forgets them")
				}
			}
		}
	}
}

// Searches that make impacts at the same time find what one alone finds.
func TestImpactsAreMadeByManyAtOnce(t *testing.T) {
	var docs []bm25.Doc
	for i := range 3000 {
		docs = append(docs, bm25.Doc{ID: fmt.Sprint(i), Text: fmt.Sprintf("every w%d w%d", i%7, i%13)})
	}
	ix := build(t, bm25.Options{Analyzer: fields}, docs)
	q := prospect.Query{Text: "every w1 w2 w3 w4 w12", K: 50}
	want, err := build(t, bm25.Options{Analyzer: fields, MaxImpacts: -1}, docs).Search(t.Context(), q)
	require.NoError(t, err)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20 {
				got, err := ix.Search(context.Background(), q)
				if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%v %v, want %v", got, err, want)
				}
			}
		})
	}
	group.Wait()
}
