package bm25_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/bm25"
)

// fields is an analyzer that takes texts apart at spaces and does nothing else.
var fields = bm25.NewAnalyzer("fields", func(dst []string, text string) []string {
	return append(dst, strings.Fields(text)...)
})

// two documents, N = 2, of 2 and 4 terms, avgdl = 3; "b" is in one of them,
// twice, dl = 4: L = 1 − 0.75 + 0.75·4/3 = 1.25, and "a" in both, so that
// every idf shows at df = N and at df = N/2 (where idfs without the 1 + are 0).
var two = []bm25.Doc{{ID: "x", Text: "a c"}, {ID: "y", Text: "a b b d"}}

func TestScoresByHand(t *testing.T) {
	const l = 1.25
	for _, c := range []struct {
		variant bm25.Variant
		term    string
		want    float64
	}{
		// idf = ln(1 + (2−1+.5)/(1+.5)) = ln 2; 2/(2 + 1.2·1.25) = 2/3.5
		{bm25.Lucene, "b", math.Ln2 * 2 / 3.5},
		// df = N: ln(1 + .5/2.5) = ln 1.2; 1/(1 + 1.5)
		{bm25.Lucene, "a", math.Log(1.2) / 2.5},
		// ln(1.5/1.5) = 0, and ln(.5/2.5) < 0 is floored
		{bm25.Robertson, "b", 0},
		{bm25.Robertson, "a", 0},
		// ln(2/1); 2·2.2/(2 + 1.5)
		{bm25.ATIRE, "b", math.Ln2 * 4.4 / 3.5},
		{bm25.ATIRE, "a", 0},
		// ln(3/1.5) = ln 2; c = 2/1.25 = 1.6; 2.2·(1.6+.5)/(1.2+1.6+.5) = 4.62/3.3 = 1.4
		{bm25.BM25L, "b", math.Ln2 * 1.4},
		// ln(3/1); 4.4/3.5 + 1
		{bm25.BM25Plus, "b", math.Log(3) * (4.4/3.5 + 1)},
		// ln(3/2); 2.2/2.5 + 1
		{bm25.BM25Plus, "a", math.Log(1.5) * (2.2/2.5 + 1)},
	} {
		ix := build(t, bm25.Options{Variant: c.variant, Analyzer: fields}, two)
		got, err := ix.Scores(context.Background(), c.term, []string{"y"})
		require.NoError(t, err)
		require.InDelta(t, c.want, got[0], 1e-15, "%s %s", c.variant, c.term)
		e, err := ix.Explain(c.term, "y")
		require.NoError(t, err)
		require.InDelta(t, l, e.Norm, 1e-15)
	}
}

// The parameters' ends: k1 = 0 counts presence alone, b = 0 forgets lengths.
func TestExplicitZeroParameters(t *testing.T) {
	ix := build(t, bm25.Options{K1: new(0.0), Analyzer: fields}, two)
	got, err := ix.Scores(context.Background(), "b a", []string{"y", "x"})
	require.NoError(t, err)
	require.InDelta(t, math.Ln2+math.Log(1.2), got[0], 1e-15)
	require.InDelta(t, math.Log(1.2), got[1], 1e-15)

	ix = build(t, bm25.Options{B: new(0.0), Analyzer: fields}, two)
	got, err = ix.Scores(context.Background(), "a", []string{"y", "x"})
	require.NoError(t, err)
	require.Equal(t, got[0], got[1])
}

// The golden file is made by testdata/golden_scores.py from the Python package bm25s.
func TestVariantsEqualBM25S(t *testing.T) {
	var golden struct {
		Docs, Queries []string
		Cases         []struct {
			Variant      bm25.Variant
			K1, B, Delta float64
			Scores       [][]float64
		}
	}
	data, err := os.ReadFile("testdata/bm25s.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &golden))
	docs := make([]bm25.Doc, len(golden.Docs))
	all := make([]string, len(golden.Docs))
	for i, text := range golden.Docs {
		all[i] = fmt.Sprint(i)
		docs[i] = bm25.Doc{ID: all[i], Text: text}
	}
	require.Len(t, golden.Cases, 8)
	for _, c := range golden.Cases {
		ix := build(t, bm25.Options{
			Variant: c.Variant, K1: &c.K1, B: &c.B, Delta: &c.Delta, Analyzer: fields,
		}, docs)
		for i, q := range golden.Queries {
			got, err := ix.Scores(context.Background(), q, all)
			require.NoError(t, err)
			for j := range got {
				require.InDelta(t, c.Scores[i][j], got[j], 1e-6*max(1, got[j]), "%s query %q doc %d", c.Variant, q, j)
			}
		}
	}
}

func TestOptionsOutOfRange(t *testing.T) {
	for _, opts := range []bm25.Options{
		{Variant: "okapi"}, {K1: new(-1.0)}, {K1: new(math.NaN())}, {K1: new(math.Inf(1))}, {B: new(1.1)},
		{B: new(-0.1)}, {B: new(math.NaN())}, {Delta: new(-1.0)}, {MaxQueryTerms: -1}, {MaxDead: 2}, {MaxDead: math.NaN()},
	} {
		_, err := bm25.New(opts)
		require.ErrorIs(t, err, prospect.ErrOption, "%+v", opts)
	}
}
