package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUsage(t *testing.T) {
	for _, c := range []struct{ args, says string }{
		{"", "-skills is missing"},
		{"-skills x", "-task is missing"},
		{"-skills , -task x", "a folder has no name"},
		{"-skills =x -task x", "no name for a source"},
		{"-skills a:b=x -task x", "no name for a source"},
		{"-skills a=x,a=y -task x", `two sources called "a"`},
		{"-skills x -task x -k 0", "-k is 0"},
		{"-skills x -task x -k many", "-k"},
		{"-skills x -task x -max-tokens -1", "-max-tokens is -1"},
		{"-skills x -task x -temperature hot", "want a number from 0 to 2"},
		{"-skills x -task x -temperature NaN", "want a number from 0 to 2"},
		{"-skills x -task x -timeout 0s", "-timeout is 0s"},
		{"-skills x -task x -llm http://localhost/v1", "-llm needs -model"},
		{"-skills x -task x -model m", "-model needs -llm"},
		{"-skills x -task x -model m -llm localhost:80", "not a URL"},
		{"-skills x -task x -model m -llm http://me:word@localhost", "OPENAI_API_KEY"},
		{"-skills x -task two words", `"words" is not a flag`},
		{"-skills x -task x -embedder=", "-embedder is empty"},
		{"-nonsense", "-nonsense"},
	} {
		got := skillfind(t, strings.Fields(c.args)...)
		require.Equal(t, exitUsage, got.code, c.args)
		require.Contains(t, got.err, c.says, c.args)
		require.NotContains(t, got.err, "word@", "no secrets in messages")
		require.Empty(t, got.out)
	}
}

func TestHelp(t *testing.T) {
	got := skillfind(t, "-h")
	require.Zero(t, got.code)
	require.Empty(t, got.err)
	for _, flag := range []string{"-skills", "-task", "-tasks", "-k", "-explain", "-json", "-listing", "-gallery", "-llm", "-model", "-embedder", "-temperature", "-max-tokens", "-timeout"} {
		require.Contains(t, got.out, "  "+flag)
	}
	for line := range strings.Lines(got.out) {
		require.LessOrEqual(t, textWidth(strings.ReplaceAll(line, "\t", strings.Repeat(" ", 8))), lineWidth+1, line)
	}
}

func TestFailuresNameTheCulprit(t *testing.T) {
	dir := t.TempDir()
	writeSkill(t, dir, "bees", "Keep bees.")
	file := func(name, text string) string {
		folder := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(folder, "tasks.jsonl"), []byte(`{"id": "a", "text": "b"}`), 0o644))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "llm_outputs.jsonl"), nil, 0o644))
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
		return folder
	}
	for _, c := range []struct {
		name string
		args []string
		says string
	}{
		{"no folder", []string{"-skills", filepath.Join(dir, "none"), "-task", "x"}, "cannot open the folder"},
		{"no skills", []string{"-skills", t.TempDir(), "-task", "x"}, "no folder under -skills has a file SKILL.md"},
		{"no task file", []string{"-skills", dir, "-task", "@" + filepath.Join(dir, "none")}, "none"},
		{"empty task", []string{"-skills", dir, "-task", "-"}, "the text is empty"},
		{"no tasks", []string{"-skills", dir, "-tasks", dir}, "must hold tasks.jsonl"},
		{"no task inside", []string{"-skills", dir, "-tasks", file("tasks.jsonl", "\n\n")}, "there are no tasks"},
		{"broken tasks", []string{"-skills", dir, "-tasks", file("tasks.jsonl", "{}\n")}, "tasks.jsonl: line 1: a task needs"},
		{"a task twice", []string{"-skills", dir, "-tasks", file("tasks.jsonl", strings.Repeat("{\"id\":\"a\",\"text\":\"b\"}\n", 2))}, `line 2: the id "a" is taken`},
		{"broken answers", []string{"-skills", dir, "-tasks", file("llm_outputs.jsonl", "\n{]")}, "llm_outputs.jsonl: line 2"},
		{"answer to nothing", []string{"-skills", dir, "-tasks", file("llm_outputs.jsonl", `{"query_id": "z"}`)}, `no task "z"`},
		{"no model", []string{"-skills", dir, "-task", "x", "-embedder", filepath.Join(dir, "none")}, "-embedder"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := skillfind(t, append(c.args, "-gallery", galleryFile(t))...)
			require.Equal(t, exitFailure, got.code)
			require.Contains(t, got.err, c.says)
			require.Empty(t, got.out)
		})
	}
}

func TestATaskFromAFile(t *testing.T) {
	dir := t.TempDir()
	writeSkill(t, dir, "bees", "Keep bees.")
	path := filepath.Join(t.TempDir(), "task.txt")
	require.NoError(t, os.WriteFile(path, []byte("  keep my\nbees \xff\n"), 0o644))
	got := skillfind(t, "-skills", dir, "-gallery", galleryFile(t), "-task", "@"+path)
	require.Zero(t, got.code, got.err)
	require.Contains(t, got.out, "  keep my bees \uFFFD\n")
	require.NoError(t, os.WriteFile(path, make([]byte, maxTask+1), 0o644))
	got = skillfind(t, "-skills", dir, "-task", "@"+path)
	require.Contains(t, got.err, "longer than 1 MiB")
}

// full is an output that takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestAnOutputThatFailsIsAFailure(t *testing.T) {
	var errs strings.Builder
	code := run(t.Context(), []string{"-skills", bundledSkills, "-gallery", galleryFile(t), "-task", "x"}, streams{strings.NewReader(""), full{}, &errs})
	require.Equal(t, exitFailure, code)
	require.Contains(t, errs.String(), "disk full")
}
