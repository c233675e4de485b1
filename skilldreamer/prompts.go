package skilldreamer

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"strings"
	"text/template"
)

//go:embed prompts/*.txt
var promptFiles embed.FS

// Prompts are the texts sent to the model. System is sent as it is; the others
// are text/template sources, executed with a [PromptData]. Besides the
// functions of text/template they have
//
//	{{fence "task" .Task}}
//
// which puts a text between two marks that do not occur in it, so that what
// the text says cannot end it. The answers must have the form that the
// built-in prompts describe.
type Prompts struct {
	System       string
	Capabilities string // CI: uses Task, MaxCapabilities, MaxAnchors
	Imagine      string // PSG for one capability: uses Capability, Evidence
	ImagineAll   string // PSG for all capabilities in one call: uses Capabilities
	Everything   string // CI and PSG in one call: uses Task, MaxCapabilities, MaxAnchors

	parsed struct{ capabilities, imagine, imagineAll, everything *template.Template }
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
func DefaultPrompts() *Prompts {
	text := func(name string) string {
		data, err := promptFiles.ReadFile("prompts/" + name + ".txt")
		if err != nil {
			panic(err) // embedded at build time
		}
		return string(data)
	}
	return &Prompts{
		System:       strings.TrimSpace(text("system")),
		Capabilities: text("capabilities"),
		Imagine:      text("imagine"),
		ImagineAll:   text("imagine-all"),
		Everything:   text("everything"),
	}
}

// check parses the templates and runs each once.
func (p *Prompts) check() error {
	data := PromptData{Task: "t", Capability: "c", Evidence: "e", Capabilities: []Capability{{Text: "c"}}, MaxCapabilities: 1, MaxAnchors: 1}
	for _, t := range []struct {
		name   string
		source string
		dst    **template.Template
	}{
		{"Capabilities", p.Capabilities, &p.parsed.capabilities},
		{"Imagine", p.Imagine, &p.parsed.imagine},
		{"ImagineAll", p.ImagineAll, &p.parsed.imagineAll},
		{"Everything", p.Everything, &p.parsed.everything},
	} {
		parsed, err := template.New(t.name).Funcs(template.FuncMap{"fence": fence, "inc": func(i int) int { return i + 1 }}).Parse(t.source)
		if err == nil {
			_, err = render(parsed, data)
		}
		if err != nil {
			return fmt.Errorf("skilldreamer: prompt %s: %w", t.name, err)
		}
		*t.dst = parsed
	}
	return nil
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
