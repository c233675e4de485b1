package skillqr_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/internal/fence"
	"github.com/prospect-go/prospect/llm"
	"github.com/prospect-go/prospect/skillqr"
)

var errAway = errors.New("the service is away")

// failingOn is a clerk that drafts algebra and botany alone, and fails in a
// step where the prompt has one of the words, any where there is none.
func failingOn(step skillqr.Step, words ...string) *clerk {
	return &clerk{drafts: []string{"algebra", "botany"}, instead: func(req prospect.LLMRequest, _ string) (string, error, bool) {
		if req.SchemaName != string(step) || len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return strings.Contains(req.Prompt, w) }) {
			return "", nil, false
		}
		return "", errAway, false
	}}
}

// minedWith mines three domains with a model that fails.
func minedWith(t *testing.T, model prospect.LLM, o skillqr.MineOptions) kept {
	t.Helper()
	o.Proposer = model
	m := mine(t, threeDomains(), o)
	require.True(t, m.Set.Degraded())
	return kept{m.Set, m.Clusters}
}

// numbers of the clusters whose documents are of a domain.
func (k kept) numbers(domain string) []int {
	var out []int
	for i := range k.clusters.Len() {
		if strings.HasPrefix(k.clusters.Nearest(i, 1)[0], domain) {
			out = append(out, k.clusters.Number(i))
		}
	}
	return out
}

// What a model failed to do when a set was mined, a refresh with one that works
// makes good: the same set comes of it as of a mining without failures, but for
// how it came to be, and the next refresh has nothing to ask.
func TestARefreshCompletesADegradedMining(t *testing.T) {
	whole := mine(t, threeDomains(), skillqr.MineOptions{Proposer: failingOn("none")}).Set
	require.Equal(t, 1.0, whole.Coverage())
	for name, c := range map[string]struct {
		model prospect.LLM
		mine  skillqr.MineOptions
		calls map[string]int // of the refresh; a cluster is of botany, two of cooking
	}{
		"labels":                  {failingOn(skillqr.StepLabel, "cooking text"), skillqr.MineOptions{}, map[string]int{"label": 2, "judge": 2}},
		"labels of what is drawn": {failingOn(skillqr.StepLabel, "botany text"), skillqr.MineOptions{}, map[string]int{"label": 1, "judge": 1}},
		"judgements":              {failingOn(skillqr.StepJudge, "botany text"), skillqr.MineOptions{}, map[string]int{"judge": 1}},
		"the revision":            {failingOn(skillqr.StepRevise), skillqr.MineOptions{}, map[string]int{"judge": 4, "revise": 1}},
		"all judgements":          {failingOn(skillqr.StepJudge), skillqr.MineOptions{MaxFailures: 3}, map[string]int{"judge": 10, "revise": 1}},
	} {
		t.Run(name, func(t *testing.T) {
			k := minedWith(t, c.model, c.mine)
			next := failingOn("none")
			good := k.refresh(t, threeDomains(), next)
			require.Equal(t, c.calls, next.calls())
			require.False(t, good.Set.Degraded(), "%v", good.Set.Notes)
			require.NotEmpty(t, good.Changes.Retried)
			require.True(t, good.Changes.Any())
			require.Contains(t, good.Changes.String(), "clusters asked about again: ")
			require.Equal(t, 1.0, good.Set.Coverage())
			require.ElementsMatch(t, skillNames(whole), skillNames(good.Set))
			for i, note := range good.Set.Clusters {
				require.Equal(t, whole.Clusters[i].Label(), note.Label())
				require.Equal(t, coveredBy(whole, note.Cluster), coveredBy(good.Set, note.Cluster))
			}

			k = kept{good.Set, good.Clusters}
			idle := &clerk{}
			require.False(t, k.refresh(t, threeDomains(), idle).Changes.Any())
			require.Empty(t, idle.asked)
		})
	}
}

// A budget that ends at any call after the draft leaves a set that a refresh
// with another budget completes, and what a person wrote meanwhile stays.
func TestARefreshGoesOnWhereABudgetEnded(t *testing.T) {
	total := mine(t, threeDomains(), skillqr.MineOptions{Proposer: failingOn("none")}).Calls
	for calls := 9; calls < total; calls++ {
		budget, err := llm.NewBudget(llm.Limits{Calls: calls})
		require.NoError(t, err)
		k := minedWith(t, budget.Wrap(failingOn("none")), skillqr.MineOptions{Concurrency: 1, MaxFailures: 1})
		k.set.Skills[0].Instruction = "Say it by hand."
		next := failingOn("none")
		good := k.refresh(t, threeDomains(), next)
		require.False(t, good.Set.Degraded(), "%d calls: %v", calls, good.Set.Notes)
		require.Equal(t, 1.0, good.Set.Coverage())
		require.Equal(t, "Say it by hand.", good.Set.Skills[0].Instruction)
		require.Zero(t, next.calls()["label"])
		require.LessOrEqual(t, next.calls()["judge"], total-9, "%d calls", calls)
	}
}

// A model that fails again leaves all as it was, to be asked about next time.
func TestARefreshThatFailsAgainLosesNothing(t *testing.T) {
	k := minedWith(t, failingOn(skillqr.StepJudge, "botany text"), skillqr.MineOptions{})
	for range 3 {
		again := k.refresh(t, threeDomains(), failingOn(skillqr.StepJudge, "botany text"))
		require.ErrorIs(t, again.Err, errAway)
		require.True(t, again.Set.Degraded())
		require.Equal(t, 1.0, again.Set.Coverage(), "what the draft claimed stands")
		require.Equal(t, k.numbers("botany"), again.Changes.Retried)
		require.Len(t, again.Set.Notes, len(k.numbers("botany")), "notes do not pile up: %v", again.Set.Notes)
		k = kept{again.Set, again.Clusters}
	}
	require.False(t, k.refresh(t, threeDomains(), &clerk{}).Set.Degraded())
}

// Documents that came make a cluster drift; where the judge is away, what
// covered it covers it still.
func TestADriftedClusterKeepsItsSkillWhereTheJudgeIsAway(t *testing.T) {
	k := mined(t, big())
	s := drifted()
	got := k.refresh(t, s, failingOn(skillqr.StepJudge))
	require.NotEmpty(t, got.Changes.Drifted)
	require.Equal(t, 1.0, got.Set.Coverage())
	require.True(t, got.Set.Degraded())

	// The same where it cannot be labelled: the old label stays, and a note
	// says so.
	got = k.refresh(t, s, failingOn(skillqr.StepLabel))
	for _, number := range got.Changes.Drifted {
		at := slices.IndexFunc(got.Set.Notes, func(n skillqr.Note) bool { return n.Kind == skillqr.NotLabelled && *n.Cluster == number })
		require.GreaterOrEqual(t, at, 0)
		require.Contains(t, got.Set.Notes[at].Text, "the old one stays")
		at = slices.IndexFunc(got.Set.Clusters, func(c skillqr.ClusterNote) bool { return c.Cluster == number })
		require.Equal(t, "algebra / notes on algebra", got.Set.Clusters[at].Label())
	}
}

// drifted is the big shelf with documents of algebra that lie farther out.
func drifted() *shelf {
	s := big()
	first := len(s.ids)
	s.plant("algebra", 0, 60)
	for i := first; i < len(s.ids); i++ {
		s.vectors[i][6+i%20] += 0.9 // each in another direction
	}
	return s
}

// A person who gave a skill to an uncovered cluster, took one away, or deleted
// the notes, has the last word.
func TestWhatAPersonSettledIsNotAskedAbout(t *testing.T) {
	unrevised := func() kept { return minedWith(t, failingOn(skillqr.StepRevise), skillqr.MineOptions{}) }
	for name, c := range map[string]struct {
		kept
		edit func(k kept)
	}{
		"covered by hand": {unrevised(), func(k kept) {
			s := &k.set.Skills[0]
			s.Covers = append(s.Covers, k.numbers("cooking")...)
			slices.Sort(s.Covers)
		}},
		"skill removed": {minedWith(t, failingOn(skillqr.StepJudge, "botany text"), skillqr.MineOptions{}), func(k kept) {
			k.set.Skills = slices.DeleteFunc(k.set.Skills, func(s skillqr.Skill) bool { return s.Name == "botany notes" })
		}},
		"notes deleted": {unrevised(), func(k kept) { k.set.Notes = nil }},
	} {
		t.Run(name, func(t *testing.T) {
			c.edit(c.kept)
			for range 2 { // the second time with a document more
				model := &clerk{}
				s := threeDomains()
				got := c.refresh(t, s, model)
				require.Empty(t, model.asked)
				require.Empty(t, got.Changes.Retried)
				s.plant("algebra", 0, 1)
				got = c.refresh(t, s, model)
				require.Empty(t, model.asked)
				require.Empty(t, got.Changes.Retried)
				c.kept = kept{got.Set, got.Clusters}
				s = s.without(func(id string) bool { return id == "algebra-060" })
				got = c.refresh(t, s, model)
				require.Empty(t, model.asked)
				for _, n := range got.Set.Notes {
					require.False(t, n.Cluster != nil && n.Kind != skillqr.Uncovered, "%v", n)
				}
				c.kept = kept{got.Set, got.Clusters}
			}
		})
	}
}

// Documents without a text cannot be labelled by any model, so that there is
// nothing to ask, until they have one.
func TestClustersWithoutTextAreNotAskedAboutAgain(t *testing.T) {
	s := threeDomains()
	texts := s.texts
	s.texts = map[string]string{}
	for id, text := range texts {
		if !strings.HasPrefix(id, "cooking") {
			s.texts[id] = text
		}
	}
	m := mine(t, s, skillqr.MineOptions{Proposer: &clerk{}})
	require.True(t, m.Set.Degraded())
	k := kept{m.Set, m.Clusters}
	model := &clerk{}
	require.False(t, k.refresh(t, s, model).Changes.Any())
	got := k.refresh(t, s.plant("algebra", 0, 1), model)
	require.Empty(t, model.asked)
	require.True(t, got.Set.Degraded(), "that it is so is still said")

	s.texts = texts
	s.texts["algebra-060"] = "algebra text"
	good := kept{got.Set, got.Clusters}.refresh(t, s, model)
	require.False(t, good.Set.Degraded(), "%v", good.Set.Notes)
	require.Equal(t, k.numbers("cooking"), good.Changes.Retried)
	require.Contains(t, skillNames(good.Set), "cooking notes")

	broken := errors.New("disk is gone")
	corpus, err := skillqr.NewCorpus(s.ids, s.vectors, "planted/1", func(context.Context, []string) ([]string, error) { return nil, broken })
	require.NoError(t, err)
	_, err = skillqr.Refresh(t.Context(), corpus, k.set, k.clusters, skillqr.RefreshOptions{MineOptions: skillqr.MineOptions{Proposer: model}})
	require.ErrorIs(t, err, broken)
}

// A cluster that could not be judged in the first round and was in the second
// lacks nothing.
func TestAFailureThatALaterRoundMadeGoodIsNone(t *testing.T) {
	round := 0
	judge := &clerk{instead: func(req prospect.LLMRequest, _ string) (string, error, bool) {
		if len(lines(req.Prompt, "skills")) == 2 && domainOf(req.Prompt) == "botany" {
			return "", errAway, false
		}
		return "", nil, false
	}}
	m := mine(t, threeDomains(), skillqr.MineOptions{Proposer: failingOn("none"), Judge: judge, Progress: func(step skillqr.Step, done, total int) {
		if step == skillqr.StepRevise && done == total {
			round++
		}
	}})
	require.Equal(t, 1, round)
	require.ErrorIs(t, m.Err, errAway)
	require.False(t, m.Set.Degraded(), "%v", m.Set.Notes)
	require.Empty(t, m.Set.Notes)
}

// Clusters without a label go to the proposer by what is missing in them.
func TestGapsWithoutALabelAreToldApart(t *testing.T) {
	model := failingOn(skillqr.StepLabel, "botany text", "cooking text")
	m := mine(t, threeDomains(), skillqr.MineOptions{Proposer: model})
	var gaps []string
	for _, req := range model.asked {
		if req.SchemaName == "revise" && gaps == nil {
			gaps = strings.Split(strings.TrimSpace(strings.Join(fence.Inside(req.Prompt, "gaps"), "")), "\n")
		}
	}
	require.Equal(t, []string{
		"1. no label (20 documents); missing: knowledge of botany; advice: add a skill",
		"2. no label (10 documents); missing: knowledge of cooking; advice: add a skill",
	}, gaps)
	require.Contains(t, kindsOf(m.Set), skillqr.NotLabelled)
}

func TestOneRoundIsTheKeptOneHoweverOftenASetIsRefreshed(t *testing.T) {
	k := mined(t, threeDomains())
	s := threeDomains()
	for i := range 12 {
		s.plant([]string{"dance", "eating", "flying"}[i%3], 5+i, 12)
		got := k.refresh(t, s, &clerk{})
		require.Empty(t, got.Changes.Retried)
		kept1 := 0
		for _, r := range got.Set.Rounds {
			if r.Kept {
				kept1++
			}
		}
		require.Equal(t, 1, kept1)
		require.LessOrEqual(t, len(got.Set.Rounds), 13, "ten of before, three at most of now")
		require.True(t, slices.IsSortedFunc(got.Set.Rounds, func(a, b skillqr.RoundNote) int { return a.Round - b.Round }))
		k = kept{got.Set, got.Clusters}
	}
	require.GreaterOrEqual(t, k.set.Rounds[len(k.set.Rounds)-1].Round, 13, "the count goes on")
}

// A set and clusters that were not made together have the same numbers for
// other things.
func TestRefreshRefusesClustersOfAnotherSet(t *testing.T) {
	k, other := mined(t, threeDomains()), mined(t, big())
	_, err := skillqr.Refresh(t.Context(), big().corpus(t), k.set, other.clusters, skillqr.RefreshOptions{MineOptions: skillqr.MineOptions{Proposer: &clerk{}}})
	require.ErrorIs(t, err, prospect.ErrIdentity)
}
