package skilldreamer

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"text/template"

	"github.com/prospect-go/prospect"
)

//go:embed prompts/*.txt
var promptFiles embed.FS

// Prompts are the texts sent to the model; an empty field means the built-in
// text. System is sent as it is; the others are text/template sources, executed
// with a [PromptData]. Besides the functions of text/template they have
//
//	{{fence "task" .Task}}   the text between two marks that do not occur in
//	                         it, so that what the text says cannot end it
//	{{inc $i}}               $i + 1
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
	capabilities, imagine, imagineAll, everything *template.Template
}

// parse fills in the defaults, parses the templates and tries each once.
func (p Prompts) parse() (*templates, error) {
	d := DefaultPrompts()
	t := &templates{system: cmp.Or(p.System, d.System)}
	data := PromptData{Task: "t", Capability: "c", Evidence: "e", Capabilities: []Capability{{Text: "c"}}, MaxCapabilities: 1, MaxAnchors: 1}
	for _, one := range []struct {
		name, source string
		dst          **template.Template
	}{
		{"Capabilities", cmp.Or(p.Capabilities, d.Capabilities), &t.capabilities},
		{"Imagine", cmp.Or(p.Imagine, d.Imagine), &t.imagine},
		{"ImagineAll", cmp.Or(p.ImagineAll, d.ImagineAll), &t.imagineAll},
		{"Everything", cmp.Or(p.Everything, d.Everything), &t.everything},
	} {
		parsed, err := template.New(one.name).Funcs(template.FuncMap{"fence": fence, "inc": func(i int) int { return i + 1 }}).Parse(one.source)
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

func render(t *template.Template, data PromptData) (string, error) {
	var b strings.Builder
	if err := t.Execute(&b, data); err != nil {
		return "", err
	}
	return strings.TrimSpace(b.String()), nil
}

// fence puts text between <name-x> and </name-x>, where x is made from the
// text (so that the same text gives the same prompt, for caches) and the marks
// do not occur in it.
func fence(name string, text any) string {
	s := strings.TrimSpace(fmt.Sprint(text))
	sum := sha256.Sum256([]byte(s))
	mark := name + "-" + hex.EncodeToString(sum[:4])
	for strings.Contains(s, mark) {
		sum = sha256.Sum256(sum[:])
		mark = name + "-" + hex.EncodeToString(sum[:4])
	}
	return "<" + mark + ">\n" + s + "\n</" + mark + ">"
}
