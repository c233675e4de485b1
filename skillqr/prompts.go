package skillqr

import (
	"cmp"
	"embed"
	"fmt"
	"strings"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/internal/fence"
)

// Prompts are the texts sent to models; an empty field means the built-in
// text, so the zero value is the built-in prompts. System and OnlineSystem are
// sent as they are; the others are text/template sources. Besides the functions
// of text/template they have
//
//	{{fence "query" .Query}}   the value between two marks that do not occur
//	                           in it, so that what the text says cannot end it
//	{{inc $i}}                 $i + 1
//
// The answers must have the form that the built-in prompts describe.
type Prompts struct {
	// Of mining; each call sends System.
	System string
	Label  string // executed with a [LabelData]
	Draft  string // with a [DraftData]
	Judge  string // with a [JudgeData]
	Revise string // with a [ReviseData]

	// Of rewriting; each call sends OnlineSystem.
	OnlineSystem string
	Route        string // with a [RouteData]
	Rewrite      string // with a [RewriteData]
}

// LabelData is what the template of [Prompts.Label] sees.
type LabelData struct {
	Documents []string // nearest to the centroid first, cut
}

// DraftData is what the template of [Prompts.Draft] sees.
type DraftData struct {
	Groups    Groups
	Generic   Skill
	MaxSkills int
}

// JudgeData is what the template of [Prompts.Judge] sees.
type JudgeData struct {
	Documents []string // a sample of one cluster, cut
	Skills    SkillList
}

// ReviseData is what the template of [Prompts.Revise] sees.
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

//go:embed prompts/system.tmpl prompts/label.tmpl prompts/draft.tmpl prompts/judge.tmpl prompts/revise.tmpl
var minerPrompts embed.FS

// miningTemplates are the prompts of mining, ready for use.
type miningTemplates struct {
	system                       string
	label, draft, judge, revise *fence.Template
}

// mining fills in the defaults, parses the templates of mining and tries each
// once.
func (p Prompts) mining() (*miningTemplates, error) {
	builtin := func(name string) string {
		data, err := minerPrompts.ReadFile("prompts/" + name + ".tmpl")
		if err != nil {
			panic(err) // embedded at build time
		}
		return strings.TrimSpace(string(data))
	}
	t := &miningTemplates{system: cmp.Or(p.System, builtin("system"))}
	skill := Skill{Name: "n", When: "w", Instruction: "i"}
	for _, one := range []struct {
		name, source string
		sample       any
		dst          **fence.Template
	}{
		{"Label", cmp.Or(p.Label, builtin("label")), LabelData{Documents: []string{"d"}}, &t.label},
		{"Draft", cmp.Or(p.Draft, builtin("draft")), DraftData{Groups{{"l", 1, []string{"t"}}}, skill, 1}, &t.draft},
		{"Judge", cmp.Or(p.Judge, builtin("judge")), JudgeData{[]string{"d"}, SkillList{skill}}, &t.judge},
		{"Revise", cmp.Or(p.Revise, builtin("revise")), ReviseData{Judged{{skill, 1, true}}, Gaps{{"l", 1, "m", 1, nil}}, 1, true}, &t.revise},
	} {
		parsed, err := parsePrompt(one.name, one.source, one.sample)
		if err != nil {
			return nil, err
		}
		*one.dst = parsed
	}
	return t, nil
}

// parsePrompt parses a template and renders it once, with sample data, so that
// a mistake in it shows when it is given and not in the middle of the work.
// Errors wrap [prospect.ErrOption] and name the field of [Prompts].
func parsePrompt(name, source string, sample any) (*fence.Template, error) {
	t, err := fence.Parse(name, source)
	if err == nil {
		var text string
		if text, err = t.Render(sample); err == nil && text == "" {
			err = fmt.Errorf("renders to nothing")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%w: Prompts.%s: %w", prospect.ErrOption, name, err)
	}
	return t, nil
}
