package fence

import (
	"fmt"
	"regexp"
	"strings"
)

// A Part is a stretch of a prompt: a piece of data, or what stands between two.
type Part struct {
	// Name of the fence; "" for what is outside of all.
	Name string
	// Text between the marks, as it was before it was fenced; or the text
	// outside.
	Text string
}

var opening = regexp.MustCompile(fmt.Sprintf(`<([a-z][a-z0-9-]*)-([0-9a-f]{%d})>\n`, markLen))

// Split returns the parts of a prompt in their order; those outside that are
// empty are left out. What looks like the opening of a fence that is never
// closed is not one.
func Split(prompt string) []Part {
	var parts []Part
	outside := ""
	for {
		at := opening.FindStringSubmatchIndex(prompt)
		if at == nil {
			break
		}
		name, mark := prompt[at[2]:at[3]], prompt[at[4]:at[5]]
		inner, rest, closed := strings.Cut(prompt[at[1]:], "\n</"+name+"-"+mark+">")
		if !closed {
			outside, prompt = outside+prompt[:at[1]], prompt[at[1]:]
			continue
		}
		if outside += prompt[:at[0]]; outside != "" {
			parts = append(parts, Part{Text: outside})
		}
		parts = append(parts, Part{name, unescape(inner)})
		outside, prompt = "", rest
	}
	if outside += prompt; outside != "" {
		parts = append(parts, Part{Text: outside})
	}
	return parts
}

// Outside returns what stands outside of all fences, in one text: what a model
// that heeds them takes for its instructions.
func Outside(prompt string) string {
	var b strings.Builder
	for _, p := range Split(prompt) {
		if p.Name == "" {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// Inside returns the pieces of data that are fenced under the name.
func Inside(prompt, name string) []string {
	var texts []string
	for _, p := range Split(prompt) {
		if p.Name == name {
			texts = append(texts, p.Text)
		}
	}
	return texts
}
