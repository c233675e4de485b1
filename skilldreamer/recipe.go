package skilldreamer

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/prospect-go/prospect/skill"
)

// A Recipe says which text stands for a skill: its name and its description,
// then the start of its body.
type Recipe struct {
	// Body is how many code points of the body follow: 0 for none, a negative
	// number for all of it.
	Body int
}

// Text is the text that stands for s: the name with its hyphens as spaces,
// the description and, as the recipe says, the body, each on its own line.
func (r Recipe) Text(s *skill.Skill) string {
	var b strings.Builder
	b.WriteString(strings.ReplaceAll(s.Name, "-", " "))
	b.WriteByte('\n')
	b.WriteString(s.Description)
	if body := head(s.Body, r.Body); body != "" {
		b.WriteByte('\n')
		b.WriteString(body)
	}
	return b.String()
}

// Identity names the recipe; it changes whenever the text may.
func (r Recipe) Identity() string {
	switch {
	case r.Body == 0:
		return "name+description/1"
	case r.Body < 0:
		return "name+description+body/1"
	}
	return fmt.Sprintf("name+description+body[:%d]/1", r.Body)
}

// head returns the first n code points of s, all of it where n is negative.
func head(s string, n int) string {
	if n < 0 || len(s) <= n {
		return s
	}
	at := 0
	for range n {
		if at >= len(s) {
			break
		}
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return s[:at]
}
