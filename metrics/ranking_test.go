package metrics_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/metrics"
)

// The orders of pytrec-eval-terrier 0.5.11, read off the reciprocal rank of
// each document when it alone is relevant.
func TestTrecRanking(t *testing.T) {
	for _, c := range []struct {
		hits []prospect.Hit
		want []string
	}{
		{ // all tied: by id from z to a, byte by byte
			[]prospect.Hit{{ID: "a", Score: 1}, {ID: "B", Score: 1}, {ID: "c10", Score: 1}, {ID: "c9", Score: 1}, {ID: "é", Score: 1}, {ID: "Z", Score: 1}},
			[]string{"é", "c9", "c10", "a", "Z", "B"},
		},
		{ // 1 + 1e-9 is 1 in single precision
			[]prospect.Hit{{ID: "a", Score: 1}, {ID: "B", Score: 1 + 1e-9}, {ID: "c10", Score: 0.5}, {ID: "c9", Score: 0.5}, {ID: "é", Score: 2}, {ID: "Z", Score: -1}},
			[]string{"é", "a", "B", "c9", "c10", "Z"},
		},
		{nil, []string{}},
	} {
		given := slices.Clone(c.hits)
		require.Equal(t, c.want, metrics.TrecRanking(c.hits))
		require.Equal(t, given, c.hits, "the hits stay as they are")
	}
}

// Ties stay in the order given: nothing but a request for trec_eval's order
// moves them.
func TestRankingIsTheOrderGiven(t *testing.T) {
	hits := []prospect.Hit{{ID: "b", Score: 1}, {ID: "c", Score: 1}, {ID: "a", Score: 1}}
	require.Equal(t, []string{"b", "c", "a"}, metrics.Ranking(hits))
	require.Equal(t, []string{}, metrics.Ranking(nil))
}
