package llm_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/llm"
)

func replacesOpenFiles(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a file that somebody has open cannot be replaced on Windows")
	}
}

// A run in which nothing is answered costs no recording.
func TestRecordAllKeepsTheFileUntilThereIsAnAnswer(t *testing.T) {
	path := recordingPath(t)
	record(t, path, echo(), llm.RecordingOptions{Mode: llm.RecordAll}, "old")
	before := read(t, path)
	refused := errors.New("wrong key")
	m := llm.NewScripted("broken", llm.Turn{Err: refused}, llm.Turn{Text: "1"}, llm.Turn{Text: "2"})
	r := open(t, path, m, llm.RecordingOptions{Mode: llm.RecordAll})
	_, err := ask(t, r, "p")
	require.Equal(t, refused, err)
	require.Equal(t, before, read(t, path))
	for _, p := range []string{"p", "q"} {
		_, err = ask(t, r, p)
		require.NoError(t, err)
	}
	require.NoError(t, r.Close())
	require.Equal(t, 3, strings.Count(read(t, path), "\n"))
	require.NotContains(t, read(t, path), "old")

	before = read(t, path)
	r = open(t, path, m, llm.RecordingOptions{Mode: llm.RecordAll})
	require.NoError(t, r.Close())
	_, err = ask(t, r, "p")
	require.ErrorIs(t, err, prospect.ErrClosed)
	require.Equal(t, before, read(t, path))
}

// Several that record into one file, as tests of several packages do that run
// at once, lose nothing of each other.
func TestSeveralRecordIntoOneFile(t *testing.T) {
	replacesOpenFiles(t)
	for _, mode := range []llm.Mode{llm.RecordMissing, llm.RecordAll} {
		path := recordingPath(t)
		write(t, path, `{"format":"prospect llm recording","version":1,"model":"broken"}
{"request":{"prompt":"password=abcdef123456"},"response":"by hand"}`)
		var rs []*llm.Recording
		for i := range 3 {
			rs = append(rs, open(t, path, echo(), llm.RecordingOptions{Mode: mode}))
			_, err := ask(t, rs[i], fmt.Sprint("first of ", i))
			require.NoError(t, err)
		}
		for i, r := range rs {
			_, err := ask(t, r, fmt.Sprint("second of ", i))
			require.NoError(t, err)
			require.NoError(t, r.Close())
		}
		want := 6
		if mode == llm.RecordMissing {
			want++
		}
		require.Equal(t, want, strings.Count(read(t, path), `"response"`), mode)
		replayed := open(t, path, nil, llm.RecordingOptions{})
		for i := range 3 {
			for _, p := range []string{"first of ", "second of "} {
				_, err := ask(t, replayed, fmt.Sprint(p, i))
				require.NoError(t, err)
			}
		}
	}
}

// A file that the library makes is for its user alone, also where it is made
// again; one that somebody has made otherwise stays as open as it was.
func TestNewRecordingsArePrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows knows no such modes")
	}
	mode := func(path string) fs.FileMode {
		info, err := os.Stat(path)
		require.NoError(t, err)
		return info.Mode().Perm()
	}
	for _, m := range []llm.Mode{llm.RecordMissing, llm.RecordAll} {
		path := recordingPath(t)
		r := open(t, path, echo(), llm.RecordingOptions{Mode: m})
		_, err := ask(t, r, "p")
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o600), mode(path), "before Close")
		require.NoError(t, r.Close())
		require.Equal(t, fs.FileMode(0o600), mode(path), "after Close")

		path = recordingPath(t)
		r = open(t, path, echo(), llm.RecordingOptions{Mode: m})
		_, err = ask(t, r, "p")
		require.NoError(t, err)
		require.NoError(t, os.Remove(path))
		require.NoError(t, r.Close())
		require.Equal(t, fs.FileMode(0o600), mode(path), "made again")

		for _, text := range []string{`{"format":"prospect llm recording","version":1,"model":"broken"}` + "\n", ""} {
			path := write(t, recordingPath(t), text)
			require.NoError(t, os.Chmod(path, 0o644))
			record(t, path, echo(), llm.RecordingOptions{Mode: m}, "b", "a")
			require.Equal(t, fs.FileMode(0o644), mode(path), "it was there: %q", text)
		}
	}
}

// What has taken the file's place meanwhile is not ours to replace.
func TestAFileThatHasBecomeAnother(t *testing.T) {
	replacesOpenFiles(t)
	for text, want := range map[string]error{"dear diary\n": prospect.ErrFormat, header: prospect.ErrIdentity} {
		path := recordingPath(t)
		r, err := llm.OpenRecording(path, echo(), llm.RecordingOptions{Mode: llm.RecordMissing})
		require.NoError(t, err)
		_, err = ask(t, r, "p")
		require.NoError(t, err)
		require.NoError(t, os.Rename(write(t, path+".new", text), path))
		require.ErrorIs(t, r.Close(), want)
		require.Equal(t, text, read(t, path))
	}
	path := recordingPath(t)
	r, err := llm.OpenRecording(path, echo(), llm.RecordingOptions{Mode: llm.RecordMissing})
	require.NoError(t, err)
	_, err = ask(t, r, "p")
	require.NoError(t, err)
	require.NoError(t, os.Remove(path))
	require.NoError(t, r.Close())
	require.Contains(t, read(t, path), "to p", "made again")
}
