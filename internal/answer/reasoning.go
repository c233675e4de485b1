package answer

import (
	"slices"
	"strings"
)

// reasoningTags are the names under which models put their reasoning.
var reasoningTags = []string{"think", "thinking", "thought", "thoughts", "reasoning", "reflection", "scratchpad", "analysis"}

// longestTag is the length of the longest of them, with its ">".
const longestTag = len("scratchpad>")

type tagKind int

const (
	tagNone  tagKind = iota // no tag, or a block of reasoning with its end
	tagOpen                 // begins reasoning that has no end
	tagClose                // ends reasoning that had no begin
)

// reasoning looks at the '<' at pos and returns where to go on. lower is the
// text in lower case. A block of reasoning is passed with its end.
func reasoning(lower string, pos int) (next int, kind tagKind) {
	rest, closes := strings.CutPrefix(lower[pos+1:], "/")
	name, _, found := strings.Cut(rest[:min(len(rest), longestTag)], ">")
	if !found || !slices.Contains(reasoningTags, name) {
		return pos + 1, tagNone
	}
	begin := len(lower) - len(rest) + len(name) + len(">")
	if closes {
		return begin, tagClose
	}
	// Where the reasoning itself speaks of its end tag, the true one is met
	// later, as an end without a begin.
	closing := "</" + name + ">"
	if end := strings.Index(lower[begin:], closing); end >= 0 {
		return begin + end + len(closing), tagNone
	}
	return begin, tagOpen
}

// lowerASCII lowers A to Z and keeps every offset, as strings.ToLower does not.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// withoutReasoning returns the text without its blocks of reasoning; what
// stands before an end without begin, or behind a begin without end, is
// reasoning too.
func withoutReasoning(s string) string {
	lower := lowerASCII(s)
	var b strings.Builder
	for pos := 0; ; {
		step := strings.IndexByte(s[pos:], '<')
		if step < 0 {
			b.WriteString(s[pos:])
			return b.String()
		}
		b.WriteString(s[pos : pos+step])
		pos += step
		next, kind := reasoning(lower, pos)
		switch {
		case kind == tagOpen:
			return b.String()
		case kind == tagClose:
			b.Reset()
		case next == pos+1:
			b.WriteByte('<')
		}
		pos = next
	}
}
