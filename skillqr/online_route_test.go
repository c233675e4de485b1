package skillqr_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/embed"
	"github.com/prospect-go/prospect/internal/fence"
	"github.com/prospect-go/prospect/skillqr"
)

func TestRoutingAsksOverANumberedList(t *testing.T) {
	m := &onlineModel{}
	set := threeSkills()
	set.Skills[1].When = "asks\nfor a  program"
	rw := newRewriter(t, set, m, skillqr.Options{Routing: skillqr.Routing{Examples: []skillqr.RouteExample{{"sort a list", "CODE"}}}})
	route, trace, err := rw.Route(t.Context(), "a code question")
	require.NoError(t, err)
	require.Equal(t, "code", route.Skill)
	require.Equal(t, "because of 2", route.Reasoning)
	require.Equal(t, 1, route.Agreed)
	require.Empty(t, trace.Fallbacks)
	require.Len(t, trace.Calls, 1)
	require.Equal(t, prospect.Usage{InputTokens: 10, OutputTokens: 1}, trace.Usage())

	req := m.requests("route")[0]
	require.Equal(t, skillqr.DefaultRewritePrompts().System, req.System)
	require.Equal(t, []string{"a code question"}, fence.Inside(req.Prompt, "query"))
	require.Equal(t, []string{"math: needs a theorem", "code: asks for a program", "medicine: asks for studies", "generic: " + skillqr.Generic().When}, ways(req.Prompt))
	require.Equal(t, []string{"sort a list"}, fence.Inside(req.Prompt, "example"))
	outside := fence.Outside(req.Prompt)
	require.Contains(t, outside, "Right: 2")
	require.Contains(t, outside, "Number 4 serves queries of any kind", "the generic skill's number")
	require.JSONEq(t, `["genre","knowledge","reasoning","choice","second"]`, required(t, req.Schema))
}

func TestASetWithTheGenericSkillAloneIsNotAskedAbout(t *testing.T) {
	m := &onlineModel{}
	out := rewrite(t, newRewriter(t, &skillqr.Set{Generic: skillqr.Generic()}, m, skillqr.Options{}), "q")
	require.Equal(t, "generic", out.Skill)
	require.Empty(t, m.requests("route"))
	require.Len(t, m.requests("rewrite"), 1)
	require.Empty(t, out.Trace.Fallbacks)
}

func TestAnUnknownChoiceIsAskedOnceMoreAndThenGeneric(t *testing.T) {
	answers := []string{chooses(9, 0), chooses(3, 0)}
	m := &onlineModel{}
	m.route = func(context.Context, string) (string, error) {
		a := answers[0]
		answers = append(answers[1:], chooses(9, 0))
		return a, nil
	}
	rw := newRewriter(t, threeSkills(), m, skillqr.Options{})
	route, trace, err := rw.Route(t.Context(), "q")
	require.NoError(t, err)
	require.Equal(t, "medicine", route.Skill)
	require.Empty(t, trace.Fallbacks)
	require.Len(t, trace.Calls, 2)
	require.Contains(t, trace.Calls[0].Err, "9 is not from 1 to 4")
	require.Contains(t, trace.Calls[1].Prompt, "9 is not from 1 to 4", "the model is told what was wrong")

	out := rewrite(t, rw, "q")
	require.Equal(t, "generic", out.Skill)
	require.Equal(t, []skillqr.Reason{skillqr.UnknownChoice, skillqr.NotRouted}, reasons(&out.Trace))
	require.ErrorIs(t, out.Trace.Err(), skillqr.ErrUnknownChoice)
	require.ErrorIs(t, out.Trace.Err(), skillqr.ErrUnusable)
	require.Equal(t, "expanded by generic", out.Expansion())
}

func TestAFailingRouterIsGeneric(t *testing.T) {
	m := &onlineModel{route: func(context.Context, string) (string, error) { return "", errBroken }}
	out := rewrite(t, newRewriter(t, threeSkills(), m, skillqr.Options{}), "q")
	require.Equal(t, "generic", out.Skill)
	require.Equal(t, []skillqr.Reason{skillqr.RouteFailed, skillqr.NotRouted}, reasons(&out.Trace))
	require.ErrorIs(t, out.Trace.Err(), errBroken)
	require.Equal(t, "generic", out.Trace.Route.Skill)
}

// The model that always takes the first of the list is outvoted by its own
// votes, each skill having been first once.
func TestVotesOverPermutedLists(t *testing.T) {
	m := &onlineModel{}
	rw := newRewriter(t, threeSkills(), m, skillqr.Options{Routing: skillqr.Routing{Votes: 3, Examples: []skillqr.RouteExample{{"sort a list", "code"}}}})
	route, _, err := rw.Route(t.Context(), "about medicine")
	require.NoError(t, err)
	require.Equal(t, "medicine", route.Skill, "numbers are those of each list")
	require.Equal(t, []int{3, 3}, []int{route.Answers, route.Agreed})

	asked := map[string]bool{}
	for _, req := range m.requests("route") {
		asked[req.Prompt] = true
		list := ways(req.Prompt)
		require.Contains(t, fence.Outside(req.Prompt), fmt.Sprintf("Right: %d", placeInPrompt(req.Prompt, "code")), "examples are renumbered")
		require.True(t, strings.HasPrefix(list[3], "generic:"), "the generic skill is last")
	}
	require.Len(t, asked, 3, "requests differ, so that caches tell them apart")

	biased := &onlineModel{route: func(context.Context, string) (string, error) { return chooses(1, 0), nil }}
	rw = newRewriter(t, threeSkills(), biased, skillqr.Options{Routing: skillqr.Routing{Votes: 3}})
	route, _, err = rw.Route(t.Context(), "q")
	require.NoError(t, err)
	require.Equal(t, 1, route.Agreed)
	for _, s := range route.Shares[:3] {
		require.InDelta(t, 1.0/3, s.Votes, 1e-12, "no skill gains by its place")
	}
}

func TestVotesThatFailAreLeftOut(t *testing.T) {
	m := &onlineModel{}
	m.route = func(_ context.Context, prompt string) (string, error) {
		if placeInPrompt(prompt, "math") == 1 {
			return "", errBroken
		}
		return chooses(placeInPrompt(prompt, "math"), 0), nil
	}
	route, trace, err := newRewriter(t, threeSkills(), m, skillqr.Options{Routing: skillqr.Routing{Votes: 3}}).Route(t.Context(), "q")
	require.NoError(t, err)
	require.Equal(t, "math", route.Skill)
	require.Equal(t, []int{2, 2}, []int{route.Answers, route.Agreed})
	require.Equal(t, []skillqr.Reason{skillqr.RouteFailed}, reasons(trace))
	require.ErrorIs(t, trace.Err(), errBroken)

	m.route = func(context.Context, string) (string, error) { return "", errBroken }
	_, trace, err = newRewriter(t, threeSkills(), m, skillqr.Options{Routing: skillqr.Routing{Votes: 3}}).Route(t.Context(), "q")
	require.NoError(t, err)
	require.Equal(t, []skillqr.Reason{skillqr.RouteFailed, skillqr.RouteFailed, skillqr.RouteFailed, skillqr.NotRouted}, reasons(trace), "each vote is told of")
}

func TestPriors(t *testing.T) {
	prior := func(shares map[string]float64, err error) skillqr.Prior {
		return func(context.Context, string) (map[string]float64, error) { return shares, err }
	}
	picksMath := func(second int) *onlineModel {
		return &onlineModel{route: func(context.Context, string) (string, error) { return chooses(1, second), nil }}
	}
	route := func(m *onlineModel, r skillqr.Routing) (*skillqr.Route, *skillqr.Trace) {
		route, trace, err := newRewriter(t, threeSkills(), m, skillqr.Options{Routing: r}).Route(t.Context(), "q")
		require.NoError(t, err)
		return route, trace
	}
	// math 1 + 0.1, code ½ + 0.8
	got, _ := route(picksMath(2), skillqr.Routing{Prior: prior(map[string]float64{"math": 0.1, "code": 0.8}, nil)})
	require.Equal(t, []string{"code", "math"}, []string{got.Skill, got.Second})
	require.Empty(t, got.Reasoning, "no answer chose it")
	// With half the weight: math 1.05, code 0.9.
	got, _ = route(picksMath(2), skillqr.Routing{Prior: prior(map[string]float64{"math": 0.1, "code": 0.8}, nil), PriorWeight: 0.5})
	require.Equal(t, []string{"math", "code"}, []string{got.Skill, got.Second})

	for _, bad := range []skillqr.Prior{
		prior(nil, errBroken), prior(map[string]float64{"code": 1.5}, nil), prior(map[string]float64{"code": -0.1}, nil),
	} {
		got, trace := route(picksMath(0), skillqr.Routing{Prior: bad})
		require.Equal(t, "math", got.Skill)
		require.Equal(t, []skillqr.Reason{skillqr.PriorFailed}, reasons(trace))
	}
	got, trace := route(picksMath(0), skillqr.Routing{Prior: prior(map[string]float64{"unknown": 1}, nil)})
	require.Equal(t, "math", got.Skill)
	require.Empty(t, trace.Fallbacks)

	// Without a usable answer the prior decides.
	broken := &onlineModel{route: func(context.Context, string) (string, error) { return "", errBroken }}
	got, trace = route(broken, skillqr.Routing{Prior: prior(map[string]float64{"medicine": 0.6, "math": 0.4}, nil)})
	require.Equal(t, "medicine", got.Skill)
	require.Equal(t, []skillqr.Reason{skillqr.RouteFailed}, reasons(trace))

	// Or alone, without a call.
	m := &onlineModel{}
	got, _ = route(m, skillqr.Routing{Prior: prior(map[string]float64{"medicine": 0.6, "math": 0.4}, nil), PriorOnly: true})
	require.Equal(t, []string{"medicine", "math"}, []string{got.Skill, got.Second})
	require.Empty(t, m.asked)
}

// The clusters of a set are known by its corpus and its embedder.
func TestClusterPriorHoldsSetClustersAndEmbedderTogether(t *testing.T) {
	e := embed.NewHash(64)
	corpus := func(texts ...string) skillqr.Corpus {
		vectors, err := e.Embed(t.Context(), prospect.RoleDocument, texts)
		require.NoError(t, err)
		c, err := skillqr.NewCorpus(texts, vectors, e.Identity(), func(_ context.Context, ids []string) ([]string, error) { return ids, nil })
		require.NoError(t, err)
		return c
	}
	clusters, err := skillqr.Cluster(t.Context(), corpus("theorem of numbers", "program with types"), skillqr.ClusterOptions{K: 2})
	require.NoError(t, err)
	of := func(text string) int { // the number of its cluster
		if clusters.Nearest(0, 1)[0] == text {
			return clusters.Number(0)
		}
		return clusters.Number(1)
	}
	set := threeSkills()
	set.Corpus = clusters.Fingerprint()
	set.Clusters = []skillqr.ClusterNote{{Cluster: clusters.Number(0)}, {Cluster: clusters.Number(1)}}
	set.Skills[0].Covers = []int{of("theorem of numbers")}
	set.Skills[1].Covers = []int{of("program with types")}
	require.NoError(t, set.Validate())
	prior, err := skillqr.ClusterPrior(set, clusters, e, skillqr.ClusterPriorOptions{})
	require.NoError(t, err)
	shares, err := prior(t.Context(), "theorem of numbers")
	require.NoError(t, err)
	require.Greater(t, shares["math"], shares["code"])

	other, err := skillqr.Cluster(t.Context(), corpus("something else", "and more"), skillqr.ClusterOptions{K: 2})
	require.NoError(t, err)
	_, err = skillqr.ClusterPrior(set, other, e, skillqr.ClusterPriorOptions{})
	require.ErrorIs(t, err, prospect.ErrIdentity)
	_, err = skillqr.ClusterPrior(set, clusters, embed.NewHash(32), skillqr.ClusterPriorOptions{})
	require.ErrorIs(t, err, prospect.ErrIdentity)
	set.Corpus = skillqr.Fingerprint{} // a set that does not say
	_, err = skillqr.ClusterPrior(set, clusters, e, skillqr.ClusterPriorOptions{})
	require.NoError(t, err)
	_, err = skillqr.ClusterPrior(set, nil, e, skillqr.ClusterPriorOptions{})
	require.ErrorIs(t, err, prospect.ErrOption)
}

func TestRoutingOptionsOutOfRange(t *testing.T) {
	for name, r := range map[string]skillqr.Routing{
		"votes":      {Votes: -1},
		"weight":     {PriorWeight: -1},
		"nan weight": {PriorWeight: nan()},
		"no prior":   {PriorOnly: true},
		"blank":      {Examples: []skillqr.RouteExample{{" ", "math"}}},
		"unknown":    {Examples: []skillqr.RouteExample{{"q", "maths"}}},
	} {
		_, err := skillqr.New(threeSkills(), nil, skillqr.Options{Routing: r})
		require.ErrorIs(t, err, prospect.ErrOption, name)
	}
}

func TestRouteWithoutAQueryOrModel(t *testing.T) {
	route, trace, err := newRewriter(t, threeSkills(), &onlineModel{}, skillqr.Options{}).Route(t.Context(), " \n")
	require.NoError(t, err)
	require.Equal(t, "generic", route.Skill)
	require.True(t, trace.Fell(skillqr.Blank))
	route, trace, err = newRewriter(t, threeSkills(), nil, skillqr.Options{}).Route(t.Context(), "q")
	require.NoError(t, err)
	require.Equal(t, "generic", route.Skill)
	require.True(t, trace.Fell(skillqr.NoModel))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = newRewriter(t, threeSkills(), nil, skillqr.Options{}).Route(ctx, "q")
	require.True(t, errors.Is(err, context.Canceled))
}
