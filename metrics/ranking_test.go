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

// A searcher gives A twice, for gold {A}: refused as it is, and counted once
// on request, so that recall is 1 and not 2.
func TestDuplicatesCountedOnce(t *testing.T) {
	run := metrics.Run[int, string]{1: {"A", "A", "X"}, 2: {"X", "Y", "X", "A", "Y", "B"}, 3: {}}
	qrels := metrics.Qrels[int, string]{1: relevant("A"), 2: relevant("A", "B"), 3: relevant("A")}
	_, err := metrics.Evaluate(run, qrels, metrics.Recall(5))
	require.ErrorIs(t, err, prospect.ErrDuplicateID)

	once := run.Unique()
	require.Equal(t, metrics.Run[int, string]{1: {"A", "X"}, 2: {"X", "Y", "A", "B"}, 3: {}}, once)
	require.Equal(t, []string{"A", "A", "X"}, run[1], "the run stays as it is")
	e, err := metrics.Evaluate(once, qrels, metrics.Recall(5), metrics.Precision(2), metrics.RR(metrics.All))
	require.NoError(t, err)
	require.Equal(t, []metrics.QueryValues[int]{
		{Query: 1, Values: []float64{1, 0.5, 1}},
		{Query: 2, Values: []float64{1, 0, 1.0 / 3}}, // A has moved up from 4 to 3
		{Query: 3, Values: []float64{0, 0, 0}},
	}, e.Queries)
}
