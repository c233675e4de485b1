package main

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// run the bundled tasks once, as JSON.
func bundledDocument(t *testing.T) document {
	t.Helper()
	got := skillfind(t, "-skills", bundledSkills, "-tasks", bundledTasks, "-gallery", galleryFile(t), "-task", "all", "-json")
	require.Zero(t, got.code, got.err)
	require.Empty(t, got.err)
	var doc document
	require.NoError(t, json.Unmarshal([]byte(got.out), &doc))
	return doc
}

// TestAnyGoodModel holds what must be true whatever the built-in model is: the
// demo would show nothing otherwise.
func TestAnyGoodModel(t *testing.T) {
	doc := bundledDocument(t)
	require.Len(t, doc.Tasks, 10)
	needed, plain, dream := 0, 0, 0
	for _, task := range doc.Tasks {
		needed += len(task.Needed)
		plain += len(task.Plain.Found)
		dream += len(task.SkillDreamer.Found)
		require.GreaterOrEqual(t, len(task.SkillDreamer.Found), len(task.Plain.Found), "%s: imagining did harm", task.ID)
	}
	require.Equal(t, 36, needed)
	require.Greater(t, dream, plain, "imagined skills find more than the task's words")
	require.GreaterOrEqual(t, dream, 29, "four in five of the skills needed")
}

func TestTheReasonsAddUp(t *testing.T) {
	for _, task := range bundledDocument(t).Tasks {
		r := task.SkillDreamer
		require.Equal(t, byRecord, task.Basis)
		require.True(t, task.Plain.Plain)
		require.False(t, r.Plain)
		require.Len(t, r.Skills, 5)
		require.Equal(t, len(task.Needed), len(r.Found)+len(r.Missed))
		for i, s := range r.Skills {
			require.Equal(t, i+1, s.Rank)
			c := r.Imagined.Capabilities[s.Capability]
			require.Equal(t, c.Text, s.ForCapability)
			require.Equal(t, c.Skill.Name, s.ImaginedAs)
			x := s.Scores
			require.InDelta(t, 2*x.NormTask+x.NormImagined+x.NormAnchors, x.Total, 1e-9)
			require.InDelta(t, 2*x.Task+x.Imagined, x.Combined, 1e-5)
			at := r.Trace.Lists[s.Capability].Candidates[x.Rank-1]
			require.Equal(t, s.ID, at.ID)
		}
	}
}

func TestLinesFitATerminal(t *testing.T) {
	gallery := galleryFile(t)
	for _, extra := range [][]string{nil, {"-explain"}} {
		got := skillfind(t, append([]string{"-skills", bundledSkills, "-tasks", bundledTasks, "-gallery", gallery, "-task", "all"}, extra...)...)
		require.Zero(t, got.code, got.err)
		require.True(t, utf8.ValidString(got.out))
		require.NotContains(t, got.out, "\x1b")
		for line := range strings.Lines(got.out) {
			if !strings.Contains(line, gallery) && !strings.HasPrefix(line, "identity") {
				require.LessOrEqual(t, textWidth(strings.TrimRight(line, "\n")), lineWidth, line)
			}
		}
	}
}

func TestWithoutATaskTwoAreShownAndTheOthersNamed(t *testing.T) {
	got := skillfind(t, "-skills", bundledSkills, "-tasks", bundledTasks, "-gallery", galleryFile(t))
	require.Zero(t, got.code, got.err)
	for _, id := range showcase {
		require.Contains(t, got.out, "── Task "+id)
	}
	require.Equal(t, 2, strings.Count(got.out, "── Task "))
	_, others, _ := strings.Cut(got.out, "Other tasks")
	require.Contains(t, others, "which-anna")
	require.NotContains(t, others, showcase[0])
}

func TestATaskIsKnownByItsWords(t *testing.T) {
	set, err := readBundle(bundledTasks)
	require.NoError(t, err)
	spaced := "\n" + strings.ReplaceAll(set.tasks[7].Text, " ", "\n  ")
	got := skillfindWith(t, t.Context(), spaced, "-skills", bundledSkills, "-tasks", bundledTasks, "-gallery", galleryFile(t), "-task", "-")
	require.Zero(t, got.code, got.err)
	require.Contains(t, got.out, "── Task which-anna")
	require.Contains(t, got.out, "recorded answers")
}

func TestAnUnknownTaskIsSearchedPlainly(t *testing.T) {
	gallery := galleryFile(t)
	args := []string{"-skills", bundledSkills, "-tasks", bundledTasks, "-gallery", gallery, "-task", "count the mites on my bees"}
	got := skillfind(t, args...)
	require.Zero(t, got.code, got.err)
	require.Contains(t, got.out, "Plain retrieval only: there is no recorded answer for this task")
	require.Contains(t, got.out, "varroa-mite-wash")
	require.NotContains(t, got.out, "SkillDreamer")

	got = skillfind(t, append(args, "-json", "-k", "2")...)
	var doc document
	require.NoError(t, json.Unmarshal([]byte(got.out), &doc))
	require.Equal(t, byNobody, doc.Tasks[0].Basis)
	require.Nil(t, doc.Tasks[0].SkillDreamer)
	require.Len(t, doc.Tasks[0].Plain.Skills, 2)
	require.Len(t, doc.OtherTasks, 10)
}
