package metrics_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/metrics"
)

func value(t *testing.T, m metrics.Measure, ranking []string, grades map[string]float64) float64 {
	t.Helper()
	j, err := metrics.Judge(ranking, grades)
	require.NoError(t, err)
	v, err := m.Of(j)
	require.NoError(t, err)
	return v
}

func relevant(ids ...string) map[string]float64 {
	grades := make(map[string]float64)
	for _, id := range ids {
		grades[id] = 1
	}
	return grades
}

func TestByHand(t *testing.T) {
	ranking := []string{"a", "x", "b", "y", "c"}
	gold := relevant("a", "b", "c", "d")
	gold["x"], gold["y"] = 0, -2 // judged, and not relevant
	// With l(i) = 1/log2(i+1): l1 = 1, l2 = .63093, l3 = .5, l4 = .43068, l5 = .38685
	for _, c := range []struct {
		measure metrics.Measure
		name    string
		want    float64
	}{
		{metrics.Recall(1), "recall@1", 1.0 / 4},
		{metrics.Recall(3), "recall@3", 2.0 / 4},
		{metrics.Recall(9), "recall@9", 3.0 / 4},
		{metrics.Recall(metrics.All), "recall", 3.0 / 4},
		{metrics.Precision(2), "precision@2", 1.0 / 2},
		{metrics.Precision(5), "precision@5", 3.0 / 5},
		{metrics.Precision(10), "precision@10", 3.0 / 10},
		{metrics.Precision(metrics.All), "precision", 3.0 / 5},
		{metrics.Completeness(5), "completeness@5", 0},
		{metrics.Success(1), "success@1", 1},
		{metrics.RR(metrics.All), "rr", 1},
		{metrics.AP(metrics.All), "ap", (1.0/1 + 2.0/3 + 3.0/5) / 4},
		{metrics.AP(4), "ap@4", (1.0/1 + 2.0/3) / 4},
		{metrics.NDCG(1), "ndcg@1", 1},
		{metrics.NDCG(2), "ndcg@2", 1 / (1 + .6309297536)},
		{metrics.NDCG(5), "ndcg@5", (1 + .5 + .3868528072) / (1 + .6309297536 + .5 + .4306765581)},
		{metrics.QSM(), "qsm", 1},
	} {
		require.Equal(t, c.name, c.measure.Name())
		require.InDelta(t, c.want, value(t, c.measure, ranking, gold), 1e-9, c.name)
	}
}

// One hit, five relevant documents, k = 5. The ideal has five
// gains, 1/(1 + .63093 + .5 + .43068 + .38685) = 1/2.94846, though the ranking
// has one.
func TestShortRankingDoesNotInflateNDCG(t *testing.T) {
	got := value(t, metrics.NDCG(5), []string{"a"}, relevant("a", "b", "c", "d", "e"))
	require.InDelta(t, 0.339, got, 5e-4)
	require.InDelta(t, 1/2.948459119, got, 1e-9)
	// With k = 2 the ideal is cut too: 1/1.63093.
	require.InDelta(t, 0.613147, value(t, metrics.NDCG(2), []string{"a"}, relevant("a", "b", "c", "d", "e")), 1e-6)
}

func TestGradedGains(t *testing.T) {
	grades := map[string]float64{"a": 1, "b": 3, "c": 2}
	ranking := []string{"a", "b", "x", "c"}
	// linear: 1 + 3·.63093 + 2·.43068, ideal 3 + 2·.63093 + 1·.5
	require.InDelta(t, (1+3*.6309297536+2*.4306765581)/(3+2*.6309297536+.5),
		value(t, metrics.NDCG(4), ranking, grades), 1e-9)
	// exponential, gains 1, 7, 3: 1 + 7·.63093 + 3·.43068, ideal 7 + 3·.63093 + 1·.5
	require.InDelta(t, (1+7*.6309297536+3*.4306765581)/(7+3*.6309297536+.5),
		value(t, metrics.NDCGExp(4), ranking, grades), 1e-9)
	require.Equal(t, "ndcg_exp@4", metrics.NDCGExp(4).Name())
	// The best order at every cut.
	require.Equal(t, 1.0, value(t, metrics.NDCG(2), []string{"b", "c", "a"}, grades))
	require.Equal(t, 1.0, value(t, metrics.NDCGExp(metrics.All), []string{"b", "c", "a"}, grades))
}

func TestHugeGradesDoNotOverflow(t *testing.T) {
	grades := map[string]float64{"a": math.MaxFloat64, "b": math.MaxFloat64, "c": 2000}
	require.InDelta(t, 1, value(t, metrics.NDCG(5), []string{"a", "b", "c"}, grades), 1e-12)
	// "b" and "c" alone: 1 and 2⁻¹⁷⁹…≈0 against 1 + .63093
	grades = map[string]float64{"a": 2000, "b": 2000, "c": 3}
	require.InDelta(t, 1/1.6309297536, value(t, metrics.NDCGExp(5), []string{"b"}, grades), 1e-9)
}

// Six grades that differ in the last digits: in this order their gains add up
// to more than in the ideal one.
func TestNDCGIsNeverAboveOne(t *testing.T) {
	less := func(by int) float64 { return 1 - float64(by)/(1<<53) }
	gains := []float64{1, 1, 1, less(1), less(3), 1}
	ideal := slices.Sorted(slices.Values(gains))
	slices.Reverse(ideal)
	got, err := metrics.NDCG(metrics.All).Of(metrics.Judged{Gains: gains, Ideal: ideal})
	require.NoError(t, err)
	require.LessOrEqual(t, got, 1.0)
}

func TestCompleteness(t *testing.T) {
	gold := relevant("a", "b")
	require.Zero(t, value(t, metrics.Completeness(2), []string{"a", "x", "b"}, gold))
	require.Equal(t, 1.0, value(t, metrics.Completeness(3), []string{"a", "x", "b"}, gold))
	require.Zero(t, value(t, metrics.Completeness(1), []string{"a", "b"}, gold), "more relevant than ranks")
}

func TestQSM(t *testing.T) {
	gold := relevant("a", "b")
	for _, c := range []struct {
		ranking []string
		want    float64
	}{
		{[]string{"a", "b"}, 0},
		{[]string{"b", "a", "x", "y"}, 0}, // what follows does not matter
		{[]string{"x", "a", "b"}, 1},      // x outranks both
		{[]string{"a", "x", "b"}, 1},      // x outranks b
		{[]string{"a", "x"}, 1},           // b is missing
		{[]string{"a"}, 1},
		{nil, 1},
	} {
		require.Equal(t, c.want, value(t, metrics.QSM(), c.ranking, gold), "%v", c.ranking)
	}
}

// Nothing but the order of the slice matters;
// a repeated id is an error that names it.
func TestDuplicatesAreRefused(t *testing.T) {
	_, err := metrics.Judge([]string{"A", "A", "X"}, relevant("A"))
	require.ErrorIs(t, err, prospect.ErrDuplicateID)
	var which *prospect.IDError
	require.ErrorAs(t, err, &which)
	require.Equal(t, "A", which.ID)
	require.ErrorContains(t, err, "rank 2")
}

// A measure of the user's own sees no gain where a document is not relevant.
func TestJudged(t *testing.T) {
	j, err := metrics.Judge([]string{"bad", "two", "?", "zero", "one"}, map[string]float64{"bad": -1, "zero": 0, "one": 1, "two": 2, "not found": 3})
	require.NoError(t, err)
	require.Equal(t, metrics.Judged{Gains: []float64{0, 2, 0, 0, 1}, Ideal: []float64{3, 2, 1}}, j)
}

func TestGradesMustBeFinite(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for range 20 { // the same id is named whatever the order of the map
			_, err := metrics.Judge([]int{1}, map[int]float64{1: 1, 7: bad, 5: bad})
			require.ErrorIs(t, err, prospect.ErrNotFinite)
			var which *prospect.IDError
			require.ErrorAs(t, err, &which)
			require.Equal(t, "5", which.ID)
		}
	}
}

func TestMeasuresWithoutValue(t *testing.T) {
	j, err := metrics.Judge([]string{"a"}, relevant("a"))
	require.NoError(t, err)
	for _, k := range []int{0, -1} {
		for _, m := range []metrics.Measure{
			metrics.Recall(k), metrics.Precision(k), metrics.NDCG(k), metrics.NDCGExp(k),
			metrics.Completeness(k), metrics.Success(k), metrics.RR(k), metrics.AP(k),
		} {
			_, err := m.Of(j)
			require.ErrorIs(t, err, prospect.ErrInvalidK, m.Name())
			_, err = metrics.Evaluate(metrics.Run[string, string]{}, metrics.Qrels[string, string]{"q": relevant("a")}, m)
			require.ErrorIs(t, err, prospect.ErrInvalidK, m.Name())
		}
	}
	var zero metrics.Measure
	_, err = zero.Of(j)
	require.Error(t, err)
	require.Panics(t, func() { metrics.NewMeasure("x", nil) })

	j, err = metrics.Judge([]string{"a"}, map[string]float64{"a": 0, "b": -1})
	require.NoError(t, err)
	_, err = metrics.Recall(1).Of(j)
	require.ErrorIs(t, err, metrics.ErrNoRelevant)
}
