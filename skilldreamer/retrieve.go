package skilldreamer

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/fusion"
)

// Retrieve finds skills for a task, steered by what was imagined for it: HSR.
// It asks no model. With nothing imagined (nil, or no capabilities) it is
// plain retrieval by the task's vector, and says so.
//
// Errors: [prospect.ErrInvalidK] for a negative K, those of the embedder for
// the task and of the store, [prospect.ErrContract] where one of them breaks a
// promise, and ctx.Err(). A text that a model imagined is never an error.
//
// Cost, with M capabilities: M + 1 texts to embed, one pass over the gallery for
// all of them, and for the M·K_c candidates at most M + 1 cosines and one BM25
// score each. With [Weights.Words] there are up to twice as many candidates, one
// BM25 search for each capability, and one more BM25 score for each candidate of
// its list.
func (d *Dreamer) Retrieve(ctx context.Context, req Request, imagined *Imagined) (*Result, error) {
	k, err := d.k(req)
	if err != nil {
		return nil, err
	}
	r := &retrieval{d: d, k: k, im: imagined, res: &Result{Imagined: imagined, Skills: []Match{}}}
	if imagined != nil {
		r.res.Partial = imagined.Partial
		r.res.Notes = slices.Clone(imagined.Notes)
		r.res.Trace.Imagine = imagined.Elapsed
		for _, c := range imagined.Calls {
			r.res.Trace.Usage = r.res.Trace.Usage.Add(c.Usage)
		}
	}
	if isBlank(req.Task) {
		r.note(BlankTask, -1, "the task is blank, so nothing was searched for")
		return r.res, nil
	}
	if r.view, err = d.store.View(ctx, req.Sources...); err != nil {
		return nil, err
	}
	r.res.Trace.Searched = r.view.Len()
	if err := r.embed(ctx, req.Task); err != nil {
		return nil, err
	}
	if len(r.dreams) == 0 {
		err = r.plain(ctx)
	} else {
		err = r.steered(ctx)
	}
	if err != nil {
		return nil, err
	}
	shortLists := slices.ContainsFunc(r.res.Notes, func(n Note) bool { return n.Kind == Shortfall }) // say why already
	if n := len(r.res.Skills); n < k && !shortLists {
		r.note(Shortfall, -1, fmt.Sprintf("%d skills were asked for, %d found (%d in the gallery)", k, n, r.view.Len()))
	}
	return r.res, nil
}

// retrieval is one run of Retrieve.
type retrieval struct {
	d      *Dreamer
	k      int
	im     *Imagined
	view   View
	task   []float32 // f(q)
	dreams []dream   // one for each capability that has a vector
	res    *Result
}

// A dream is a capability and what stands for it.
type dream struct {
	capability int
	text       string
	words      string    // what is looked for by words
	vector     []float32 // f(s̃_j)
}

func (r *retrieval) note(kind NoteKind, j int, text string) {
	r.add(Note{Kind: kind, Capability: j, Text: text})
}

// add adds a note unless it is there already: what Imagine noted is seen again
// here.
func (r *retrieval) add(n Note) {
	same := func(o Note) bool { return o.Kind == n.Kind && o.Capability == n.Capability && o.Text == n.Text }
	if !slices.ContainsFunc(r.res.Notes, same) {
		r.res.Notes = append(r.res.Notes, n)
	}
}

// plain ranks by the cosine with the task alone.
func (r *retrieval) plain(ctx context.Context) error {
	r.res.Plain = true
	if r.im != nil {
		r.note(NoCapabilities, -1, "nothing was imagined; these skills are nearest to the task's own text")
	}
	begin := time.Now()
	nearest, err := r.nearest(ctx, [][]float32{r.task}, [][]Term{{{Vector: 0, Weight: 1}}}, r.k)
	r.res.Trace.Nearest = time.Since(begin)
	if err != nil {
		return err
	}
	scored := make([]Scored, len(nearest[0]))
	for i, c := range nearest[0] {
		cos := min(max(c.Score, -1), 1)
		scored[i] = Scored{ID: c.ID, order: c.Order, Scores: Scores{Capability: -1, Task: cos, Combined: cos, Total: cos}}
	}
	return r.finish(ctx, []List{r.list(-1, scored, r.k)})
}

// steered is the method itself.
func (r *retrieval) steered(ctx context.Context) error {
	w := r.d.opts.Weights
	kc, keep := r.d.opts.lists(r.k)
	if kc < r.k || keep < r.k {
		r.note(Shortfall, -1, fmt.Sprintf("lists of %d candidates, of which %d are kept, are smaller than the %d skills asked for", kc, keep, r.k))
	}
	vectors, sums := [][]float32{r.task}, [][]Term{} // d_j = α·r^q + β·r_j^p
	for i, dream := range r.dreams {
		vectors = append(vectors, dream.vector)
		sums = append(sums, []Term{{Vector: 0, Weight: w.Task}, {Vector: i + 1, Weight: w.Imagined}})
	}
	begin := time.Now()
	nearest, err := r.nearest(ctx, vectors, sums, kc)
	r.res.Trace.Nearest = time.Since(begin)
	if err != nil {
		return err
	}
	begin = time.Now()
	candidates := nearest
	if w.Words > 0 {
		if candidates, err = r.matching(ctx, nearest, kc); err != nil {
			return err
		}
	}
	raw, err := r.raw(ctx, vectors, candidates)
	if err != nil {
		return err
	}
	lists := make([]List, len(r.dreams))
	for i, dream := range r.dreams {
		scored, err := r.score(dream.capability, candidates[i], len(nearest[i]), raw[i])
		if err != nil {
			return err
		}
		lists[i] = r.list(dream.capability, scored, keep)
	}
	r.res.Trace.Score = time.Since(begin)
	return r.finish(ctx, lists)
}

// finish merges the lists and fetches the skills.
func (r *retrieval) finish(ctx context.Context, lists []List) error {
	r.res.Trace.Lists = lists
	kept := make([][]Scored, len(lists))
	elsewhere := map[string][]Scores{} // by id
	for i, l := range lists {
		kept[i] = l.Candidates[:l.Kept]
		for _, c := range l.Candidates {
			elsewhere[c.ID] = append(elsewhere[c.ID], c.Scores)
		}
	}
	picks := fusion.RoundRobin(kept, func(s Scored) string { return s.ID }, r.k)
	ids := make([]string, len(picks))
	for i, p := range picks {
		ids[i] = p.Item.ID
	}
	skills, err := r.view.Skills(ctx, ids)
	if err != nil {
		return err
	}
	if len(skills) != len(ids) {
		return fmt.Errorf("%w: the store gave %d skills for %d ids", prospect.ErrContract, len(skills), len(ids))
	}
	if at := slices.Index(skills, nil); at >= 0 {
		return &prospect.IDError{ID: ids[at], Err: fmt.Errorf("%w: the store gave no skill", prospect.ErrContract)}
	}
	for i, p := range picks {
		own := p.Item.Scores
		m := Match{Rank: i + 1, ID: p.Item.ID, Name: skills[i].Name, Skill: skills[i], Capability: own.Capability, Scores: own}
		for _, s := range elsewhere[m.ID] {
			if s.Capability != own.Capability {
				m.Also = append(m.Also, s)
			}
		}
		r.res.Skills = append(r.res.Skills, m)
	}
	return nil
}
