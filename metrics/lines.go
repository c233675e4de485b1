package metrics

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/prospect-go/prospect"
)

// MaxLine is the length in bytes, line end included, above which a line of a
// file is refused. A reader holds one line at a time.
const MaxLine = 64 << 20

// ErrUnwritable: an id or a grade has no form in the file that is written, so
// that a reader would see another one. It comes with the id, within a
// [*prospect.IDError].
var ErrUnwritable = errors.New("metrics: cannot be written in this form")

// A LineError says where in a file an error is.
type LineError struct {
	File string
	Line int // from 1; 0 if the error is about the file as a whole
	Err  error
}

// Error gives the file, the line and the error: "run.txt:3: …".
func (e *LineError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %v", e.File, e.Err)
	}
	return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err)
}

// Unwrap returns the error about the line.
func (e *LineError) Unwrap() error { return e.Err }

// malformed is an error about the form of a line.
func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", prospect.ErrFormat, fmt.Sprintf(format, args...))
}

// eachLine calls f with each line of r, without its end, which is LF or CRLF;
// the last may go without. A byte order mark before the first line is skipped.
// A line is only valid during the call. Every error is a [*LineError].
func eachLine(r io.Reader, file string, f func(line []byte) error) error {
	br := bufio.NewReaderSize(r, 1<<16)
	var long []byte // the begin of a line that is longer than the buffer
	for n := 1; ; n++ {
		line, err := br.ReadSlice('\n')
		for long = long[:0]; errors.Is(err, bufio.ErrBufferFull); line, err = br.ReadSlice('\n') {
			if long = append(long, line...); len(long) > MaxLine {
				break
			}
		}
		if len(long) > 0 {
			long = append(long, line...)
			line = long
		}
		if len(line) > MaxLine {
			return &LineError{file, n, fmt.Errorf("%w: %w: over %d bytes", prospect.ErrFormat, bufio.ErrTooLong, MaxLine)}
		}
		if err != nil && err != io.EOF {
			return &LineError{file, n, err}
		}
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte(byteOrderMark))
		}
		if len(line) == 0 { // only at the end: a line in between has its LF
			return nil
		}
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		bad := formOf(line)
		if bad == nil {
			bad = f(line)
		}
		if bad != nil {
			return &LineError{file, n, bad}
		}
		if err == io.EOF {
			return nil
		}
	}
}

const byteOrderMark = "\ufeff"

// formOf refuses what no line of any of the formats may be.
func formOf(line []byte) error {
	switch {
	case len(line) == 0:
		return malformed("an empty line")
	case bytes.IndexByte(line, '\r') >= 0:
		return malformed("a carriage return within the line")
	case !utf8.Valid(line):
		return malformed("not UTF-8")
	}
	return nil
}

// number reads a decimal number.
func number(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%w: %.40q", prospect.ErrNotFinite, s)
	}
	if err != nil || strings.ContainsAny(s, "xX_") { // Go's own ways of writing
		return 0, malformed("%.40q is not a number", s)
	}
	return v, nil
}

// unwritable is an error about an id, or about what belongs to it.
func unwritable(id, format string, args ...any) error {
	return &prospect.IDError{ID: id, Err: fmt.Errorf("%w: %s", ErrUnwritable, fmt.Sprintf(format, args...))}
}

// checkID refuses an id that would not be read back as it is: empty, not
// UTF-8, with a control character in it, or with a byte order mark at the
// begin, which is not part of a file's first id; and, unless spaces may be,
// with white space of any kind, since some readers split at Unicode's.
func checkID(id string, spaces bool) error {
	switch {
	case id == "":
		return &prospect.IDError{ID: id, Err: prospect.ErrEmptyID}
	case !utf8.ValidString(id):
		return unwritable(id, "not UTF-8")
	case strings.HasPrefix(id, byteOrderMark):
		return unwritable(id, "begins with a byte order mark")
	}
	for _, c := range id {
		if unicode.IsControl(c) || !spaces && unicode.IsSpace(c) {
			return unwritable(id, "%q in an id", c)
		}
	}
	return nil
}
