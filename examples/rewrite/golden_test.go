package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect/llm"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata; needed after a change of the model, a prompt or the layout")

// The reports on the bundled documents are held against files, so that a
// change of ranking, prompts or layout shows as a diff.
func TestGolden(t *testing.T) {
	got := rewrite(t)
	require.Zero(t, got.code, got.err)
	require.Empty(t, got.err)
	compare(t, "demo", got.out)

	explained := rewrite(t, "-explain")
	require.Zero(t, explained.code, explained.err)
	require.Equal(t, 12, strings.Count(explained.out, "\n    prompt\n"), "two for each question")
	require.Contains(t, explained.out, "│ {\"genre\":")
}

func compare(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run the tests with -update to make it")
	require.Equal(t, strings.ReplaceAll(string(want), "\r\n", "\n"), got, "%s differs; run the tests with -update if that is meant", path)
}

// What has to hold with any good model: the document that answers comes
// first more often after than before.
func TestTheDemoShowsSomething(t *testing.T) {
	got := rewrite(t)
	require.Contains(t, got.out, "comes first for 1 of 6 questions before, 6 after.")
	require.NotContains(t, got.out, "  note  ")
	require.NotContains(t, got.out, "\x1b")
	for line := range strings.Lines(got.out) {
		require.LessOrEqual(t, textWidth(strings.TrimRight(line, "\n")), lineWidth, line)
	}
}

// The recording has the answers of one run of the example, and no others.
func TestTheRecordingIsUsedUp(t *testing.T) {
	recording, err := llm.OpenRecording(filepath.Join(bundled, "answers.jsonl"), nil, llm.RecordingOptions{})
	require.NoError(t, err)
	require.Equal(t, "a large language model", recording.Identity())
	require.Len(t, recording.Unused(), 5+1+5+2*6)
}
