package skillqr

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/internal/answer"
	"github.com/prospect-go/prospect/internal/fence"
)

// A tally is what mining counts and notes while calls run side by side.
type tally struct {
	mu     sync.Mutex // guards the rest
	calls  int
	usage  prospect.Usage
	errs   []mishap // of the models
	failed int
	noted  []noted
}

// noted is a note with what brings it into one order.
type noted struct {
	round    int
	step     Step
	position int // of the cluster, −1 for none
	note     Note
}

// A mishap is the error of one call, with what brings it into one order.
type mishap struct {
	round    int
	step     Step
	position int
	err      error
}

// inOrder compares what came of two calls, by round, step and cluster.
func inOrder(aRound, bRound int, aStep, bStep Step, aPosition, bPosition int) int {
	steps := []Step{StepLabel, StepDraft, StepJudge, StepRevise}
	return cmp.Or(aRound-bRound, slices.Index(steps, aStep)-slices.Index(steps, bStep), aPosition-bPosition)
}

// say notes something about a cluster, by position, or about none.
func (m *mining) say(step Step, position int, kind NoteKind, text string) {
	n := noted{m.round, step, position, Note{Kind: kind, Text: valid(text)}}
	if position >= 0 {
		n.note.Cluster = new(m.notes[position].Cluster)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.noted = append(m.noted, n)
}

// said returns the notes in one order, each but once, without those of failures
// that a later round made good.
func (m *mining) said() []Note {
	m.noted = slices.DeleteFunc(m.noted, func(n noted) bool {
		switch n.note.Kind {
		case NotJudged:
			return n.position >= 0 && m.verdicts[n.position].judged
		case NotDrafted:
			return len(m.skills) > 0
		}
		return false
	})
	slices.SortStableFunc(m.noted, func(a, b noted) int {
		return inOrder(a.round, b.round, a.step, b.step, a.position, b.position)
	})
	var out []Note
	for _, n := range m.noted {
		if !slices.ContainsFunc(out, n.note.equal) {
			out = append(out, n.note)
		}
	}
	return out
}

func (n Note) equal(o Note) bool {
	same := n.Cluster == o.Cluster || n.Cluster != nil && o.Cluster != nil && *n.Cluster == *o.Cluster
	return same && n.Kind == o.Kind && n.Text == o.Text
}

// ended says that so many calls failed that no more are made.
func (m *mining) ended() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.failed > m.o.MaxFailures
}

// failures joins the errors of the models.
func (m *mining) failures() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	slices.SortStableFunc(m.errs, func(a, b mishap) int {
		return inOrder(a.round, b.round, a.step, b.step, a.position, b.position)
	})
	errs := make([]error, len(m.errs))
	for i, one := range m.errs {
		errs[i] = one.err
	}
	return errors.Join(errs...)
}

// hopeless is the error of a mining that has nothing to give.
func (m *mining) hopeless(what string) error {
	return fmt.Errorf("skillqr: %s: %w", what, m.failures())
}

// A prompting is one question of mining.
type prompting struct {
	step     Step
	position int // of the cluster, −1 for none
	model    prospect.LLM
	template *fence.Template
	data     any
	schema   json.RawMessage
}

// A fallback is why a question has no answer that can be used, where mining
// goes on without it.
type fallback struct {
	err   error
	model bool // the model failed; else what it said could not be used
}

func (f *fallback) Error() string { return f.err.Error() }

var errEnded = errors.New("too many calls failed before")

// propose asks a model, at most twice. The error is a *fallback, or it ends
// the mining.
func propose[T any](ctx context.Context, m *mining, p prompting, validate func(*T) error) (T, error) {
	var zero T
	if m.ended() {
		return zero, &fallback{errEnded, true}
	}
	prompt, err := p.template.Render(p.data)
	if err != nil {
		return zero, fmt.Errorf("%w: prompt of step %s: %w", prospect.ErrOption, p.step, err)
	}
	req := prospect.LLMRequest{
		System: m.prompts.system, Prompt: prompt, Schema: bytes.Clone(p.schema), SchemaName: string(p.step),
		MaxTokens: m.o.MaxTokens, Temperature: m.o.Temperature,
	}
	v, attempts, err := answer.Ask(ctx, p.model, req, validate)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls += len(attempts)
	for _, a := range attempts {
		m.usage = m.usage.Add(a.Usage)
	}
	switch {
	case err == nil:
		return v, nil
	case ctx.Err() != nil:
		return zero, fmt.Errorf("skillqr: mining ended in step %s: %w", p.step, ctx.Err())
	case errors.Is(err, answer.ErrUnusable):
		return zero, &fallback{err, false}
	}
	m.failed++
	m.errs = append(m.errs, mishap{m.round, p.step, p.position, fmt.Errorf("skillqr: step %s: %w", p.step, err)})
	return zero, &fallback{err, true}
}

// each calls f for these positions of clusters, several at a time, until one
// gives an error.
func (m *mining) each(ctx context.Context, step Step, positions []int, f func(ctx context.Context, position int) error) error {
	done := 0
	var mu sync.Mutex // guards done, and Progress is called under it
	m.tell(step, 0, len(positions))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(m.o.Concurrency)
	for _, i := range positions {
		g.Go(func() error {
			err := ctx.Err()
			if err == nil {
				err = f(ctx, i)
			}
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			done++
			m.tell(step, done, len(positions))
			return nil
		})
	}
	return g.Wait()
}

func (m *mining) tell(step Step, done, total int) {
	if m.o.Progress != nil {
		m.o.Progress(step, done, total)
	}
}

// show returns what a prompt shows of documents: their beginnings, equal ones
// once, blank ones not at all.
func (m *mining) show(ctx context.Context, step Step, position int, ids []string) ([]string, error) {
	texts, err := m.corpus.texts(ctx, ids)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, text := range texts {
		switch text = head(tidyProse(head(text, 4*m.o.DocumentLength)), m.o.DocumentLength); {
		case text == "":
			m.say(StepLabel, position, NoText, "documents without text are not shown to the models")
		case !slices.Contains(out, text):
			out = append(out, text)
		}
	}
	return out, nil
}

// cut shortens a part of an answer to n code points and notes it.
func (m *mining) cut(step Step, position int, what, s string, n int) string {
	if short := head(s, n); len(short) < len(s) {
		m.say(step, position, Trimmed, fmt.Sprintf("%s of %d characters cut to %d", what, utf8.RuneCountInString(s), n))
		return short
	}
	return s
}
