package skilldreamer

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/prospect-go/prospect/skill"
)

// Imagined is what a model thought about a task before any skill was looked
// at. It comes from [Dreamer.Imagine], from a cache of it, or from an agent's
// own reasoning; as JSON it has the form of its field tags.
type Imagined struct {
	// Capabilities that the task needs, each with an imagined skill.
	Capabilities []Capability `json:"capabilities"`
	// Anchors are terms of the domain and key targets of the task. They are
	// the lexical query.
	Anchors []string `json:"anchors"`
	// Model is the identity of the model, empty where it is not known.
	Model string `json:"model,omitempty"`
	// Notes say what did not go as planned while imagining.
	Notes []Note `json:"notes,omitempty"`
	// Calls are the model's calls, in the order of their stages.
	Calls []Call `json:"calls,omitempty"`
	// Partial says that a deadline cut the thinking short.
	Partial bool `json:"partial,omitempty"`
	// Elapsed is how long the thinking took.
	Elapsed time.Duration `json:"elapsed_ns,omitempty"`
}

// A Capability is one thing that somebody must be able to do to fulfil the
// task.
type Capability struct {
	// Text describes the capability so that it can be understood without the
	// task.
	Text string `json:"capability"`
	// Evidence is what in the task speaks for it. It is given to the model
	// that imagines the skill.
	Evidence Evidence `json:"evidence,omitempty"`
	// Skill is the imagined skill; nil where it could not be had, and then
	// Text stands for it.
	Skill *ImaginedSkill `json:"pseudo_skill,omitempty"`
}

// An ImaginedSkill is a skill that a model thinks would help. It need not
// exist, it is used for retrieval alone, and it is never run.
type ImaginedSkill struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Body        string `json:"body"`
}

// usable says that there is something to embed besides a name.
func (s *ImaginedSkill) usable() bool {
	return s != nil && !(isBlank(s.Description) && isBlank(s.Body))
}

// text is the text that stands for a capability: its imagined skill by a recipe
// for real ones, or else the capability itself. It may be blank.
func (c Capability) text(r Recipe) (text string, imagined bool) {
	if c.Skill.usable() {
		text = r.Text(&skill.Skill{Name: c.Skill.Name, Description: c.Skill.Description, Body: c.Skill.Body})
		if !isBlank(text) {
			return text, true
		}
	}
	return c.Text, false
}

// Evidence is a text. Models also answer with a list of texts, a number or
// something else.
type Evidence string

// UnmarshalJSON takes a string, a list of strings (joined by "; ") or a
// number; whatever else there is becomes "", for evidence is no reason to lose
// a capability.
func (e *Evidence) UnmarshalJSON(data []byte) error {
	var many []any
	var one any
	*e = ""
	if json.Unmarshal(data, &many) != nil {
		if json.Unmarshal(data, &one) != nil {
			return nil
		}
		many = []any{one}
	}
	var texts []string
	for _, v := range many {
		switch v := v.(type) {
		case string:
			texts = append(texts, v)
		case float64:
			number, _ := json.Marshal(v) // a number of JSON
			texts = append(texts, string(number))
		}
	}
	*e = Evidence(strings.Join(texts, "; "))
	return nil
}

// lexicalQuery is the anchors as one BM25 query.
func (im *Imagined) lexicalQuery() string { return strings.Join(im.Anchors, " ") }
