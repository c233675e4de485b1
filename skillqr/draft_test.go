package skillqr_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/internal/fence"
	"github.com/prospect-go/prospect/skillqr"
)

// With hundreds of labels a draft prompt shows one word of each, and the groups
// of most documents come first, so that it fits a model's context.
func TestADraftOfHundredsOfLabels(t *testing.T) {
	const k = 300
	s := &shelf{texts: map[string]string{}}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 900 {
		v := make([]float32, shelfDim)
		for j := range v {
			v[j] = float32(random.NormFloat64())
		}
		id := strconv.Itoa(i)
		s.ids, s.vectors, s.texts[id] = append(s.ids, id), append(s.vectors, v), fmt.Sprintf("d%d text", i)
	}
	model := &clerk{instead: func(req prospect.LLMRequest, _ string) (string, error, bool) {
		domain := domainOf(req.Prompt)
		return asJSON(map[string]any{"domain": domain, "content": "notes", "terms": []string{domain + " first", domain + " second"}}), nil, req.SchemaName == "label"
	}}
	mine(t, s, skillqr.MineOptions{Proposer: model, Clusters: k, MaxRounds: 1})
	groups := 0
	for _, req := range model.asked {
		if req.SchemaName != "draft" {
			continue
		}
		last := len(s.ids)
		for _, line := range lines(req.Prompt, "groups") {
			groups++
			var size int
			_, rest, _ := strings.Cut(line, "(")
			_, err := fmt.Sscan(rest, &size)
			require.NoError(t, err)
			require.LessOrEqual(t, size, last, "most documents first")
			last = size
			require.Equal(t, 1, strings.Count(line, " first"), line)
			require.NotContains(t, line, " second", "one word where there are more than 240 groups")
		}
	}
	require.Equal(t, k, groups)
}

// A skill that is proposed twice covers its documents once: when there are too
// many, the 30 documents of algebra outweigh the 20 of botany.
func TestASkillProposedTwiceCountsOnce(t *testing.T) {
	model := &clerk{instead: func(req prospect.LLMRequest, _ string) (string, error, bool) {
		if req.SchemaName != "draft" {
			return "", nil, false
		}
		require.True(t, strings.HasPrefix(lines(req.Prompt, "groups")[1], "botany"))
		return asJSON(map[string]any{"skills": []any{
			skillFor("botany", "groups", []int{2}), skillFor("botany", "groups", []int{2}), skillFor("algebra", "groups", []int{1}),
		}}), nil, true
	}}
	m := mine(t, threeDomains(), skillqr.MineOptions{Proposer: model, MaxSkills: 1, MaxRounds: 1})
	require.Equal(t, []string{"algebra notes"}, skillNames(m.Set))
}

// Names that no model could choose by are dropped, also where they become such
// by being cut.
func TestProposedNamesThatCannotBeChosen(t *testing.T) {
	for _, name := range []string{"7", "none", strings.Repeat("1", 100) + "a", "none" + strings.Repeat("!", 96) + "x"} {
		bad := skillFor("algebra", "groups", []int{1, 2, 3})
		bad["name"] = name
		model := &clerk{instead: func(req prospect.LLMRequest, _ string) (string, error, bool) {
			return asJSON(map[string]any{"skills": []any{bad, skillFor("botany", "groups", []int{2})}}), nil, req.SchemaName == "draft"
		}}
		m := mine(t, threeDomains(), skillqr.MineOptions{Proposer: model, MaxRounds: 1})
		require.Equal(t, []string{"botany notes"}, skillNames(m.Set), name)
		require.Contains(t, kindsOf(m.Set), skillqr.Trimmed)
	}
}

// Of what is missing in clusters of one label, the first three things are
// repeated.
func TestAPromptRepeatsThreeOfTheThingsThatAreMissing(t *testing.T) {
	n := 0
	judge := &clerk{instead: func(prospect.LLMRequest, string) (string, error, bool) {
		n++
		return asJSON(map[string]any{"covered_by": []int{}, "missing": fmt.Sprint("thing ", n), "action": "add", "skill": 0}), nil, true
	}}
	model := &clerk{}
	mine(t, new(shelf).plant("algebra", 0, 60), skillqr.MineOptions{Proposer: model, Judge: judge, Concurrency: 1, MaxRounds: 2})
	var gaps []string
	for _, req := range model.asked {
		if req.SchemaName == "revise" {
			gaps = fence.Inside(req.Prompt, "gaps")
		}
	}
	require.Len(t, gaps, 1)
	require.Contains(t, gaps[0], "missing: thing 1; thing 2; thing 3; advice: add a skill")
}

// Ids may be any bytes; a file for people names those that are text.
func TestIDsThatAreNoTextAreNotInTheSet(t *testing.T) {
	s := threeDomains()
	for i, id := range s.ids {
		if i%2 == 0 {
			s.ids[i] = id + "\xff"
			s.texts[s.ids[i]] = s.texts[id]
		}
	}
	m := mine(t, s, skillqr.MineOptions{Proposer: &clerk{}, Listed: 4})
	named := 0
	for _, c := range m.Set.Clusters {
		named += len(c.Documents)
		for _, id := range c.Documents {
			require.NotContains(t, id, "\xff")
		}
	}
	require.Positive(t, named)
	_, err := m.Set.YAML()
	require.NoError(t, err)
}
