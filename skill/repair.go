package skill

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// repairYAML makes a mapping of front matter that is not valid YAML, by taking
// its top-level keys one at a time. The value of a key that YAML does not accept
// becomes the text that stands there, which is what the author of
//
//	description: Use when: asked
//
// meant. Lines at the top level that belong to no key are left out. The root is
// nil if there is no key at all.
func repairYAML(text string) (root *yaml.Node, repairs []repair) {
	repaired := func(line int, what string) {
		repairs = append(repairs, repair{line, what, false})
	}
	root = &yaml.Node{Kind: yaml.MappingNode}
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); {
		line := lines[i]
		if !keyLine.MatchString(line) {
			if !blank(line) && line[0] != '#' {
				repairs = append(repairs, repair{i + 1, "left out a line that is no key: " + shorten(strings.TrimSpace(line)), true})
			}
			i++
			continue
		}
		end := i + 1
		bare := strings.HasSuffix(trimEnd(line), ":") // no value on the line itself
		for end < len(lines) && continuesEntry(lines[end], bare) {
			end++
		}
		readEntry(root, lines[i:end], i, repaired)
		i = end
	}
	if len(root.Content) == 0 {
		return nil, nil
	}
	return root, repairs
}

// continuesEntry tells whether a line belongs to the key above: indented, blank
// or the end of a flow collection, and below a bare key also a comment or an
// item of a list.
func continuesEntry(line string, bare bool) bool {
	if blank(line) {
		return true
	}
	switch line[0] {
	case ' ', '\t', ']', '}':
		return true
	case '#':
		return bare
	}
	return bare && (line == "-" || strings.HasPrefix(line, "- "))
}

// readEntry appends the key and value of one entry to root; before is the
// number of lines above it.
func readEntry(root *yaml.Node, lines []string, before int, repaired func(line int, what string)) {
	text := strings.Join(lines, "\n")
	entry, err := readYAML(text)
	if err != nil && strings.Contains(text, "\t") {
		if spaced, err2 := readYAML(expandTabs(lines)); err2 == nil {
			entry, err = spaced, nil
			repaired(before+1, "tabs at the start of lines became spaces")
		}
	}
	if err == nil && len(entry.Content) == 2 {
		shiftLines(entry, before)
		root.Content = append(root.Content, entry.Content...)
		return
	}
	m := keyLine.FindStringSubmatchIndex(lines[0])
	key := strings.Trim(lines[0][m[2]:m[3]], `"'`)
	value := rawValue(lines[0][m[4]:], lines[1:])
	repaired(before+1, "took the value of "+key+" as plain text")
	root.Content = append(root.Content,
		&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key, Line: before + 1},
		&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value, Line: before + 1},
	)
}

// rawValue is the text of a value that YAML does not accept: what stands after
// the colon and the lines below, joined with spaces as YAML does with plain
// text, or with line feeds after a block indicator. Quotes around all of it are
// taken off.
func rawValue(first string, rest []string) string {
	first = strings.TrimSpace(first)
	join := " "
	if first != "" && strings.Trim(first, "|>+-0123456789") == "" && (first[0] == '|' || first[0] == '>') {
		if first[0] == '|' {
			join = "\n"
		}
		first = ""
	}
	parts := []string{}
	if first != "" {
		parts = append(parts, first)
	}
	for _, line := range rest {
		if line = strings.TrimSpace(line); line != "" || join == "\n" {
			parts = append(parts, line)
		}
	}
	value := strings.TrimSpace(strings.Join(parts, join))
	if n := len(value); n >= 2 && value[0] == value[n-1] && (value[0] == '"' || value[0] == '\'') {
		quote := value[:1]
		value = strings.ReplaceAll(value[1:n-1], `\`+quote, quote)
	}
	return value
}

// expandTabs puts two spaces for each tab in the indentation.
func expandTabs(lines []string) string {
	out := make([]string, len(lines))
	for i, line := range lines {
		content := strings.TrimLeft(line, " \t")
		out[i] = strings.ReplaceAll(line[:len(line)-len(content)], "\t", "  ") + content
	}
	return strings.Join(out, "\n")
}

// shiftLines adds to the line numbers of a node and all in it. Aliases are not
// followed: an entry that has one does not parse alone.
func shiftLines(n *yaml.Node, by int) {
	n.Line += by
	for _, c := range n.Content {
		shiftLines(c, by)
	}
}

// shorten cuts a text for a message.
func shorten(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
