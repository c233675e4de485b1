package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect/metrics"
)

func TestOutcomesByHand(t *testing.T) {
	o, err := readOutcomes(tinyOutcomes, metrics.Resampling{Seed: 1, Resamples: 500})
	require.NoError(t, err)
	require.Len(t, o.arms, 4)
	byName := map[string]armOutcome{}
	for i, a := range o.arms {
		require.Equal(t, arms[i], a.name)
		byName[a.name] = a
	}
	require.InDelta(t, 0.25, byName["none"].passRate.mean, 1e-12)     // (0+0+1+0)/4
	require.InDelta(t, 0.875, byName["curated"].passRate.mean, 1e-12) // (1+1+1+½)/4
	require.InDelta(t, 2.0/3, byName["pseudo"].passRate.mean, 1e-12)  // (1+1+0)/3, the last reward missing
	// cross-the-bar has two trials, of which one passes: (½+1+1+0)/4.
	require.InDelta(t, 0.625, byName["retrieved"].passRate.mean, 1e-12)
	// Loaded are tide-tables, once of two trials; engine-winterising;
	// sourdough-starter; and nothing for books-in-order: (½+1+1+0)/4. The
	// loaded rope-walk of the second trial was not provided there.
	require.InDelta(t, 0.625, byName["retrieved"].loadRate.mean, 1e-12)
	require.False(t, byName["none"].provides)
	require.Equal(t, 1, byName["pseudo"].missing)
	require.Equal(t, 5, byName["retrieved"].attempts)

	found := false
	for _, p := range o.pairs {
		require.False(t, p.rate == "load rate" && p.against == "none", "there is nothing to load without skills")
		if p.arm == "retrieved" && p.against == "pseudo" && p.rate == "pass rate" {
			found = true
			require.Equal(t, 3, p.N, "the tasks that both have")
			require.InDelta(t, 0.0, p.Difference, 1e-12) // (1+1+0)/3 − (1+1+0)/3
		}
		require.GreaterOrEqual(t, p.holm, p.P)
	}
	require.True(t, found)
}

func TestRewardsThatAreNoneCountAsZero(t *testing.T) {
	path := writeLines(t, "o.jsonl", `{"task": "a", "arm": "none", "reward": 1.5}
{"task": "b", "arm": "none", "reward": null}
{"task": "c", "arm": "none", "reward": 1}
`)
	o, err := readOutcomes(path, metrics.Resampling{Resamples: 10})
	require.NoError(t, err)
	require.Equal(t, []int{1, 1}, []int{o.arms[0].missing, o.arms[0].invalid})
	require.InDelta(t, 1.0/3, o.arms[0].passRate.mean, 1e-12)
	require.Empty(t, o.pairs)
	require.Equal(t, []string{"none: 1 missing reward and 1 reward outside 0 to 1 counted as 0."}, o.notes())
	rec := o.record()
	require.Nil(t, rec.Arms[0].LoadRate)
	require.NotNil(t, rec.Differences, "an empty list, not null")
}

// Files of other programs hold more, and do not always number their trials.
func TestTrialsNeedNoNumbersAndFurtherFieldsAreTold(t *testing.T) {
	path := writeLines(t, "o.jsonl", `{"task": "a", "arm": "none", "reward": 1, "seconds": 12}
{"task": "a", "arm": "none", "reward": 0, "cost": 0.1}
{"task": "a", "arm": "retrieved", "reward": 1, "provided": ["x", "y", "x"], "loaded": ["x", "x"]}
`)
	o, err := readOutcomes(path, metrics.Resampling{Resamples: 10})
	require.NoError(t, err)
	require.Equal(t, 2, o.arms[0].attempts)
	require.InDelta(t, 0.5, o.arms[0].passRate.mean, 1e-12) // (1+0)/2 of the one task
	require.InDelta(t, 2.0, o.arms[1].provided, 1e-12, "x twice is one skill")
	require.InDelta(t, 1.0, o.arms[1].loaded, 1e-12)
	require.InDelta(t, 0.5, o.pairs[0].Difference, 1e-12)
	require.Equal(t, []string{"Fields that are not known here were not looked at: cost, seconds."}, o.notes())
}
