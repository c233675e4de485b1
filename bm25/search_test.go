package bm25_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/bm25"
)

func search(t *testing.T, ix *bm25.Index, text string, k int) []prospect.Hit {
	hits, err := ix.Search(context.Background(), prospect.Query{Text: text, K: k})
	require.NoError(t, err)
	return hits
}

func TestKIsCheckedAndMayBeLarge(t *testing.T) {
	ix := build(t, bm25.Options{}, []bm25.Doc{{ID: "x", Text: "apples"}, {ID: "y", Text: "apples and pears"}})
	for _, k := range []int{0, -1} {
		_, err := ix.Search(context.Background(), prospect.Query{Text: "apple", K: k})
		require.ErrorIs(t, err, prospect.ErrInvalidK)
		_, err = ix.SearchTerms(context.Background(), nil, prospect.Query{K: k})
		require.ErrorIs(t, err, prospect.ErrInvalidK)
	}
	require.Len(t, search(t, ix, "apple", math.MaxInt), 2)
	require.Len(t, search(t, ix, "apple", 1), 1)
}

// A match in half of the documents, or in all of them, still scores.
func TestFrequentTermsScoreAboveZero(t *testing.T) {
	ix := build(t, bm25.Options{Analyzer: fields}, two)
	hits := search(t, ix, "b", 9)
	require.Equal(t, []string{"y"}, ids(hits))
	require.Positive(t, hits[0].Score)
	for _, h := range search(t, ix, "a", 9) {
		require.Positive(t, h.Score)
	}
	require.Len(t, search(t, ix, "a", 9), 2)
}

// df counts documents, not occurrences.
func TestDocumentFrequencyCountsDocuments(t *testing.T) {
	ix := build(t, bm25.Options{Analyzer: fields}, []bm25.Doc{
		{ID: "1", Text: strings.Repeat("pink ", 10)}, {ID: "2", Text: "blue"}, {ID: "3", Text: "green"},
	})
	e, err := ix.Explain("pink", "1")
	require.NoError(t, err)
	require.Equal(t, 1, e.Terms[0].DF)
	require.Equal(t, 10, e.Terms[0].TF)
	require.InDelta(t, math.Log(1+2.5/1.5), e.Terms[0].IDF, 1e-15)
	require.Equal(t, 3, e.Documents)
	require.Equal(t, 10, e.Length)
	require.Equal(t, 4.0, e.AvgLength)
}

func TestNothingToFind(t *testing.T) {
	for name, docs := range map[string][]bm25.Doc{
		"no documents":         nil,
		"documents of no term": {{ID: "1"}, {ID: "2", Text: " \n—…!"}},
		"documents":            {{ID: "1", Text: "apples"}},
	} {
		ix := build(t, bm25.Options{}, docs)
		for _, q := range []string{"", " ", "unknown", "?!", "the"} {
			require.Empty(t, search(t, ix, q, 5), "%s, query %q", name, q)
		}
		for _, d := range docs {
			scores, err := ix.Scores(context.Background(), "unknown", []string{d.ID})
			require.NoError(t, err)
			require.Equal(t, []float64{0}, scores)
		}
	}
	ix := build(t, bm25.Options{}, []bm25.Doc{{ID: "1"}, {ID: "2", Text: "apples"}})
	require.Equal(t, []string{"2"}, ids(search(t, ix, "apples", 5)), "an empty document beside a full one")
	require.NoError(t, ix.Delete("1", "2"))
	require.Empty(t, search(t, ix, "apples", 5))
	require.Zero(t, ix.Snapshot().AvgLength())
}

func TestQueriesChangeNothing(t *testing.T) {
	ix := build(t, bm25.Options{Analyzer: fields}, two)
	var before, after bytes.Buffer
	_, err := ix.WriteTo(&before)
	require.NoError(t, err)
	for i := range 100 {
		search(t, ix, fmt.Sprintf("a unseen%d", i), 3)
	}
	_, terms := bm25.Size(ix.Snapshot())
	require.Equal(t, 4, terms)
	_, err = ix.WriteTo(&after)
	require.NoError(t, err)
	require.Equal(t, before.Bytes(), after.Bytes())
}

// Filters apply while scoring: a filter that keeps 1 % still fills k.
func TestFiltersDoNotStarveTheResult(t *testing.T) {
	var docs []bm25.Doc
	var within []string
	for i := range 2000 {
		// The documents that the filters keep are longer, so they rank last.
		text := "a"
		if i%100 == 0 {
			text = "a x x x x x x"
			within = append(within, fmt.Sprint(i))
		}
		docs = append(docs, bm25.Doc{ID: fmt.Sprint(i), Text: text})
	}
	ix := build(t, bm25.Options{Analyzer: fields}, docs)
	asked := 0
	hits, err := ix.Search(context.Background(), prospect.Query{Text: "a", K: 10, Keep: func(id string) bool {
		asked++
		return strings.HasSuffix(id, "00")
	}})
	require.NoError(t, err)
	require.Len(t, hits, 10)
	require.LessOrEqual(t, asked, 2000)
	again, err := ix.Search(context.Background(), prospect.Query{Text: "a", K: 10, Within: within})
	require.NoError(t, err)
	require.Len(t, again, 10)
	require.Subset(t, within, ids(again))
	none, err := ix.Search(context.Background(), prospect.Query{Text: "a", K: 10, Within: []string{}})
	require.NoError(t, err)
	require.Empty(t, none, "an empty Within that is not nil keeps nothing")
}

func TestUnknownIDsAreNamed(t *testing.T) {
	ix := build(t, bm25.Options{Analyzer: fields}, two)
	_, err := ix.Scores(context.Background(), "a", []string{"x", "nobody"})
	var culprit *prospect.IDError
	require.ErrorAs(t, err, &culprit)
	require.Equal(t, "nobody", culprit.ID)
	require.ErrorIs(t, err, prospect.ErrNotFound)
	_, err = ix.Explain("a", "nobody")
	require.ErrorIs(t, err, prospect.ErrNotFound)
	scores, err := ix.Scores(context.Background(), "a", nil)
	require.NoError(t, err)
	require.Empty(t, scores)
}

func TestCancelledSearches(t *testing.T) {
	ix := build(t, bm25.Options{Analyzer: fields}, two)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := ix.Search(ctx, prospect.Query{Text: "a", K: 1})
	require.ErrorIs(t, err, context.Canceled)
	_, err = ix.Scores(ctx, "a", []string{"x"})
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, search(t, ix, "a", 5), 2, "what was cancelled leaves nothing behind")
}

func TestExplainByHand(t *testing.T) {
	ix := build(t, bm25.Options{Analyzer: fields}, two)
	e, err := ix.Explain("b zzz a b", "y")
	require.NoError(t, err)
	// y has 4 terms, the mean is 3: L = 1.25, k1·L = 1.5 (see TestScoresByHand).
	b, a := math.Ln2*2/3.5, math.Log(1.2)/2.5
	require.Len(t, e.Terms, 2)
	require.Equal(t, "a", e.Terms[0].Term)
	require.InDelta(t, a, e.Terms[0].Score, 1e-15)
	require.Equal(t, 1.0, e.Terms[0].Weight)
	require.Equal(t, "b", e.Terms[1].Term)
	require.Equal(t, 2.0, e.Terms[1].Weight)
	require.InDelta(t, 2*b, e.Terms[1].Score, 1e-15)
	require.InDelta(t, a+2*b, e.Score, 1e-15)
	e, err = ix.Explain("b", "x")
	require.NoError(t, err)
	require.Zero(t, e.Score)
	require.Empty(t, e.Terms)
}

// A filter that panics leaves nothing behind for the searches after it.
func TestPanickingFilters(t *testing.T) {
	ix := build(t, bm25.Options{Analyzer: fields}, two)
	q := prospect.Query{Text: "a b c", K: 2}
	want, err := ix.Search(t.Context(), q)
	require.NoError(t, err)
	bad := q
	bad.Keep = func(string) bool { panic("no") }
	for range 10 {
		require.Panics(t, func() { _, _ = ix.Search(t.Context(), bad) })
		got, err := ix.Search(t.Context(), q)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}
