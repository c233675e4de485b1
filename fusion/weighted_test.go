package fusion_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/fusion"
)

type hits = []prospect.Hit

func TestWeightedByHand(t *testing.T) {
	dense := hits{{ID: "a", Score: 0.9}, {ID: "b", Score: 0.5}, {ID: "c", Score: 0.1}} // min-max: 1, 0.5, 0
	lexical := hits{{ID: "d", Score: 12}, {ID: "b", Score: 9}, {ID: "a", Score: 8}}    // min-max: 1, 0.25, 0
	for _, c := range []struct {
		name string
		opts fusion.WeightedOptions
		want hits
	}{
		// a 1 + 0, b 0.5 + 0.25, c 0, d 1; a before d by first sight
		{"default", fusion.WeightedOptions{}, hits{{ID: "a", Score: 1}, {ID: "d", Score: 1}, {ID: "b", Score: 0.75}, {ID: "c", Score: 0}}},
		{"weights", fusion.WeightedOptions{Weights: []float64{2, 4}}, hits{{ID: "d", Score: 4}, {ID: "a", Score: 2}, {ID: "b", Score: 2}, {ID: "c", Score: 0}}},
		{"a weight of 0", fusion.WeightedOptions{Weights: []float64{1, 0}}, hits{{ID: "a", Score: 1}, {ID: "b", Score: 0.5}, {ID: "c", Score: 0}, {ID: "d", Score: 0}}},
		{"two", fusion.WeightedOptions{K: 2}, hits{{ID: "a", Score: 1}, {ID: "d", Score: 1}}},
		{"more than there are", fusion.WeightedOptions{K: 9, Normalizer: fusion.Raw}, hits{{ID: "d", Score: 12}, {ID: "b", Score: 9.5}, {ID: "a", Score: 8.9}, {ID: "c", Score: 0.1}}},
		// c: 0.1 and the worst of lexical, 8; d: the worst of dense, 0.1, and 12
		{"worst for missing", fusion.WeightedOptions{Missing: fusion.MissingWorst, Normalizer: fusion.Raw},
			hits{{ID: "d", Score: 12.1}, {ID: "b", Score: 9.5}, {ID: "a", Score: 8.9}, {ID: "c", Score: 8.1}}},
		// a (2·1 + 1·0)/3, b (2·0.5 + 1·0.25)/3, c 0/2, d 1/1
		{"mean for missing", fusion.WeightedOptions{Missing: fusion.MissingMean, Weights: []float64{2, 1}},
			hits{{ID: "d", Score: 1}, {ID: "a", Score: 2.0 / 3}, {ID: "b", Score: 1.25 / 3}, {ID: "c", Score: 0}}},
		{"only what all have", fusion.WeightedOptions{Missing: fusion.MissingDrop}, hits{{ID: "a", Score: 1}, {ID: "b", Score: 0.75}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := fusion.Weighted([]hits{dense, lexical}, c.opts)
			require.NoError(t, err)
			requireHits(t, c.want, got)
		})
	}
}

func requireHits(t require.TestingT, want, got hits) {
	require.Len(t, got, len(want))
	for i := range want {
		require.Equal(t, want[i].ID, got[i].ID, "rank %d of %v", i, got)
		require.InDelta(t, want[i].Score, got[i].Score, 1e-12, want[i].ID)
	}
}

// An arm without hits contributes 0, and does not dilute a
// mean.
func TestEmptyArm(t *testing.T) {
	arm := hits{{ID: "a", Score: 4}, {ID: "b", Score: 2}}
	for _, missing := range []fusion.Missing{fusion.MissingZero, fusion.MissingWorst, fusion.MissingMean} {
		got, err := fusion.Weighted([]hits{arm, nil, {}}, fusion.WeightedOptions{Missing: missing})
		require.NoError(t, err)
		requireHits(t, hits{{ID: "a", Score: 1}, {ID: "b", Score: 0}}, got)
	}
	got, err := fusion.Weighted([]hits{arm, nil}, fusion.WeightedOptions{Missing: fusion.MissingDrop})
	require.NoError(t, err)
	require.Empty(t, got)

	got, err = fusion.Weighted(nil, fusion.WeightedOptions{})
	require.NoError(t, err)
	require.Empty(t, got)
	got, err = fusion.RRF([]hits{nil, arm}, fusion.RRFOptions{})
	require.NoError(t, err)
	requireHits(t, hits{{ID: "a", Score: 1.0 / 61}, {ID: "b", Score: 1.0 / 62}}, got)
}

// What counts for a document in one arm only is chosen.
func TestWorstHitAgainstAbsent(t *testing.T) {
	lists := []hits{{{ID: "a", Score: 3}, {ID: "b", Score: 1}}, {{ID: "a", Score: 3}, {ID: "c", Score: 1}, {ID: "d", Score: 0}}}
	got, err := fusion.Weighted(lists, fusion.WeightedOptions{})
	require.NoError(t, err)
	requireHits(t, hits{{ID: "a", Score: 2}, {ID: "c", Score: 1.0 / 3}, {ID: "b", Score: 0}, {ID: "d", Score: 0}}, got) // worst equals absent
	// The worst is weighted as its list: 2·(3, 2, 1) and 3·(2, 1.5).
	got, err = fusion.Weighted([]hits{
		{{ID: "a", Score: 3}, {ID: "b", Score: 2}, {ID: "c", Score: 1}},
		{{ID: "a", Score: 2}, {ID: "d", Score: 1.5}},
	}, fusion.WeightedOptions{Weights: []float64{2, 3}, Normalizer: fusion.Raw, Missing: fusion.MissingWorst})
	require.NoError(t, err)
	requireHits(t, hits{
		{ID: "a", Score: 6 + 6}, {ID: "b", Score: 4 + 4.5}, {ID: "c", Score: 2 + 4.5}, {ID: "d", Score: 2 + 4.5},
	}, got)

	// Z-scores are (1, −1) and (√1.5, 0, −√1.5). Where absent counts as
	// average, c beats a; where it counts as the worst, it does not.
	lists = []hits{{{ID: "a", Score: 3}, {ID: "b", Score: 1}}, {{ID: "b", Score: 2}, {ID: "c", Score: 1}, {ID: "a", Score: 0}}}
	for missing, want := range map[fusion.Missing]hits{
		fusion.MissingZero:  {{ID: "b", Score: math.Sqrt(1.5) - 1}, {ID: "c", Score: 0}, {ID: "a", Score: 1 - math.Sqrt(1.5)}},
		fusion.MissingWorst: {{ID: "b", Score: math.Sqrt(1.5) - 1}, {ID: "a", Score: 1 - math.Sqrt(1.5)}, {ID: "c", Score: -1}},
	} {
		got, err = fusion.Weighted(lists, fusion.WeightedOptions{Normalizer: fusion.ZScore, Missing: missing})
		require.NoError(t, err)
		requireHits(t, want, got)
	}
}

// Many equal scores stay in the order of first sight: the lists, each from its
// top. (Sorts that are not stable keep the order of a few, and of many that are
// all equal, so there are many of three scores.)
func TestTiesInOrderOfFirstSight(t *testing.T) {
	var lists []hits
	byScore := [3][]string{}
	for l := range 2 {
		var list hits
		for i := range 100 {
			h := prospect.Hit{ID: fmt.Sprintf("%d-%d", l, (i*37)%100), Score: float64((i*i + i/5) % 3)}
			list = append(list, h)
			byScore[int(h.Score)] = append(byScore[int(h.Score)], h.ID)
		}
		lists = append(lists, list)
	}
	got, err := fusion.Weighted(lists, fusion.WeightedOptions{Normalizer: fusion.Raw})
	require.NoError(t, err)
	require.Equal(t, slices.Concat(byScore[2], byScore[1], byScore[0]), ids(got))
}

func ids(h hits) []string {
	out := make([]string, len(h))
	for i := range h {
		out[i] = h[i].ID
	}
	return out
}

// Of a repeated id the best score counts, once, and it takes up
// one rank.
func TestDuplicatesWithinAList(t *testing.T) {
	list := hits{{ID: "a", Score: 3}, {ID: "b", Score: 2}, {ID: "a", Score: 5}, {ID: "a", Score: 1}, {ID: "c", Score: 1}}
	got, err := fusion.Weighted([]hits{list}, fusion.WeightedOptions{Normalizer: fusion.Raw})
	require.NoError(t, err)
	requireHits(t, hits{{ID: "a", Score: 5}, {ID: "b", Score: 2}, {ID: "c", Score: 1}}, got)
	require.Equal(t, 3.0, list[0].Score, "the argument is unchanged")

	// The copy of a that scores lowest is not the minimum: that is 2.
	got, err = fusion.Weighted([]hits{{{ID: "a", Score: 6}, {ID: "a", Score: 0}, {ID: "b", Score: 4}, {ID: "c", Score: 2}}}, fusion.WeightedOptions{})
	require.NoError(t, err)
	requireHits(t, hits{{ID: "a", Score: 1}, {ID: "b", Score: 0.5}, {ID: "c", Score: 0}}, got)

	got, err = fusion.RRF([]hits{{{ID: "a", Score: 0}, {ID: "a", Score: 0}, {ID: "b", Score: 0}}}, fusion.RRFOptions{})
	require.NoError(t, err)
	requireHits(t, hits{{ID: "a", Score: 1.0 / 61}, {ID: "b", Score: 1.0 / 62}}, got)
}

func TestBadArguments(t *testing.T) {
	lists := []hits{{{ID: "a", Score: 1}}, {{ID: "b", Score: 1}, {ID: "c", Score: 0}}}
	for _, weights := range [][]float64{{1}, {1, 2, 3}, {}, {1, -1}, {1, math.NaN()}, {1, math.Inf(1)}} {
		_, err := fusion.Weighted(lists, fusion.WeightedOptions{Weights: weights})
		require.ErrorIs(t, err, fusion.ErrWeight)
		require.ErrorIs(t, err, prospect.ErrOption)
		_, err = fusion.RRF(lists, fusion.RRFOptions{Weights: weights})
		require.ErrorIs(t, err, fusion.ErrWeight)
		require.ErrorIs(t, fusion.Combine([]float64{1}, weights, []float64{1}, []float64{2}), fusion.ErrWeight)
		if len(weights) == 2 {
			var which *fusion.ListError
			require.ErrorAs(t, err, &which)
			require.Equal(t, 1, which.List)
		}
	}
	_, err := fusion.Weighted(lists, fusion.WeightedOptions{K: -1})
	require.ErrorIs(t, err, prospect.ErrInvalidK)
	_, err = fusion.RRF(lists, fusion.RRFOptions{K: -1})
	require.ErrorIs(t, err, prospect.ErrInvalidK)
	for _, missing := range []fusion.Missing{-1, fusion.MissingDrop + 1} {
		_, err = fusion.Weighted(lists, fusion.WeightedOptions{Missing: missing})
		require.ErrorIs(t, err, prospect.ErrOption)
		require.ErrorContains(t, err, "Missing")
	}
	for _, constant := range []float64{-1, math.NaN(), math.Inf(1)} {
		_, err = fusion.RRF(lists, fusion.RRFOptions{RankConstant: constant})
		require.ErrorIs(t, err, prospect.ErrOption)
		require.ErrorContains(t, err, "RankConstant")
	}
}

func TestScoresMustBeFinite(t *testing.T) {
	lists := []hits{{{ID: "a", Score: 1}}, {{ID: "b", Score: 3}, {ID: "b", Score: 3}, {ID: "c", Score: math.NaN()}}}
	_, err := fusion.Weighted(lists, fusion.WeightedOptions{})
	require.ErrorIs(t, err, prospect.ErrNotFinite)
	var list *fusion.ListError
	var score *fusion.ScoreError
	var id *prospect.IDError
	require.ErrorAs(t, err, &list)
	require.ErrorAs(t, err, &score)
	require.ErrorAs(t, err, &id)
	require.Equal(t, 1, list.List)
	require.Equal(t, 2, score.Index, "position in the caller's list")
	require.Equal(t, "c", id.ID)

	// Finite scores whose sum is not.
	_, err = fusion.Weighted([]hits{{{ID: "a", Score: 1}, {ID: "b", Score: math.MaxFloat64}}}, fusion.WeightedOptions{
		Weights: []float64{2}, Normalizer: fusion.Raw,
	})
	require.ErrorIs(t, err, prospect.ErrNotFinite)
	require.ErrorAs(t, err, &id)
	require.Equal(t, "b", id.ID)
}

func TestCombine(t *testing.T) {
	// α 2, β 1, γ 1: 2·1 + 0 + 0.5, 2·0 + 1 + 1, 2·0.25 + 0.5 + 0
	q, p, a := []float64{1, 0, 0.25}, []float64{0, 1, 0.5}, []float64{0.5, 1, 0}
	dst := make([]float64, 3)
	require.NoError(t, fusion.Combine(dst, []float64{2, 1, 1}, q, p, a))
	require.Equal(t, []float64{2.5, 2, 1}, dst)

	require.NoError(t, fusion.Combine(q, []float64{2, 1, 1}, q, p, a))
	require.Equal(t, dst, q, "dst may be a column")

	require.NoError(t, fusion.Combine(dst, nil, p, a))
	require.Equal(t, []float64{0.5, 2, 0.5}, dst)

	err := fusion.Combine(dst, nil, p, a[:2])
	require.ErrorIs(t, err, fusion.ErrLength)
	var which *fusion.ListError
	require.ErrorAs(t, err, &which)
	require.Equal(t, 1, which.List, "the column that is too short")
	err = fusion.Combine(dst, nil, p, []float64{1, 2, math.Inf(-1)})
	require.ErrorIs(t, err, prospect.ErrNotFinite)
	err = fusion.Combine(dst, []float64{2}, []float64{0, 0, math.MaxFloat64})
	require.ErrorIs(t, err, prospect.ErrNotFinite)
	require.Equal(t, []float64{0.5, 2, 0.5}, dst, "unchanged after errors")
}

// drawLists draws lists over few ids and few scores: many repetitions and ties.
func drawLists(t *rapid.T) []hits {
	hit := rapid.Custom(func(t *rapid.T) prospect.Hit {
		return prospect.Hit{
			ID:    rapid.StringMatching(`[a-h]`).Draw(t, "id"),
			Score: float64(rapid.IntRange(-2, 3).Draw(t, "score")),
		}
	})
	return rapid.SliceOfN(rapid.SliceOfN(hit, 0, 8), 0, 4).Draw(t, "lists")
}

// Every fused score from its definition, document by document.
func TestWeightedAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lists := drawLists(t)
		weights := rapid.SliceOfN(rapid.SampledFrom([]float64{0, 0.5, 1, 2}), len(lists), len(lists)).Draw(t, "weights")
		missing := fusion.Missing(rapid.IntRange(0, 3).Draw(t, "missing"))
		got, err := fusion.Weighted(lists, fusion.WeightedOptions{Weights: weights, Missing: missing})
		require.NoError(t, err)

		var order []string // of first sight
		best := make([]map[string]float64, len(lists))
		for l, list := range lists {
			best[l] = map[string]float64{}
			for _, h := range list {
				if !slices.Contains(order, h.ID) {
					order = append(order, h.ID)
				}
				if old, ok := best[l][h.ID]; !ok || h.Score > old {
					best[l][h.ID] = h.Score
				}
			}
		}
		var want hits
		for _, id := range order {
			var sum, weight float64
			in := 0
			for l := range lists {
				score, ok := best[l][id]
				lo, hi := math.Inf(1), math.Inf(-1)
				for _, s := range best[l] {
					lo, hi = min(lo, s), max(hi, s)
				}
				if ok {
					in++
					weight += weights[l]
					if hi > lo {
						sum += weights[l] * (score - lo) / (hi - lo)
					}
				} // MissingWorst adds the min-max of the worst, which is 0
			}
			if missing == fusion.MissingMean && weight > 0 {
				sum /= weight
			}
			if missing != fusion.MissingDrop || in == len(lists) {
				want = append(want, prospect.Hit{ID: id, Score: sum})
			}
		}
		require.Len(t, got, len(want))
		for _, g := range got {
			at := slices.IndexFunc(want, func(w prospect.Hit) bool { return w.ID == g.ID })
			require.GreaterOrEqual(t, at, 0)
			require.InDelta(t, want[at].Score, g.Score, 1e-12)
		}
		requireOrdered(t, got, order)
	})
}

// requireOrdered: by score descending, equal scores in order of first sight.
func requireOrdered(t require.TestingT, got hits, order []string) {
	for i := 1; i < len(got); i++ {
		a, b := got[i-1], got[i]
		require.GreaterOrEqual(t, a.Score, b.Score)
		if a.Score == b.Score {
			require.Less(t, slices.Index(order, a.ID), slices.Index(order, b.ID))
		}
	}
}

// The same call gives the same hits, in every bit.
func TestFusionIsDeterministic(t *testing.T) {
	lists := make([]hits, 3)
	for i := range 300 {
		l := i % 3
		lists[l] = append(lists[l], prospect.Hit{ID: fmt.Sprintf("d%d", i*7%90), Score: float64(i * 13 % 11)})
	}
	weighted, err := fusion.Weighted(lists, fusion.WeightedOptions{})
	require.NoError(t, err)
	rrf, err := fusion.RRF(lists, fusion.RRFOptions{})
	require.NoError(t, err)
	for range 50 {
		again, err := fusion.Weighted(lists, fusion.WeightedOptions{})
		require.NoError(t, err)
		require.Equal(t, weighted, again)
		again, err = fusion.RRF(lists, fusion.RRFOptions{})
		require.NoError(t, err)
		require.Equal(t, rrf, again)
	}
}

func ExampleWeighted() {
	dense := []prospect.Hit{{ID: "pdf-tables", Score: 0.62}, {ID: "charts", Score: 0.41}, {ID: "slides", Score: 0.22}}
	lexical := []prospect.Hit{{ID: "charts", Score: 11.3}, {ID: "spreadsheets", Score: 4.1}}
	fused, err := fusion.Weighted([][]prospect.Hit{dense, lexical}, fusion.WeightedOptions{Weights: []float64{2, 1}, K: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, h := range fused {
		fmt.Printf("%s %.2f\n", h.ID, h.Score)
	}
	// Output:
	// pdf-tables 2.00
	// charts 1.95
	// slides 0.00
}
