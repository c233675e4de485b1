package metrics_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/prospect-go/prospect/metrics"
)

// drawQuery draws a ranking without repetitions and grades with at least one
// relevant document.
func drawQuery(t *rapid.T) ([]int, map[int]float64) {
	doc := rapid.IntRange(0, 15)
	ranking := rapid.SliceOfNDistinct(doc, 0, 16, rapid.ID[int]).Draw(t, "ranking")
	graded := rapid.MapOfN(doc, rapid.IntRange(-1, 4), 1, 12).Draw(t, "grades")
	grades := make(map[int]float64)
	for id, g := range graded {
		grades[id] = float64(g)
	}
	grades[doc.Draw(t, "relevant")] = 1
	return ranking, grades
}

func measuresAt(k int) []metrics.Measure {
	return []metrics.Measure{
		metrics.Recall(k), metrics.Precision(k), metrics.NDCG(k), metrics.NDCGExp(k),
		metrics.Completeness(k), metrics.Success(k), metrics.RR(k), metrics.AP(k), metrics.QSM(),
	}
}

func of(t require.TestingT, m metrics.Measure, ranking []int, grades map[int]float64) float64 {
	j, err := metrics.Judge(ranking, grades)
	require.NoError(t, err)
	v, err := m.Of(j)
	require.NoError(t, err)
	return v
}

func TestValuesAreBetween0And1(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranking, grades := drawQuery(t)
		k := rapid.SampledFrom([]int{1, 2, 5, 20, metrics.All}).Draw(t, "k")
		for _, m := range measuresAt(k) {
			v := of(t, m, ranking, grades)
			require.True(t, v >= 0 && v <= 1, "%s = %v", m.Name(), v)
		}
	})
}

// Recall, completeness, success, reciprocal rank and average precision never
// fall as more ranks are looked at.
func TestValuesGrowWithK(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranking, grades := drawQuery(t)
		for _, measure := range []func(int) metrics.Measure{
			metrics.Recall, metrics.Completeness, metrics.Success, metrics.RR, metrics.AP,
		} {
			last := 0.0
			for k := 1; k <= 18; k++ {
				v := of(t, measure(k), ranking, grades)
				require.GreaterOrEqual(t, v, last, measure(k).Name())
				last = v
			}
		}
	})
}

// To move a document up past one of a lower grade never makes a ranking worse.
func TestSwapsTowardsTheIdealDoNotHurt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranking, grades := drawQuery(t)
		if len(ranking) < 2 {
			t.Skip("nothing to swap")
		}
		i := rapid.IntRange(0, len(ranking)-2).Draw(t, "i")
		better := slices.Clone(ranking)
		if max(0, grades[better[i]]) < max(0, grades[better[i+1]]) {
			better[i], better[i+1] = better[i+1], better[i]
		}
		k := rapid.IntRange(1, 18).Draw(t, "k")
		for _, m := range measuresAt(k) {
			before, after := of(t, m, ranking, grades), of(t, m, better, grades)
			if m.Name() == "qsm" { // low is good
				before, after = -before, -after
			}
			require.GreaterOrEqual(t, after, before-1e-12, m.Name())
		}
	})
}

// A relevant document in the place of one that is not, or behind the last,
// never makes a ranking worse.
func TestFoundDocumentsDoNotHurt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranking, grades := drawQuery(t)
		const found = 99
		grades[found] = float64(rapid.IntRange(1, 4).Draw(t, "grade"))
		at := rapid.IntRange(0, len(ranking)).Draw(t, "at")
		better := append(slices.Clone(ranking), found)
		if at < len(ranking) && grades[ranking[at]] <= 0 {
			better = slices.Clone(ranking)
			better[at] = found
		}
		k := rapid.SampledFrom([]int{1, 2, 3, 5, 18, metrics.All}).Draw(t, "k")
		for _, m := range measuresAt(k) {
			before, after := of(t, m, ranking, grades), of(t, m, better, grades)
			if m.Name() == "qsm" { // low is good
				before, after = -before, -after
			}
			require.GreaterOrEqual(t, after, before-1e-12, m.Name())
		}
	})
}

// No measure looks at anything but the order and the grades: other names for
// the documents, of another type, give the same values.
func TestNamesDoNotMatter(t *testing.T) {
	type id struct{ a, b string }
	rapid.Check(t, func(t *rapid.T) {
		ranking, grades := drawQuery(t)
		name := func(d int) id { return id{strconv.Itoa(d % 3), strconv.Itoa(d / 3)} }
		var renamed []id
		for _, d := range ranking {
			renamed = append(renamed, name(d))
		}
		graded := map[id]float64{}
		for d, g := range grades {
			graded[name(d)] = g
		}
		one, err := metrics.Evaluate(metrics.Run[int, int]{1: ranking}, metrics.Qrels[int, int]{1: grades}, measuresAt(5)...)
		require.NoError(t, err)
		other, err := metrics.Evaluate(metrics.Run[float64, id]{1: renamed}, metrics.Qrels[float64, id]{1: graded}, measuresAt(5)...)
		require.NoError(t, err)
		require.Equal(t, one.Means, other.Means)
	})
}

// All relevant documents first, by grade, is the best there is.
func TestIdealIsOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, grades := drawQuery(t)
		var ideal []int
		for id, g := range grades {
			if g > 0 {
				ideal = append(ideal, id)
			}
		}
		slices.SortFunc(ideal, func(a, b int) int { return int(grades[b] - grades[a]) })
		for _, m := range []metrics.Measure{
			metrics.NDCG(3), metrics.NDCGExp(3), metrics.NDCG(metrics.All), metrics.NDCGExp(metrics.All),
			metrics.AP(metrics.All), metrics.Recall(metrics.All), metrics.Completeness(len(ideal)), metrics.RR(1),
		} {
			require.InDelta(t, 1, of(t, m, ideal, grades), 1e-12, m.Name())
		}
		require.Zero(t, of(t, metrics.QSM(), ideal, grades))
	})
}
