package skill

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A ListingFormat is a form of listings.
type ListingFormat uint8

const (
	// MarkdownListing is a list with one line a skill:
	//
	//	- `name` (`location`): description
	//
	// A < in it is written &lt; so that a listing that is put between tags does
	// not close them.
	MarkdownListing ListingFormat = iota
	// XMLListing is the form that agent products have in their instructions:
	//
	//	<available_skills>
	//	<skill>
	//	<name>name</name>
	//	<description>description</description>
	//	<location>location</location>
	//	</skill>
	//	</available_skills>
	XMLListing
)

// text writes a choice down, with the line about the rest or without. It is ""
// where it would hold neither a skill nor that line.
func (l *lister) text(c choice, withRest bool) string {
	rest := ""
	if n := l.o.Total - c.listed; withRest && n > 0 {
		rest = fmt.Sprintf("%d more skills are not listed here.", n)
		if n == 1 {
			rest = "1 more skill is not listed here."
		}
	}
	if c.listed == 0 && rest == "" {
		return ""
	}
	var b strings.Builder
	if l.o.Format == XMLListing {
		b.WriteString("<available_skills>\n")
	}
	for i, it := range l.items[:c.listed] {
		description := ""
		if i < c.described {
			description = cutWords(it.description, c.limit)
		}
		if l.o.Format == XMLListing {
			it.xml(&b, description)
		} else {
			it.markdown(&b, description)
		}
	}
	switch {
	case l.o.Format == XMLListing && rest != "":
		b.WriteString("<not_listed>" + rest + "</not_listed>\n</available_skills>\n")
	case l.o.Format == XMLListing:
		b.WriteString("</available_skills>\n")
	case rest != "" && c.listed > 0:
		b.WriteString("\n" + rest + "\n") // the empty line ends the list
	case rest != "":
		b.WriteString(rest + "\n")
	}
	return b.String()
}

var (
	xmlText      = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	markdownText = strings.NewReplacer("<", "&lt;")
)

func (it item) xml(b *strings.Builder, description string) {
	b.WriteString("<skill>\n<name>" + xmlText.Replace(it.name) + "</name>\n")
	if description != "" {
		b.WriteString("<description>" + xmlText.Replace(description) + "</description>\n")
	}
	if it.location != "" {
		b.WriteString("<location>" + xmlText.Replace(it.location) + "</location>\n")
	}
	b.WriteString("</skill>\n")
}

// markdown has the description at the end of the line, where it may leave a
// code span or a link open.
func (it item) markdown(b *strings.Builder, description string) {
	b.WriteString("- " + codeSpan(markdownText.Replace(it.name)))
	if it.location != "" {
		b.WriteString(" (" + codeSpan(it.location) + ")")
	}
	if description != "" {
		b.WriteString(": " + markdownText.Replace(description))
	}
	b.WriteString("\n")
}

// codeSpan puts a line between more backticks than it has in a row.
func codeSpan(line string) string {
	longest, run := 0, 0
	for _, r := range line {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	if longest == 0 {
		return "`" + line + "`"
	}
	marks := strings.Repeat("`", longest+1)
	return marks + " " + line + " " + marks
}

// visible is a text in one line: runs of white space and control characters are
// one space, and what cannot be seen at all is removed: format characters such
// as those that turn the direction of writing, blank letters, and whatever else
// can spell out a text unseen. The joiners and the variation selectors that
// some scripts and emoji need stay, one behind a character that can be seen.
func visible(text string) string {
	const none, letter, selector = 0, 1, 2
	var b strings.Builder
	gap, last := false, none // last: what a joiner or selector would follow
	for _, r := range strings.ToValidUTF8(text, "\uFFFD") {
		switch {
		case unicode.IsSpace(r) || unicode.Is(unicode.Cc, r):
			gap, last = true, none
			continue
		case (r == '\u200C' || r == '\u200D') && last != none: // in emoji behind a selector
			last = none
			b.WriteRune(r)
			continue
		case 0xFE00 <= r && r <= 0xFE0F && last == letter:
			last = selector
			b.WriteRune(r)
			continue
		case unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) ||
			unicode.Is(unicode.Variation_Selector, r) || unicode.Is(unicode.Noncharacter_Code_Point, r) || r == '\u2800':
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte(' ')
		}
		gap, last = false, letter
		b.WriteRune(r)
	}
	return b.String()
}

// cutWords returns the text if it has at most limit characters, or else a
// beginning of it and an ellipsis, of at most limit characters together. It
// ends with a word, unless more than half would be lost by that, as where words
// have no spaces between them.
func cutWords(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	if limit <= 1 {
		return ""
	}
	end, space, spaceAt := len(text), -1, 0
	n := 0
	for i, r := range text {
		if n == limit-1 {
			end = i
			if r == ' ' {
				space, spaceAt = i, n
			}
			break
		}
		if r == ' ' {
			space, spaceAt = i, n
		}
		n++
	}
	if space > 0 && spaceAt > limit/2 {
		end = space
	} else {
		// Marks stay with their letter.
		for next, _ := utf8.DecodeRuneInString(text[end:]); end > 0 && unicode.Is(unicode.M, next); {
			var size int
			next, size = utf8.DecodeLastRuneInString(text[:end])
			end -= size
		}
	}
	cut := strings.TrimRightFunc(text[:end], func(r rune) bool { return r == ' ' || strings.ContainsRune(",;:.–—-(\u200D", r) })
	if cut == "" {
		return ""
	}
	return cut + "…"
}
