package skillqr_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/skillqr"
)

// steps of mining that ask a model.
var steps = []skillqr.Step{skillqr.StepLabel, skillqr.StepDraft, skillqr.StepJudge, skillqr.StepRevise}

// saying is a clerk that says something else in one step. Its draft lacks two
// domains, so that every step is taken.
func saying(step skillqr.Step, say func(own string) string) *clerk {
	return &clerk{drafts: []string{"algebra"}, instead: func(req prospect.LLMRequest, own string) (string, error, bool) {
		if skillqr.Step(req.SchemaName) != step {
			return "", nil, false
		}
		return say(own), nil, true
	}}
}

// Whatever a model says in whichever step, there is a valid set, within the
// number of calls that is promised.
func TestMineStandsEveryMalformedAnswer(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "internal", "answer", "testdata", "*", "*.answer"))
	require.NoError(t, err)
	require.Greater(t, len(files), 80)
	corpus := new(shelf).plant("algebra", 0, 3).plant("botany", 1, 2).plant("cooking", 2, 1).corpus(t)
	clusters, err := skillqr.Cluster(t.Context(), corpus, skillqr.ClusterOptions{K: 3})
	require.NoError(t, err)
	k, rounds := clusters.Len(), 3
	for _, step := range steps {
		for _, file := range files {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			model := saying(step, func(string) string { return string(data) })
			m, err := skillqr.Mine(t.Context(), corpus, clusters, skillqr.MineOptions{Proposer: model})
			require.NoError(t, err, "%s: %s", step, file)
			require.NoError(t, m.Set.Validate(), "%s: %s", step, file)
			require.NoError(t, m.Err, "%s: %s", step, file)
			require.LessOrEqual(t, len(m.Set.Skills), 5)
			require.LessOrEqual(t, m.Calls, 2*(k*(1+rounds)+rounds))
			require.Len(t, m.Set.Clusters, k)
			_, err = m.Set.YAML()
			require.NoError(t, err)
		}
	}
}

// Forms that models like, of the right answer: each gives the same set.
func TestMineReadsTheFormsThatModelsLike(t *testing.T) {
	for name, form := range map[string]func(own string) string{
		"fenced":          func(own string) string { return "Here you are:\n```json\n" + own + "\n```\nAnything else?" },
		"reasoning":       func(own string) string { return "<think>{\"skills\": 3}? Hm.</think>" + own },
		"in a list":       func(own string) string { return "[" + own + "]" },
		"wrapped":         func(own string) string { return `{"result": ` + own + `}` },
		"single quotes":   func(own string) string { return strings.ReplaceAll(own, `"`, `'`) },
		"trailing commas": func(own string) string { return strings.ReplaceAll(strings.ReplaceAll(own, "}", ",}"), "]", ",]") },
		"other case": func(own string) string {
			return strings.NewReplacer(`"domain"`, `"Domain"`, `"skills"`, `"Skills"`, `"covered_by"`, `"Covered By"`).Replace(own)
		},
		"numbers as texts": func(own string) string {
			return strings.NewReplacer("[1]", `["1"]`, "[1,2", `["1","2"`, `"skill":0`, `"skill":"0"`).Replace(own)
		},
		"near names": func(own string) string {
			return strings.NewReplacer(`"content"`, `"content_type"`, `"when"`, `"when_to_use"`, `"instruction"`, `"instructions"`).Replace(own)
		},
		"a number for a list": func(own string) string { return strings.ReplaceAll(own, "[1]", "1") },
	} {
		for _, step := range steps {
			t.Run(fmt.Sprint(name, "/", step), func(t *testing.T) {
				want := mine(t, threeDomains(), skillqr.MineOptions{Proposer: saying(step, func(own string) string { return own })})
				got := mine(t, threeDomains(), skillqr.MineOptions{Proposer: saying(step, form)})
				require.Equal(t, want.Set, got.Set)
				require.Equal(t, want.Calls, got.Calls, "no second attempt")
			})
		}
	}
}

// A draft or revision may be just the list of skills.
func TestMineReadsABareListOfSkills(t *testing.T) {
	for _, step := range []skillqr.Step{skillqr.StepDraft, skillqr.StepRevise} {
		want := mine(t, threeDomains(), skillqr.MineOptions{Proposer: saying(step, func(own string) string { return own })})
		got := mine(t, threeDomains(), skillqr.MineOptions{Proposer: saying(step, func(own string) string {
			return strings.TrimSuffix(strings.TrimPrefix(own, `{"skills":`), "}")
		})})
		require.Equal(t, want.Set, got.Set, step)
	}
}

// The judge may name skills where numbers were asked.
func TestTheJudgeMayGiveNames(t *testing.T) {
	m := mine(t, threeDomains(), skillqr.MineOptions{Proposer: &clerk{}, Judge: saying(skillqr.StepJudge, func(own string) string {
		return strings.NewReplacer("[1]", `["Algebra Notes"]`, "[2]", `"skill 2: botany notes"`, "[3]", `[{"name": "cooking notes"}]`).Replace(own)
	})})
	require.Equal(t, 1.0, m.Set.Coverage())
	require.Empty(t, m.Set.Notes)
}

func TestANumberThatIsNoSkillIsAskedForAgain(t *testing.T) {
	asked := 0
	judge := saying(skillqr.StepJudge, func(own string) string {
		if asked++; asked == 1 {
			return `{"covered_by": [17], "missing": ""}`
		}
		return own
	})
	m := mine(t, threeDomains(), skillqr.MineOptions{Proposer: &clerk{}, Judge: judge, Concurrency: 1})
	require.Equal(t, 1.0, m.Set.Coverage())
	require.Equal(t, 9, asked, "8 clusters and a second attempt")
	require.Contains(t, judge.asked[1].Prompt, `"17" is neither a number from 1 to 3 nor a name`)
}

func TestWhatWasNotJudgedCountsAsClaimed(t *testing.T) {
	m := mine(t, threeDomains(), skillqr.MineOptions{Proposer: &clerk{drafts: []string{"algebra", "botany"}}, Judge: saying(skillqr.StepJudge, func(string) string { return "I'd rather not." })})
	require.True(t, m.Set.Degraded())
	require.Contains(t, kindsOf(m.Set), skillqr.NotJudged)
	// The draft claims what is of algebra and botany; the revision the rest.
	require.Equal(t, []string{"algebra notes", "botany notes", "cooking notes"}, skillNames(m.Set))
	for _, c := range m.Set.Clusters {
		require.Equal(t, c.Domain+" notes", m.Set.Skills[m.Set.CoveredBy(c.Cluster)[0]].Name)
	}
}

func TestAClusterWithoutALabelIsFoundByTheJudge(t *testing.T) {
	m := mine(t, threeDomains(), skillqr.MineOptions{Proposer: &clerk{instead: func(req prospect.LLMRequest, own string) (string, error, bool) {
		return "…", nil, skillqr.Step(req.SchemaName) == skillqr.StepLabel && strings.Contains(own, "cooking")
	}}})
	require.Contains(t, kindsOf(m.Set), skillqr.NotLabelled)
	require.Len(t, m.Set.Rounds, 2)
	require.Contains(t, skillNames(m.Set), "algebra notes")
	require.Less(t, m.Set.Rounds[0].Share, 1.0, "the draft did not see cooking")
}

func TestWithoutLabelsTheGenericSkillIsLeft(t *testing.T) {
	m := mine(t, threeDomains(), skillqr.MineOptions{Proposer: saying(skillqr.StepLabel, func(string) string { return "{}" }), MaxRounds: 1})
	require.Empty(t, m.Set.Skills)
	require.Equal(t, skillqr.Generic(), m.Set.Generic)
	require.Subset(t, kindsOf(m.Set), []skillqr.NoteKind{skillqr.NotLabelled, skillqr.NotDrafted, skillqr.Uncovered})
	require.True(t, m.Set.Degraded())
}

func TestADraftWithoutSkillsIsMadeGoodByTheRevision(t *testing.T) {
	model := saying(skillqr.StepDraft, func(string) string { return `{"skills": []}` })
	m := mine(t, threeDomains(), skillqr.MineOptions{Proposer: model})
	require.Equal(t, []string{"algebra notes", "botany notes", "cooking notes"}, skillNames(m.Set))
	require.Equal(t, 2, model.calls()["draft"], "it is asked once more")
	require.Empty(t, m.Set.Notes)
	require.False(t, m.Set.Degraded(), "nothing is missing")
	require.Zero(t, m.Set.Rounds[0].Asked, "there is nothing to ask the judge about no skills")
	require.Equal(t, 8, model.calls()["judge"])
}

func TestAProposerWithoutSkillsLeavesTheGenericOne(t *testing.T) {
	none := func(req prospect.LLMRequest, own string) (string, error, bool) {
		step := skillqr.Step(req.SchemaName)
		return `{"skills": []}`, nil, step == skillqr.StepDraft || step == skillqr.StepRevise
	}
	m := mine(t, threeDomains(), skillqr.MineOptions{Proposer: &clerk{instead: none}})
	require.Empty(t, m.Set.Skills)
	require.Equal(t, []skillqr.NoteKind{skillqr.NotDrafted, skillqr.NotRevised, skillqr.Uncovered}, kindsOf(m.Set))
	require.Len(t, m.Set.Rounds, 1)
}

func TestOfFiftySkillsThoseThatCoverMostAreKept(t *testing.T) {
	fifty := func(string) string {
		skills := []any{}
		for i := range 47 {
			skills = append(skills, skillFor(fmt.Sprintf("idle %d", i), "groups", []int{}))
		}
		// The groups come by size: algebra, botany, cooking.
		skills = append(skills, skillFor("cooking", "groups", []int{3}), skillFor("algebra", "groups", []int{1}), skillFor("botany", "groups", []int{2}))
		return asJSON(map[string]any{"skills": skills})
	}
	m := mine(t, threeDomains(), skillqr.MineOptions{Proposer: saying(skillqr.StepDraft, fifty), MaxSkills: 4})
	require.Equal(t, []string{"algebra notes", "botany notes", "cooking notes", "idle 0 notes"}, skillNames(m.Set))
	require.Equal(t, []skillqr.NoteKind{skillqr.TooMany}, kindsOf(m.Set))
	require.Contains(t, m.Set.Notes[0].Text, "50 skills")
	require.False(t, m.Set.Degraded())
}

// By documents covered that no better one covers: 1 covers 30 + 20, of which
// the second has only 20 and the third 20 + 10, so the third is next with 10.
func TestTheChoiceOfSkillsCountsEachDocumentOnce(t *testing.T) {
	draft := func(string) string {
		return asJSON(map[string]any{"skills": []any{
			skillFor("botany", "groups", []int{2}),
			skillFor("botany and cooking", "groups", []int{2, 3}),
			skillFor("algebra and botany", "groups", []int{1, 2}),
		}})
	}
	m := mine(t, threeDomains(), skillqr.MineOptions{Proposer: saying(skillqr.StepDraft, draft), MaxSkills: 2, MaxRounds: 1})
	require.ElementsMatch(t, []string{"botany and cooking notes", "algebra and botany notes"}, skillNames(m.Set))
}

func TestDuplicateAndReservedNames(t *testing.T) {
	draft := func(string) string {
		return asJSON(map[string]any{"skills": []any{
			skillFor("algebra", "groups", []int{1}),
			map[string]any{"name": "ALGEBRA  Notes", "when": "other", "instruction": "other", "groups": []int{2}},
			map[string]any{"name": "Generic", "when": "always", "instruction": "anything", "groups": []int{3}},
			map[string]any{"name": "no texts", "when": "", "instruction": "...", "groups": []int{3}},
			map[string]any{"name": "3. no when", "instruction": "Add words of botany and cooking.", "groups": "2-3"},
			"nonsense",
		}})
	}
	m := mine(t, threeDomains(), skillqr.MineOptions{Proposer: saying(skillqr.StepDraft, draft), MaxRounds: 1})
	require.Equal(t, []string{"algebra notes", "no when"}, skillNames(m.Set))
	require.Equal(t, "The query asks about algebra.", m.Set.Skills[0].When, "the first of a name counts")
	require.Equal(t, "The query is about no when.", m.Set.Skills[1].When)
	trimmed := 0
	for _, n := range m.Set.Notes {
		if n.Kind == skillqr.Trimmed {
			trimmed++
		}
	}
	// A second of one name, the generic one's name, no texts, no when, nonsense.
	require.Equal(t, 5, trimmed, "%v", m.Set.Notes)
}

func TestLongAndDirtyTextsAreCut(t *testing.T) {
	draft := func(string) string {
		return asJSON(map[string]any{"skills": []any{map[string]any{
			"name": "algebra\nbotany cooking" + strings.Repeat("x", 200), "when": strings.Repeat("w", 1000),
			"instruction": "algebra botany cooking \x00\u0007\r\n" + strings.Repeat("é", 5000), "groups": []int{1, 2, 3},
		}}})
	}
	m := mine(t, threeDomains(), skillqr.MineOptions{Proposer: saying(skillqr.StepDraft, draft)})
	require.Len(t, m.Set.Skills, 1)
	s := m.Set.Skills[0]
	require.Len(t, s.Name, 100)
	require.Len(t, s.When, 600)
	require.Len(t, []rune(s.Instruction), 3000)
	require.True(t, strings.HasPrefix(s.Instruction, "algebra botany cooking\né"), "%q", s.Instruction[:40])
	require.Equal(t, []skillqr.NoteKind{skillqr.Trimmed}, kindsOf(m.Set))
}
