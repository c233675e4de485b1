package skillqr_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/skillqr"
)

func TestHooksAreToldOfEachQuery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lib := searchLibrary()
		var events []skillqr.Event
		rw := newRewriter(t, threeSkills(), searchModel(0), skillqr.Options{Hook: func(e skillqr.Event) { events = append(events, e) }})
		out := rewrite(t, rw, "ask")
		f, err := rw.Search(t.Context(), lib.find, "ask two", skillqr.SearchOptions{K: 2, Compare: true, Keep: skillqr.KeepSure(2, 0.1)})
		require.NoError(t, err)
		require.Equal(t, []skillqr.Event{
			{Time: time.Now(), Rewrite: out, Overlap: -1}, {Time: time.Now(), Rewrite: f.Rewrite, Overlap: 0.5, Kept: f.Kept},
		}, events)
	})
}

func TestCoverageOverTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cover, err := skillqr.NewCoverage(threeSkills(), skillqr.CoverageOptions{Windows: 2})
		require.NoError(t, err)
		m := &onlineModel{}
		rw := newRewriter(t, threeSkills(), m, skillqr.Options{Hook: cover.Add, Cache: skillqr.NewLRU(9), Gate: skillqr.KeepShort(1)})
		start := time.Now().Truncate(time.Hour)
		for _, q := range []string{"one math", "one math", "of code", "something else", "short"} {
			rewrite(t, rw, q)
		}
		time.Sleep(time.Hour)
		m.rewrite = func(context.Context, string) (string, error) { return "", errBroken }
		rewrite(t, rw, "another math")

		r := cover.Report()
		require.Len(t, r.Windows, 2)
		require.Equal(t, skillqr.CoverageWindow{
			Start: start, Queries: 5, BySkill: map[string]int{"math": 2, "code": 1, "generic": 1}, Cached: 1, Kept: 1, Fell: map[skillqr.Reason]int{},
		}, r.Windows[0])
		require.Equal(t, skillqr.CoverageWindow{
			Start: start.Add(time.Hour), Queries: 1, BySkill: map[string]int{}, Fell: map[skillqr.Reason]int{skillqr.RewriteFailed: 1, skillqr.NotRewritten: 1},
		}, r.Windows[1])
		require.Equal(t, "something else", r.Sample[skillqr.WasGeneric][0].Query)
		require.Equal(t, "another math", r.Sample[skillqr.WasFailed][0].Query)
		require.Empty(t, r.Sample[skillqr.WasSplit])

		// A third window takes the place of the first; what comes late for it is
		// counted nowhere. The report is a copy.
		r.Windows[1].Fell[skillqr.Blank] = 7
		time.Sleep(time.Hour)
		rewrite(t, rw, "one math")
		cover.Add(skillqr.Event{Time: start, Rewrite: &skillqr.Rewrite{Query: "late"}})
		r = cover.Report()
		require.Len(t, r.Windows, 2)
		require.Equal(t, start.Add(time.Hour), r.Windows[0].Start)
		require.NotContains(t, r.Windows[0].Fell, skillqr.Blank)
		// One that comes late for a window which is there is counted there.
		cover.Add(skillqr.Event{Time: start.Add(90 * time.Minute), Rewrite: &skillqr.Rewrite{Query: "late"}})
		require.Equal(t, 2, cover.Report().Windows[0].Queries)
	})
}

func TestCoverageCountsBothGuards(t *testing.T) {
	cover, err := skillqr.NewCoverage(threeSkills(), skillqr.CoverageOptions{})
	require.NoError(t, err)
	lib := searchLibrary()
	rw := newRewriter(t, threeSkills(), searchModel(0), skillqr.Options{Hook: cover.Add, Gate: skillqr.KeepShort(1)})
	for _, q := range []string{"ask", "ask two", "two words"} {
		_, err := rw.Search(t.Context(), lib.find, q, skillqr.SearchOptions{K: 2, Keep: skillqr.KeepSure(2, 0.1)})
		require.NoError(t, err)
	}
	w := cover.Report().Windows[0]
	require.Equal(t, []int{3, 1, 1, 2}, []int{w.Queries, w.Kept, w.KeptHits, w.BySkill["math"]})
}

func TestQueriesToLookAt(t *testing.T) {
	event := func(q string, route *skillqr.Route, overlap float64) skillqr.Event {
		return skillqr.Event{Rewrite: &skillqr.Rewrite{Query: q, Skill: "math", Trace: skillqr.Trace{Route: route}}, Overlap: overlap}
	}
	shares := func(totals ...float64) []skillqr.Share {
		out := make([]skillqr.Share, len(totals))
		for i, x := range totals {
			out[i].Total = x
		}
		return out
	}
	for _, c := range []struct {
		name string
		e    skillqr.Event
		want []skillqr.Notable
	}{
		{"clear", event("q", &skillqr.Route{Answers: 1, Agreed: 1, Shares: shares(1, 0.5)}, -1), nil},
		{"disagreed", event("q", &skillqr.Route{Answers: 3, Agreed: 2}, -1), []skillqr.Notable{skillqr.WasSplit}},
		{"near", event("q", &skillqr.Route{Answers: 1, Agreed: 1, Shares: shares(0, 0.8, 1.2)}, -1), []skillqr.Notable{skillqr.WasSplit}},
		{"decisive", event("q", nil, 0.2), []skillqr.Notable{skillqr.WasDecisive}},
		{"same hits", event("q", nil, 0.3), nil},
	} {
		cover, err := skillqr.NewCoverage(threeSkills(), skillqr.CoverageOptions{})
		require.NoError(t, err)
		cover.Add(c.e)
		var got []skillqr.Notable
		for kind, sample := range cover.Report().Sample {
			require.Equal(t, "q", sample[0].Query)
			got = append(got, kind)
		}
		require.Equal(t, c.want, got, c.name)
	}
}

// Of 1,000 queries each is in a sample of 10 with the same chance: over 200
// seeds the first 500 take half of the places, give or take five standard
// deviations of √(2000·¼) = 22.
func TestTheSampleIsEven(t *testing.T) {
	early := 0
	for seed := range 200 {
		cover, err := skillqr.NewCoverage(threeSkills(), skillqr.CoverageOptions{Sample: 10, Seed: uint64(seed)})
		require.NoError(t, err)
		for i := range 1000 {
			cover.Add(skillqr.Event{Rewrite: &skillqr.Rewrite{Query: fmt.Sprint(i), Skill: "generic"}, Overlap: -1})
		}
		sample := cover.Report().Sample[skillqr.WasGeneric]
		require.Len(t, sample, 10)
		for _, q := range sample {
			if len(q.Query) < 3 || len(q.Query) == 3 && q.Query < "500" {
				early++
			}
		}
	}
	require.InDelta(t, 1000, early, 110)
}

func TestCoverageOptionsOutOfRange(t *testing.T) {
	for _, o := range []skillqr.CoverageOptions{{Window: -1}, {Windows: -1}, {Sample: -1}, {LowOverlap: -0.1}, {LowOverlap: nan()}} {
		_, err := skillqr.NewCoverage(threeSkills(), o)
		require.ErrorIs(t, err, prospect.ErrOption)
	}
	_, err := skillqr.NewCoverage(nil, skillqr.CoverageOptions{})
	require.ErrorIs(t, err, prospect.ErrOption)
}
