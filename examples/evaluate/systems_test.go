package main

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect/skilldreamer"
)

func anything(plan) error { return nil }

func names(plans []plan) (names []string) {
	for _, p := range plans {
		names = append(names, p.name)
	}
	return names
}

func TestSystemsAreChosenByNameGroupAndParameter(t *testing.T) {
	start := defaults(options{}, 15)
	for _, c := range []struct {
		list string
		want []string
	}{
		{"", []string{"bm25", "dense", "hybrid-rrf", "hybrid-weighted", "capabilities", "pseudo-skills", "skilldreamer", "skilldreamer-hybrid"}},
		{"dense, bm25", []string{"dense", "bm25"}},
		{"bm25,bm25,words", []string{"bm25", "bm25-capabilities", "bm25-pseudo-skills"}},
		{"skilldreamer@alpha=0.5,kc=40", []string{"skilldreamer@alpha=0.5,kc=40"}},
		{"skilldreamer@alpha=0.5, kc=40,dense,no-ci@beta=2", []string{"skilldreamer@alpha=0.5,kc=40", "dense", "no-ci@beta=2"}},
		{"sweep:beta", []string{"skilldreamer@beta=0", "skilldreamer@beta=0.25", "skilldreamer@beta=0.5", "skilldreamer@beta=1", "skilldreamer@beta=2", "skilldreamer@beta=4"}},
	} {
		got, _, err := choose(c.list, start, anything)
		require.NoError(t, err, c.list)
		require.Equal(t, c.want, names(got), c.list)
	}
	every, leftOut, err := choose("all", start, anything)
	require.NoError(t, err)
	require.Greater(t, len(every), len(systems), "with the sweeps")
	require.Empty(t, leftOut)
}

func TestSystemsThatCannotRunAreLeftOutOnlyWhereNobodyAskedForThem(t *testing.T) {
	start := defaults(options{}, 15)
	wordsOnly := func(p plan) error {
		if p.needsVectors() {
			return errors.New("needs vectors")
		}
		return nil
	}
	got, leftOut, err := choose("", start, wordsOnly)
	require.NoError(t, err)
	require.Equal(t, []string{"bm25"}, names(got))
	require.Equal(t, []string{"Not run: dense, hybrid-rrf, hybrid-weighted, capabilities, pseudo-skills, skilldreamer, skilldreamer-hybrid (needs vectors)."}, leftOut)
	got, _, err = choose("all", start, wordsOnly)
	require.NoError(t, err)
	require.Contains(t, names(got), "bm25-capabilities")
	require.NotContains(t, names(got), "dense")
	_, _, err = choose("main", start, wordsOnly)
	require.EqualError(t, err, `"dense" needs vectors`)
}

func TestSystemsRefuseWhatTheyDoNotKnow(t *testing.T) {
	start := defaults(options{}, 15)
	for _, c := range []struct{ list, says string }{
		{"magic", `there is no system or group "magic"; -list shows them`},
		{"pseudo", `no system or group "pseudo"; did you mean pseudo-skills`},
		{"dense,", "empty system"},
		{"alpha=1,dense", `"alpha=1" follows no system with parameters`},
		{"dense,alpha=1", `"alpha=1" follows no system with parameters`},
		{"dense@alpha=1", `"dense" has no parameter "alpha", only body, piece`},
		{"skilldreamer@omega=1", `"skilldreamer" has no parameter "omega"`},
		{"skilldreamer@alpha", `"alpha" is no parameter with a value`},
		{"skilldreamer@", `"" is no parameter with a value`},
		{"skilldreamer@alpha=1,alpha=2", `sets "alpha" twice`},
		{"skilldreamer@alpha=-1", `alpha is "-1", want a number from 0`},
		{"skilldreamer@alpha=NaN", "want a number from 0"},
		{"skilldreamer@alpha=Inf", "want a number from 0"},
		{"skilldreamer@kc=2.5", "want a whole number from 1"},
		{"skilldreamer@kc=0", "want a whole number from 1"},
		{"skilldreamer@norm=mean", `want one of ["max" "minmax"`},
		{"skilldreamer@merge=zip", `want "turns" or "best"`},
		{"hybrid-rrf@weight=2", "want a number from 0 to 1"},
		{"hybrid-rrf@constant=0", "want a number above 0"},
		{"dense@body=some", `or "all"`},
		{"generic@by=ear", `want one of ["words" "vectors" "sum"]`},
	} {
		_, _, err := choose(c.list, start, anything)
		require.ErrorContains(t, err, c.says, c.list)
	}
}

func TestPlansAreWhatTheirNamesSay(t *testing.T) {
	start := defaults(options{}, 15)
	of := func(name string) plan {
		p, err := newPlan(name, start)
		require.NoError(t, err)
		return p
	}
	require.Equal(t, skilldreamer.Paper().Weights, of("skilldreamer").options.Weights)
	require.Equal(t, []int{15, 20, 20}, []int{of("skilldreamer").options.K, of("skilldreamer").options.Candidates, of("skilldreamer").options.Keep})
	require.Equal(t, skilldreamer.Hybrid().Weights, of("skilldreamer-hybrid").options.Weights)
	require.Equal(t, skilldreamer.Weights{Imagined: 1}, of("pseudo-skills").options.Weights)
	require.Equal(t, skilldreamer.Weights{Task: 0.5, Imagined: 1, Anchors: 1}, of("skilldreamer@alpha=0.5").options.Weights)
	require.Equal(t, 40, of("skilldreamer@kc=40").options.Candidates)
	require.Equal(t, -1, of("bm25@words=all").lexical.Body)
	require.Equal(t, skilldreamer.Recipe{Body: 300, Piece: 500}, of("dense@body=300,piece=500").dense)
	require.Equal(t, bySum, of("skillqr@by=sum,votes=3").by)
	require.Equal(t, 0.5, of("skilldreamer").weight, "parameters do not reach other plans")

	full := defaults(options{skillText: fullText}, 100)
	require.Equal(t, skilldreamer.Recipe{Body: -1}, full.dense)
	require.Equal(t, full.dense, full.lexical)
	require.Equal(t, 100, full.options.Candidates, "lists are not shorter than what is asked for")
	require.Equal(t, skilldreamer.Recipe{}, defaults(options{skillText: nameAndDescription}, 15).dense)
}
