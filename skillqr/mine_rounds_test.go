package skillqr_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/internal/fence"
	"github.com/prospect-go/prospect/skillqr"
)

func TestAJudgeThatNeverAgrees(t *testing.T) {
	never := &clerk{instead: func(req prospect.LLMRequest, _ string) (string, error, bool) {
		return `{"covered_by": [], "missing": "something else", "action": "broaden", "skill": 1}`, nil, true
	}}
	proposer := &clerk{}
	m := mine(t, threeDomains(), skillqr.MineOptions{Proposer: proposer, Judge: never})
	require.Len(t, m.Set.Skills, 3, "what was drafted stays; nothing shows that it is bad")
	require.Zero(t, m.Set.Coverage())
	require.Equal(t, []skillqr.NoteKind{skillqr.Uncovered}, kindsOf(m.Set))
	require.Len(t, m.Set.Notes, 8)
	for _, c := range m.Set.Clusters {
		require.Equal(t, "something else", c.Missing)
	}
	// The clerk's revision repeats the skills: with nothing new, the judge is
	// not asked again.
	require.Equal(t, map[string]int{"judge": 8}, never.calls())

	// A proposer that changes something each time is asked MaxRounds − 1 times.
	n := 0
	restless := &clerk{instead: func(req prospect.LLMRequest, _ string) (string, error, bool) {
		if req.SchemaName != "revise" {
			return "", nil, false
		}
		n++
		return asJSON(map[string]any{"skills": []any{skillFor(fmt.Sprint("try ", n), "gaps", []int{1})}}), nil, true
	}}
	m = mine(t, threeDomains(), skillqr.MineOptions{Proposer: restless, Judge: never, MaxRounds: 4})
	require.Equal(t, 3, restless.calls()["revise"])
	require.Len(t, m.Set.Rounds, 4)
	require.True(t, m.Set.Rounds[3].Kept, "of equal rounds the last, which answers most of the judge")
}

// A revision that makes it worse is not kept.
func TestTheBestRoundIsKept(t *testing.T) {
	worse := &clerk{drafts: []string{"algebra"}, instead: func(req prospect.LLMRequest, _ string) (string, error, bool) {
		return asJSON(map[string]any{"skills": []any{skillFor("cooking", "gaps", []int{1})}}), nil, req.SchemaName == "revise"
	}}
	m := mine(t, threeDomains(), skillqr.MineOptions{Proposer: worse, MaxRounds: 2, MaxSkills: 1})
	require.Equal(t, []string{"algebra notes"}, skillNames(m.Set))
	require.Equal(t, []bool{true, false}, []bool{m.Set.Rounds[0].Kept, m.Set.Rounds[1].Kept})
	require.Equal(t, 0.5, m.Set.Coverage())
}

// A revision that gives but the new skills takes nothing away.
func TestARevisionMayLeaveOutOldSkills(t *testing.T) {
	only := &clerk{drafts: []string{"algebra"}, instead: func(req prospect.LLMRequest, _ string) (string, error, bool) {
		return asJSON(map[string]any{"skills": []any{skillFor("cooking", "gaps", []int{2}), skillFor("botany", "gaps", []int{1})}}), nil, req.SchemaName == "revise"
	}}
	m := mine(t, threeDomains(), skillqr.MineOptions{Proposer: only})
	require.Equal(t, []string{"algebra notes", "botany notes", "cooking notes"}, skillNames(m.Set))
	require.Equal(t, 1.0, m.Set.Coverage())
	require.Equal(t, []skillqr.NoteKind{skillqr.Trimmed}, kindsOf(m.Set))
}

// An instruction that only repeats the skill's name and "when", be it the old
// one, does not replace what is there.
func TestAnEchoChangesNoSkill(t *testing.T) {
	for _, when := range []string{"", "The query asks about algebra."} {
		proposer := &clerk{drafts: []string{"algebra"}, instead: func(req prospect.LLMRequest, _ string) (string, error, bool) {
			return asJSON(map[string]any{"skills": []any{
				map[string]any{"name": "algebra notes", "when": when, "instruction": "Algebra notes: the query asks about algebra.", "gaps": []int{}},
			}}), nil, req.SchemaName == "revise"
		}}
		m := mine(t, threeDomains(), skillqr.MineOptions{Proposer: proposer, MaxRounds: 2})
		require.Equal(t, []string{"algebra notes"}, skillNames(m.Set))
		require.Equal(t, "Add the words of algebra.", m.Set.Skills[0].Instruction)
		require.Equal(t, "drafted", m.Set.Skills[0].Origin)
	}
}

func TestBroadeningKeepsTheNameAndIsJudgedAgain(t *testing.T) {
	judge := &clerk{instead: func(req prospect.LLMRequest, own string) (string, error, bool) {
		// All is covered once the skill speaks of everything.
		if strings.Contains(strings.Join(fence.Inside(req.Prompt, "skills"), ""), "everything") {
			return `{"covered_by": [1]}`, nil, true
		}
		return strings.ReplaceAll(strings.ReplaceAll(own, `"add"`, `"broaden"`), `"skill":0`, `"skill":1`), nil, true
	}}
	proposer := &clerk{drafts: []string{"algebra"}, instead: func(req prospect.LLMRequest, _ string) (string, error, bool) {
		if req.SchemaName == "revise" {
			require.Contains(t, req.Prompt, "advice: broaden skill 1")
		}
		return `{"skills": [{"name": "Algebra Notes", "when": "", "instruction": "Add everything.", "gaps": [1, 2]}]}`, nil, req.SchemaName == "revise"
	}}
	m := mine(t, threeDomains(), skillqr.MineOptions{Proposer: proposer, Judge: judge})
	require.Equal(t, []string{"algebra notes"}, skillNames(m.Set))
	s := m.Set.Skills[0]
	require.Equal(t, "Add everything.", s.Instruction)
	require.Equal(t, "The query asks about algebra.", s.When, "what is blank in the answer stays")
	require.Equal(t, "drafted; revised after round 1", s.Origin)
	require.False(t, s.Edited())
	require.Equal(t, 8, m.Set.Rounds[1].Asked, "also about what the skill covered before it changed")
	require.Equal(t, 1.0, m.Set.Coverage())
}
