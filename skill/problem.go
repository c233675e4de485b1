package skill

import (
	"strconv"
	"strings"
)

// Severity says what a [Problem] did to the skill.
type Severity int

const (
	// Note: nothing is wrong by the specification, yet the text was changed or
	// something was passed over, for example CRLF line ends. Strict parsing
	// accepts it.
	Note Severity = iota
	// Warning: the specification is not met or the skill clashes with another; it
	// was loaded all the same.
	Warning
	// Error: a file or folder was skipped.
	Error
)

// String returns "note", "warning" or "error".
func (s Severity) String() string {
	switch s {
	case Note:
		return "note"
	case Warning:
		return "warning"
	case Error:
		return "error"
	}
	return "Severity(" + strconv.Itoa(int(s)) + ")"
}

// A Problem is one thing that the parser or the loader met and wants known. It
// is an error value: errors.As with a *Problem target finds it,
// errors.Is(err, kind) asks for its [Kind], and errors.Is sees through to the
// cause, such as [io/fs.ErrPermission].
type Problem struct {
	// Source is the name of the source, where there is one.
	Source string
	// Path is the file or folder in the source, slash-separated.
	Path string
	// Line is the line in the file, counted from 1; 0 where none can be named.
	Line int
	// Kind classifies the problem.
	Kind Kind
	// Severity tells whether the skill was loaded all the same.
	Severity Severity
	// Message explains it to a person, in one line.
	Message string
	// Err is the underlying error, or nil.
	Err error
}

// Error returns "source:path:line: severity: kind: message", without the parts
// that are not known.
func (p Problem) Error() string {
	var b strings.Builder
	if p.Source != "" {
		b.WriteString(p.Source + ":")
	}
	if p.Path != "" {
		b.WriteString(p.Path + ":")
	}
	if p.Line > 0 {
		b.WriteString(strconv.Itoa(p.Line) + ":")
	}
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	b.WriteString(p.Severity.String() + ": " + p.Kind.String())
	if p.Message != "" {
		b.WriteString(": " + p.Message)
	}
	if p.Err != nil {
		b.WriteString(": " + p.Err.Error())
	}
	return b.String()
}

// Unwrap returns the kind and, if there is one, the cause.
func (p Problem) Unwrap() []error {
	if p.Err == nil {
		return []error{p.Kind}
	}
	return []error{p.Kind, p.Err}
}
