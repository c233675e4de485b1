package skill

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// checkName holds the name against the rule and the folder, and finds one where
// there is none.
func (f *frontReader) checkName(folder string) {
	s := f.skill
	if s.Name == "" {
		if s.Name = folder; folder == "" {
			s.Name = "skill-" + s.Hash[:8]
		}
		f.report.warn(MissingName, f.namedAt, "called "+s.Name)
		folder = ""
	}
	if !ValidName(s.Name) {
		f.report.warn(InvalidName, f.namedAt, fmt.Sprintf(
			"%q is not made of 1 to %d of a-z, 0-9 and single hyphens between them", shorten(s.Name), maxName))
	}
	if folder != "" && s.Name != folder {
		f.report.warn(NameMismatch, f.namedAt, fmt.Sprintf("%q in a folder %q", shorten(s.Name), folder))
	}
}

func (f *frontReader) checkDescription(fromBody bool) {
	s := f.skill
	if s.Description == "" && fromBody {
		if s.Description = firstParagraph(s.Body); s.Description != "" {
			f.report.warn(MissingDescription, f.describedAt, "taken from the body")
			return
		}
	}
	if s.Description == "" {
		f.report.fail(MissingDescription, f.describedAt, "a skill without a description cannot be chosen", nil)
		return
	}
	if n := utf8.RuneCountInString(s.Description); n > maxDescription {
		f.report.warn(DescriptionTooLong, f.describedAt, fmt.Sprintf("%d code points, at most %d allowed", n, maxDescription))
	}
}

// firstParagraph returns the first block of prose in Markdown as one line of at
// most maxDescription code points. Headings, rules, comments, tables and code
// are no prose; the marks of quotes and lists are taken off.
func firstParagraph(body string) string {
	var words []string
	fence := ""
	for _, line := range strings.Split(body, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(line, fence) {
				fence = ""
			}
			continue
		case strings.HasPrefix(line, "```"), strings.HasPrefix(line, "~~~"):
			fence = line[:3]
			line = ""
		case line == "", strings.ContainsRune("#|<", rune(line[0])), strings.Trim(line, "-*_= ") == "":
			line = ""
		}
		if line = strings.TrimSpace(strings.TrimLeft(line, "> ")); line == "" {
			if len(words) > 0 {
				break
			}
			continue
		}
		for _, mark := range []string{"- ", "* ", "+ "} {
			line = strings.TrimPrefix(line, mark)
		}
		words = append(words, strings.Fields(line)...)
	}
	text, n := "", 0
	for i, w := range words {
		if n += utf8.RuneCountInString(w); i > 0 {
			n++
		}
		if n > maxDescription {
			break
		}
		if i > 0 {
			text += " "
		}
		text += w
	}
	return text
}
