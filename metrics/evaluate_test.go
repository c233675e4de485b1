package metrics_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/metrics"
)

func TestEvaluate(t *testing.T) {
	run := metrics.Run[string, string]{
		"q1":    {"a", "x"},
		"q2":    {"x", "b"},
		"empty": {},
		"none":  {"a"},
		"extra": {"a"},
	}
	qrels := metrics.Qrels[string, string]{
		"q2":      relevant("b"),
		"q1":      relevant("a"),
		"empty":   relevant("a"),
		"missing": relevant("a", "b"),
		"none":    {"a": 0},
	}
	for range 20 { // whatever the order of the maps
		e, err := metrics.Evaluate(run, qrels, metrics.RR(metrics.All), metrics.Recall(1), metrics.QSM())
		require.NoError(t, err)
		require.Equal(t, &metrics.Evaluation[string]{
			Measures: []string{"rr", "recall@1", "qsm"},
			Queries: []metrics.QueryValues[string]{
				{Query: "empty", Values: []float64{0, 0, 1}},
				{Query: "missing", Values: []float64{0, 0, 1}},
				{Query: "q1", Values: []float64{1, 1, 0}},
				{Query: "q2", Values: []float64{0.5, 0, 1}},
			},
			Means:      []float64{1.5 / 4, 1.0 / 4, 3.0 / 4},
			Unanswered: []string{"empty", "missing"},
			NoRelevant: []string{"none"},
			Unjudged:   []string{"extra"},
		}, e)
		mean, ok := e.Mean("rr")
		require.True(t, ok)
		require.Equal(t, 0.375, mean)
		_, ok = e.Mean("rr@1")
		require.False(t, ok)
	}
}

func TestEvaluateNamesTheQuery(t *testing.T) {
	_, err := metrics.Evaluate(metrics.Run[int, string]{7: {"a", "b", "a"}}, metrics.Qrels[int, string]{7: relevant("a")}, metrics.QSM())
	require.ErrorIs(t, err, prospect.ErrDuplicateID)
	require.ErrorContains(t, err, `query 7: id "a": rank 3`)
}

func TestEvaluateWithoutRelevantDocuments(t *testing.T) {
	_, err := metrics.Evaluate(metrics.Run[int, int]{1: {1}}, metrics.Qrels[int, int]{1: {1: 0}, 2: nil}, metrics.QSM())
	require.ErrorIs(t, err, metrics.ErrNoRelevant)
	require.ErrorContains(t, err, "in 2 judged queries")
	_, err = metrics.Evaluate[int, int](nil, nil)
	require.ErrorIs(t, err, metrics.ErrNoRelevant)
}

func TestPassRate(t *testing.T) {
	tasks := []string{"half", "full", "none", "nan", "inf", "over", "under", "missing"}
	got, err := metrics.PassRate(tasks, map[string]float64{
		"half": 0.5, "full": 1, "none": 0, "nan": math.NaN(), "inf": math.Inf(1), "over": 1.01, "under": -0.5, "other": 1,
	})
	require.NoError(t, err)
	require.Equal(t, metrics.Passes{Rate: 1.5 / 8, Tasks: 8, Missing: 1, Invalid: 4}, got)

	_, err = metrics.PassRate(nil, map[string]float64{"a": 1})
	require.ErrorIs(t, err, metrics.ErrNoTasks)
	_, err = metrics.PassRate([]string{"a", "b", "a"}, nil)
	require.ErrorIs(t, err, prospect.ErrDuplicateID)
	require.ErrorContains(t, err, `"a"`)
}

func TestLoadRate(t *testing.T) {
	got, err := metrics.LoadRate([]metrics.TaskLoads[string]{
		{Provided: []string{"a", "b"}, Loaded: []string{"x", "b"}},
		{Provided: []string{"a"}, Loaded: []string{"x"}}, // loaded, but not provided
		{Provided: []string{"a"}},
		{Loaded: []string{"a"}}, // none provided
		{Provided: []string{"a"}, Loaded: []string{"a", "a"}},
	})
	require.NoError(t, err)
	require.Equal(t, 2.0/5, got)
	_, err = metrics.LoadRate[string](nil)
	require.ErrorIs(t, err, metrics.ErrNoTasks)
}

func ExampleEvaluate() {
	run := metrics.Run[string, string]{
		"convert a table": {"spreadsheets", "pdf-tables", "slides"},
		"draw a chart":    {"charts"},
	}
	qrels := metrics.Qrels[string, string]{
		"convert a table": {"pdf-tables": 1, "spreadsheets": 1},
		"draw a chart":    {"charts": 1, "statistics": 1},
	}
	e, err := metrics.Evaluate(run, qrels, metrics.Recall(5), metrics.NDCG(5), metrics.Completeness(5))
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, name := range e.Measures {
		fmt.Printf("%s %.3f\n", name, e.Means[i])
	}
	// Output:
	// recall@5 0.750
	// ndcg@5 0.807
	// completeness@5 0.500
}

func ExampleMeasure_Of() {
	j, err := metrics.Judge([]string{"a"}, map[string]float64{"a": 1, "b": 1, "c": 1, "d": 1, "e": 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := metrics.NDCG(5).Of(j)
	fmt.Printf("%.3f %v\n", v, err)
	// Output: 0.339 <nil>
}
