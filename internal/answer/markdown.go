package answer

import (
	"strings"
	"unicode"
)

// bulletItems returns the items of a Markdown list, or nil if s has none.
func bulletItems(s string) []node {
	var items []node
	for line := range strings.Lines(s) {
		if item, ok := bullet(line); ok && item != "" {
			items = append(items, textNode(item))
		}
	}
	return items
}

// bullet returns the item of a line that begins with a bullet or a number.
func bullet(line string) (string, bool) {
	line = strings.TrimSpace(line)
	for _, mark := range []string{"- ", "* ", "+ ", "• ", "– "} {
		if item, ok := strings.CutPrefix(line, mark); ok {
			return unmark(item), true
		}
	}
	digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
	if digits == 0 || digits > 3 {
		return "", false
	}
	for _, mark := range []string{". ", ") "} {
		if item, ok := strings.CutPrefix(line[digits:], mark); ok {
			return unmark(item), true
		}
	}
	return "", false
}

// heading splits a line "## Name", "**Name**", "Name:" or "name: value".
func heading(line string) (name, value string, ok bool) {
	line = strings.TrimSpace(line)
	bare := strings.TrimSpace(strings.TrimLeft(line, "#"))
	name, value, colon := strings.Cut(bare, ":")
	// Emphasis may end before or behind the colon.
	marked := bare != line || strings.HasPrefix(bare, "**") || strings.HasPrefix(bare, "__")
	name, value = strings.Trim(name, "*_ "), unmark(strings.TrimLeft(value, "*_ "))
	r := []rune(name)
	if len(r) == 0 || len(r) > 40 || !unicode.IsLetter(r[0]) || !colon && !marked {
		return "", "", false
	}
	return name, value, true
}

// sections reads Markdown headings, or YAML-like keys, with lists below them:
//
//	## Capabilities        anchors:
//	1. parse a PDF         - table
//
// as an object of lists, and "name: value" lines as texts.
func sections(s string) (node, bool) {
	n := node{kind: object}
	var key string
	var items []node
	flush := func() {
		if key != "" && len(items) > 0 {
			n.keys, n.items = append(n.keys, key), append(n.items, listNode(items))
		}
		key, items = "", nil
	}
	for line := range strings.Lines(s) {
		if item, ok := bullet(line); ok {
			if item != "" {
				items = append(items, textNode(item))
			}
			continue
		}
		name, value, ok := heading(line)
		if !ok {
			continue
		}
		flush()
		if value == "" {
			key = name
			continue
		}
		n.keys, n.items = append(n.keys, name), append(n.items, textNode(value))
	}
	flush()
	return n, len(n.keys) > 0
}

// unmark drops emphasis and quotes around a whole item.
func unmark(s string) string {
	s = strings.TrimSpace(s)
	for _, mark := range []string{"**", "__", "*", "`", `"`, "'"} {
		if len(s) > 2*len(mark) && strings.HasPrefix(s, mark) && strings.HasSuffix(s, mark) {
			return strings.TrimSpace(s[len(mark) : len(s)-len(mark)])
		}
	}
	return s
}
