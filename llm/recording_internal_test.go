package llm

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
)

// After a write that failed, the file may end in half a line: nothing more is
// appended to it, and nobody is told that all is well.
func TestAFailedWriteEndsTheRecording(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rec.jsonl")
	m := prospect.NewLLM("m", func(context.Context, prospect.LLMRequest) (prospect.LLMResponse, error) {
		return prospect.LLMResponse{Text: "yes"}, nil
	})
	r, err := OpenRecording(path, m, RecordingOptions{Mode: RecordMissing})
	require.NoError(t, err)
	_, err = r.Generate(t.Context(), prospect.LLMRequest{Prompt: "a"})
	require.NoError(t, err)
	require.NoError(t, r.file.Close()) // as if the disk were gone
	_, failed := r.Generate(t.Context(), prospect.LLMRequest{Prompt: "b"})
	require.ErrorIs(t, failed, os.ErrClosed)
	require.ErrorContains(t, failed, path)
	r.file, err = os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0) // and is there again
	require.NoError(t, err)
	_, again := r.Generate(t.Context(), prospect.LLMRequest{Prompt: "c"})
	require.Equal(t, failed, again)
	got, err := r.Generate(t.Context(), prospect.LLMRequest{Prompt: "a"})
	require.NoError(t, err, "what is recorded is there")
	require.Equal(t, "yes", got.Text)
	require.ErrorIs(t, r.Close(), os.ErrClosed)

	r, err = OpenRecording(path, m, RecordingOptions{})
	require.NoError(t, err)
	_, err = r.Generate(t.Context(), prospect.LLMRequest{Prompt: "a"})
	require.NoError(t, err)
}
