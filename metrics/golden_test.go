package metrics_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect/metrics"
)

// testdata/make_golden.py says how the file is made.
func TestEqualToTrecEval(t *testing.T) {
	data, err := os.ReadFile("testdata/pytrec_eval.json")
	require.NoError(t, err)
	var golden []struct {
		Query   string
		Ranking []string
		Qrels   map[string]float64
		Values  map[string]float64
	}
	require.NoError(t, json.Unmarshal(data, &golden))
	require.Len(t, golden, 40)

	run, qrels := metrics.Run[string, string]{}, metrics.Qrels[string, string]{}
	for _, g := range golden {
		run[g.Query], qrels[g.Query] = g.Ranking, g.Qrels
	}
	e, err := metrics.Evaluate(run, qrels,
		metrics.AP(metrics.All), metrics.AP(5), metrics.RR(metrics.All),
		metrics.Precision(1), metrics.Precision(5), metrics.Precision(20),
		metrics.Recall(1), metrics.Recall(5), metrics.Recall(20),
		metrics.NDCG(metrics.All), metrics.NDCG(1), metrics.NDCG(5), metrics.NDCG(20),
		metrics.Success(1), metrics.Success(5))
	require.NoError(t, err)
	require.Len(t, e.Queries, len(golden))
	means := make([]float64, len(e.Measures))
	for i, g := range golden { // the file is in order of the queries
		require.Equal(t, g.Query, e.Queries[i].Query)
		require.Len(t, g.Values, len(e.Measures))
		for m, name := range e.Measures {
			want, ok := g.Values[name]
			require.True(t, ok, name)
			require.InDelta(t, want, e.Queries[i].Values[m], 1e-9, "%s of %s", name, g.Query)
			means[m] += want / float64(len(golden))
		}
	}
	for m, name := range e.Measures {
		require.InDelta(t, means[m], e.Means[m], 1e-9, name)
	}
}
