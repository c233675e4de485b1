package main

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUsage(t *testing.T) {
	for _, c := range []struct{ args, says string }{
		{"learn", `"learn" is no command`},
		{"-nonsense", "-nonsense"},
		{"-explain word", "questions of your own go to ask"},
		{"mine", "-docs is missing"},
		{"mine -docs x word", "mine takes no questions"},
		{"mine -docs x", "a model is missing"},
		{"mine -docs x -explain", "-explain"},
		{"mine -docs x -replay f -groups -1", "-groups is -1"},
		{"mine -docs x -replay f -max-skills 0", "-max-skills is 0"},
		{"ask -docs x -replay f -max-tokens -1 q", "-max-tokens is -1"},
		{"mine -docs x -replay f -skills skills.txt", "ends in .yaml or .json"},
		{"mine -docs x -replay f -embedder=", "-embedder is empty"},
		{"mine -docs x -replay f -llm http://localhost/v1 -model m", "exclude each other"},
		{"mine -docs x -llm http://localhost/v1", "-llm needs -model"},
		{"mine -docs x -replay f -model m", "-model needs -llm"},
		{"mine -docs x -replay f -record g", "-record needs -llm"},
		{"mine -docs x -llm http://localhost/v1 -model m -missing g", "-missing needs -replay"},
		{"mine -docs x -llm localhost:80 -model m", "not a URL"},
		{"mine -docs x -llm http://me:word@localhost -model m", "OPENAI_API_KEY"},
		{"mine -docs x -llm http://localhost?key=word -model m", "OPENAI_API_KEY"},
		{"refresh -docs x word", "refresh takes no questions"},
		{"refresh -docs x -replay f -groups 3", "-groups"},
		{"ask -docs x -replay f", "a question is missing"},
		{"ask -docs x -replay f -k 0 q", "-k is 0"},
		{"ask -docs x -replay f -by luck q", `-by is "luck"`},
		{"ask -replay f q", "-docs is missing"},
	} {
		got := rewrite(t, strings.Fields(c.args)...)
		require.Equal(t, exitUsage, got.code, c.args)
		require.Contains(t, got.err, c.says, c.args)
		require.Contains(t, got.err, "run it with -h", c.args)
		require.NotContains(t, got.err, "word@", "no secrets in messages")
		require.NotContains(t, got.err, "key=word")
		require.Empty(t, got.out)
	}
	require.Contains(t, rewrite(t, "ask", "-docs", "x", "-replay", "f", " ").err, "a question is blank")
}

func TestHelp(t *testing.T) {
	for command, flags := range map[string]string{
		"":        "-explain",
		"refresh": "-docs -embedder -skills -llm -model -record -replay -missing -max-tokens -max-skills",
		"mine":    "-docs -embedder -skills -llm -model -record -replay -missing -max-tokens -again -groups -max-skills",
		"ask":     "-docs -embedder -skills -llm -model -record -replay -missing -max-tokens -k -by -explain",
	} {
		got := rewrite(t, strings.Fields(command+" -h")...)
		require.Zero(t, got.code)
		require.Empty(t, got.err)
		require.Contains(t, got.out, "rewrite mine")
		for _, flag := range strings.Fields(flags) {
			require.Contains(t, got.out, "  "+flag, command)
		}
		for line := range strings.Lines(got.out) {
			require.LessOrEqual(t, textWidth(strings.ReplaceAll(line, "\t", strings.Repeat(" ", 8))), lineWidth+1, line)
		}
	}
}

func TestFailuresNameTheCulprit(t *testing.T) {
	dir := folder(t, map[string]string{"a.md": "bees"})
	recording := filepath.Join(bundled, "answers.jsonl")
	skills := filepath.Join(t.TempDir(), "skills.yaml")
	corpus := func(text string) string {
		return filepath.Join(folder(t, map[string]string{"corpus.jsonl": text}), "corpus.jsonl")
	}
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"no folder":     {[]string{"-docs", filepath.Join(dir, "none")}, "none"},
		"no documents":  {[]string{"-docs", folder(t, map[string]string{"a.pdf": "x", ".hidden.md": "x", ".git/b.md": "x"})}, "holds no documents"},
		"broken corpus": {[]string{"-docs", corpus("{\"_id\": \"1\", \"text\": \"x\"}\n{")}, "corpus.jsonl: line 2"},
		"no id":         {[]string{"-docs", corpus(`{"id": "1", "text": "x"}`)}, "line 1: an object needs a text _id"},
		"an id twice":   {[]string{"-docs", corpus(strings.Repeat("{\"_id\": \"1\", \"text\": \"x\"}\n", 2))}, `line 2: the id "1" is taken`},
		"not gzipped":   {[]string{"-docs", filepath.Join(folder(t, map[string]string{"c.jsonl.gz": "x"}), "c.jsonl.gz")}, "c.jsonl.gz"},
		"no embedder":   {[]string{"-docs", dir, "-embedder", filepath.Join(dir, "none")}, "-embedder"},
		"no recording":  {[]string{"-docs", dir, "-replay", filepath.Join(dir, "none")}, "none"},
		"no answers":    {[]string{"-docs", dir}, "lacks answers"},
	} {
		t.Run(name, func(t *testing.T) {
			got := rewrite(t, append([]string{"mine", "-skills", skills, "-replay", recording}, c.args...)...)
			require.Equal(t, exitFailure, got.code, got.out)
			require.Contains(t, got.err, c.says)
			require.NoFileExists(t, skills)
		})
	}
	got := rewrite(t, "ask", "-docs", dir, "-skills", skills, "-replay", recording, "why?")
	require.Equal(t, exitFailure, got.code)
	require.Contains(t, got.err, "let mine write it first")
	broken := folder(t, map[string]string{"skills.yaml": "version: 1\nskils: []\n"})
	got = rewrite(t, "ask", "-docs", dir, "-skills", filepath.Join(broken, "skills.yaml"), "-replay", recording, "why?")
	require.Equal(t, exitFailure, got.code)
	require.Contains(t, got.err, "skils")
}

// full is an output that takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestAnOutputThatFailsIsAFailure(t *testing.T) {
	var errs strings.Builder
	code := run(t.Context(), nil, streams{strings.NewReader(""), full{}, &errs})
	require.Equal(t, exitFailure, code)
	require.Contains(t, errs.String(), "disk full")
}
