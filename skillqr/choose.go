package skillqr

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// check refuses an answer that holds no skill that can be used. Skills that
// are there already need no texts.
func (a *skillsAnswer) check(old []Skill) error {
	if len(a.Skills) == 0 {
		return errors.New(`"skills" is empty`)
	}
	var first error
	for i, w := range a.Skills {
		err := w.missing(old)
		if err == nil {
			return nil
		}
		if first == nil {
			first = fmt.Errorf("skill %d %w", i+1, err)
		}
	}
	return first
}

// missing says what a skill lacks.
func (w wireSkill) missing(old []Skill) error {
	reason := nameless(head(string(w.Name), maxNameLen))
	switch {
	case w.Name == "":
		return errors.New(`has no "name"`)
	case reason != "":
		return fmt.Errorf(`has a "name" that %s`, reason)
	case w.Instruction == "" && named(old, string(w.Name)) < 0:
		return errors.New(`has no "instruction"`)
	case w.Instruction != "" && named(old, string(w.Name)) < 0 && echoes(string(w.Instruction), string(w.Name), string(w.When)):
		return errors.New(`has an "instruction" that only repeats its name and "when"`)
	}
	return nil
}

// echoes says whether an instruction holds no word that name and when lack.
func echoes(instruction, name, when string) bool {
	have := wordsOf(name + " " + when)
	return !slices.ContainsFunc(wordsOf(instruction), func(word string) bool { return !slices.Contains(have, word) })
}

// likeMark is a word that looks like the mark of a fence. Weak models copy these.
var likeMark = regexp.MustCompile(`-[0-9a-f]{8,}$`)

// wordsOf are the words of a text, but for those that look like marks.
func wordsOf(text string) []string {
	words := strings.FieldsFunc(fold(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) && r != '-'
	})
	for i, word := range words {
		words[i] = strings.Trim(word, "-")
	}
	return slices.DeleteFunc(words, func(word string) bool { return word == "" || likeMark.MatchString(word) })
}

// named returns the place of the skill with a name, or −1.
func named(skills []Skill, name string) int {
	return slices.IndexFunc(skills, func(s Skill) bool { return fold(s.Name) == fold(name) })
}

// A candidate is a skill that may come into the set.
type candidate struct {
	skill  Skill
	covers []int // positions of the clusters that it is said to cover
	fixed  bool
}

// take makes the proposed skills those of the mining, at most MaxSkills, and
// says whether their texts are other than before. covers gives the positions
// of the clusters that one covers, as is claimed; old is the skill that it
// replaces, if any. Skills edited by a person stay, whatever is proposed.
func (m *mining) take(step Step, wire []wireSkill, covers func(w wireSkill, old Skill) []int) (changed bool) {
	var found []candidate
	for _, s := range m.skills {
		if s.Edited() {
			found = append(found, candidate{s, m.coverage(s), true})
		}
	}
	for i, w := range wire {
		if err := w.missing(m.skills); err != nil {
			m.say(step, -1, Trimmed, fmt.Sprintf("skill %d of the answer was dropped: it %v", i+1, err))
			continue
		}
		c := m.candidate(step, w)
		if fold(c.skill.Name) == fold(m.o.Generic.Name) {
			m.say(step, -1, Trimmed, "a skill with the name of the generic one was dropped")
			continue
		}
		var old Skill
		if at := named(m.skills, c.skill.Name); at >= 0 {
			old = m.skills[at]
		}
		c.covers = covers(w, old)
		same := slices.IndexFunc(found, func(f candidate) bool { return fold(f.skill.Name) == fold(c.skill.Name) })
		if same < 0 {
			found = append(found, c)
			continue
		}
		found[same].covers = append(found[same].covers, c.covers...)
		if !found[same].fixed {
			m.say(step, -1, Trimmed, fmt.Sprintf("a second skill with the name %q was dropped", c.skill.Name))
		}
	}
	found = m.leftOutOf(found, step)
	if len(found) > m.o.MaxSkills {
		kept := m.widest(found)
		m.say(step, -1, TooMany, fmt.Sprintf("%d skills were proposed; the %d that cover most documents were kept", len(found), len(kept)))
		found = kept
	}
	// Old skills keep their order, which may be a person's.
	slices.SortStableFunc(found, func(a, b candidate) int { return m.place(a) - m.place(b) })
	before := m.skills
	m.skills = nil
	m.claims = make([][]string, len(m.notes))
	for _, c := range found {
		m.skills = append(m.skills, c.skill)
		for _, i := range c.covers {
			if d := c.skill.digest(); !slices.Contains(m.claims[i], d) {
				m.claims[i] = append(m.claims[i], d)
			}
		}
	}
	return !slices.EqualFunc(before, m.skills, Skill.sameTexts)
}

// place of the skill that a candidate is or replaces; new ones come after.
func (m *mining) place(c candidate) int {
	if at := named(m.skills, c.skill.Name); at >= 0 {
		return at
	}
	return len(m.skills)
}

// leftOutOf adds the skills that cover documents and are not among the
// candidates, those that cover most first, as long as there is room: models
// asked for old skills and new ones like to give the new ones.
func (m *mining) leftOutOf(found []candidate, step Step) []candidate {
	var lost []candidate
	for _, s := range m.skills {
		c := candidate{skill: s, covers: m.coverage(s)}
		if m.documents(c.covers) > 0 && !slices.ContainsFunc(found, func(f candidate) bool { return fold(f.skill.Name) == fold(s.Name) }) {
			lost = append(lost, c)
		}
	}
	slices.SortStableFunc(lost, func(a, b candidate) int { return m.documents(b.covers) - m.documents(a.covers) })
	for _, c := range lost[:min(len(lost), max(m.o.MaxSkills-len(found), 0))] {
		m.say(step, -1, Trimmed, fmt.Sprintf("the answer leaves out the skill %q, which covers documents; it was kept", c.skill.Name))
		found = append(found, c)
	}
	return found
}

// candidate tidies a skill of an answer. One that is there already keeps its
// name, and the texts that are blank in the answer.
func (m *mining) candidate(step Step, w wireSkill) candidate {
	s := Skill{
		Name:        m.cut(step, -1, "name", string(w.Name), maxNameLen),
		When:        m.cut(step, -1, "when", string(w.When), maxWhenLen),
		Instruction: m.cut(step, -1, "instruction", string(w.Instruction), maxInstructionLen),
		Origin:      "drafted",
	}
	if step == StepRevise {
		s.Origin = fmt.Sprintf("added after round %d", m.round)
	}
	if at := named(m.skills, s.Name); at >= 0 {
		old := m.skills[at]
		s.Name, s.Origin = old.Name, old.Origin
		if s.When == "" {
			s.When = old.When
		}
		if s.Instruction == "" || echoes(s.Instruction, s.Name, s.When) {
			s.Instruction = old.Instruction
		}
		if old.Edited() || s.sameTexts(old) {
			return candidate{skill: old, fixed: old.Edited()}
		}
		s.Origin += fmt.Sprintf("; revised after round %d", m.round)
	}
	if s.When == "" {
		s.When = "The query is about " + s.Name + "."
		m.say(step, -1, Trimmed, fmt.Sprintf("skill %q came without \"when\"; its name stands in", s.Name))
	}
	s.Digest = s.digest()
	return candidate{skill: s}
}

// widest chooses MaxSkills candidates: those that are fixed, then always the
// one that adds most documents to what is covered, the first of equals. The
// order stays.
func (m *mining) widest(found []candidate) []candidate {
	keep := make([]bool, len(found))
	covered := make([]bool, len(m.notes))
	chosen := 0
	choose := func(at int) {
		keep[at] = true
		chosen++
		for _, i := range found[at].covers {
			covered[i] = true
		}
	}
	for at, c := range found {
		if c.fixed {
			choose(at)
		}
	}
	for chosen < m.o.MaxSkills {
		best, most := -1, -1
		for at, c := range found {
			if keep[at] {
				continue
			}
			gain := 0
			counted := make(map[int]bool, len(c.covers))
			for _, i := range c.covers {
				if !covered[i] && !counted[i] {
					counted[i] = true
					gain += m.notes[i].Size
				}
			}
			if gain > most {
				best, most = at, gain
			}
		}
		choose(best)
	}
	var out []candidate
	for at, c := range found {
		if keep[at] {
			out = append(out, c)
		}
	}
	return out
}

// numbersOf returns the places, from 0, that the numbers from 1 to n stand
// for, each once.
func numbersOf(choice wireChoice, n int) []int {
	var out []int
	for _, c := range choice {
		if fold(c) == "all" {
			c = fmt.Sprintf("1-%d", n)
		}
		for _, at := range numbersIn(c, n) {
			if !slices.Contains(out, at) {
				out = append(out, at)
			}
		}
	}
	return out
}
