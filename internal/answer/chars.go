package answer

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func isWord(r rune) bool {
	return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// isWordStart says if s begins with a letter.
func isWordStart(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r == '_' || r == '$' || unicode.IsLetter(r)
}

// ignorable returns the length of the character that s begins with if it has
// no meaning between values: other white space, a byte order mark, zero width.
func ignorable(s string) int {
	r, size := utf8.DecodeRuneInString(s)
	switch r {
	case '\uFEFF', '\u200B', '\u200C', '\u200D', '\u2060', '\u00A0', '\u3000', '…', '\v', '\f', 0:
		return size
	}
	return 0
}

// A quote is a way to begin a string and the ways in which it may end.
type quote struct {
	open string
	ends []string
}

var quotes = []quote{
	{`"""`, []string{`"""`}},
	{`"`, []string{`"`}},
	{`'`, []string{`'`}},
	{"“", []string{"”", "“", `"`}},
	{"”", []string{"”", `"`}},
	{"„", []string{"“", "”", `"`}},
	{"«", []string{"»"}},
	{"‘", []string{"’", "'"}},
	{"’", []string{"’", "'"}},
	{"「", []string{"」"}},
	{"`", []string{"`"}},
}

// quoteAt returns the quote that s begins with, or nil.
func quoteAt(s string) *quote {
	for i := range quotes {
		if strings.HasPrefix(s, quotes[i].open) {
			return &quotes[i]
		}
	}
	return nil
}

// endAt returns the length of the quote's end that s begins with, or 0.
func (q *quote) endAt(s string) int {
	for _, end := range q.ends {
		if strings.HasPrefix(s, end) {
			return len(end)
		}
	}
	return 0
}
