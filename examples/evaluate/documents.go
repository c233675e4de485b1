package main

import (
	"encoding/json"
	"strings"

	"github.com/prospect-go/prospect/metrics"
	"github.com/prospect-go/prospect/skill"
)

// metadata is what of a document's metadata counts here.
type metadata struct {
	// SameNameAs names documents of the corpus with the name of this one.
	SameNameAs json.RawMessage `json:"same_name_as"`
}

// sharesName says that a distractor has the name of a document of the corpus.
func sharesName(d metrics.Doc) bool {
	var m metadata
	return json.Unmarshal(d.Metadata, &m) == nil && len(m.SameNameAs) > 0 && string(m.SameNameAs) != "null"
}

// toSkill is a document as a gallery takes it, and whether it is a SKILL.md:
// one is a text that begins with front matter that names and describes a
// skill. Recipes choose parts of it.
//
// Any other document is its title and its text, both in the place of the
// description, so that every recipe takes it as a whole. A title with which
// the text begins anyway is not repeated, for its words would count twice.
func toSkill(d metrics.Doc) (s *skill.Skill, isSkill bool) {
	if strings.HasPrefix(strings.TrimPrefix(d.Text, "\uFEFF"), "---") {
		if s, _, err := skill.Parse([]byte(d.Text), skill.ParseOptions{Folder: d.ID}); err == nil {
			s.ID = d.ID
			return s, true
		}
	}
	text := d.Text
	if title := strings.TrimSpace(d.Title); title != "" && !strings.HasPrefix(fold(text), fold(title)) {
		text = title + "\n" + text
	}
	return &skill.Skill{ID: d.ID, Description: strings.TrimSpace(text)}, false
}

func fold(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// label is the name by which a document appears in a report.
func label(s *skill.Skill) string {
	if s.Name != "" {
		return s.Name
	}
	line, _, _ := strings.Cut(s.Description, "\n")
	return line
}
