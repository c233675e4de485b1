package metrics_test

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/metrics"
)

// hit is written as [id, score].
type hit prospect.Hit

func (h *hit) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&h.ID, &h.Score})
}

// testdata/make_golden.py says how the file is made.
func TestEqualToTrecEval(t *testing.T) {
	data, err := os.ReadFile("testdata/pytrec_eval.json")
	require.NoError(t, err)
	var golden []struct {
		Query  string
		Hits   []hit
		Qrels  map[string]float64
		Values map[string]float64
	}
	require.NoError(t, json.Unmarshal(data, &golden))

	given, qrels, want := metrics.ScoredRun{}, metrics.Qrels[string, string]{}, map[string]map[string]float64{}
	for _, g := range golden {
		qrels[g.Query], want[g.Query] = g.Qrels, g.Values
		for _, h := range g.Hits {
			given[g.Query] = append(given[g.Query], prospect.Hit(h))
		}
	}
	measures := []metrics.Measure{metrics.RR(metrics.All)}
	for _, m := range []func(int) metrics.Measure{
		metrics.AP, metrics.Precision, metrics.Recall, metrics.NDCG, metrics.NDCGExp, metrics.Completeness,
	} {
		measures = append(measures, m(1), m(3), m(5), m(10), m(20), m(metrics.All))
	}
	for _, k := range []int{1, 3, 5, 10, 20} {
		measures = append(measures, metrics.Success(k))
	}

	inTrecOrder := given.TrecRun()
	e, err := metrics.Evaluate(inTrecOrder, qrels, measures...)
	require.NoError(t, err)
	require.Len(t, e.Queries, len(golden))
	require.Len(t, e.Unanswered, 5)
	sums := make([]float64, len(measures))
	kinds := map[string]int{}
	for _, q := range e.Queries {
		kind := strings.TrimRight(q.Query, "0123456789")
		kinds[kind]++
		if kind == "unanswered" {
			require.Contains(t, e.Unanswered, q.Query)
			require.Equal(t, make([]float64, len(measures)), q.Values)
			continue
		}
		require.Len(t, want[q.Query], len(measures))
		for m, name := range e.Measures {
			v, ok := want[q.Query][name]
			require.True(t, ok, name)
			require.InDelta(t, v, q.Values[m], 1e-9, "%s of %s", name, q.Query)
			sums[m] += v
		}
		if kind == "distinct" {
			require.Equal(t, given.Run()[q.Query], inTrecOrder[q.Query], "the order given is the ranking")
		}
	}
	require.Equal(t, map[string]int{"distinct": 40, "tied": 60, "unanswered": 5}, kinds)
	for m, name := range e.Measures { // as by trec_eval -c, over all judged queries
		require.InDelta(t, sums[m]/float64(len(golden)), e.Means[m], 1e-9, name)
	}

	// The order given and that of trec_eval are two things where scores tie.
	plain, err := metrics.Evaluate(given.Run(), qrels, measures...)
	require.NoError(t, err)
	differ := 0
	for i, q := range plain.Queries {
		for m := range measures {
			if math.Abs(q.Values[m]-e.Queries[i].Values[m]) > 1e-9 {
				require.Contains(t, q.Query, "tied")
				differ++
			}
		}
	}
	require.Greater(t, differ, 100)
}
