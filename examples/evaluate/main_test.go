package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Data written for this program: notes and skills on boats, bread and books,
// some of it hostile.
const (
	tiny            = "testdata/tiny"
	tinyDistractors = tiny + "/distractors.jsonl"
	tinyOutputs     = tiny + "/llm_outputs.jsonl"
	tinyOutcomes    = "testdata/outcomes.jsonl"
)

// A call is a run of the program as its user sees it.
type call struct {
	code int
	out  string
	err  string
}

// invoke runs the program without keeping vectors.
func invoke(t *testing.T, args ...string) call {
	t.Helper()
	t.Setenv("OPENAI_API_KEY", "")
	var out, errs bytes.Buffer
	code := run(t.Context(), append([]string{"-cache", "off"}, args...), streams{&out, &errs})
	return call{code, out.String(), errs.String()}
}

// onTiny is a run over the tiny collection with all its files.
func onTiny(t *testing.T, more ...string) call {
	t.Helper()
	return invoke(t, append([]string{
		"-data", tiny, "-distractors", tinyDistractors, "-llm-outputs", tinyOutputs, "-k", "1,3", "-resamples", "500",
	}, more...)...)
}

// good asserts that a run went well.
func good(t *testing.T, c call) call {
	t.Helper()
	require.Equal(t, exitOK, c.code, c.err)
	return c
}

// writeLines writes a file of a test's folder.
func writeLines(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

// folder writes a BEIR folder of the given files.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return dir
}
