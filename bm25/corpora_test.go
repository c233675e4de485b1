package bm25_test

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/bm25"
	"github.com/prospect-go/prospect/internal/evaldata"
)

// A corpus is an evaluation set and the text of its documents.
type corpus struct {
	docs    []bm25.Doc
	queries []evaldata.Doc // the judged ones
	rel     map[string]map[string]float64
}

// loaded are the sets read before. Tests that load do not run in parallel.
var loaded = map[string]evaldata.Set{}

func load(t testing.TB, folder string, textOf func(testing.TB, evaldata.Doc) string) corpus {
	set, ok := loaded[folder]
	if !ok {
		set = evaldata.Read(t, folder, "test")
		if folder == "skillsbench" {
			set.Docs = append(set.Docs, evaldata.Docs(t, evaldata.Dir(t, folder, "distractors.jsonl.gz"))...)
		}
		loaded[folder] = set
	}
	c := corpus{rel: set.Qrels}
	for _, d := range set.Docs {
		c.docs = append(c.docs, bm25.Doc{ID: d.ID, Text: textOf(t, d)})
	}
	for _, q := range set.Queries {
		if len(c.rel[q.ID]) > 0 {
			c.queries = append(c.queries, q)
		}
	}
	return c
}

func fullText(_ testing.TB, d evaldata.Doc) string { return d.Text }

// nameAndDescription is of a skill.
func nameAndDescription(t testing.TB, d evaldata.Doc) string {
	var name, description string
	require.NoError(t, json.Unmarshal(d.Metadata["name"], &name))
	require.NoError(t, json.Unmarshal(d.Metadata["description"], &description))
	return name + " " + description
}

func build(t testing.TB, opts bm25.Options, docs []bm25.Doc) *bm25.Index {
	ix, err := bm25.New(opts)
	require.NoError(t, err)
	require.NoError(t, ix.AddBatch(context.Background(), docs))
	return ix
}

// figures are means over the queries of a set.
type figures struct{ MAP, NDCG10 float64 }

// evaluate searches for each query. Average precision and NDCG
// are those of trec_eval with binary gains.
func evaluate(t testing.TB, c corpus, search func(text string) ([]prospect.Hit, error)) figures {
	var sum figures
	for _, q := range c.queries {
		hits, err := search(q.Text)
		require.NoError(t, err)
		found, precision, gain, ideal := 0, 0.0, 0.0, 0.0
		for i, h := range hits {
			if c.rel[q.ID][h.ID] > 0 {
				found++
				precision += float64(found) / float64(i+1)
				if i < 10 {
					gain += 1 / math.Log2(float64(i+2))
				}
			}
		}
		for i := range min(10, len(c.rel[q.ID])) {
			ideal += 1 / math.Log2(float64(i+2))
		}
		sum.MAP += precision / float64(len(c.rel[q.ID]))
		sum.NDCG10 += gain / ideal
	}
	n := float64(len(c.queries))
	return figures{sum.MAP / n, sum.NDCG10 / n}
}

func standard(t testing.TB, opts bm25.StandardOptions) *bm25.Analyzer {
	a, err := bm25.Standard(opts)
	require.NoError(t, err)
	return a
}

func ids(hits []prospect.Hit) []string {
	return slices.Collect(func(yield func(string) bool) {
		for _, h := range hits {
			if !yield(h.ID) {
				return
			}
		}
	})
}
