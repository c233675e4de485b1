package skilldreamer

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/internal/fence"
)

//go:embed prompts/*.txt
var promptFiles embed.FS

// Prompts are the texts sent to the model; an empty field means the built-in
// text. System is sent as it is; the others are text/template sources, executed
// twice for each prompt with a [PromptData]. Besides the functions of
// text/template they have
//
//	{{fence "task" .Task}}   the text between <task-1a2b3c4d> and </task-1a2b3c4d>
//	{{inc $i}}               $i + 1
//
// The digits are the same in all fences of a prompt, are made from the whole
// of it, and occur nowhere else in it, so that nothing that a text says can end
// its fence or begin another. Control tokens of chat formats in the text, such
// as <|im_end|>, get a backslash behind their first character, because many
// servers heed them wherever they stand. A text that a template puts in without
// a fence stands among the instructions: whoever wrote it writes the prompt.
//
// The answers must have the form that the built-in prompts describe.
type Prompts struct {
	System       string
	Capabilities string // CI: uses Task, MaxCapabilities, MaxAnchors
	Imagine      string // PSG for one capability: uses Capability, Evidence
	ImagineAll   string // PSG for all capabilities in one call: uses Capabilities
	Everything   string // CI and PSG in one call: uses Task, MaxCapabilities, MaxAnchors
}

// PromptData is what the templates of [Prompts] see.
type PromptData struct {
	Task            string
	Capability      string
	Evidence        string
	Capabilities    []Capability
	MaxCapabilities int
	MaxAnchors      int
}

// DefaultPrompts returns the built-in prompts.
func DefaultPrompts() Prompts {
	text := func(name string) string {
		data, err := promptFiles.ReadFile("prompts/" + name + ".txt")
		if err != nil {
			panic(err) // embedded at build time
		}
		return strings.TrimSpace(string(data))
	}
	return Prompts{
		System:       text("system"),
		Capabilities: text("capabilities"),
		Imagine:      text("imagine"),
		ImagineAll:   text("imagine-all"),
		Everything:   text("everything"),
	}
}

// templates are prompts ready for use.
type templates struct {
	system                                        string
	capabilities, imagine, imagineAll, everything *fence.Template
}

// parse fills in the defaults, parses the templates and tries each once.
func (p Prompts) parse() (*templates, error) {
	d := DefaultPrompts()
	t := &templates{system: cmp.Or(p.System, d.System)}
	data := PromptData{Task: "t", Capability: "c", Evidence: "e", Capabilities: []Capability{{Text: "c"}}, MaxCapabilities: 1, MaxAnchors: 1}
	for _, one := range []struct {
		name, source string
		dst          **fence.Template
	}{
		{"Capabilities", cmp.Or(p.Capabilities, d.Capabilities), &t.capabilities},
		{"Imagine", cmp.Or(p.Imagine, d.Imagine), &t.imagine},
		{"ImagineAll", cmp.Or(p.ImagineAll, d.ImagineAll), &t.imagineAll},
		{"Everything", cmp.Or(p.Everything, d.Everything), &t.everything},
	} {
		parsed, err := fence.Parse(one.name, one.source)
		if err == nil {
			var text string
			if text, err = render(parsed, data); err == nil && text == "" {
				err = errors.New("renders to nothing")
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%w: Prompts.%s: %w", prospect.ErrOption, one.name, err)
		}
		*one.dst = parsed
	}
	return t, nil
}

// render makes a prompt of data, whose texts it trims.
func render(t *fence.Template, data PromptData) (string, error) {
	data.Task = strings.TrimSpace(data.Task)
	data.Capability = strings.TrimSpace(data.Capability)
	data.Evidence = strings.TrimSpace(data.Evidence)
	data.Capabilities = slices.Clone(data.Capabilities)
	for i, c := range data.Capabilities {
		data.Capabilities[i].Text = strings.TrimSpace(c.Text)
		data.Capabilities[i].Evidence = Evidence(strings.TrimSpace(string(c.Evidence)))
	}
	return t.Render(data)
}
