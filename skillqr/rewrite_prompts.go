package skillqr

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/internal/fence"
)

//go:embed prompts/online-system.txt
var onlineSystem string

//go:embed prompts/route.tmpl
var routePrompt string

//go:embed prompts/rewrite.tmpl
var rewritePrompt string

// RewritePrompts are the texts sent to the model for a query; an empty field
// means the built-in text. System is sent as it is; the others are
// text/template sources. Besides the functions of text/template they have
//
//	{{fence "query" .Query}}   a text that nobody vouches for, between marks
//	                           that do not occur in it
//	{{inc $i}}                 $i + 1
//
// What is put in with plain {{.X}} is not fenced. The answers must have the
// form that the built-in prompts describe.
type RewritePrompts struct {
	System  string
	Route   string // executed with a [RouteData]
	Rewrite string // executed with a [RewriteData]
}

// RouteData is what the template of [RewritePrompts].Route sees.
type RouteData struct {
	// Query as it was asked, cut to [Options].MaxQuery.
	Query string
	// Skills to choose from, the generic one last. The answer gives a number
	// from 1.
	Skills []Skill
	// Examples of right choices, with their numbers in this list.
	Examples []NumberedExample
}

// RewriteData is what the template of [RewritePrompts].Rewrite sees.
type RewriteData struct {
	// Query as it was asked, cut to [Options].MaxQuery.
	Query string
	// Documents are the beginnings of the first hits, best first; none without
	// feedback.
	Documents []string
	// Skill to rewrite with. Its instruction is meant to be followed.
	Skill Skill
	// MaxWords bounds the expansion.
	MaxWords int
}

// DefaultRewritePrompts returns the built-in prompts.
func DefaultRewritePrompts() RewritePrompts {
	return RewritePrompts{
		System:  strings.TrimSpace(onlineSystem),
		Route:   strings.TrimSpace(routePrompt),
		Rewrite: strings.TrimSpace(rewritePrompt),
	}
}

// rewriteTemplates are prompts ready for use.
type rewriteTemplates struct {
	system         string
	route, rewrite *fence.Template
}

// parse fills in the defaults, parses the templates and tries each once.
func (p RewritePrompts) parse() (*rewriteTemplates, error) {
	d := DefaultRewritePrompts()
	t := &rewriteTemplates{system: cmp.Or(p.System, d.System)}
	for _, one := range []struct {
		name, source string
		data         any
		dst          **fence.Template
	}{
		{"Route", cmp.Or(p.Route, d.Route), RouteData{"q", []Skill{Generic(), Generic()}, []NumberedExample{{"q", 1}}}, &t.route},
		{"Rewrite", cmp.Or(p.Rewrite, d.Rewrite), RewriteData{"q", []string{"d"}, Generic(), 1}, &t.rewrite},
	} {
		parsed, err := fence.Parse(one.name, one.source)
		if err == nil {
			var text string
			if text, err = parsed.Render(one.data); err == nil && text == "" {
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

// hash is a digest of the texts, for the keys of caches.
func (p RewritePrompts) hash() string {
	d := DefaultRewritePrompts()
	return digest(cmp.Or(p.System, d.System), cmp.Or(p.Route, d.Route), cmp.Or(p.Rewrite, d.Rewrite))
}

// digest of several texts, in hex; ("ab", "c") and ("a", "bc") differ.
func digest(texts ...string) string {
	h := sha256.New()
	for _, text := range texts {
		fmt.Fprintf(h, "%d:%s", len(text), text)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// JSON Schemas of the answers, for models that can hold to one. They use only
// what services commonly accept: every property required, none besides.
var (
	routeSchema = json.RawMessage(`{"type":"object","additionalProperties":false,"required":["genre","knowledge","reasoning","choice","second"],"properties":{` +
		`"genre":{"type":"string"},"knowledge":{"type":"string"},"reasoning":{"type":"string"},"choice":{"type":"integer"},"second":{"type":"integer"}}}`)
	rewriteSchema = json.RawMessage(`{"type":"object","additionalProperties":false,"required":["expansion"],"properties":{"expansion":{"type":"string"}}}`)
)
