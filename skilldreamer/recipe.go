package skilldreamer

import (
	"cmp"
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
	// Piece, where it is positive, has a dense recipe cut what follows in the
	// body into pieces of about so many code points, each of which gets a
	// vector of its own. The best of a skill's vectors counts. Default 0: one
	// vector a skill. BM25 takes no notice of it.
	Piece int
	// MaxPieces bounds the pieces of one skill. Default 16.
	MaxPieces int
}

// DefaultDense is the recipe of the texts that are embedded: name, description
// and the first 600 characters of the body. On the SkillsBench gallery of 5,536
// skills the built-in model retrieved about equally well with 600 and 1,000,
// and worse with none (TestRecipesOnSkillsBench); a small gallery, and a
// transformer such as all-MiniLM-L6-v2, do better without the body.
func DefaultDense() Recipe { return Recipe{Body: 600} }

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

// Texts are all the texts that stand for s: Text, and then the pieces of the
// rest of the body, each under the skill's name. Pieces end at the last line
// break or else space in their second half, where there is one.
func (r Recipe) Texts(s *skill.Skill) []string {
	texts := []string{r.Text(s)}
	if r.Piece <= 0 || r.Body < 0 {
		return texts
	}
	rest := strings.TrimSpace(s.Body[len(head(s.Body, r.Body)):])
	for rest != "" && len(texts) <= r.maxPieces() {
		piece := head(rest, r.Piece)
		if len(piece) < len(rest) {
			half := len(head(piece, r.Piece/2))
			if at := strings.LastIndexByte(piece[half:], '\n'); at >= 0 {
				piece = piece[:half+at]
			} else if at := strings.LastIndexByte(piece[half:], ' '); at >= 0 {
				piece = piece[:half+at]
			}
		}
		rest = strings.TrimSpace(rest[len(piece):])
		if piece = strings.TrimSpace(piece); piece != "" {
			part := Recipe{NoName: r.NoName, NoDescription: true, Body: -1}
			texts = append(texts, part.Text(&skill.Skill{Name: s.Name, Body: piece}))
		}
	}
	return texts
}

func (r Recipe) maxPieces() int { return cmp.Or(r.MaxPieces, 16) }

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
	if r.Piece > 0 && r.Body >= 0 {
		parts = append(parts, fmt.Sprintf("%d pieces of %d", r.maxPieces(), r.Piece))
	}
	return strings.Join(parts, "+") + "/1"
}

// validate checks the recipe of an option.
func (r Recipe) validate(option string) error {
	if r.NoName && r.NoDescription && r.Body == 0 {
		return fmt.Errorf("%w: %s has no part of a skill", prospect.ErrOption, option)
	}
	if r.Piece < 0 || r.MaxPieces < 0 {
		return fmt.Errorf("%w: %s has Piece %d and MaxPieces %d, want 0 or more", prospect.ErrOption, option, r.Piece, r.MaxPieces)
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
