package skillqr

import (
	"fmt"
	"slices"

	"github.com/prospect-go/prospect"
)

// A Rewriter chooses a skill for a query and rewrites the query with it. It is
// immutable and safe for concurrent use.
type Rewriter struct {
	set     *Set
	model   prospect.LLM // nil: every query stays as it is
	opts    Options
	prompts *rewriteTemplates
	version string // a digest of all but the query that changes a rewrite
}

// New returns a Rewriter with the skills of a set, which is copied. A nil model
// is allowed: then every query stays as it is. Errors: [ErrInvalid] for the
// set, [prospect.ErrOption] for options out of range and for prompts that are
// not valid templates.
func New(set *Set, model prospect.LLM, opts Options) (*Rewriter, error) {
	if set == nil {
		return nil, optionError("no skill set")
	}
	if err := set.Validate(); err != nil {
		return nil, err
	}
	opts, err := opts.withDefaults(set)
	if err != nil {
		return nil, err
	}
	prompts, err := opts.Prompts.parse()
	if err != nil {
		return nil, err
	}
	own := &Set{Skills: cloneSkills(set.Skills), Generic: set.Generic}
	rw := &Rewriter{set: own, model: model, opts: opts, prompts: prompts}
	rw.version = rw.digestOptions()
	return rw, nil
}

// digestOptions is a digest of all that changes what a model writes for a
// query. A prior is a function and cannot be in it.
func (rw *Rewriter) digestOptions() string {
	o := rw.opts
	identity := ""
	if rw.model != nil {
		identity = rw.model.Identity()
	}
	temperature := "unset"
	if o.Temperature != nil {
		temperature = fmt.Sprint(*o.Temperature)
	}
	parts := []string{
		rw.set.Hash(), identity, o.Prompts.hash(), temperature,
		fmt.Sprint(o.Top, o.MaxWords, o.MaxExpansion, o.MaxQuery, o.MaxTokens),
		fmt.Sprint(o.Routing.Votes, o.Routing.Prior != nil, o.Routing.PriorWeight, o.Routing.PriorOnly),
	}
	for _, e := range o.Routing.Examples {
		parts = append(parts, e.Query, e.Skill)
	}
	if o.Feedback != nil {
		parts = append(parts, fmt.Sprint("feedback ", o.Feedback.MaxChars))
	}
	return digest(parts...)
}

// Skills returns the skills that it chooses from, in the order of the set, the
// generic one last.
func (rw *Rewriter) Skills() []Skill { return cloneSkills(rw.set.All()) }

func cloneSkills(skills []Skill) []Skill {
	out := slices.Clone(skills)
	for i := range out {
		out[i].Covers = slices.Clone(out[i].Covers)
	}
	return out
}
