package llm

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/internal/sectfile"
)

// The file of a [Recording] is text, one JSON object a line, each line ended
// by a newline. The first line is the header:
//
//	{"format":"prospect llm recording","version":1,"model":"IDENTITY","by":"free text"}
//
// model is the identity of the model that answered; by, which may be left out,
// says for people who or what made the file. Every other line is an entry:
//
//	{"key":"0123456789abcdef0123456789abcdef",
//	 "label":"free text",
//	 "request":{"system":"…","prompt":"…","schema":{…},"schema_name":"…","max_tokens":900,"temperature":0},
//	 "response":{"text":"…","truncated":true,"usage":{"input_tokens":10,"output_tokens":2}},
//	 "by":"free text"}
//
// (on one line). label says what the request was for and by who answered, where
// that is not who the header names. Names with an empty or zero value may be left out; other
// names are errors. A response may also be a string, the text alone. A line
// without a response asks and answers nothing.
//
// The key is that of the request ([Entry.Key]). A line may leave it out, and
// it is computed, or it may leave out the request: the key is what counts, so
// that a request may be edited for people to read. Several lines with one key
// are the answers to the same request sent again and again, in their order.
// Lines may stand in any order otherwise and be appended by any program; blank
// ones are skipped. A last line without its newline is taken if it is whole,
// and dropped as torn if it is not.
const (
	recordingFormat  = "prospect llm recording"
	recordingVersion = 1
)

type recordingHeader struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	Model   string `json:"model"`
	By      string `json:"by,omitempty"`
}

// A recordingText is what a file holds.
type recordingText struct {
	header  recordingHeader
	entries []Entry
	lines   []int // of the entries, from 1
	// good is the length of the file without a torn last line, and ended says
	// that it ends with a newline.
	good  int
	ended bool
}

// readRecording reads a file. Where the header alone is torn, or the file is
// empty, the error is errNoHeader.
func readRecording(data []byte) (*recordingText, error) {
	t := &recordingText{ended: true}
	if rest, ok := bytes.CutPrefix(data, []byte("\uFEFF")); ok { // of an editor
		t.good, data = len(data)-len(rest), rest
	}
	n := 0
	for line := range bytes.Lines(data) {
		n++
		whole := bytes.HasSuffix(line, []byte("\n"))
		err := t.take(n, bytes.TrimSpace(line))
		switch {
		case err == nil:
			t.good += len(line)
			t.ended = whole
			continue
		case n == 1 && !whole && isTornHeader(line):
			return nil, errNoHeader
		case n == 1 && errors.Is(err, prospect.ErrVersion):
			return nil, err
		case n == 1:
			return nil, fmt.Errorf("%w: line 1 is not the header of a recording: %w", prospect.ErrFormat, err)
		case whole:
			return nil, fmt.Errorf("%w: line %d: %w", prospect.ErrCorrupt, n, err)
		}
	}
	if n == 0 {
		return nil, errNoHeader
	}
	return t, nil
}

var errNoHeader = fmt.Errorf("%w: the file has no header", prospect.ErrCorrupt)

func isTornHeader(line []byte) bool {
	start := `{"format":"` + recordingFormat + `"`
	return bytes.HasPrefix(line, []byte(start)) || strings.HasPrefix(start, string(line))
}

// take reads line n.
func (t *recordingText) take(n int, line []byte) error {
	if n == 1 {
		// The names of newer versions are not known.
		if err := json.Unmarshal(line, &t.header); err != nil {
			return err
		}
		switch h := t.header; {
		case h.Format != recordingFormat:
			return fmt.Errorf("format is %q, not %q", h.Format, recordingFormat)
		case h.Version > recordingVersion:
			return fmt.Errorf("%w: %d, this library knows %d", prospect.ErrVersion, h.Version, recordingVersion)
		case h.Version < 1:
			return fmt.Errorf("version is %d", h.Version)
		case h.Model == "":
			return errors.New("the model's identity is missing")
		}
		return strict(line, &t.header)
	}
	if len(line) == 0 {
		return nil
	}
	var e Entry
	if err := json.Unmarshal(line, &e); err != nil {
		return err
	}
	t.entries = append(t.entries, e)
	t.lines = append(t.lines, n)
	return nil
}

// stableOrder sorts entries by what they are for and what they ask, so that
// requests of one kind stand together and a changed prompt stays near its
// place, and keeps the order of those that ask the same.
func stableOrder(entries []Entry) {
	slices.SortStableFunc(entries, func(a, b Entry) int {
		return cmp.Or(
			cmp.Compare(a.Label, b.Label),
			cmp.Compare(a.Request.SchemaName, b.Request.SchemaName),
			cmp.Compare(a.Request.System, b.Request.System),
			cmp.Compare(a.Request.Prompt, b.Request.Prompt),
			cmp.Compare(a.Key, b.Key),
		)
	})
}

// line is JSON with its newline.
func line(v any) ([]byte, error) {
	b, err := marshal(v)
	if err != nil {
		return nil, err
	}
	return append(b, '\n'), nil
}

// save replaces the file at path. A new one is private, since prompts tell
// something of their user.
func (t *recordingText) save(path string) error { return sectfile.SavePrivate(path, t.write) }

func (t *recordingText) write(w io.Writer) error {
	put := func(v any) error {
		b, err := line(v)
		if err != nil {
			return err
		}
		_, err = w.Write(b)
		return err
	}
	if err := put(t.header); err != nil {
		return err
	}
	for _, e := range t.entries {
		if err := put(e); err != nil {
			return err
		}
	}
	return nil
}

// appendTo opens the file for lines to be added behind what is good of it.
func (t *recordingText) appendTo(path string) (*os.File, error) {
	if err := os.Truncate(path, int64(t.good)); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return nil, err
	}
	if !t.ended {
		if _, err := f.WriteString("\n"); err != nil {
			f.Close()
			return nil, err
		}
	}
	return f, nil
}

// loadRecording reads the file at path.
func loadRecording(path string) (*recordingText, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	t, err := readRecording(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}
