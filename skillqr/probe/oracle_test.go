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
