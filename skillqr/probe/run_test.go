package probe_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/metrics"
	"github.com/prospect-go/prospect/skillqr"
	"github.com/prospect-go/prospect/skillqr/probe"
)

// Reciprocal ranks: raw ½ and ⅓; generic ¼ and ⅓; by hand 1 and, kept as it
// is, ⅓; mined 1 and ½ (A for q1, B for p2).
func TestRunByHand(t *testing.T) {
	r := ranks{
		"q1": 2, "q1/generic": 4, "q1/own": 1, "q1/A": 1,
		"p2": 3, "p2/generic": 3, "p2/B": 2,
	}
	measure := metrics.RR(10)
	told := map[string][]int{}
	own := func(q probe.Query) (skillqr.Skill, bool) {
		return skillqr.Skill{Name: "own", When: "w", Instruction: "i"}, q.ID == "q1"
	}
	rw := rewriter(t, skillqr.Options{})
	report, err := probe.Run(t.Context(), rw, r.find, []probe.Query{query("q1"), query("p2")}, probe.Options{
		ByHand: own, Measure: &measure, Depth: 10, Parallel: 2,
		Arms:     []probe.Arm{probe.Mined("fused", rw, r.find, skillqr.SearchOptions{Raw: 1})},
		Progress: func(arm string, done, of int) { require.Equal(t, 2, of); told[arm] = append(told[arm], done) },
	})
	require.NoError(t, err)
	require.Equal(t, []string{"q1", "p2"}, report.IDs)
	var names []string
	for _, a := range report.Arms {
		names = append(names, a.Name)
		require.Equal(t, []int{1, 2}, told[a.Name])
	}
	require.Equal(t, []string{"raw", "generic", "by hand", "mined", "fused"}, names)
	for name, want := range map[string][]float64{
		"raw": {1. / 2, 1. / 3}, "generic": {1. / 4, 1. / 3}, "by hand": {1, 1. / 3}, "mined": {1, 1. / 2},
	} {
		require.InDeltaSlice(t, want, report.Arm(name).Values, 1e-12, name)
		require.InDelta(t, (want[0]+want[1])/2, report.Arm(name).Mean.Value, 1e-12)
	}
	require.Nil(t, report.Arm(probe.RawArm).AgainstRaw)
	mined := report.Arm(probe.MinedArm)
	require.InDelta(t, (1./2+1./6)/2, mined.AgainstRaw.Difference, 1e-12)
	require.Equal(t, map[string]int{"A": 1, "B": 1}, mined.Skills)
	require.Equal(t, []int{4, 2, 0}, []int{mined.Calls, mined.Rewritten, mined.Fell})
	require.Equal(t, prospect.Usage{InputTokens: 2, OutputTokens: 20}, mined.Usage)
	hand := report.Arm(probe.HandArm)
	require.Equal(t, []int{1, 1}, []int{hand.Calls, hand.Rewritten})
	require.Nil(t, report.Arm("nobody"))
	require.Equal(t, []string{"q1"}, report.Worse(probe.GenericArm))
	require.Empty(t, report.Worse(probe.MinedArm))
	require.Nil(t, report.Worse("nobody"))
	require.Contains(t, report.Verdict.Text, "With 2 queries all of this is a hint")
}

// Verdicts over raw values of 0.5 and the mined ones that are given.
func TestVerdicts(t *testing.T) {
	repeat := func(n int, ranks ...int) []int { return slices.Repeat(ranks, n) }
	for _, c := range []struct {
		name    string
		mined   []int // ranks; raw has rank 2
		generic int
		opts    probe.Options
		want    probe.Outcome
		says    []string
		not     []string
	}{
		{"all better", repeat(40, 1), 2, probe.Options{}, probe.Helps, []string{"helps", "rr@10 goes from 0.500 to 1.000 (+0.500", "a median of 2.00 s a query"}, []string{"generic", "hint", "worse"}},
		{"generic as well", repeat(40, 1), 1, probe.Options{}, probe.Helps, []string{"saves the choice of a skill"}, nil},
		{"too slow", repeat(40, 1), 1, probe.Options{MaxLatency: time.Second}, probe.TooSlow, []string{"too slow", "1.00 s are allowed"}, []string{"saves the choice"}},
		{"fast enough", repeat(40, 1), 2, probe.Options{MaxLatency: 2 * time.Second}, probe.Helps, nil, nil},
		{"all worse", repeat(40, 5), 5, probe.Options{}, probe.Hurts, []string{"hurts", "0 of 40 queries get better, 40 worse"}, nil},
		{"generic better", repeat(40, 5), 2, probe.Options{}, probe.Hurts, []string{`"generic" does better than the mined skills: 0.500 (+0.300`}, nil},
		{"the same", repeat(40, 2), 2, probe.Options{}, probe.TooLittle, []string{"not worth its latency", "a gain of 0.010 is asked for"}, []string{"better"}},
		{"not enough", repeat(40, 1), 2, probe.Options{MinGain: 0.6}, probe.TooLittle, []string{"a gain of 0.600"}, nil},
		// Half of them +.5: a mean of .25 with an interval of about ±.08, which is
		// above 0 and holds .3, but the mean is below it.
		{"sure but small", repeat(20, 1, 2), 2, probe.Options{MinGain: 0.3}, probe.TooLittle, []string{"a gain of 0.300"}, nil},
		// One in four 1 (+.5), one in four 1/10 (−.4): a mean of +.025 with a
		// standard deviation of .32, far from sure with 40 queries.
		{"mixed", repeat(10, 1, 2, 10, 2), 2, probe.Options{}, probe.Unclear, []string{"do not show", "10 of 40 queries get better, 10 worse", "queries would show it"}, nil},
		{"few", repeat(3, 1), 2, probe.Options{}, probe.Helps, []string{"With 3 queries"}, nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := ranks{}
			var queries []probe.Query
			for i, rank := range c.mined {
				id := fmt.Sprintf("q%d/1", i)
				queries = append(queries, query(id))
				r[id], r[id+"/A"], r[id+"/generic"] = 2, rank, c.generic
			}
			slow := prospect.NewLLM("slow/1", func(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
				time.Sleep(time.Second)
				return model().Generate(ctx, req)
			})
			rw, err := skillqr.New(twoSkills(), slow, skillqr.Options{})
			require.NoError(t, err)
			measure := metrics.RR(10)
			c.opts.Measure, c.opts.Depth = &measure, 10
			begin := time.Now()
			report, err := probe.Run(t.Context(), rw, r.find, queries, c.opts)
			require.NoError(t, err)
			require.Equal(t, time.Duration(3*len(queries))*time.Second, time.Since(begin), "one call after the other: generic 1 s, mined 2 s")
			v := report.Verdict
			require.Equal(t, c.want, v.Outcome, "%s: %s", c.name, v.Text)
			require.Equal(t, c.want == probe.Helps, v.Worth)
			for _, text := range c.says {
				require.Contains(t, v.Text, text, c.name)
			}
			for _, text := range c.not {
				require.NotContains(t, v.Text, text, c.name)
			}
			require.Equal(t, probe.Latency{Median: 2 * time.Second, P95: 2 * time.Second}, report.Arm(probe.MinedArm).Rewriting)
			require.Equal(t, probe.Latency{Median: time.Second, P95: time.Second}, report.Arm(probe.GenericArm).Total)
			require.Zero(t, report.Arm(probe.RawArm).Total)
		})
	}
}

// A query that stays as it is took no time to rewrite, and counts.
func TestQueriesKeptRawTakeNoTimeToRewrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := ranks{}
		var queries []probe.Query
		for _, id := range []string{"a1", "b1", "c1"} {
			queries = append(queries, query(id))
			r[id], r[id+"/own"] = 1, 1
		}
		slow := prospect.NewLLM("slow/1", func(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
			time.Sleep(time.Second)
			return model().Generate(ctx, req)
		})
		rw, err := skillqr.New(twoSkills(), slow, skillqr.Options{})
		require.NoError(t, err)
		own := func(q probe.Query) (skillqr.Skill, bool) {
			return skillqr.Skill{Name: "own", When: "w", Instruction: "i"}, q.ID == "a1"
		}
		report, err := probe.Compare(t.Context(), queries, []probe.Arm{probe.With("own", rw, r.find, own)}, probe.Options{Depth: 5})
		require.NoError(t, err)
		require.Equal(t, probe.Latency{Median: 0, P95: time.Second}, report.Arms[0].Rewriting)
	})
}

func TestWhatFallsBackIsCounted(t *testing.T) {
	r := ranks{"q1!": 2}
	report, err := probe.Run(t.Context(), rewriter(t, skillqr.Options{}), r.find, []probe.Query{query("q1!")}, probe.Options{Depth: 5})
	require.NoError(t, err)
	mined := report.Arm(probe.MinedArm)
	require.Equal(t, []int{0, 1}, []int{mined.Rewritten, mined.Fell})
	require.Equal(t, report.Arm(probe.RawArm).Values, mined.Values)
	require.Contains(t, report.Verdict.Text, "In 1 queries something fell back")
}

func TestRunErrors(t *testing.T) {
	rw := rewriter(t, skillqr.Options{})
	r := ranks{"q1": 1}
	ok := []probe.Query{query("q1")}
	_, err := probe.Run(t.Context(), rw, r.find, ok, probe.Options{})
	require.ErrorContains(t, err, `arm "generic": id "q1": no rank for q1/generic`)
	id, isID := errors.AsType[*prospect.IDError](err)
	require.True(t, isID)
	require.Equal(t, "q1", id.ID)
	for name, o := range map[string]probe.Options{
		"depth": {Depth: -1}, "parallel": {Parallel: -1}, "gain": {MinGain: -1}, "latency": {MaxLatency: -1}, "resampling": {Resampling: metrics.Resampling{Resamples: -1}},
		"name": {Arms: []probe.Arm{probe.Raw("raw", r.find)}}, "no search": {Arms: []probe.Arm{{Name: "x"}}},
	} {
		all := ranks{"q1": 1, "q1/generic": 1, "q1/A": 1}
		_, err := probe.Run(t.Context(), rw, all.find, ok, o)
		require.ErrorIs(t, err, prospect.ErrOption, name)
	}
	_, err = probe.Run(t.Context(), nil, r.find, ok, probe.Options{})
	require.ErrorIs(t, err, prospect.ErrOption)
	_, err = probe.Compare(t.Context(), ok, nil, probe.Options{})
	require.ErrorIs(t, err, prospect.ErrOption)
	for name, c := range map[string]struct {
		queries []probe.Query
		want    error
	}{
		"none":      {nil, prospect.ErrOption},
		"no id":     {[]probe.Query{query("")}, prospect.ErrEmptyID},
		"twice":     {[]probe.Query{query("q1"), query("q1")}, prospect.ErrDuplicateID},
		"no judged": {[]probe.Query{{ID: "q1", Text: "q1"}}, metrics.ErrNoRelevant},
	} {
		_, err := probe.Run(t.Context(), rw, r.find, c.queries, probe.Options{})
		require.ErrorIs(t, err, c.want, name)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = probe.Run(ctx, rw, r.find, ok, probe.Options{})
	require.ErrorIs(t, err, context.Canceled)
}

func TestSample(t *testing.T) {
	var all []probe.Query
	for i := range 100 {
		all = append(all, query(fmt.Sprint(i)))
	}
	ids := func(qs []probe.Query) []string {
		var out []string
		for _, q := range qs {
			out = append(out, q.ID)
		}
		return out
	}
	ten := ids(probe.Sample(all, 10, 7))
	require.Len(t, ten, 10)
	require.True(t, slices.IsSortedFunc(ten, func(a, b string) int { return cmp.Or(len(a)-len(b), cmp.Compare(a, b)) }), "in the order given")
	reversed := slices.Clone(all)
	slices.Reverse(reversed)
	require.ElementsMatch(t, ten, ids(probe.Sample(reversed, 10, 7)), "whatever the order")
	require.Subset(t, ids(probe.Sample(all, 20, 7)), ten)
	require.NotEqual(t, ten, ids(probe.Sample(all, 10, 8)))
	require.Len(t, probe.Sample(all, 1000, 7), 100)
	require.Empty(t, probe.Sample(all, -1, 7))
}
