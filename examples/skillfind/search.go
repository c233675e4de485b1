package main

import (
	"context"
	"slices"
	"time"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/examples/openai"
	"github.com/prospect-go/prospect/llm"
	"github.com/prospect-go/prospect/skilldreamer"
)

// A basis says where what is imagined for a task comes from.
type basis string

const (
	byModel  basis = "model"
	byRecord basis = "recorded"
	byNobody basis = "none" // plain retrieval is all there is
)

// search finds skills for tasks in both ways.
type search struct {
	dreamer *skilldreamer.Dreamer
	set     bundle
	model   prospect.LLM // nil: none
	timeout time.Duration
}

// A finding is one task with what was found for it.
type finding struct {
	task  task
	basis basis
	plain *skilldreamer.Result
	dream *skilldreamer.Result // nil if the basis is byNobody
}

func newSearch(store skilldreamer.Store, opts options, set bundle) (*search, error) {
	s := &search{set: set, timeout: opts.timeout}
	var err error
	if opts.llm != "" {
		if s.model, err = openai.New(opts.llm, opts.model, opts.apiKey); err != nil {
			return nil, err
		}
		if s.model, err = llm.Retry(s.model, llm.RetryOptions{}); err != nil {
			return nil, err
		}
	}
	s.dreamer, err = skilldreamer.New(store, s.model, skilldreamer.Options{
		K: opts.k, Temperature: opts.temperature, MaxTokens: opts.maxTokens,
	})
	return s, err
}

func (s *search) run(ctx context.Context, t task) (f finding, err error) {
	req := skilldreamer.Request{Task: t.Text}
	f = finding{task: t, basis: byNobody}
	recorded := s.set.answers[t.ID]
	switch {
	case s.model != nil:
		f.basis = byModel
		var limited context.Context
		limited, cancel := context.WithTimeout(ctx, s.timeout)
		defer cancel()
		f.dream, err = s.dreamer.Find(limited, req)
	case recorded != nil:
		f.basis = byRecord
		f.dream, err = s.dreamer.Retrieve(ctx, req, recorded)
	}
	if err != nil {
		return f, err
	}
	f.plain, err = s.dreamer.Plain(ctx, req)
	return f, err
}

// needs says whether the task is known to need the skill of a name.
func (t task) needs(name string) bool { return slices.Contains(t.Needed, name) }

// tally splits the skills that the task needs by whether they were found.
func (t task) tally(r *skilldreamer.Result) (found, missed []string) {
	for _, name := range t.Needed {
		if slices.ContainsFunc(r.Skills, func(m skilldreamer.Match) bool { return m.Skill.Name == name }) {
			found = append(found, name)
		} else {
			missed = append(missed, name)
		}
	}
	return found, missed
}

// capabilityOf is the capability that brought a skill, or nil.
func capabilityOf(r *skilldreamer.Result, j int) *skilldreamer.Capability {
	if r.Imagined == nil || j < 0 || j >= len(r.Imagined.Capabilities) {
		return nil
	}
	return &r.Imagined.Capabilities[j]
}
