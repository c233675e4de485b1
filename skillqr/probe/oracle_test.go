package probe_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/metrics"
	"github.com/prospect-go/prospect/skillqr"
	"github.com/prospect-go/prospect/skillqr/probe"
)

// Reciprocal ranks by hand. Chosen: q1 A, p2 B, r3 generic, s2! nothing (the
// model fails).
//
//	      raw   A    B    generic  chosen  best
//	q1    1/2   1    1/4  1/2      1       1    A
//	p2    1     1/2  1/4  1/4      1/4     1/2  A, not the chosen one
//	r3    0     1/5  1/5  1/5      1/5     1/5  all alike: the chosen one
//	s2!   1/2   ½    ½    ½        ½       ½    each falls back to raw
//	mean  .5    .55  .3   .3625    .4875   .55
func TestOracleByHand(t *testing.T) {
	r := ranks{
		"q1": 2, "q1/A": 1, "q1/B": 4, "q1/generic": 2,
		"p2": 1, "p2/A": 2, "p2/B": 4, "p2/generic": 4,
		"r3": 0, "r3/A": 5, "r3/B": 5, "r3/generic": 5,
		"s2!": 2,
	}
	measure := metrics.RR(10)
	var steps []int
	o, err := probe.Oracle(t.Context(), rewriter(t, skillqr.Options{}), r.find, []probe.Query{query("q1"), query("p2"), query("r3"), query("s2!")},
		probe.OracleOptions{Measure: &measure, Depth: 10, Threshold: 0.25, Progress: func(done, of int) { require.Equal(t, 4, of); steps = append(steps, done) }})
	require.NoError(t, err)
	require.Equal(t, []int{1, 2, 3, 4}, steps)
	require.Equal(t, []string{"A", "B", "generic"}, o.Skills)
	require.Equal(t, "rr@10", o.Measure)
	want := []probe.OracleQuery{
		{ID: "q1", Routed: "A", Best: "A", Raw: 0.5, Values: []float64{1, 0.25, 0.5}, Sensitive: true},
		{ID: "p2", Routed: "B", Best: "A", Raw: 1, Values: []float64{0.5, 0.25, 0.25}}, // 0.25 is not above 0.25
		{ID: "r3", Routed: "generic", Best: "generic", Raw: 0, Values: []float64{0.2, 0.2, 0.2}},
		{ID: "s2!", Routed: "generic", Best: "generic", Raw: 0.5, Values: []float64{0.5, 0.5, 0.5}},
	}
	require.Equal(t, asJSON(t, want), asJSON(t, o.Queries))
	for name, c := range map[string]struct {
		want float64
		got  probe.Mean
	}{
		"raw": {0.5, o.Raw}, "generic": {0.3625, o.Generic}, "routed": {0.4875, o.Routed}, "best": {0.55, o.Best},
		"A": {0.55, o.BySkill[0]}, "B": {0.3, o.BySkill[1]}, "by generic": {0.3625, o.BySkill[2]},
	} {
		require.InDelta(t, c.want, c.got.Value, 1e-12, name)
		require.LessOrEqual(t, c.got.Low, c.got.Value)
		require.GreaterOrEqual(t, c.got.High, c.got.Value)
	}
	require.InDelta(t, 0.4875-0.3625, o.RoutedGain.Difference, 1e-12)
	require.InDelta(t, 0.55-0.4875, o.Gap.Difference, 1e-12)
	require.Equal(t, []string{"q1"}, o.Sensitive)
	require.Equal(t, 1.0, o.BestRouted)
	require.Equal(t, 3, o.Failed)

	o, err = probe.Oracle(t.Context(), rewriter(t, skillqr.Options{}), r.find, []probe.Query{query("p2"), query("q1"), query("r3")},
		probe.OracleOptions{Measure: &measure, Depth: 10, Threshold: 0.2})
	require.NoError(t, err)
	require.Equal(t, []string{"q1", "p2"}, o.Sensitive, "the largest spread first")
	require.Equal(t, 0.5, o.BestRouted, "q1 got its best skill, p2 did not")
}

// Reciprocal ranks by hand of three tries with the generic skill.
//
//	      generic  again 1  again 2  luck
//	q1    1/2      1        1/4      1
//	p2    1/4      1/2      1/5      1/2
//	r3    1/5      1/8      0        1/5
//	s2!   1/2      1/2      1/2      1/2, each falls back to raw
func TestTriesOfOneSkill(t *testing.T) {
	r := ranks{
		"q1": 2, "q1/A": 1, "q1/B": 4, "q1/generic": 2, "q1/again 1": 1, "q1/again 2": 4,
		"p2": 1, "p2/A": 1, "p2/B": 4, "p2/generic": 4, "p2/again 1": 2, "p2/again 2": 5,
		"r3": 0, "r3/A": 5, "r3/B": 4, "r3/generic": 5, "r3/again 1": 8, "r3/again 2": 0,
		"s2!": 2,
	}
	var again []*skillqr.Rewriter
	for _, name := range []string{"again 1", "again 2"} {
		set := twoSkills()
		set.Generic.Name = name
		rw, err := skillqr.New(set, model(), skillqr.Options{})
		require.NoError(t, err)
		again = append(again, rw)
	}
	measure := metrics.RR(10)
	queries := []probe.Query{query("q1"), query("p2"), query("r3"), query("s2!")}
	o, err := probe.Oracle(t.Context(), rewriter(t, skillqr.Options{}), r.find, queries, probe.OracleOptions{Measure: &measure, Depth: 10, Again: again})
	require.NoError(t, err)
	require.Equal(t, 3, o.Tries)
	for i, want := range [][]float64{{1, 0.25}, {0.5, 0.2}, {0.125, 0}, {0.5, 0.5}} {
		require.Equal(t, want, o.Queries[i].Tries)
	}
	require.InDelta(t, (1+0.5+0.2+0.5)/4, o.Luck.Value, 1e-12)
	require.InDelta(t, (1+1+0.25+0.5)/4, o.Best.Value, 1e-12)
	require.InDelta(t, (0.5+0.05)/4, o.BestOverLuck.Difference, 1e-12)
	require.Equal(t, 5, o.Failed)

	o, err = probe.Oracle(t.Context(), rewriter(t, skillqr.Options{}), r.find, queries, probe.OracleOptions{Measure: &measure, Depth: 10})
	require.NoError(t, err)
	require.Zero(t, o.Tries)
	require.Nil(t, o.Luck)
	require.Nil(t, o.BestOverLuck)
	require.NotContains(t, asJSON(t, o), "tries")
	require.NotContains(t, asJSON(t, o), "luck")

	_, err = probe.Oracle(t.Context(), rewriter(t, skillqr.Options{}), r.find, queries, probe.OracleOptions{Again: []*skillqr.Rewriter{again[0], nil}})
	require.ErrorIs(t, err, prospect.ErrOption)
	require.ErrorContains(t, err, "Again[1]")
}

// A spread of 0.15 is sensitive by default, one of 0.1 is not.
func TestDefaultThreshold(t *testing.T) {
	grade := func(gain float64) metrics.Measure {
		return metrics.NewMeasure("gain", func(j metrics.Judged) float64 {
			if len(j.Gains) > 0 && j.Gains[0] > 0 {
				return gain
			}
			return 0
		})
	}
	r := ranks{"q1": 1, "q1/A": 1, "q1/B": 2, "q1/generic": 2}
	for gain, want := range map[float64][]string{0.15: {"q1"}, 0.1: nil} {
		measure := grade(gain)
		o, err := probe.Oracle(t.Context(), rewriter(t, skillqr.Options{}), r.find, []probe.Query{query("q1")}, probe.OracleOptions{Measure: &measure, Depth: 5})
		require.NoError(t, err)
		require.Equal(t, want, o.Sensitive)
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	data, err := json.MarshalIndent(v, "", " ")
	require.NoError(t, err)
	return string(data)
}

func TestOracleErrors(t *testing.T) {
	rw := rewriter(t, skillqr.Options{})
	r := ranks{"q1": 1, "q1/A": 1, "q1/B": 1}
	_, err := probe.Oracle(t.Context(), rw, r.find, []probe.Query{query("q1")}, probe.OracleOptions{})
	require.ErrorContains(t, err, `id "q1": with skill "generic": no rank for q1/generic`)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = probe.Oracle(ctx, rw, r.find, []probe.Query{query("q1")}, probe.OracleOptions{})
	require.ErrorIs(t, err, context.Canceled)
	for _, o := range []probe.OracleOptions{
		{Depth: -1}, {Parallel: -1}, {Threshold: -1}, {Resampling: metrics.Resampling{Confidence: 2}},
	} {
		_, err = probe.Oracle(t.Context(), rw, r.find, []probe.Query{query("q1")}, o)
		require.ErrorIs(t, err, prospect.ErrOption)
	}
	_, err = probe.Oracle(t.Context(), nil, r.find, []probe.Query{query("q1")}, probe.OracleOptions{})
	require.ErrorIs(t, err, prospect.ErrOption)
	_, err = probe.Oracle(t.Context(), rw, r.find, nil, probe.OracleOptions{})
	require.ErrorIs(t, err, prospect.ErrOption)
}
