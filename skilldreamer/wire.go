package skilldreamer

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode"

	"github.com/prospect-go/prospect/internal/answer"
)

// The types below are answers as models write them. They take what can be
// taken and leave the rest empty: one field of a wrong type must not cost the
// whole answer.

// inference is the answer to CI, with imagined skills where one call asks for
// both: an object, or just the list of capabilities. A list of mere texts is
// not taken for it, since it may be that of the anchors.
type inference struct {
	Capabilities wireList[wireCapability] `json:"capabilities"`
	Anchors      wireTerms                `json:"anchors"`
}

func (a *inference) UnmarshalJSON(data []byte) error {
	type object inference
	if isList(data) {
		if !strings.Contains(string(data), "{") {
			return errors.New("a list of texts where an object was asked")
		}
		return a.Capabilities.UnmarshalJSON(data)
	}
	return answer.Unmarshal(data, (*object)(a))
}

func (a *inference) check() error {
	for _, c := range a.Capabilities {
		if !isBlank(c.Text) {
			return nil
		}
	}
	return errors.New(`"capabilities" holds no capability with a text`)
}

// imaginations is the answer to PSG for all capabilities: an object, or just
// the list.
type imaginations struct {
	Skills wireList[wireSkill] `json:"skills"`
}

func (a *imaginations) UnmarshalJSON(data []byte) error {
	type object imaginations
	if isList(data) {
		return a.Skills.UnmarshalJSON(data)
	}
	return answer.Unmarshal(data, (*object)(a))
}

// wireCapability is a capability: an object, or just text. An object with
// name and description instead of capability is taken for both.
type wireCapability struct{ Capability }

func (c *wireCapability) UnmarshalJSON(data []byte) error {
	var object struct {
		Capability  wireText  `json:"capability"`
		Name        wireText  `json:"name"`
		Description wireText  `json:"description"`
		Evidence    Evidence  `json:"evidence"`
		Skill       wireSkill `json:"pseudo_skill"`
	}
	var bare string
	if json.Unmarshal(data, &bare) == nil {
		object.Capability = telling(bare)
	} else if err := answer.Unmarshal(data, &object); err != nil {
		return err
	}
	text := string(object.Capability)
	if isBlank(text) {
		text = string(object.Description)
	}
	if isBlank(text) {
		text = string(object.Name)
	}
	c.Capability = Capability{Text: text, Evidence: object.Evidence}
	if s := object.Skill.ImaginedSkill; s.usable() {
		c.Skill = &s
	}
	return nil
}

// wireSkill is an imagined skill: an object, or just text, which is its body.
type wireSkill struct{ ImaginedSkill }

func (s *wireSkill) UnmarshalJSON(data []byte) error {
	var bare string
	if json.Unmarshal(data, &bare) == nil {
		s.Body = string(telling(bare))
		return nil
	}
	var object struct {
		Name        wireText `json:"name"`
		Description wireText `json:"description"`
		Body        wireText `json:"body"`
	}
	if isList(data) || answer.Unmarshal(data, &object) != nil {
		return nil // not usable, which the caller sees
	}
	s.ImaginedSkill = ImaginedSkill{string(object.Name), string(object.Description), string(object.Body)}
	return nil
}

func (s *wireSkill) check() error {
	if !s.usable() {
		return errors.New(`"description" and "body" are both empty`)
	}
	return nil
}

// wireText is a text, or a list of them, one a line. Anything else is "", and
// so is a text without a letter or digit: small models answer with the "..."
// of the form that they were shown.
type wireText string

func (w *wireText) UnmarshalJSON(data []byte) error {
	var text string
	var many []string
	if json.Unmarshal(data, &text) != nil && json.Unmarshal(data, &many) == nil {
		text = strings.Join(many, "\n")
	}
	*w = telling(text)
	return nil
}

// telling is text, or "" where it says nothing.
func telling(text string) wireText {
	if !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return ""
	}
	return wireText(text)
}

// wireTerms is a list of terms, or one text with commas between them.
type wireTerms []string

func (w *wireTerms) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		for _, term := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ';' || r == '\n' }) {
			*w = append(*w, string(telling(term)))
		}
		return nil
	}
	var list wireList[wireText]
	err := list.UnmarshalJSON(data)
	for _, t := range list {
		*w = append(*w, string(t))
	}
	return err
}

// wireList is a list, or one item of it. Items that cannot be read become
// empty ones.
type wireList[T any] []T

func (w *wireList[T]) UnmarshalJSON(data []byte) error {
	var items []json.RawMessage
	if !isList(data) {
		if string(data) == "null" {
			return nil
		}
		items = []json.RawMessage{data}
	} else if err := json.Unmarshal(data, &items); err != nil {
		return err
	}
	*w = make([]T, len(items))
	for i, item := range items {
		var v T
		if json.Unmarshal(item, &v) == nil {
			(*w)[i] = v
		}
	}
	return nil
}

func isList(data []byte) bool { return strings.HasPrefix(strings.TrimSpace(string(data)), "[") }
