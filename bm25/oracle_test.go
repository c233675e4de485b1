package bm25_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/bm25"
)

// An oracle scores every document with the formula as it stands in papers,
// from nothing but the texts.
type oracle struct {
	docs         []bm25.Doc // live ones, in order of first insertion
	variant      bm25.Variant
	k1, b, delta float64
}

func (o *oracle) score(query, text string) float64 {
	n, total := float64(len(o.docs)), 0
	for _, d := range o.docs {
		total += len(strings.Fields(d.Text))
	}
	terms := strings.Fields(text)
	l := 1 - o.b + o.b*float64(len(terms))/(float64(total)/n)
	sum := 0.0
	for _, term := range strings.Fields(query) { // a repeated term counts again
		tf := 0.0
		for _, t := range terms {
			if t == term {
				tf++
			}
		}
		if tf == 0 {
			continue
		}
		df := 0.0
		for _, d := range o.docs {
			if slices.Contains(strings.Fields(d.Text), term) {
				df++
			}
		}
		k1, c := o.k1, tf/l
		switch o.variant {
		case bm25.Lucene:
			sum += math.Log(1+(n-df+0.5)/(df+0.5)) * tf / (tf + k1*l)
		case bm25.Robertson:
			sum += max(0, math.Log((n-df+0.5)/(df+0.5))) * tf / (tf + k1*l)
		case bm25.ATIRE:
			sum += math.Log(n/df) * tf * (k1 + 1) / (tf + k1*l)
		case bm25.BM25L:
			sum += math.Log((n+1)/(df+0.5)) * (k1 + 1) * (c + o.delta) / (k1 + c + o.delta)
		case bm25.BM25Plus:
			sum += math.Log((n+1)/df) * (tf*(k1+1)/(tf+k1*l) + o.delta)
		}
	}
	return sum
}

// drawText is a text over a few terms, so that much repeats.
func drawText(t *rapid.T, label string) string {
	words := rapid.SliceOfN(rapid.SampledFrom(strings.Fields("a b c d e f g h")), 0, 12).Draw(t, label)
	return strings.Join(words, " ")
}

// Any sequence of changes leaves the index equal to the oracle, statistics
// and order included, and equal bit for bit to an index built fresh.
func TestEqualsTheOracleAfterAnyChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := oracle{
			variant: rapid.SampledFrom([]bm25.Variant{bm25.Lucene, bm25.Robertson, bm25.ATIRE, bm25.BM25L, bm25.BM25Plus}).Draw(t, "variant"),
			k1:      rapid.SampledFrom([]float64{0, 0.9, 1.2, 3}).Draw(t, "k1"),
			b:       rapid.SampledFrom([]float64{0, 0.4, 0.75, 1}).Draw(t, "b"),
			delta:   rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(t, "delta"),
		}
		opts := bm25.Options{Variant: o.variant, K1: &o.k1, B: &o.b, Delta: &o.delta, Analyzer: fields}
		ix, err := bm25.New(opts)
		require.NoError(t, err)
		next := 0
		for range rapid.IntRange(1, 8).Draw(t, "changes") {
			var c bm25.Changes
			var kept []bm25.Doc
			for _, d := range o.docs {
				switch rapid.IntRange(0, 5).Draw(t, "what") {
				case 0:
					c.Delete = append(c.Delete, d.ID)
					continue
				case 1:
					d.Text = drawText(t, "update")
					c.Update = append(c.Update, d)
				}
				kept = append(kept, d)
			}
			for range rapid.IntRange(0, 4).Draw(t, "adds") {
				c.Add = append(c.Add, bm25.Doc{ID: fmt.Sprint("id", next), Text: drawText(t, "add")})
				next++
			}
			o.docs = append(kept, c.Add...)
			require.NoError(t, ix.Apply(context.Background(), c))
			if rapid.IntRange(0, 3).Draw(t, "compact") == 0 {
				ix.Compact()
			}
			checkAgainst(t, &o, ix, opts)
		}
	})
}

func checkAgainst(t *rapid.T, o *oracle, ix *bm25.Index, opts bm25.Options) {
	ctx := context.Background()
	require.Equal(t, len(o.docs), ix.Len())
	fresh := build2(t, opts, o.docs)
	query := drawText(t, "query") + " unknown"
	k := rapid.IntRange(1, 12).Draw(t, "k")

	want := make([]prospect.Hit, len(o.docs))
	all := make([]string, len(o.docs))
	for i, d := range o.docs {
		want[i] = prospect.Hit{ID: d.ID, Score: o.score(query, d.Text)}
		all[i] = d.ID
	}

	scores, err := ix.Scores(ctx, query, all)
	require.NoError(t, err)
	freshScores, err := fresh.Scores(ctx, query, all)
	require.NoError(t, err)
	require.Equal(t, freshScores, scores, "as if built fresh, bit for bit")
	for i, s := range scores {
		require.InDelta(t, want[i].Score, s, 1e-12*max(1, s))
		e, err := ix.Explain(query, all[i])
		require.NoError(t, err)
		require.Equal(t, s, e.Score, "the explanation has the same score")
		sum := 0.0
		for _, term := range e.Terms {
			sum += term.Score
		}
		require.Equal(t, s, sum, "the terms sum to it")
	}

	// The ranking is that of the scores, ties in order of insertion.
	ranked := slices.Clone(want[:0])
	for i := range want {
		if scores[i] > 0 {
			ranked = append(ranked, prospect.Hit{ID: want[i].ID, Score: scores[i]})
		}
	}
	slices.SortStableFunc(ranked, func(a, b prospect.Hit) int { return cmp.Compare(b.Score, a.Score) })
	check := func(got []prospect.Hit, err error, keep func(id string) bool) {
		require.NoError(t, err)
		var want []prospect.Hit
		for _, h := range ranked {
			if keep(h.ID) && len(want) < k {
				want = append(want, h)
			}
		}
		require.Equal(t, len(want), len(got))
		for i := range want {
			require.Equal(t, want[i], got[i])
		}
	}
	any := func(string) bool { return true }
	hits, err := ix.Search(ctx, prospect.Query{Text: query, K: k})
	check(hits, err, any)

	even := func(id string) bool { return (id[len(id)-1]-'0')%2 == 0 }
	hits, err = ix.Search(ctx, prospect.Query{Text: query, K: k, Keep: even})
	check(hits, err, even)

	within := append([]string{"nobody", "nobody"}, rapid.SliceOf(rapid.SampledFrom(append(all, "nobody"))).Draw(t, "within")...)
	in := func(id string) bool { return slices.Contains(within, id) }
	hits, err = ix.Search(ctx, prospect.Query{Text: query, K: k, Within: within})
	check(hits, err, in)
	hits, err = ix.Search(ctx, prospect.Query{Text: query, K: k, Within: within, Keep: even})
	check(hits, err, func(id string) bool { return in(id) && even(id) })

	// Terms with their counts as weights are the text, in any order.
	var terms []bm25.QueryTerm
	for _, term := range rapid.Permutation(strings.Fields(query)).Draw(t, "order") {
		terms = append(terms, bm25.QueryTerm{Term: term, Weight: 1})
	}
	hits, err = ix.SearchTerms(ctx, terms, prospect.Query{K: k})
	check(hits, err, any)
}

func build2(t *rapid.T, opts bm25.Options, docs []bm25.Doc) *bm25.Index {
	ix, err := bm25.New(opts)
	require.NoError(t, err)
	require.NoError(t, ix.AddBatch(context.Background(), docs))
	return ix
}

// Many rows, more than a window of the scorer, with ties and updates across
// them.
func TestManyRowsEqualOneByOne(t *testing.T) {
	ctx := context.Background()
	var docs []bm25.Doc
	for i := range 70_000 {
		text := fmt.Sprintf("every w%d w%d w%d", i%7, i%113, i%9973)
		docs = append(docs, bm25.Doc{ID: fmt.Sprint(i), Text: text})
	}
	ix := build(t, bm25.Options{Analyzer: fields}, docs)
	for i := 0; i < len(docs); i += 50 {
		docs[i].Text = fmt.Sprintf("w%d every every", i%11)
	}
	var updates []bm25.Doc
	for i := 0; i < len(docs); i += 50 {
		updates = append(updates, docs[i])
	}
	require.NoError(t, ix.UpdateBatch(ctx, updates))
	all := make([]string, len(docs))
	for i := range docs {
		all[i] = docs[i].ID
	}
	for _, query := range []string{"every", "w3 w5 w100", "w9972", "w0 every w1 w112 w7000 w3"} {
		scores, err := ix.Scores(ctx, query, all)
		require.NoError(t, err)
		var want []prospect.Hit
		for i, s := range scores {
			if s > 0 {
				want = append(want, prospect.Hit{ID: all[i], Score: s})
			}
		}
		slices.SortStableFunc(want, func(a, b prospect.Hit) int { return cmp.Compare(b.Score, a.Score) })
		for _, k := range []int{1, 10, 1000} {
			got, err := ix.Search(ctx, prospect.Query{Text: query, K: k})
			require.NoError(t, err)
			require.Equal(t, want[:min(k, len(want))], got)
		}
	}
}

func TestWeightsMultiply(t *testing.T) {
	ix := build(t, bm25.Options{Analyzer: fields}, two)
	ctx := context.Background()
	single, err := ix.Scores(ctx, "b", []string{"y"})
	require.NoError(t, err)
	got, err := ix.ScoresTerms(ctx, []bm25.QueryTerm{{Term: "b", Weight: 0.5}, {Term: "nowhere", Weight: 9}, {Term: "b", Weight: 2}, {Term: "a", Weight: 0}}, []string{"y", "x", "y"})
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{2.5 * single[0], 0, 2.5 * single[0]}, got, 1e-15)

	for _, w := range []float64{-1, math.NaN(), math.Inf(1), math.MaxFloat64} {
		terms := []bm25.QueryTerm{{Term: "nowhere", Weight: w}}
		_, err := ix.SearchTerms(ctx, terms, prospect.Query{K: 1})
		require.ErrorIs(t, err, prospect.ErrNotFinite)
		_, err = ix.ScoresTerms(ctx, terms, []string{"x"})
		require.ErrorIs(t, err, prospect.ErrNotFinite)
		_, err = ix.ExplainTerms(terms, "x")
		require.ErrorIs(t, err, prospect.ErrNotFinite)
	}
}

// df: p 4, q 3, r 2, s 2. Two terms are kept: r and s; one: r, which sorts
// first.
func TestMaxQueryTermsKeepsTheRarest(t *testing.T) {
	docs := []bm25.Doc{{ID: "1", Text: "p q r"}, {ID: "2", Text: "p q s"}, {ID: "3", Text: "p q r s"}, {ID: "4", Text: "p"}}
	for limit, want := range map[int]string{1: "r", 2: "s r", 3: "q r s", 9: "p q r s"} {
		ix := build(t, bm25.Options{Analyzer: fields, MaxQueryTerms: limit}, docs)
		full := build(t, bm25.Options{Analyzer: fields}, docs)
		all := []string{"1", "2", "3", "4"}
		got, err := ix.Scores(context.Background(), "p s q r unknown", all)
		require.NoError(t, err)
		exp, err := full.Scores(context.Background(), want, all)
		require.NoError(t, err)
		require.Equal(t, exp, got)
	}
	// A term that weighs nothing takes no place.
	ix := build(t, bm25.Options{Analyzer: fields, MaxQueryTerms: 1}, docs)
	scores, err := ix.ScoresTerms(context.Background(), []bm25.QueryTerm{{Term: "r", Weight: 0}, {Term: "p", Weight: 1}}, []string{"4"})
	require.NoError(t, err)
	require.Positive(t, scores[0])
	e, err := ix.ExplainTerms([]bm25.QueryTerm{{Term: "r", Weight: 0}, {Term: "p", Weight: 1}}, "1")
	require.NoError(t, err)
	require.Len(t, e.Terms, 1)
}

func TestATermCountsAtMost65535Times(t *testing.T) {
	ix := build(t, bm25.Options{Analyzer: fields}, []bm25.Doc{{ID: "x", Text: strings.Repeat("a ", 70_000)}})
	e, err := ix.Explain("a", "x")
	require.NoError(t, err)
	require.Equal(t, 65_535, e.Terms[0].TF)
	require.Equal(t, 70_000, e.Length)
}
