package skillqr_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/skillqr"
)

// Three documents: the query finds q1 and q2, the expansion with math finds
// theorem, that with code types.
func searchLibrary() *library { return newLibrary("ask one", "ask two words", "theorem", "types") }

func searchModel(second int) *onlineModel {
	return &onlineModel{
		route: func(context.Context, string) (string, error) { return chooses(1, second), nil },
		rewrite: func(_ context.Context, prompt string) (string, error) {
			if strings.Contains(prompt, "(math)") {
				return expands("theorem theorem theorem"), nil
			}
			return expands("types types types"), nil
		},
	}
}

func TestSearchWithTheRewrittenQuery(t *testing.T) {
	lib := searchLibrary()
	rw := newRewriter(t, threeSkills(), searchModel(0), skillqr.Options{})
	f, err := rw.Search(t.Context(), lib.find, "ask two", skillqr.SearchOptions{K: 2})
	require.NoError(t, err)
	require.Equal(t, []prospect.Hit{{ID: "d3", Score: 3}, {ID: "d2", Score: 2}}, f.Hits)
	require.Len(t, lib.asked, 1, "the original query is not needed")
	require.Nil(t, f.Raw)
	require.Equal(t, -1.0, f.Overlap)

	f, err = rw.Search(t.Context(), lib.find, "ask two", skillqr.SearchOptions{K: 2, Compare: true})
	require.NoError(t, err)
	require.Equal(t, []string{"d3", "d2"}, hitIDs(f.Hits))
	require.Equal(t, []string{"d2", "d1"}, hitIDs(f.Raw))
	require.Equal(t, 0.5, f.Overlap, "one of two")
}

// Raw: d2 d1. With math: d3 d2 d1. RRF with constant 60 and weights 1 and w:
// d3 1/61, d2 1/62 + w/61, d1 1/63 + w/62.
func TestTheGuardFusesRawAndRewritten(t *testing.T) {
	lib := searchLibrary()
	rw := newRewriter(t, threeSkills(), searchModel(0), skillqr.Options{})
	f, err := rw.Search(t.Context(), lib.find, "ask two", skillqr.SearchOptions{K: 3, Raw: 1})
	require.NoError(t, err)
	require.Equal(t, []string{"d2", "d1", "d3"}, hitIDs(f.Hits))
	require.InDelta(t, 1.0/62+1.0/61, f.Hits[0].Score, 1e-12)
	require.InDelta(t, 1.0/63+1.0/62, f.Hits[1].Score, 1e-12)
	require.InDelta(t, 1.0/61, f.Hits[2].Score, 1e-12)

	// Min-max: raw d2 1, d1 0; rewritten d3 1 (3 of 3..1), d2 ½, d1 0.
	f, err = rw.Search(t.Context(), lib.find, "ask two", skillqr.SearchOptions{K: 3, Raw: 2, Fuse: skillqr.FuseScores})
	require.NoError(t, err)
	require.Equal(t, []prospect.Hit{{ID: "d2", Score: 2.5}, {ID: "d3", Score: 1}, {ID: "d1", Score: 0}}, f.Hits)
}

func TestTheGuardKeepsStrongRawHits(t *testing.T) {
	lib := searchLibrary()
	rw := newRewriter(t, threeSkills(), searchModel(0), skillqr.Options{})
	f, err := rw.Search(t.Context(), lib.find, "ask two", skillqr.SearchOptions{K: 1, Keep: skillqr.KeepSure(2, 0.5)})
	require.NoError(t, err)
	require.Empty(t, f.Kept, "one hit is no evidence")
	f, err = rw.Search(t.Context(), lib.find, "ask two", skillqr.SearchOptions{K: 2, Keep: skillqr.KeepSure(2, 0.5)})
	require.NoError(t, err)
	require.Equal(t, []string{"d2", "d1"}, hitIDs(f.Hits))
	require.Contains(t, f.Kept, "leads number 2 by 0.50")
	f, err = rw.Search(t.Context(), lib.find, "ask two", skillqr.SearchOptions{K: 2, Keep: skillqr.KeepSure(2, 0.6)})
	require.NoError(t, err)
	require.Equal(t, []string{"d3", "d2"}, hitIDs(f.Hits))
	require.Empty(t, f.Kept)
}

// With math d3 d2 d1, with code d4 d2 d1: d3 1/61, d2 1/62 + w/62, d4 w/61.
func TestTwoSkillsAreFused(t *testing.T) {
	lib := searchLibrary()
	rw := newRewriter(t, threeSkills(), searchModel(2), skillqr.Options{Top: 2})
	f, err := rw.Search(t.Context(), lib.find, "ask two", skillqr.SearchOptions{K: 4})
	require.NoError(t, err)
	require.Equal(t, []string{"d2", "d1", "d3", "d4"}, hitIDs(f.Hits))
	require.InDelta(t, 1.5/62, f.Hits[0].Score, 1e-12)
	require.InDelta(t, 0.5/61, f.Hits[3].Score, 1e-12)
	require.Len(t, f.ByExpansion, 2)
	f, err = rw.Search(t.Context(), lib.find, "ask two", skillqr.SearchOptions{K: 1, Second: 1e-6, Depth: 1})
	require.NoError(t, err)
	require.Equal(t, []string{"d3"}, hitIDs(f.Hits))
}

func TestSearchesThatFail(t *testing.T) {
	failOn := func(word string) func([]skillqr.Part) error {
		return func(parts []skillqr.Part) error {
			if (len(parts) == 1 && word == "raw") || word == "all" || strings.Contains(skillqr.Join(parts), word) {
				return errBroken
			}
			return nil
		}
	}
	for _, c := range []struct {
		fail string
		opts skillqr.SearchOptions
		want []string
	}{
		{"theorem", skillqr.SearchOptions{K: 4}, []string{"d4", "d2", "d1"}},
		{"types", skillqr.SearchOptions{K: 4}, []string{"d3", "d2", "d1"}},
		{"raw", skillqr.SearchOptions{K: 4, Raw: 1}, []string{"d2", "d1", "d3", "d4"}},
	} {
		lib := searchLibrary()
		lib.fail = failOn(c.fail)
		f, err := newRewriter(t, threeSkills(), searchModel(2), skillqr.Options{Top: 2}).Search(t.Context(), lib.find, "ask two", c.opts)
		require.NoError(t, err)
		require.Equal(t, c.want, hitIDs(f.Hits), c.fail)
		require.Equal(t, []skillqr.Reason{skillqr.SearchFailed}, reasons(&f.Rewrite.Trace))
		require.ErrorIs(t, f.Rewrite.Trace.Err(), errBroken)
	}
	// How much the first expansion changes is not known where its search failed.
	lib := searchLibrary()
	lib.fail = failOn("theorem")
	f, err := newRewriter(t, threeSkills(), searchModel(2), skillqr.Options{Top: 2}).Search(t.Context(), lib.find, "ask two", skillqr.SearchOptions{K: 4, Compare: true})
	require.NoError(t, err)
	require.Equal(t, -1.0, f.Overlap)
	// The only expansion's search fails: the original query is searched after all.
	lib = searchLibrary()
	lib.fail = failOn("theorem")
	rw := newRewriter(t, threeSkills(), searchModel(0), skillqr.Options{})
	f, err = rw.Search(t.Context(), lib.find, "ask two", skillqr.SearchOptions{K: 4})
	require.NoError(t, err)
	require.Equal(t, []string{"d2", "d1"}, hitIDs(f.Hits))
	require.Equal(t, []string{"d2", "d1"}, hitIDs(f.Raw))
	// Nothing can be searched for.
	lib.fail = failOn("all")
	_, err = rw.Search(t.Context(), lib.find, "ask two", skillqr.SearchOptions{K: 4})
	require.ErrorIs(t, err, errBroken)
	_, err = rw.Search(t.Context(), lib.find, " ", skillqr.SearchOptions{K: 4})
	require.ErrorIs(t, err, errBroken)
	// The fusion refuses.
	lib.fail = nil
	_, err = rw.Search(t.Context(), lib.find, "ask two", skillqr.SearchOptions{K: 4, Raw: 1, Fuse: func([][]prospect.Hit, []float64, int) ([]prospect.Hit, error) {
		return nil, errors.New("cannot")
	}})
	require.ErrorContains(t, err, "cannot")
}

// Lists that are fused are searched deeper than what is returned: "both" is
// third in each and first in their fusion.
func TestDepth(t *testing.T) {
	lists := map[string][]string{"ask": {"r1", "r2", "both"}, "ask\ntheorem theorem theorem": {"m1", "m2", "both"}}
	var asked []int
	find := func(_ context.Context, parts []skillqr.Part, k int) ([]prospect.Hit, error) {
		asked = append(asked, k)
		var hits []prospect.Hit
		for i, id := range lists[skillqr.Join(parts)] {
			if i < k {
				hits = append(hits, prospect.Hit{ID: id, Score: float64(-i)})
			}
		}
		return hits, nil
	}
	serial := &sync.Mutex{}
	locked := func(ctx context.Context, parts []skillqr.Part, k int) ([]prospect.Hit, error) {
		serial.Lock()
		defer serial.Unlock()
		return find(ctx, parts, k)
	}
	rw := newRewriter(t, threeSkills(), searchModel(0), skillqr.Options{})
	for _, c := range []struct {
		opts  skillqr.SearchOptions
		want  []string
		asked []int
	}{
		{skillqr.SearchOptions{K: 1, Raw: 1}, []string{"both"}, []int{100, 100}},
		{skillqr.SearchOptions{K: 200, Raw: 1}, []string{"both", "m1", "r1", "m2", "r2"}, []int{200, 200}},
		{skillqr.SearchOptions{K: 1, Raw: 1, Depth: 2}, []string{"m1"}, []int{2, 2}},
		{skillqr.SearchOptions{K: 1}, []string{"m1"}, []int{1}},
		{skillqr.SearchOptions{K: 1, Depth: 50}, []string{"m1"}, []int{1}},
	} {
		asked = nil
		f, err := rw.Search(t.Context(), locked, "ask", c.opts)
		require.NoError(t, err)
		require.Equal(t, c.want, hitIDs(f.Hits))
		require.Equal(t, c.asked, asked)
	}
}

func TestSearchOfABlankOrKeptQueryIsRaw(t *testing.T) {
	lib := searchLibrary()
	f, err := newRewriter(t, threeSkills(), searchModel(0), skillqr.Options{}).Search(t.Context(), lib.find, "  ", skillqr.SearchOptions{K: 4})
	require.NoError(t, err)
	require.Empty(t, f.Hits)
	f, err = newRewriter(t, threeSkills(), searchModel(0), skillqr.Options{Gate: skillqr.KeepShort(2)}).Search(t.Context(), lib.find, "ask two", skillqr.SearchOptions{K: 4, Raw: 1})
	require.NoError(t, err)
	require.Equal(t, []prospect.Hit{{ID: "d2", Score: 2}, {ID: "d1", Score: 1}}, f.Hits, "the searcher's own scores")
}

func TestSearchOptionsOutOfRange(t *testing.T) {
	lib := searchLibrary()
	rw := newRewriter(t, threeSkills(), searchModel(0), skillqr.Options{})
	for name, o := range map[string]skillqr.SearchOptions{
		"raw": {K: 1, Raw: -1}, "second": {K: 1, Second: nan()}, "depth": {K: 1, Depth: -1},
	} {
		_, err := rw.Search(t.Context(), lib.find, "q", o)
		require.ErrorIs(t, err, prospect.ErrOption, name)
	}
	_, err := rw.Search(t.Context(), lib.find, "q", skillqr.SearchOptions{})
	require.ErrorIs(t, err, prospect.ErrInvalidK)
	_, err = rw.Search(t.Context(), nil, "q", skillqr.SearchOptions{K: 1})
	require.ErrorIs(t, err, prospect.ErrOption)
}

func TestGates(t *testing.T) {
	hits := func(scores ...float64) []prospect.Hit {
		var out []prospect.Hit
		for _, s := range scores {
			out = append(out, prospect.Hit{Score: s})
		}
		return out
	}
	for _, c := range []struct {
		name  string
		gate  skillqr.Gate
		query string
		hits  []prospect.Hit
		keep  bool
	}{
		{"sure", skillqr.KeepSure(3, 0.5), "q", hits(10, 9, 5), true},
		{"not sure", skillqr.KeepSure(3, 0.5), "q", hits(10, 9, 5.1), false},
		{"few", skillqr.KeepSure(3, 0.5), "q", hits(10, 1), false},
		{"zero", skillqr.KeepSure(2, 0.5), "q", hits(0, 0), false},
		{"negative", skillqr.KeepSure(2, 0.5), "q", hits(-1, -5), false},
		{"nan", skillqr.KeepSure(2, 0.5), "q", hits(nan(), nan()), false},
		{"strong", skillqr.KeepStrong(0.8), "q", hits(0.8), true},
		{"weak", skillqr.KeepStrong(0.8), "q", hits(0.79), false},
		{"no hits", skillqr.KeepStrong(-1), "q", nil, false},
		{"short", skillqr.KeepShort(2), " two  words ", nil, true},
		{"long", skillqr.KeepShort(2), "now three words", nil, false},
		{"any", skillqr.KeepAny(skillqr.KeepShort(1), skillqr.KeepStrong(1)), "two words", hits(1), true},
		{"none", skillqr.KeepAny(skillqr.KeepShort(1), skillqr.KeepStrong(1)), "two words", hits(0.5), false},
	} {
		require.Equal(t, c.keep, c.gate(c.query, c.hits) != "", c.name)
	}
	require.Panics(t, func() { skillqr.KeepSure(1, 0.5) })
	require.Panics(t, func() { skillqr.KeepSure(2, 0) })
	require.Panics(t, func() { skillqr.KeepSure(2, nan()) })
}

// A kept query costs no call; the gate sees the hits of the feedback search.
func TestAGateSparesTheModel(t *testing.T) {
	lib := newLibrary("math one two", "math")
	m := &onlineModel{}
	rw := newRewriter(t, threeSkills(), m, skillqr.Options{Feedback: lib.feedback(), Gate: skillqr.KeepSure(2, 0.5)})
	out := rewrite(t, rw, "math two")
	require.Equal(t, "math two", out.Final)
	require.NotEmpty(t, out.Trace.Kept)
	require.Empty(t, m.asked)
	require.Empty(t, out.Trace.Fallbacks, "which is no failure")
	require.Equal(t, "math", rewrite(t, rw, "math three").Skill)
}
