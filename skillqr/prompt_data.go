package skillqr

import (
	"cmp"
	"fmt"
	"strings"
)

// LabelData is what the template of [MinePrompts.Label] sees.
type LabelData struct {
	Documents []string // nearest to the centroid first, cut
}

// DraftData is what the template of [MinePrompts.Draft] sees.
type DraftData struct {
	Groups    Groups
	Generic   Skill
	MaxSkills int
}

// JudgeData is what the template of [MinePrompts.Judge] sees.
type JudgeData struct {
	Documents []string // a sample of one cluster, cut
	Skills    SkillList
}

// ReviseData is what the template of [MinePrompts.Revise] sees.
type ReviseData struct {
	Skills    Judged
	Gaps      Gaps
	MaxSkills int
	Fixed     bool // some of Skills are fixed
}

// Groups are the clusters as the draft sees them, those with the same label as
// one. As a text they are a numbered list.
type Groups []Group

// A Group is one label and what bears it.
type Group struct {
	Label     string
	Documents int
	Terms     []string
}

func (g Groups) String() string {
	var b strings.Builder
	for i, one := range g {
		fmt.Fprintf(&b, "%d. %s (%s)", i+1, one.Label, count(one.Documents, "document"))
		if len(one.Terms) > 0 {
			fmt.Fprintf(&b, ": %s", strings.Join(one.Terms, ", "))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// A SkillList is skills with all their texts. As a text it is a numbered list.
type SkillList []Skill

func (l SkillList) String() string {
	var b strings.Builder
	for i, s := range l {
		fmt.Fprintf(&b, "%d. %s\nWhen: %s\nInstruction: %s\n\n", i+1, s.Name, s.When, s.Instruction)
	}
	return b.String()
}

// Judged are skills and what the judge found. As a text they are a numbered
// list.
type Judged []JudgedSkill

// A JudgedSkill is a skill, how much it covers, and whether it may be changed.
type JudgedSkill struct {
	Skill
	Documents int  // in the clusters that it covers
	Fixed     bool // its texts are a person's
}

func (l Judged) String() string {
	var b strings.Builder
	for i, s := range l {
		fixed := ""
		if s.Fixed {
			fixed = ", fixed"
		}
		fmt.Fprintf(&b, "%d. %s (covers %s%s)\nWhen: %s\nInstruction: %s\n\n", i+1, s.Name, count(s.Documents, "document"), fixed, s.When, s.Instruction)
	}
	return b.String()
}

// Gaps are what no skill covers, equal ones as one. As a text they are a
// numbered list.
type Gaps []Gap

// A Gap is a kind of material that no skill covers.
type Gap struct {
	Label     string
	Documents int
	Missing   string // the kind of knowledge, in the judge's words
	Broaden   int    // the number of the skill to broaden, or 0 to add one
	Terms     []string
}

func (g Gaps) String() string {
	var b strings.Builder
	for i, one := range g {
		fmt.Fprintf(&b, "%d. %s (%s)", i+1, cmp.Or(one.Label, "no label"), count(one.Documents, "document"))
		if one.Missing != "" {
			fmt.Fprintf(&b, "; missing: %s", one.Missing)
		}
		if one.Broaden > 0 {
			fmt.Fprintf(&b, "; advice: broaden skill %d", one.Broaden)
		} else {
			b.WriteString("; advice: add a skill")
		}
		if len(one.Terms) > 0 {
			fmt.Fprintf(&b, "; its words: %s", strings.Join(one.Terms, ", "))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
