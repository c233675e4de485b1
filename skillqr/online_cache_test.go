package skillqr_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/skillqr"
)

func TestACachedRewriteAsksNoModel(t *testing.T) {
	lib := newLibrary("math one", "math two")
	m := &onlineModel{}
	rw := newRewriter(t, threeSkills(), m, skillqr.Options{Feedback: lib.feedback(), Cache: skillqr.NewLRU(10)})
	first := rewrite(t, rw, "math")
	calls := len(m.asked)
	second := rewrite(t, rw, "math")
	require.Len(t, m.asked, calls)
	require.True(t, second.Trace.Cached)
	require.Empty(t, second.Trace.Calls)
	require.Equal(t, first.Final, second.Final)
	require.Equal(t, first.Trace.Route, second.Trace.Route)
	require.Equal(t, []string{"d1", "d2"}, second.Trace.Feedback)

	// What is returned is the caller's own.
	second.Expansions[0].Text = "changed"
	second.Trace.Route.Shares[0].Skill = "changed"
	require.Equal(t, first.Final, rewrite(t, rw, "math").Final)
	require.Equal(t, first.Trace.Route, rewrite(t, rw, "math").Trace.Route)
}

// Another query, other feedback, set, model, prompt or option is another key.
func TestWhatIsInTheKey(t *testing.T) {
	cache := skillqr.NewLRU(100)
	base := func() (*skillqr.Set, *onlineModel, skillqr.Options, string) {
		return threeSkills(), &onlineModel{}, skillqr.Options{Feedback: newLibrary("math one").feedback()}, "math"
	}
	seen := 0
	ask := func(name string, model prospect.LLM, set *skillqr.Set, o skillqr.Options, query string, fresh bool) {
		o.Cache = cache
		out := rewrite(t, newRewriter(t, set, model, o), query)
		require.Empty(t, out.Trace.Fallbacks, name)
		require.Equal(t, !fresh, out.Trace.Cached, name)
		if fresh {
			seen++
		}
		require.Equal(t, seen, cache.Len(), name)
	}
	change := func(name string, fresh bool, f func(s *skillqr.Set, m *onlineModel, o *skillqr.Options, q *string) prospect.LLM) {
		s, m, o, q := base()
		model := f(s, m, &o, &q)
		if model == nil {
			model = m
		}
		ask(name, model, s, o, q, fresh)
	}
	type (
		S = *skillqr.Set
		M = *onlineModel
		O = *skillqr.Options
	)
	change("first", true, func(S, M, O, *string) prospect.LLM { return nil })
	change("again", false, func(S, M, O, *string) prospect.LLM { return nil })
	change("coverage", false, func(s S, _ M, _ O, _ *string) prospect.LLM {
		s.Clusters = []skillqr.ClusterNote{{Cluster: 1}}
		s.Skills[0].Covers = []int{1}
		return nil
	})
	change("timeout, gate, join", false, func(_ S, _ M, o O, _ *string) prospect.LLM {
		o.Timeout, o.Gate, o.Join = 1e12, func(string, []prospect.Hit) string { return "" }, skillqr.JoinWeights{Original: 3, Expansion: 1}
		return nil
	})
	change("query", true, func(_ S, _ M, _ O, q *string) prospect.LLM { *q = "math "; return nil })
	change("feedback ids", true, func(_ S, _ M, o O, _ *string) prospect.LLM {
		o.Feedback = newLibrary("math one", "math two").feedback()
		return nil
	})
	change("no feedback", true, func(_ S, _ M, o O, _ *string) prospect.LLM { o.Feedback = nil; return nil })
	change("instruction", true, func(s S, _ M, _ O, _ *string) prospect.LLM { s.Skills[2].Instruction += "!"; return nil })
	change("model", true, func(_ S, m M, _ O, _ *string) prospect.LLM { return prospect.NewLLM("other/1", m.Generate) })
	change("prompt", true, func(_ S, _ M, o O, _ *string) prospect.LLM {
		o.Prompts.Rewrite = skillqr.DefaultRewritePrompts().Rewrite + "!"
		return nil
	})
	change("default prompt spelled out", false, func(_ S, _ M, o O, _ *string) prospect.LLM {
		o.Prompts = skillqr.DefaultRewritePrompts()
		return nil
	})
	change("top", true, func(_ S, _ M, o O, _ *string) prospect.LLM { o.Top = 2; return nil })
	change("votes", true, func(_ S, _ M, o O, _ *string) prospect.LLM { o.Routing.Votes = 2; return nil })
	change("example", true, func(_ S, _ M, o O, _ *string) prospect.LLM {
		o.Routing.Examples = []skillqr.RouteExample{{Query: "q", Skill: "math"}}
		return nil
	})
	change("example's skill", true, func(_ S, _ M, o O, _ *string) prospect.LLM {
		o.Routing.Examples = []skillqr.RouteExample{{Query: "q", Skill: "code"}}
		return nil
	})
	prior := func(context.Context, string) (map[string]float64, error) { return map[string]float64{"math": 1}, nil }
	change("prior", true, func(_ S, _ M, o O, _ *string) prospect.LLM { o.Routing.Prior = prior; return nil })
	change("prior's weight", true, func(_ S, _ M, o O, _ *string) prospect.LLM {
		o.Routing.Prior, o.Routing.PriorWeight = prior, 2
		return nil
	})
	change("prior alone", true, func(_ S, _ M, o O, _ *string) prospect.LLM {
		o.Routing.Prior, o.Routing.PriorOnly = prior, true
		return nil
	})
	change("length of expansions", true, func(_ S, _ M, o O, _ *string) prospect.LLM { o.MaxExpansion = 500; return nil })
	change("length of queries", true, func(_ S, _ M, o O, _ *string) prospect.LLM { o.MaxQuery = 500; return nil })
	change("tokens", true, func(_ S, _ M, o O, _ *string) prospect.LLM { o.MaxTokens = 500; return nil })
	change("temperature", true, func(_ S, _ M, o O, _ *string) prospect.LLM { o.Temperature = new(0.0); return nil })
	change("words", true, func(_ S, _ M, o O, _ *string) prospect.LLM { o.MaxWords = 50; return nil })
	change("excerpts", true, func(_ S, _ M, o O, _ *string) prospect.LLM { o.Feedback.MaxChars = 50; return nil })
}

func TestWhatFellBackIsNotCached(t *testing.T) {
	cache := skillqr.NewLRU(10)
	fail := true
	m := &onlineModel{}
	m.route = func(_ context.Context, p string) (string, error) {
		if fail {
			return "", errBroken
		}
		return chooses(1, 0), nil
	}
	rw := newRewriter(t, threeSkills(), m, skillqr.Options{Cache: cache})
	require.Equal(t, "generic", rewrite(t, rw, "q").Skill)
	require.Zero(t, cache.Len())
	fail = false
	require.Equal(t, "math", rewrite(t, rw, "q").Skill)
	require.Equal(t, 1, cache.Len())
}

// Whatever a stored cache holds, a rewrite comes of it.
func TestACacheThatHoldsNonsense(t *testing.T) {
	entry := func(skill string, expansions ...skillqr.Expansion) skillqr.CacheEntry {
		return skillqr.CacheEntry{Route: &skillqr.Route{Skill: skill}, Expansions: expansions}
	}
	lib := newLibrary("math one")
	search := func(e skillqr.CacheEntry) *skillqr.Rewrite {
		rw := newRewriter(t, threeSkills(), &onlineModel{}, skillqr.Options{Top: 2, MaxExpansion: 20, Cache: fixedCache{e}})
		f, err := rw.Search(t.Context(), lib.find, "math", skillqr.SearchOptions{K: 1, Raw: 1})
		require.NoError(t, err)
		require.Equal(t, []string{"d1"}, hitIDs(f.Hits))
		return f.Rewrite
	}
	x := skillqr.Expansion{Skill: "math", Text: "x"}
	for name, e := range map[string]skillqr.CacheEntry{
		"nothing":          {},
		"no expansions":    entry("math"),
		"no route":         {Expansions: []skillqr.Expansion{x}},
		"three":            entry("math", x, x, x),
		"blank":            entry("math", skillqr.Expansion{Skill: "math", Text: " "}),
		"lines":            entry("math", skillqr.Expansion{Skill: "math", Text: "a\nb"}),
		"control":          entry("math", skillqr.Expansion{Skill: "math", Text: "a\x00b"}),
		"too long":         entry("math", skillqr.Expansion{Skill: "math", Text: "123456789 123456789 1"}),
		"skill of another": entry("math", skillqr.Expansion{Skill: "maths", Text: "x"}),
		"route of another": entry("maths", x),
	} {
		out := search(e)
		require.False(t, out.Trace.Cached, name)
		require.Equal(t, "expanded by math", out.Expansion(), name)
	}
	require.True(t, search(entry("math", x, x)).Trace.Cached)
}

// A shortened expansion is as good the next time; it is no failure to Warm.
func TestWhatWasShortenedIsCached(t *testing.T) {
	m := &onlineModel{}
	cache := skillqr.NewLRU(5)
	rw := newRewriter(t, threeSkills(), m, skillqr.Options{MaxExpansion: 10, Cache: cache})
	w, err := rw.Warm(t.Context(), []string{"math"}, skillqr.WarmOptions{})
	require.NoError(t, err)
	require.Equal(t, skillqr.Warmed{Rewritten: 1}, w)
	out := rewrite(t, rw, "math")
	require.True(t, out.Trace.Cached)
	require.Equal(t, "expanded", out.Expansion())
	require.Len(t, m.asked, 2)
}

type fixedCache struct{ e skillqr.CacheEntry }

func (c fixedCache) Get(context.Context, string) (skillqr.CacheEntry, bool, error) {
	return c.e, true, nil
}
func (c fixedCache) Put(context.Context, string, skillqr.CacheEntry) error { return nil }

// The cache against a list of keys, the last used first.
func TestLRUAgainstAList(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		max := rapid.IntRange(1, 4).Draw(rt, "max")
		c := skillqr.NewLRU(max)
		var order []string
		values := map[string]string{}
		use := func(key string) {
			rest := []string{key}
			for _, k := range order {
				if k != key {
					rest = append(rest, k)
				}
			}
			order = rest[:min(len(rest), max)]
		}
		has := func(key string) bool {
			for _, k := range order {
				if k == key {
					return true
				}
			}
			return false
		}
		for i := range rapid.IntRange(0, 40).Draw(rt, "steps") {
			key := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f"}).Draw(rt, "key")
			if rapid.Bool().Draw(rt, "put") {
				value := fmt.Sprint(i)
				require.NoError(t, c.Put(t.Context(), key, skillqr.CacheEntry{Expansions: []skillqr.Expansion{{Text: value}}}))
				values[key] = value
				use(key)
			} else {
				e, ok, err := c.Get(t.Context(), key)
				require.NoError(t, err)
				require.Equal(t, has(key), ok)
				if ok {
					require.Equal(t, values[key], e.Expansions[0].Text)
					use(key)
				}
			}
			require.Equal(t, len(order), c.Len())
		}
	})
	require.Panics(t, func() { skillqr.NewLRU(0) })
}

func TestWarm(t *testing.T) {
	m := &onlineModel{}
	m.rewrite = func(_ context.Context, p string) (string, error) { return expands("x"), nil }
	cache := skillqr.NewLRU(10)
	rw := newRewriter(t, threeSkills(), m, skillqr.Options{Cache: cache, Gate: skillqr.KeepShort(1), Hook: func(skillqr.Event) { t.Error("hook") }})
	var steps []int
	w, err := rw.Warm(t.Context(), []string{"math one", "code two", "math one", "short", " "}, skillqr.WarmOptions{
		Parallel: 3, Progress: func(done, of int) { require.Equal(t, 4, of); steps = append(steps, done) },
	})
	require.NoError(t, err)
	require.Equal(t, skillqr.Warmed{Rewritten: 2, Kept: 2}, w)
	require.Equal(t, []int{1, 2, 3, 4}, steps)
	require.Equal(t, 2, cache.Len())

	m.route = func(context.Context, string) (string, error) { return "", errBroken }
	w, err = rw.Warm(t.Context(), []string{"math one", "code two", "medicine three"}, skillqr.WarmOptions{})
	require.NoError(t, err)
	require.ErrorIs(t, w.Err, errBroken)
	w.Err = nil
	require.Equal(t, skillqr.Warmed{Cached: 2, Failed: 1}, w)

	ctx, cancel := context.WithCancel(t.Context())
	m.route = func(context.Context, string) (string, error) { cancel(); return "", context.Canceled }
	_, err = rw.Warm(ctx, []string{"one more", "and another"}, skillqr.WarmOptions{Parallel: 1})
	require.True(t, errors.Is(err, context.Canceled))

	_, err = newRewriter(t, threeSkills(), m, skillqr.Options{}).Warm(t.Context(), nil, skillqr.WarmOptions{})
	require.ErrorIs(t, err, prospect.ErrOption)
	_, err = rw.Warm(t.Context(), nil, skillqr.WarmOptions{Parallel: -1})
	require.ErrorIs(t, err, prospect.ErrOption)
}
