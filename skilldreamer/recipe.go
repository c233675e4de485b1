package skilldreamer

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/skill"
)

// A Recipe says which text stands for a skill. The zero Recipe is its name and
// its description.
type Recipe struct {
	// Body is how many code points of the body follow: 0 for none, a negative
	// number for all of it.
	Body int
	// NoName and NoDescription leave these parts out.
	NoName, NoDescription bool
}

// DefaultDense is the recipe of the texts that are embedded: name, description
// and the first 1,000 characters of the body. On the SkillsBench gallery of
// 5,536 skills it retrieved best with the built-in model
// (TestRecipesOnSkillsBench has the figures); a small gallery does as well
// without the body.
func DefaultDense() Recipe { return Recipe{Body: 1000} }

// DefaultLexical is the recipe of the texts in the BM25 index: name and
// description. As part of the method more text did not help, and it makes the
// index several times larger; plain BM25 gains from the first 2,000 characters
// of the body (same test).
func DefaultLexical() Recipe { return Recipe{} }

// Text is the text that stands for s: the name with its hyphens as spaces, the
// description and the body, as far as the recipe has them, each on lines of
// its own. Parts that are empty are left out.
func (r Recipe) Text(s *skill.Skill) string {
	var parts []string
	add := func(part string) {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if !r.NoName {
		add(strings.ReplaceAll(s.Name, "-", " "))
	}
	if !r.NoDescription {
		add(s.Description)
	}
	add(head(s.Body, r.Body))
	return strings.Join(parts, "\n")
}

// Identity names the recipe; it changes whenever the text may.
func (r Recipe) Identity() string {
	var parts []string
	if !r.NoName {
		parts = append(parts, "name")
	}
	if !r.NoDescription {
		parts = append(parts, "description")
	}
	switch {
	case r.Body < 0:
		parts = append(parts, "body")
	case r.Body > 0:
		parts = append(parts, fmt.Sprintf("body[:%d]", r.Body))
	}
	return strings.Join(parts, "+") + "/1"
}

func (r Recipe) validate() error {
	if r.NoName && r.NoDescription && r.Body == 0 {
		return fmt.Errorf("%w: a recipe without any part of a skill", prospect.ErrOption)
	}
	return nil
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
