package skillqr

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
)

// write asks for an expansion with each of the skills, side by side.
func (r *run) write(ctx context.Context, skills []Skill, documents []string) []Expansion {
	texts := make([]string, len(skills))
	var wait sync.WaitGroup
	for i, skill := range skills {
		wait.Go(func() { texts[i] = r.expand(ctx, skill, documents) })
	}
	wait.Wait()
	var out []Expansion
	for i, text := range texts {
		if text != "" {
			out = append(out, Expansion{skills[i].Name, text})
		}
	}
	if len(out) == 0 {
		r.fell(StageRewrite, NotRewritten, nil, "there is no expansion, so the query stays as it is")
	}
	return out
}

// expand asks for one expansion, "" where none could be had.
func (r *run) expand(ctx context.Context, skill Skill, documents []string) string {
	o := r.rw.opts
	data := RewriteData{Query: head(r.query, o.MaxQuery), Documents: documents, Skill: skill, MaxWords: o.MaxWords}
	q := question{stage: StageRewrite, skill: skill.Name, template: r.rw.prompts.rewrite, data: data, schema: rewriteSchema}
	a, err := askModel(ctx, r, q, nil, (*rewriteAnswer).check)
	if err != nil {
		r.failed(ctx, StageRewrite, RewriteFailed, err, fmt.Sprintf("no expansion with skill %q", skill.Name))
		return ""
	}
	text := a.text()
	if short := cutWords(text, o.MaxExpansion); len(short) < len(text) {
		r.fell(StageRewrite, Shortened, nil, fmt.Sprintf("the expansion with skill %q was cut to %d characters", skill.Name, o.MaxExpansion))
		text = short
	}
	return text
}

// rewriteAnswer is a rewriting answer as models write it: one text, or
// several, under the name that was asked for or a near one.
type rewriteAnswer struct {
	Expansion wireExpansion `json:"expansion"`
	Rewrite   wireExpansion `json:"rewrite"`
	Text      wireExpansion `json:"text"`
}

func (a *rewriteAnswer) text() string {
	for _, w := range []wireExpansion{a.Expansion, a.Rewrite, a.Text} {
		if text := tidyText(strings.Join(w, " ")); text != "" {
			return text
		}
	}
	return ""
}

func (a *rewriteAnswer) check() error {
	text := a.text()
	if text == "" {
		return errors.New(`"expansion" is missing or empty`)
	}
	if strings.Trim(text, ".… ") == "" {
		return errors.New(`"expansion" holds no words`)
	}
	return nil
}

// wireExpansion is a text or a list of them.
type wireExpansion = wireChoice

// cutWords returns the beginning of s, of at most n code points, in whole
// words where there are any.
func cutWords(s string, n int) string {
	short := head(s, n)
	if len(short) == len(s) || s[len(short)] == ' ' {
		return short
	}
	if at := strings.LastIndexByte(short, ' '); at > 0 {
		return short[:at]
	}
	return short
}
