package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/skillqr"
)

// A question may come with the documents that answer it.
type question struct {
	Text    string   `json:"question"`
	Answers []string `json:"answers"`
}

// ask rewrites questions with the skills of a file and searches with them.
func ask(ctx context.Context, o options, r *report, std streams) (err error) {
	set, err := loadSkills(o.skills)
	if err != nil {
		return err
	}
	l, err := openLibrary(ctx, o, r.progress)
	if err != nil {
		return err
	}
	defer l.close()
	r.clear()
	model, done, err := openModel(o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	r.library(l, model)
	questions := make([]question, len(o.questions))
	for i, text := range o.questions {
		questions[i].Text = text
	}
	return l.ask(ctx, o, set, model, questions, r)
}

func loadSkills(path string) (*skillqr.Set, error) {
	set, err := skillqr.Load(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s is not there: let mine write it first, or name another with -skills", path)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return set, nil
}

// ask answers questions one by one. The first hits for the question as it was
// asked are shown to the model, so that it sees how documents are worded. They
// are those by words whatever -by says, since these are the same on any machine:
// so an answer that was recorded on one is found on another.
func (l *library) ask(ctx context.Context, o options, set *skillqr.Set, model prospect.LLM, questions []question, r *report) error {
	find := l.retriever(o.by)
	rewriter, err := skillqr.New(set, model, skillqr.Options{
		Feedback:  &skillqr.Feedback{Find: l.retriever("words"), Texts: l.texts},
		MaxTokens: o.maxTokens,
	})
	if err != nil {
		return err
	}
	for _, q := range questions {
		found, err := rewriter.Search(ctx, find, q.Text, skillqr.SearchOptions{K: o.k, Compare: true})
		if err != nil {
			return err
		}
		r.answer(l, q, found)
	}
	return nil
}
