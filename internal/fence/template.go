package fence

import (
	"fmt"
	"strings"
	"text/template"
)

// A Template renders prompts. Its source is that of a text/template with two
// functions more:
//
//	{{fence "task" .Task}}   the value, as fmt.Sprint prints it, in a fence of that name
//	{{inc $i}}               $i + 1
//
// A value that is not fenced stands in the prompt as it is, as part of the
// instructions. A Template is safe for concurrent use. Make one with [Parse].
type Template struct {
	t *template.Template
}

// Parse reads the source of a template. The name is for errors. A source that
// holds the opening of a fence itself is refused: data could close it.
func Parse(name, source string) (*Template, error) {
	if at := opening.FindString(source); at != "" {
		return nil, fmt.Errorf("fence: %s holds %q, which reads as the opening of a fence", name, strings.TrimSpace(at))
	}
	t, err := template.New(name).Option("missingkey=error").Funcs(template.FuncMap{
		"fence": func(string, any) string { return "" }, // Render puts its own in place
		"inc":   func(i int) int { return i + 1 },
	}).Parse(source)
	if err != nil {
		return nil, err
	}
	return &Template{t}, nil
}

// Render returns the prompt for the data, without white space at its ends.
//
// The template is executed twice, first without fences to see all of which the
// prompt will consist, so it must do the same each time.
func (t *Template) Render(data any) (string, error) {
	bare, err := t.execute(data, func(_ string, value any) (string, error) { return fmt.Sprint(value), nil })
	if err != nil {
		return "", err
	}
	mark := MarkFor(bare)
	prompt, err := t.execute(data, func(name string, value any) (string, error) { return mark.wrap(name, fmt.Sprint(value)) })
	return strings.TrimSpace(prompt), err
}

func (t *Template) execute(data any, fence func(name string, value any) (string, error)) (string, error) {
	own, err := t.t.Clone() // the function belongs to one execution
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = own.Funcs(template.FuncMap{"fence": fence}).Execute(&b, data)
	return b.String(), err
}
