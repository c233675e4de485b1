package skill

import (
	"regexp"
	"strings"
	"unicode"
)

// A cut is one way to divide a file into front matter and body.
type cut struct {
	front string // the front matter, without fences
	line  int    // line of the file, from 1, on which front starts
	body  string // what follows, and what precedes a misplaced front matter

	misplaced string // why the start is not as it should be; "" if it is
	unclosed  string // the same of the end
}

var (
	// A top-level key as skills use them; values of other shapes are YAML's matter.
	keyLine = regexp.MustCompile(`^("[^"\n]+"|'[^'\n]+'|[\p{L}_][\p{L}\p{N}_ .-]*?)[ \t]*:([ \t]|$)`)
	// A line by which front matter is told where the place does not tell it.
	tellingLine = regexp.MustCompile(`(?i)^(name|description)[ \t]*:([ \t]|$)`)
	hyphens     = regexp.MustCompile(`^-{3,}$`)
)

// maxPreface is the number of lines before a misplaced front matter.
const maxPreface = 50

// cuts returns the ways to divide the text, the most regular first; none if
// there is no trace of front matter.
func cuts(text string) []cut {
	lines := strings.Split(text, "\n")
	first := 0
	for first < len(lines) && blank(lines[first]) {
		first++
	}
	if first == len(lines) {
		return nil
	}
	opener := strings.TrimSpace(lines[first])
	if hyphens.MatchString(opener) {
		misplaced := ""
		if first > 0 {
			misplaced = "blank lines before the opening fence"
		} else if trimEnd(lines[first]) != "---" {
			misplaced = "the opening fence is not three hyphens at the start of a line"
		}
		return closings(lines, first, opener, misplaced)
	}
	if at := laterOpening(lines, first); at >= 0 {
		return closings(lines, at, "---", "text before the opening fence, kept as the start of the body")
	}
	if end := unfenced(lines, first); end >= 0 {
		rest := end
		if rest < len(lines) && trimEnd(lines[rest]) == "---" {
			rest++
		}
		return []cut{{
			front:     strings.Join(lines[first:end], "\n"),
			line:      first + 1,
			body:      strings.Join(lines[rest:], "\n"),
			misplaced: "the opening fence is missing",
		}}
	}
	return nil
}

// closings returns the ways to end front matter whose opening fence is line at.
func closings(lines []string, at int, fence, misplaced string) []cut {
	preface := strings.Join(lines[:at], "\n")
	way := func(end, rest int, unclosed string) cut {
		body := strings.Join(lines[rest:], "\n")
		if !blank(preface) {
			body = strings.TrimRightFunc(preface, unicode.IsSpace) + "\n\n" + trimBody(body)
		}
		return cut{
			front: strings.Join(lines[at+1:end], "\n"), line: at + 2, body: body,
			misplaced: misplaced, unclosed: unclosed,
		}
	}
	var ways []cut
	limit := len(lines)
	for i := at + 1; i < len(lines); i++ {
		if trimEnd(lines[i]) == fence {
			limit = i
			ways = append(ways, way(i, i+1, ""))
			break
		}
	}
	for i := at + 1; i < limit; i++ {
		if hyphens.MatchString(strings.TrimSpace(lines[i])) {
			c := way(i, i+1, "the closing fence is indented or of another length")
			c.body = unindent(c.body, len(lines[i])-len(strings.TrimLeft(lines[i], " ")))
			ways = append(ways, c)
			break
		}
	}
	if end := frontEnd(lines, at+1, limit); limit == len(lines) || end < limit {
		ways = append(ways, way(end, end, "the closing fence is missing"))
	}
	return ways
}

// laterOpening returns the line of a fence under some text, or -1. A rule in
// the text is a fence only if a key follows at once, and a name or description
// and a closing fence after that.
func laterOpening(lines []string, first int) int {
	for i := first + 1; i < len(lines) && i <= first+maxPreface; i++ {
		if trimEnd(lines[i]) != "---" || i+1 == len(lines) || !keyLine.MatchString(lines[i+1]) {
			continue
		}
		telling := false
		for _, line := range lines[i+1:] {
			if trimEnd(line) == "---" {
				if telling {
					return i
				}
				break
			}
			telling = telling || tellingLine.MatchString(line)
		}
	}
	return -1
}

// unfenced returns the line after front matter that starts at line first without
// a fence, or -1 if there is none: it has to start with a name or description
// and hold the latter.
func unfenced(lines []string, first int) int {
	if !tellingLine.MatchString(lines[first]) {
		return -1
	}
	end := frontEnd(lines, first, len(lines))
	for _, line := range lines[first:end] {
		if len(line) >= 11 && strings.EqualFold(line[:11], "description") && tellingLine.MatchString(line) {
			return end
		}
	}
	return -1
}

// frontEnd returns the line at which front matter without a closing fence ends:
// a rule, or a blank line that no key and no indented line follows. Lines that
// start with # count as comments if they stand right above a key, and as a
// heading otherwise.
func frontEnd(lines []string, from, limit int) int {
	i := from
	for i < limit && blank(lines[i]) {
		i++
	}
	for ; i < limit; i++ {
		if trimEnd(lines[i]) == "---" {
			return i
		}
		if !blank(lines[i]) {
			continue
		}
		next := i
		for next < limit && blank(lines[next]) {
			next++
		}
		for next < limit && lines[next] != "" && lines[next][0] == '#' {
			next++
		}
		if next == limit || blank(lines[next]) {
			return i
		}
		if l := lines[next]; !keyLine.MatchString(l) && l[0] != ' ' && l[0] != '\t' {
			return i
		}
		i = next - 1
	}
	return limit
}

func blank(line string) bool { return strings.TrimSpace(line) == "" }

func trimEnd(line string) string { return strings.TrimRight(line, " \t") }

// unindent removes up to n spaces from the start of each line.
func unindent(text string, n int) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		k := 0
		for k < n && k < len(line) && line[k] == ' ' {
			k++
		}
		lines[i] = line[k:]
	}
	return strings.Join(lines, "\n")
}

// trimBody removes blank lines at the start and white space at the end.
func trimBody(body string) string {
	for {
		line, rest, found := strings.Cut(body, "\n")
		if !blank(line) {
			return strings.TrimRightFunc(body, unicode.IsSpace)
		}
		if !found {
			return ""
		}
		body = rest
	}
}
