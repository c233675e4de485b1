package bm25_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kljensen/snowball/english"
	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/bm25"
)

var (
	peerWord = regexp.MustCompile(`[a-z0-9]+|[\x{3400}-\x{9fff}\x{3040}-\x{30ff}\x{ac00}-\x{d7af}]`)
	peerStop = strings.Fields("a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with")
)

// peerAnalyzer is the simple analyzer with which other engines are commonly
// measured: runs of a–z and 0–9, 33 stop words, English snowball stems.
var peerAnalyzer = bm25.NewAnalyzer("peer/1", func(dst []string, text string) []string {
	for _, w := range peerWord.FindAllString(strings.ToLower(text), -1) {
		if !slices.Contains(peerStop, w) {
			dst = append(dst, english.Stem(w, true))
		}
	}
	return dst
})

// TestQualityIsThatOfAPeer compares with bm25s (variant lucene, k1 0.9, b 0.4,
// depth 1,000) on the same tokens of whole collections, queries as they are.
// The figures come from bm25s 0.3.16 with PyStemmer 3.1.0. Tied documents,
// which it orders by id and this package by insertion, and stemmers of different
// releases account for what is left between the two.
func TestQualityIsThatOfAPeer(t *testing.T) {
	for _, c := range []struct {
		name, folder string
		nameOnly     bool
		want         figures
	}{
		{"cranfield", "classic/cranfield", false, figures{0.2779, 0.3561}},
		{"med", "classic/med", false, figures{0.5153, 0.6710}},
		{"vaswani", "classic/vaswani", false, figures{0.2877, 0.4412}},
		{"skillsbench, name and description", "skillsbench", true, figures{0.3668, 0.4223}},
		{"skillsbench, full text", "skillsbench", false, figures{0.4003, 0.4488}},
	} {
		if testing.Short() && c.folder == "skillsbench" && !c.nameOnly {
			continue // 43 MB through regular expressions
		}
		textOf := fullText
		if c.nameOnly {
			textOf = nameAndDescription
		}
		set := load(t, c.folder, textOf)
		ix := build(t, bm25.Options{Analyzer: peerAnalyzer, K1: new(0.9), B: new(0.4)}, set.docs)
		got := evaluate(t, set, func(text string) ([]prospect.Hit, error) {
			return ix.Search(t.Context(), prospect.Query{Text: text, K: 1000})
		})
		t.Logf("%-34s MAP %.4f, NDCG@10 %.4f; bm25s %.4f, %.4f", c.name, got.MAP, got.NDCG10, c.want.MAP, c.want.NDCG10)
		require.InDelta(t, c.want.MAP, got.MAP, 0.01, c.name)
		require.InDelta(t, c.want.NDCG10, got.NDCG10, 0.01, c.name)
	}
}
