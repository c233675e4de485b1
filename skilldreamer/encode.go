package skilldreamer

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/prospect-go/prospect"
)

// embed makes f(q) and every f(s̃_j). An imagined text that the embedder
// refuses is replaced by its capability's text, and a capability whose text it
// refuses too is left out, both noted: what a model wrote must not fail a
// search.
func (r *retrieval) embed(ctx context.Context, task string) error {
	begin := time.Now()
	defer func() { r.res.Trace.Embed = time.Since(begin) }()
	r.res.Trace.Task = task
	q, err := embedUnit(ctx, r.d.store.Embedder(), prospect.RoleQuery, []string{task})
	if err != nil {
		return fmt.Errorf("embed the task: %w", err)
	}
	r.task = q[0]
	if r.im == nil {
		return nil
	}
	recipe := r.d.store.Recipe()
	if r.d.opts.ImaginedRecipe != nil {
		recipe = *r.d.opts.ImaginedRecipe
	}
	for j, c := range r.im.Capabilities {
		text, imagined := c.text(recipe)
		switch {
		case isBlank(text):
			r.note(NotImagined, j, "the capability has no text and was left out")
			continue
		case !imagined:
			r.note(NotImagined, j, notImagined)
		}
		words, _ := c.text(Recipe{Body: -1})
		r.dreams = append(r.dreams, dream{capability: j, text: text, words: words})
	}
	if err := r.embedDreams(ctx); err != nil {
		return fmt.Errorf("embed the imagined skills: %w", err)
	}
	r.res.Trace.Texts = make([]string, len(r.im.Capabilities))
	for _, d := range r.dreams {
		r.res.Trace.Texts[d.capability] = d.text
	}
	return nil
}

func (r *retrieval) embedDreams(ctx context.Context) error {
	for len(r.dreams) > 0 {
		texts := make([]string, len(r.dreams))
		for i, d := range r.dreams {
			texts[i] = d.text
		}
		vectors, err := embedUnit(ctx, r.d.store.Embedder(), r.d.opts.ImaginedRole, texts)
		if err == nil {
			for i, v := range vectors {
				r.dreams[i].vector = v
			}
			return nil
		}
		refused, ok := errors.AsType[*prospect.TextError](err)
		if !ok || refused.Index < 0 || refused.Index >= len(texts) || ctx.Err() != nil {
			return err
		}
		// Each turn replaces or drops a text, so this ends.
		d := &r.dreams[refused.Index]
		if c := r.im.Capabilities[d.capability]; d.text != c.Text && !isBlank(c.Text) {
			d.text = c.Text
			r.add(Note{Kind: NotImagined, Capability: d.capability, Err: refused.Err,
				Text: fmt.Sprintf("the imagined skill cannot be embedded (%v), so the capability's own text is used", refused.Err)})
			continue
		}
		r.add(Note{Kind: NotImagined, Capability: d.capability, Err: refused.Err,
			Text: fmt.Sprintf("the capability cannot be embedded (%v) and was left out", refused.Err)})
		r.dreams = slices.Delete(r.dreams, refused.Index, refused.Index+1)
	}
	return nil
}

// embedUnit embeds and holds the embedder to its promises, by which
// everything after it is computed. A bad vector is a [*prospect.TextError].
func embedUnit(ctx context.Context, e prospect.Embedder, role prospect.Role, texts []string) ([][]float32, error) {
	vectors, err := e.Embed(ctx, role, texts)
	if err != nil {
		return nil, err
	}
	if len(vectors) != len(texts) {
		return nil, fmt.Errorf("%w: the embedder gave %d vectors for %d texts", prospect.ErrContract, len(vectors), len(texts))
	}
	for i, v := range vectors {
		if err := checkUnit(v, e.Dim()); err != nil {
			return nil, &prospect.TextError{Index: i, Err: fmt.Errorf("%w: %w", prospect.ErrContract, err)}
		}
	}
	return vectors, nil
}

// checkUnit says why a vector is not one that [prospect.Embedder] promises.
func checkUnit(v []float32, dim int) error {
	if len(v) != dim {
		return fmt.Errorf("%w: %d components, want %d", prospect.ErrDimension, len(v), dim)
	}
	var squares float64
	for _, x := range v {
		squares += float64(x) * float64(x)
	}
	switch length := math.Sqrt(squares); {
	case math.IsNaN(length) || math.IsInf(length, 0):
		return prospect.ErrNotFinite
	case length == 0:
		return prospect.ErrZeroVector
	case math.Abs(length-1) > 1e-4:
		return fmt.Errorf("a vector of length %g, want 1", length)
	}
	return nil
}
