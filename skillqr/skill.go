package skillqr

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds on the texts of a skill, in code points. A rewrite prompt holds one
// skill whole and a routing prompt the names and whens of all, so they are
// short; a longer text in a file is an error, one of a model is cut.
const (
	maxNameLen        = 100
	maxWhenLen        = 600
	maxInstructionLen = 3000
)

// A Skill tells a model how to rewrite queries about one kind of material, so
// that they use the words which documents of that kind use.
type Skill struct {
	// Name, one line, unique within a set but for case. It has a letter and is
	// not a word such as "none", since models choose by number or name.
	Name string `json:"name" yaml:"name"`
	// When to use it, one or two sentences: what a router decides by.
	When string `json:"when" yaml:"when"`
	// Instruction to the model that rewrites: which vocabulary, entities,
	// synonyms and kinds of statement the documents contain.
	Instruction string `json:"instruction" yaml:"instruction"`
	// Covers are the numbers ([ClusterNote.Cluster]) of the clusters whose
	// documents it fits, ascending. A cluster may be covered by several skills.
	Covers []int `json:"covers,omitempty" yaml:"covers,omitempty"`
	// Origin says how it came to be, for a person: "drafted", "revised in
	// round 2". It may be empty, as for a skill written by hand.
	Origin string `json:"origin,omitempty" yaml:"origin,omitempty"`
	// Digest of the texts as the miner wrote them, empty for a skill written
	// by hand. See [Skill.Edited].
	Digest string `json:"digest,omitempty" yaml:"digest,omitempty"`
}

// Generic returns the built-in generic skill: the one for queries that no
// other skill fits. Every set has one.
func Generic() Skill {
	s := Skill{
		Name: "generic",
		When: "No other skill clearly fits the query, or the query spans several kinds of material.",
		Instruction: "Work out what the query is really after and what a text that helps with it would say. " +
			"Name the subject in the words of its field: the concepts, methods and entities involved, common synonyms, and the full forms of abbreviations. " +
			"State in one or two plain sentences the fact, rule or procedure that such a text is likely to hold. " +
			"Leave out names and numbers that neither the query nor its subject calls for.",
		Origin: "built in",
	}
	s.Digest = s.digest()
	return s
}

// Edited says whether a person wrote the skill or changed its name, when or
// instruction since the miner did. [Refresh] leaves such a skill's texts alone.
func (s Skill) Edited() bool { return s.Digest != s.digest() }

// digest is that of the texts, for Digest.
func (s Skill) digest() string {
	h := sha256.New()
	for _, text := range []string{s.Name, s.When, s.Instruction} {
		fmt.Fprintf(h, "%d:%s", len(text), text)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// sameTexts says whether two skills rewrite alike.
func (s Skill) sameTexts(t Skill) bool {
	return s.Name == t.Name && s.When == t.When && s.Instruction == t.Instruction
}

// problems says what is wrong with the texts, each in one phrase.
func (s Skill) problems() []string {
	var out []string
	for _, part := range []struct {
		name, text string
		limit      int
	}{{"name", s.Name, maxNameLen}, {"when", s.When, maxWhenLen}, {"instruction", s.Instruction, maxInstructionLen}} {
		n := utf8.RuneCountInString(part.text)
		switch {
		case strings.TrimSpace(part.text) == "":
			out = append(out, part.name+" is empty")
		case !utf8.ValidString(part.text):
			out = append(out, part.name+" is not valid UTF-8")
		case n > part.limit:
			out = append(out, fmt.Sprintf("%s has %d characters, at most %d are allowed", part.name, n, part.limit))
		case strings.ContainsFunc(part.text, isControl):
			out = append(out, part.name+" holds control characters")
		}
	}
	if reason := nameless(s.Name); reason != "" && strings.TrimSpace(s.Name) != "" {
		out = append(out, "name "+reason)
	}
	if strings.ContainsAny(s.Name, "\n\t") {
		out = append(out, "name is more than one line")
	}
	return out
}

// nameless says why a text cannot be the name of a skill in an answer.
func nameless(name string) string {
	switch {
	case !strings.ContainsFunc(name, unicode.IsLetter):
		return "has no letter"
	case saysNone.MatchString(name):
		return "means that there is none"
	}
	return ""
}

// isControl says whether r has no place in a text: a control character other
// than a line feed or a tab, a mark that files use at their beginning, or a code
// point that is no character and that YAML refuses.
func isControl(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || r == '\uFEFF' || r == '\uFFFE' || r == '\uFFFF'
}

// fold is the form in which names are compared.
func fold(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }
