package skillqr

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/prospect-go/prospect/internal/answer"
)

// The types below are answers of mining as models write them. They take what
// can be taken and leave the rest empty: one field of a wrong type must not
// cost the whole answer.

// labelAnswer labels a cluster. The kind of content comes under the name that
// was asked for or a near one; a label may hold both.
type labelAnswer struct {
	Domain      wireProse  `json:"domain"`
	Content     wireProse  `json:"content"`
	ContentType wireProse  `json:"content_type"`
	Kind        wireProse  `json:"kind"`
	Label       wireProse  `json:"label"`
	Terms       wireChoice `json:"terms"`
}

func (a *labelAnswer) check() error {
	a.Content = firstOf(a.Content, a.ContentType, a.Kind)
	if domain, kind, ok := strings.Cut(string(a.Label), "/"); ok && a.Domain == "" && a.Content == "" {
		a.Domain, a.Content = wireProse(strings.TrimSpace(domain)), wireProse(strings.TrimSpace(kind))
	}
	switch {
	case a.Domain == "" && a.Content == "":
		return errors.New(`"domain" and "content" are both empty`)
	case a.Domain == "":
		return errors.New(`"domain" is empty`)
	case a.Content == "":
		return errors.New(`"content" is empty`)
	}
	return nil
}

// skillsAnswer is a draft or a revision: an object, just the list, or just one
// skill.
type skillsAnswer struct {
	Skills []wireSkill
}

func (a *skillsAnswer) UnmarshalJSON(data []byte) error {
	items := wireItems{data}
	var list []json.RawMessage
	if json.Unmarshal(data, &list) == nil {
		items = list
	}
	for _, item := range items {
		var object struct {
			Skills wireItems `json:"skills"`
		}
		if answer.Unmarshal(item, &object) != nil || object.Skills == nil {
			object.Skills = wireItems{item}
		}
		for _, one := range object.Skills {
			var s wireSkill
			// What cannot be read is a skill without texts, for the caller to
			// drop.
			if answer.Unmarshal(one, &s) == nil {
				s.tidy()
			}
			a.Skills = append(a.Skills, s)
		}
	}
	return nil
}

// wireItems is a list, or one item.
type wireItems []json.RawMessage

func (w *wireItems) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	if json.Unmarshal(data, (*[]json.RawMessage)(w)) != nil {
		*w = wireItems{slices.Clone(data)}
	}
	if *w == nil {
		*w = wireItems{}
	}
	return nil
}

// wireSkill is a skill of a draft or revision.
type wireSkill struct {
	Name         wireProse  `json:"name"`
	When         wireProse  `json:"when"`
	WhenToUse    wireProse  `json:"when_to_use"`
	Description  wireProse  `json:"description"`
	Instruction  wireProse  `json:"instruction"`
	Instructions wireProse  `json:"instructions"`
	Groups       wireChoice `json:"groups"`
	Gaps         wireChoice `json:"gaps"`
}

// listNumber is what a name may begin with that was copied from a list.
var listNumber = regexp.MustCompile(`^(?:[Ss]kill\s*)?\d{1,2}\s*[.):]\s+`)

func (s *wireSkill) tidy() {
	s.Name = wireProse(listNumber.ReplaceAllString(oneLine(string(s.Name)), ""))
	s.When = firstOf(s.When, s.WhenToUse, s.Description)
	s.Instruction = firstOf(s.Instruction, s.Instructions)
}

// judgeAnswer is what the judge found about one cluster.
type judgeAnswer struct {
	CoveredBy wireGiven  `json:"covered_by"`
	Missing   wireProse  `json:"missing"`
	Action    wireProse  `json:"action"`
	Skill     wireChoice `json:"skill"`

	by      []int // places of the skills that cover it, the best first
	broaden int   // place of the skill to broaden, or −1
}

// resolve finds which skills are meant.
func (a *judgeAnswer) resolve(names []string) error {
	if !a.CoveredBy.given && a.Missing == "" && a.Action == "" {
		return errors.New(`"covered_by" is missing`)
	}
	var err error
	if a.by, err = placesOf(a.CoveredBy.choice, names); err != nil {
		return fmt.Errorf(`"covered_by": %w`, err)
	}
	a.broaden = -1
	if strings.Contains(fold(string(a.Action)), "broaden") {
		// Which one is advice: where it makes no sense, there is none.
		if to, err := placesOf(a.Skill, names); err == nil && len(to) > 0 {
			a.broaden = to[0]
		}
	}
	return nil
}

// wireGiven is a list of numbers or names that says whether it was there.
type wireGiven struct {
	given  bool
	choice wireChoice
}

func (w *wireGiven) UnmarshalJSON(data []byte) error {
	if w.given = string(data) != "null"; !w.given {
		return nil
	}
	return w.choice.UnmarshalJSON(data)
}

var (
	numberRange = regexp.MustCompile(`(\d+)(?:\s*(?:-|–|to)\s*(\d+))?`)
	// saysNone is of texts that name nothing, whatever marks stand around.
	saysNone = regexp.MustCompile(`(?i)^[^\pL\pN]*(?:none|no|nothing|n/a|null|0|false|empty)?[^\pL\pN]*$`)
)

// placesOf returns the places, from 0, that numbers from 1 or names mean, in
// the order given, without repetitions. An error where something was meant and
// nothing is found.
func placesOf(choice []string, names []string) ([]int, error) {
	var out []int
	meant := ""
	for _, c := range choice {
		c = head(c, 2*maxNameLen)
		if saysNone.MatchString(c) {
			continue
		}
		meant = c
		found := namedIn(c, names)
		if len(found) == 0 {
			found = numbersIn(c, len(names))
		}
		for _, at := range found {
			if !slices.Contains(out, at) {
				out = append(out, at)
			}
		}
	}
	if len(out) == 0 && meant != "" {
		return nil, fmt.Errorf("%q is neither a number from 1 to %d nor a name", head(meant, 100), len(names))
	}
	return out, nil
}

// numbersIn returns the places that the numbers from 1 to n in a text stand
// for, those of ranges included.
func numbersIn(s string, n int) []int {
	var out []int
	for _, m := range numberRange.FindAllStringSubmatch(s, -1) {
		lo, err := strconv.Atoi(m[1])
		if err != nil {
			continue
		}
		hi := lo
		if m[2] != "" {
			if hi, err = strconv.Atoi(m[2]); err != nil {
				continue
			}
		}
		for at := max(lo, 1); at <= min(hi, n); at++ {
			out = append(out, at-1)
		}
	}
	return out
}

// wireProse is a text, or a list of them, one a line; anything else, and a
// text without a letter or digit, such as a copied "...", is "".
type wireProse string

func (w *wireProse) UnmarshalJSON(data []byte) error {
	var text string
	var many []string
	var number json.Number
	switch {
	case json.Unmarshal(data, &text) == nil:
	case json.Unmarshal(data, &many) == nil:
		text = strings.Join(many, "\n")
	case json.Unmarshal(data, &number) == nil:
		text = number.String()
	}
	*w = wireProse(tidyProse(text))
	return nil
}

// tidyProse keeps lines, but no control characters and no white space at ends.
func tidyProse(s string) string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n", "\t", " ").Replace(strings.ToValidUTF8(s, ""))
	s = strings.Map(func(r rune) rune {
		if isControl(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, s)
	if !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return ""
	}
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRightFunc(line, unicode.IsSpace)
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

func firstOf(texts ...wireProse) wireProse {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
