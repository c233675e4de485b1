package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect/llm"
	"github.com/prospect-go/prospect/skillqr"
)

var hives = map[string]string{
	"mites.md":      "# Varroa\n\nVarroa mites in the brood weaken a colony.",
	"honey.txt":     "Uncap the frames, spin out the honey and let it settle.",
	"swarm/move.md": "# Swarms\n\nA swarm moves into a box that smells of old wax.",
	"blank.md":      " \n",
	"bytes.txt":     "\x00\xff",
}

// With a service: mining writes a file that a person may edit, asking reads it,
// and what was answered once is not asked again.
func TestMineAndAskWithAService(t *testing.T) {
	service := newLibrarian(t)
	docs, dir := folder(t, hives), t.TempDir()
	skills, record := filepath.Join(dir, "skills.yaml"), filepath.Join(dir, "answers.jsonl")
	flags := []string{"-docs", docs, "-skills", skills, "-llm", service.URL + "/v1", "-model", "m", "-record", record}

	got := rewrite(t, append([]string{"mine", "-groups", "1"}, flags...)...)
	require.Zero(t, got.code, got.err)
	require.ElementsMatch(t, []string{"label", "draft", "judge"}, service.take())
	require.Contains(t, got.out, "documents 3 in")
	require.Contains(t, got.out, "left out: blank.md: empty; bytes.txt: empty")
	require.Contains(t, got.out, "beekeeping / notes → Bees")
	require.Contains(t, got.out, "The skills are in "+skills)
	require.FileExists(t, filepath.Join(dir, "skills.clusters"))

	got = rewrite(t, append([]string{"mine"}, flags...)...)
	require.Equal(t, exitFailure, got.code)
	require.Contains(t, got.err, "is there already")
	require.Empty(t, service.take())

	edited, err := os.ReadFile(skills)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(skills, []byte(strings.ReplaceAll(string(edited), "Use a beekeeper's words.", "Use Latin.")), 0o644))

	for _, by := range []string{"words", "vectors", "both"} {
		got = rewrite(t, append(append([]string{"ask", "-by", by, "-k", "2"}, flags...), "tiny spiders on the larvae")...)
		require.Zero(t, got.code, got.err)
		require.Contains(t, got.out, "added     varroa mites in the brood")
		require.Contains(t, got.out, "it is about bees")
		_, after, _ := strings.Cut(got.out, "After\n")
		require.Regexp(t, `^ .*   1   mites\.md`, after)
	}
	require.ElementsMatch(t, []string{"route", "rewrite"}, service.take(), "the others are in the file")
	request, err := os.ReadFile(record)
	require.NoError(t, err)
	require.Contains(t, string(request), "Use Latin.", "the edited instruction is used")

	// Everything is in the file now, so no service is needed.
	service.leave()
	replay := []string{"-docs", docs, "-skills", skills, "-replay", record}
	got = rewrite(t, append(append([]string{"ask"}, replay...), "tiny spiders on the larvae")...)
	require.Zero(t, got.code, got.err)
	require.Contains(t, got.out, "added     varroa mites in the brood")
	got = rewrite(t, append([]string{"mine", "-again", "-groups", "1"}, replay...)...)
	require.Zero(t, got.code, got.err)
	set, err := skillqr.Load(skills)
	require.NoError(t, err)
	require.Equal(t, "Use a beekeeper's words.", set.Skills[0].Instruction, "-again overwrites")
	require.Empty(t, service.take())
}

// A question whose rewrite cannot be had is searched as it was asked.
func TestAServiceThatFails(t *testing.T) {
	service := newLibrarian(t)
	docs, skills := folder(t, hives), filepath.Join(t.TempDir(), "skills.json")
	flags := []string{"-docs", docs, "-skills", skills, "-llm", service.URL + "/v1", "-model", "m"}
	require.Zero(t, rewrite(t, append([]string{"mine"}, flags...)...).code)
	service.leave()
	got := rewrite(t, append(append([]string{"ask"}, flags...), "swarm")...)
	require.Zero(t, got.code, got.err)
	require.Contains(t, got.out, "nothing: it is searched as it was asked")
	require.Contains(t, got.out, "on holiday")
	require.Contains(t, got.out, " 1   swarm/move.md")

	got = rewrite(t, append([]string{"mine", "-again"}, flags...)...)
	require.Equal(t, exitFailure, got.code)
	require.Contains(t, got.err, "on holiday")
	_, err := skillqr.Load(skills)
	require.NoError(t, err, "the old file is still there")
}

// Groups of documents that have changed since are made anew.
func TestDocumentsThatChanged(t *testing.T) {
	service := newLibrarian(t)
	docs, skills := folder(t, hives), filepath.Join(t.TempDir(), "skills.yaml")
	flags := []string{"mine", "-docs", docs, "-skills", skills, "-llm", service.URL + "/v1", "-model", "m", "-again"}
	require.Zero(t, rewrite(t, flags...).code)
	require.NoError(t, os.WriteFile(filepath.Join(docs, "new.md"), []byte("Feed sugar in autumn."), 0o644))
	got := rewrite(t, flags...)
	require.Zero(t, got.code, got.err)
	require.Contains(t, got.out, "mining    4 documents")
	require.NoError(t, os.WriteFile(strings.TrimSuffix(skills, ".yaml")+".clusters", []byte("no clusters"), 0o644))
	got = rewrite(t, flags...)
	require.Equal(t, exitFailure, got.code)
	require.Contains(t, got.err, "skills.clusters")
}

// A refresh asks about documents of a new kind alone, and keeps what a person
// wrote.
func TestRefresh(t *testing.T) {
	service := newLibrarian(t)
	docs, skills := folder(t, hives), filepath.Join(t.TempDir(), "skills.yaml")
	flags := []string{"-docs", docs, "-skills", skills, "-llm", service.URL + "/v1", "-model", "m"}
	got := rewrite(t, append([]string{"refresh"}, flags...)...)
	require.Equal(t, exitFailure, got.code)
	require.Contains(t, got.err, "let mine write it first")
	require.Zero(t, rewrite(t, append([]string{"mine", "-groups", "1"}, flags...)...).code)
	edited, err := os.ReadFile(skills)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(skills, []byte(strings.ReplaceAll(string(edited), "Use a beekeeper's words.", "Use Latin.")), 0o644))
	service.take()

	got = rewrite(t, append([]string{"refresh"}, flags...)...)
	require.Zero(t, got.code, got.err)
	require.Contains(t, got.out, "nothing has changed")
	require.Empty(t, service.take())

	for _, name := range []string{"one", "two", "three", "four"} {
		require.NoError(t, os.WriteFile(filepath.Join(docs, name+".md"), []byte("# Interest rate "+name+"\n\nThe central bank sets the interest rate of loans to banks: "+name+" per cent."), 0o644))
	}
	got = rewrite(t, append([]string{"refresh"}, flags...)...)
	require.Zero(t, got.code, got.err)
	require.Contains(t, service.take(), "judge")
	require.Contains(t, got.out, "refresh   7 documents in 2 groups")
	require.Contains(t, got.out, "documents: 4 added")
	require.Contains(t, got.out, "new clusters: 1")
	set, err := skillqr.Load(skills)
	require.NoError(t, err)
	require.Equal(t, "Use Latin.", set.Skills[0].Instruction)

	require.NoError(t, os.Remove(strings.TrimSuffix(skills, ".yaml")+".clusters"))
	got = rewrite(t, append([]string{"refresh"}, flags...)...)
	require.Equal(t, exitFailure, got.code)
	require.Contains(t, got.err, "skills.clusters")
}

// What a recording lacks is written down, so that somebody may answer it.
func TestMissingAnswersAreWrittenDown(t *testing.T) {
	docs, dir := folder(t, hives), t.TempDir()
	missing := filepath.Join(dir, "open.jsonl")
	replay := filepath.Join(dir, "answers.jsonl")
	flags := []string{"mine", "-docs", docs, "-skills", filepath.Join(dir, "s.yaml"), "-groups", "1", "-replay", replay, "-missing", missing}
	answers := []string{
		`{"domain": "beekeeping", "content": "notes", "terms": ["hive"]}`,
		`{"skills": [{"name": "Bees", "when": "about bees", "instruction": "Use a beekeeper's words.", "groups": [1]}]}`,
		`{"reason": "fits", "covered_by": [1], "missing": "", "action": "none", "skill": 0}`,
	}
	for i, answer := range answers {
		got := rewrite(t, flags...)
		if i < 2 {
			require.Equal(t, exitFailure, got.code, "no label, no draft: no skills")
			require.Contains(t, got.err, "the requests are in "+missing)
		} else {
			require.Zero(t, got.code)
			require.Contains(t, got.err, "some calls of the model failed")
			require.Contains(t, got.out, "note      not judged")
			require.NoError(t, os.Remove(filepath.Join(dir, "s.yaml")))
		}
		line, err := os.ReadFile(missing)
		require.NoError(t, err)
		var e llm.Entry
		require.NoError(t, json.Unmarshal(line, &e), "one line")
		require.Nil(t, e.Response)
		answered, err := json.Marshal(map[string]any{"key": e.Key, "response": answer})
		require.NoError(t, err)
		f, err := os.OpenFile(replay, os.O_APPEND|os.O_WRONLY, 0)
		require.NoError(t, err)
		_, err = f.Write(append(answered, '\n'))
		require.NoError(t, err)
		require.NoError(t, f.Close())
	}
	got := rewrite(t, flags...)
	require.Zero(t, got.code, got.err)
	require.Empty(t, got.err)
	require.Contains(t, got.out, "→ Bees")
	left, err := os.ReadFile(missing)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got := rewriteWith(t, ctx)
	require.Equal(t, exitFailure, got.code)
	require.Equal(t, "rewrite: interrupted\n", got.err)
}
