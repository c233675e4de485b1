package skillqr

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"strings"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/internal/fence"
)

// MinePrompts are the texts sent to models when a set is mined; an empty field
// means the built-in text, so the zero value is the built-in prompts. System is
// sent with each call as it is; the others are text/template sources. Besides
// the functions of text/template they have
//
//	{{fence "document" .}}   the value between two marks that do not occur in
//	                         it, so that what the text says cannot end it
//	{{inc $i}}               $i + 1
//
// The answers must have the form that the built-in prompts describe.
type MinePrompts struct {
	System string
	Label  string // executed with a [LabelData]
	Draft  string // with a [DraftData]
	Judge  string // with a [JudgeData]
	Revise string // with a [ReviseData]
}

//go:embed prompts/system.tmpl prompts/label.tmpl prompts/draft.tmpl prompts/judge.tmpl prompts/revise.tmpl
var minePrompts embed.FS

// DefaultMinePrompts returns the built-in prompts.
func DefaultMinePrompts() MinePrompts {
	text := func(name string) string {
		data, err := minePrompts.ReadFile("prompts/" + name + ".tmpl")
		if err != nil {
			panic(err) // embedded at build time
		}
		return strings.TrimSpace(string(data))
	}
	return MinePrompts{System: text("system"), Label: text("label"), Draft: text("draft"), Judge: text("judge"), Revise: text("revise")}
}

// miningTemplates are the prompts of mining, ready for use.
type miningTemplates struct {
	system                      string
	label, draft, judge, revise *fence.Template
}

// parse fills in the defaults, parses the templates and tries each once.
func (p MinePrompts) parse() (*miningTemplates, error) {
	d := DefaultMinePrompts()
	t := &miningTemplates{system: cmp.Or(p.System, d.System)}
	skill := Skill{Name: "n", When: "w", Instruction: "i"}
	for _, one := range []struct {
		name, source string
		sample       any
		dst          **fence.Template
	}{
		{"Label", cmp.Or(p.Label, d.Label), LabelData{Documents: []string{"d"}}, &t.label},
		{"Draft", cmp.Or(p.Draft, d.Draft), DraftData{Groups{{"l", 1, []string{"t"}}}, skill, 1}, &t.draft},
		{"Judge", cmp.Or(p.Judge, d.Judge), JudgeData{[]string{"d"}, SkillList{skill}}, &t.judge},
		{"Revise", cmp.Or(p.Revise, d.Revise), ReviseData{Judged{{skill, 1, true}}, Gaps{{"l", 1, "m", 1, nil}}, 1, true}, &t.revise},
	} {
		parsed, err := fence.Parse(one.name, one.source)
		if err == nil {
			var text string
			if text, err = parsed.Render(one.sample); err == nil && text == "" {
				err = errors.New("renders to nothing")
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%w: MinePrompts.%s: %w", prospect.ErrOption, one.name, err)
		}
		*one.dst = parsed
	}
	return t, nil
}
