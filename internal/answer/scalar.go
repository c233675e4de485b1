package answer

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// quoted reads a string. A quote ends it only where what follows could follow
// a string, so that quotes inside that were not escaped are kept; in valid
// JSON the first quote always ends it. isKey says that a colon must follow.
func (p *parser) quoted(isKey bool) string {
	q := quoteAt(p.s[p.pos:])
	p.pos += len(q.open)
	var b strings.Builder
	for p.pos < len(p.s) {
		c := p.s[p.pos]
		if c == '\\' {
			p.escape(&b)
			continue
		}
		if n := q.endAt(p.s[p.pos:]); n > 0 {
			if p.closes(p.pos+n, isKey) {
				p.pos += n
				return b.String()
			}
		}
		_, size := utf8.DecodeRuneInString(p.s[p.pos:])
		b.WriteString(p.s[p.pos : p.pos+size])
		p.pos += size
	}
	p.broken = true
	return b.String()
}

// closes says if a string may end before at.
func (p *parser) closes(at int, isKey bool) bool {
	next := at
	for next < len(p.s) && isSpace(p.s[next]) {
		next++
	}
	if next == len(p.s) {
		return true
	}
	rest := p.s[next:]
	newline := strings.IndexByte(p.s[at:next], '\n') >= 0
	switch c := rest[0]; {
	case c == ':' || c == '=' || strings.HasPrefix(rest, "："):
		return isKey
	case c == '}' || c == ']':
		return true
	case c == ',':
		return followsComma(rest[1:])
	case strings.HasPrefix(rest, "，"):
		return followsComma(rest[len("，"):])
	case strings.HasPrefix(rest, "//"), strings.HasPrefix(rest, "/*"), c == '#', strings.HasPrefix(rest, "```"):
		return true
	case c == '{' || c == '[':
		return newline // a comma left out
	default:
		return next > at && quoteAt(rest) != nil // a comma left out
	}
}

// followsComma says if rest could be the next item or member, rather than the
// going-on of a sentence after a quoted word.
func followsComma(rest string) bool {
	i := 0
	for i < len(rest) && isSpace(rest[i]) {
		i++
	}
	rest = rest[i:]
	if !isWordStart(rest) {
		return true
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return !isWord(r) })
	if end < 0 {
		return false
	}
	if _, ok := literals[rest[:end]]; ok {
		return true
	}
	rest = strings.TrimLeft(rest[end:], " \t")
	return strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, "=")
}

// escape reads an escape sequence. One that JSON does not have keeps its
// backslash: \d in a pattern, C:\dir.
func (p *parser) escape(b *strings.Builder) {
	p.pos++ // \
	if p.pos == len(p.s) {
		return
	}
	c := p.s[p.pos]
	p.pos++
	switch c {
	case '"', '\\', '/', '\'', '`':
		b.WriteByte(c)
	case 'n':
		b.WriteByte('\n')
	case 't':
		b.WriteByte('\t')
	case 'r':
		b.WriteByte('\r')
	case 'b':
		b.WriteByte('\b')
	case 'f':
		b.WriteByte('\f')
	case '\n':
		b.WriteByte('\n')
	case 'u':
		p.codePoint(b)
	default:
		b.WriteByte('\\')
		p.pos-- // the character may be longer than a byte
	}
}

// codePoint reads what follows \u, and the second half of a surrogate pair. A
// lone half becomes U+FFFD, as in encoding/json.
func (p *parser) codePoint(b *strings.Builder) {
	first, ok := hex4(p.s[p.pos:])
	if !ok {
		b.WriteString(`\u`)
		return
	}
	p.pos += 4
	if first >= 0xD800 && first < 0xDC00 && strings.HasPrefix(p.s[p.pos:], `\u`) {
		second, ok := hex4(p.s[p.pos+2:])
		if ok && second >= 0xDC00 && second < 0xE000 {
			p.pos += 6
			b.WriteRune((first-0xD800)<<10 + (second - 0xDC00) + 0x10000)
			return
		}
	}
	b.WriteRune(first) // writes U+FFFD for a surrogate
}

func hex4(s string) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	v, err := strconv.ParseUint(s[:4], 16, 16)
	return rune(v), err == nil
}

// literals are the words with a meaning, JSON's and other languages'.
var literals = map[string]node{
	"true": {kind: boolean, text: "true"}, "True": {kind: boolean, text: "true"}, "TRUE": {kind: boolean, text: "true"},
	"false": {kind: boolean, text: "false"}, "False": {kind: boolean, text: "false"}, "FALSE": {kind: boolean, text: "false"},
	"null": {}, "None": {}, "NULL": {}, "nil": {}, "undefined": {}, "NaN": {}, "Infinity": {},
}

// bare reads what stands without quotes: a literal, a number, or words up to
// the next comma, bracket or line end.
func (p *parser) bare() (node, error) {
	words, toEnd := cutWords(p.s[p.pos:])
	p.pos += len(words)
	words = strings.TrimSpace(words)
	if n, ok := literals[words]; ok {
		return n, nil
	}
	if lit, ok := numberLiteral(words); ok {
		return node{kind: number, text: lit}, nil
	}
	if toEnd && words != "" {
		for _, whole := range []string{"true", "false", "null"} {
			if strings.HasPrefix(whole, words) {
				p.broken = true
				return literals[whole], nil
			}
		}
	}
	if r, _ := utf8.DecodeRuneInString(words); words == "" || !isWord(r) && !strings.ContainsRune("-+./@<*(~&%", r) {
		return node{}, errSyntax
	}
	return textNode(words), nil
}

// cutWords returns the words that s begins with, up to a mark that ends them,
// and whether they go on to the end of s. It reads no further than that: the
// time for a list of words is linear in its length.
func cutWords(s string) (words string, toEnd bool) {
	spaced, url := false, false
	for i := 0; i < len(s); i++ {
		rest := s[i:]
		switch c := s[i]; {
		case strings.IndexByte(",;]}\n\r", c) >= 0,
			strings.HasPrefix(rest, "，"), strings.HasPrefix(rest, "```"),
			strings.HasPrefix(rest, "/*"), strings.HasPrefix(rest, " #"):
			return s[:i], false
		case strings.HasPrefix(rest, "//") && !url:
			if i == 0 || s[i-1] != ':' {
				return s[:i], false
			}
			url = true // http://host//path has no comment in it
		case !spaced && (c == ' ' || c == '\t'):
			// A quote behind the first word begins the next string: a comma is
			// missing.
			spaced = true
			if next := strings.TrimLeft(rest, " \t"); next != "" && quoteAt(next) != nil {
				return s[:i], false
			}
		}
	}
	return s, true
}

// numberLiteral returns the JSON literal of a number in JSON's or a common
// other notation.
func numberLiteral(s string) (string, bool) {
	if !strings.ContainsAny(s, "0123456789") {
		return "", false
	}
	if json.Valid([]byte(s)) {
		return s, true
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil && !math.IsInf(f, 0) { // +1, .5, 5., 007
		return strconv.FormatFloat(f, 'g', -1, 64), true
	}
	if i, err := strconv.ParseInt(s, 0, 64); err == nil { // 0x1F, 1_000
		return strconv.FormatInt(i, 10), true
	}
	return "", false
}
