package metrics_test

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/metrics"
)

// at checks that an error is about the line of the file "f".
func at(t *testing.T, line int, err error) {
	t.Helper()
	var le *metrics.LineError
	require.ErrorAs(t, err, &le)
	require.Equal(t, "f", le.File)
	require.Equal(t, line, le.Line, "%v", err)
}

// readers are what reads each of the formats, with three good lines of each.
var readers = []struct {
	name string
	good [3]string
	read func(r io.Reader) (any, error)
}{
	{"run", [3]string{"q1 Q0 a 1 3 t", "q2 Q0 a 1 2.5 t", "q1 Q0 b 2 -1e3 t"}, func(r io.Reader) (any, error) {
		run, err := metrics.ReadTrecRun(r, "f")
		if err != nil && run != nil {
			return run, errors.New("a run beside an error")
		}
		return run, err
	}},
	{"qrels", [3]string{"q1 0 a 1", "q2 0 a 0", "q1 0 b -1"}, func(r io.Reader) (any, error) {
		return metrics.ReadTrecQrels(r, "f")
	}},
	{"BEIR qrels", [3]string{"query-id\tcorpus-id\tscore", "q1\ta\t1", "q1\tb c\t0.5"}, func(r io.Reader) (any, error) {
		return metrics.ReadBEIRQrels(r, "f")
	}},
	{"BEIR documents", [3]string{`{"_id":"a","text":"x"}`, `{"_id":"b","text":"","title":"t"}`, `{"_id":"c","text":"é\r\n"}`}, func(r io.Reader) (any, error) {
		var docs []metrics.Doc
		for d, err := range metrics.ReadBEIRDocs(r, "f") {
			if err != nil {
				return docs, err
			}
			docs = append(docs, d)
		}
		return docs, nil
	}},
}

func TestLineEnds(t *testing.T) {
	for _, f := range readers {
		want, err := f.read(strings.NewReader(strings.Join(f.good[:], "\n") + "\n"))
		require.NoError(t, err, f.name)
		for _, text := range []string{
			strings.Join(f.good[:], "\n"),
			strings.Join(f.good[:], "\r\n"),
			strings.Join(f.good[:], "\r\n") + "\r\n",
			"\ufeff" + strings.Join(f.good[:], "\n"),
			"\ufeff" + strings.Join(f.good[:], "\r\n") + "\n",
		} {
			got, err := f.read(strings.NewReader(text))
			require.NoError(t, err, "%s %q", f.name, text)
			require.Equal(t, want, got, "%s %q", f.name, text)
			got, err = f.read(iotest.OneByteReader(strings.NewReader(text)))
			require.NoError(t, err, "%s %q", f.name, text)
			require.Equal(t, want, got, "%s %q", f.name, text)
		}
	}
}

func TestLinesOfNoFormat(t *testing.T) {
	for _, f := range readers {
		for _, c := range []struct {
			name, text string
			line       int
		}{
			{"an empty line", f.good[0] + "\n\n" + f.good[1], 2},
			{"an empty line at the end", f.good[0] + "\n" + f.good[1] + "\n\n", 3},
			{"an empty line, CRLF", f.good[0] + "\r\n\r\n", 2},
			{"line ends of old", f.good[0] + "\r" + f.good[1], 1},
			{"two carriage returns", f.good[0] + "\n" + f.good[1] + "\r\r\n", 2},
			{"a second byte order mark", f.good[0] + "\n\xef\xbb\xbf\n", 2},
			{"not UTF-8", f.good[0] + "\n" + f.good[1] + "\n" + strings.Replace(f.good[2], "1", "\xff1", 1) + "\xe9", 3},
			{"white space", f.good[0] + "\n \t ", 2},
		} {
			_, err := f.read(strings.NewReader(c.text))
			require.ErrorIs(t, err, prospect.ErrFormat, "%s, %s", f.name, c.name)
			at(t, c.line, err)
		}
	}
}

func TestErrorsOfTheReader(t *testing.T) {
	broken := errors.New("the disk is gone")
	for _, f := range readers {
		_, err := f.read(io.MultiReader(strings.NewReader(f.good[0]+"\n"+f.good[1][:4]), iotest.ErrReader(broken)))
		require.ErrorIs(t, err, broken, f.name)
		at(t, 2, err)
	}
}

// endless gives one letter for ever.
type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

func TestLongLines(t *testing.T) {
	// Longer than any buffer on the way, and within the limit.
	id := strings.Repeat("x", 1<<20)
	run, err := metrics.ReadTrecRun(strings.NewReader("q Q0 "+id+" 1 2 t\nq Q0 b 2 1 t\n"), "f")
	require.NoError(t, err)
	require.Equal(t, metrics.Run[string, string]{"q": {id, "b"}}, run.Run())

	if testing.Short() {
		t.Skip("reads the limit of 64 MB")
	}
	_, err = metrics.ReadTrecQrels(io.MultiReader(strings.NewReader("q 0 d 1\n"), endless('x')), "f")
	require.ErrorIs(t, err, bufio.ErrTooLong)
	require.ErrorIs(t, err, prospect.ErrFormat)
	at(t, 2, err)
}

func TestLineError(t *testing.T) {
	err := &metrics.LineError{File: "a.tsv", Line: 7, Err: prospect.ErrEmptyID}
	require.EqualError(t, err, "a.tsv:7: prospect: empty id")
	err.Line = 0
	require.EqualError(t, err, "a.tsv: prospect: empty id")
}
