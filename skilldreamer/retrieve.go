package skilldreamer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
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
// Cost: one embedding of the task and of each capability, one pass over the
// gallery for all capabilities together, and K_c BM25 scores each.
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
	if n := len(r.res.Skills); n < k {
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
	vector     []float32 // f(s̃_j)
}

func (r *retrieval) note(kind NoteKind, j int, text string) {
	n := Note{kind, j, text}
	if !slices.ContainsFunc(r.res.Notes, func(o Note) bool { return o.Kind == kind && o.Capability == j }) {
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
	candidates, keep := r.d.opts.lists(r.k)
	if candidates < r.k || keep < r.k {
		r.note(Shortfall, -1, fmt.Sprintf("lists of %d candidates, of which %d are kept, are smaller than the %d skills asked for", candidates, keep, r.k))
	}
	vectors, sums := [][]float32{r.task}, [][]Term{} // d_j = α·r^q + β·r_j^p
	for i, dream := range r.dreams {
		vectors = append(vectors, dream.vector)
		sums = append(sums, []Term{{Vector: 0, Weight: w.Task}, {Vector: i + 1, Weight: w.Imagined}})
	}
	begin := time.Now()
	nearest, err := r.nearest(ctx, vectors, sums, candidates)
	r.res.Trace.Nearest = time.Since(begin)
	if err != nil {
		return err
	}
	begin = time.Now()
	raw, err := r.raw(ctx, vectors, nearest)
	if err != nil {
		return err
	}
	lists := make([]List, len(r.dreams))
	for i, dream := range r.dreams {
		scored, err := r.score(dream.capability, nearest[i], raw[i])
		if err != nil {
			return err
		}
		lists[i] = r.list(dream.capability, scored, keep)
	}
	r.res.Trace.Score = time.Since(begin)
	return r.finish(ctx, lists)
}

// nearest asks the view and holds it to its promise.
func (r *retrieval) nearest(ctx context.Context, vectors [][]float32, sums [][]Term, k int) ([][]Candidate, error) {
	lists, err := r.view.Nearest(ctx, vectors, sums, k)
	if err == nil && len(lists) != len(sums) {
		err = fmt.Errorf("%w: the store gave %d lists for %d sums", prospect.ErrContract, len(lists), len(sums))
	}
	return lists, err
}

// rawScores are r^q, r^p and r^a of one list's candidates, in their order.
type rawScores struct{ task, imagined, anchors []float64 }

// raw fetches the scores of all candidates of all lists at once. vectors are
// f(q) and the f(s̃_j).
func (r *retrieval) raw(ctx context.Context, vectors [][]float32, nearest [][]Candidate) ([]rawScores, error) {
	at := map[string]int{} // id: its column
	var ids []string
	for _, list := range nearest {
		for _, c := range list {
			if _, ok := at[c.ID]; !ok {
				at[c.ID] = len(ids)
				ids = append(ids, c.ID)
			}
		}
	}
	cosines, err := r.view.Similarities(ctx, vectors, ids)
	if err != nil {
		return nil, err
	}
	anchors := make([]float64, len(ids))
	query := r.im.lexicalQuery()
	r.res.Trace.LexicalQuery = query
	if isBlank(query) {
		r.note(NoAnchors, -1, "no anchors were given, so the lexical score is 0 for all")
	} else if anchors, err = r.view.Lexical(ctx, query, ids); err != nil {
		return nil, err
	}
	if len(cosines) != len(vectors) || len(anchors) != len(ids) || slices.ContainsFunc(cosines, func(row []float64) bool { return len(row) != len(ids) }) {
		return nil, fmt.Errorf("%w: the store did not give a score for each of %d skills", prospect.ErrContract, len(ids))
	}
	raw := make([]rawScores, len(nearest))
	for i, list := range nearest {
		for _, c := range list {
			col := at[c.ID]
			raw[i].task = append(raw[i].task, cosines[0][col])
			raw[i].imagined = append(raw[i].imagined, cosines[i+1][col])
			raw[i].anchors = append(raw[i].anchors, anchors[col])
		}
	}
	return raw, nil
}

// score gives the candidates of capability j their normalised scores and h.
func (r *retrieval) score(j int, candidates []Candidate, raw rawScores) ([]Scored, error) {
	if len(candidates) > 1 && isFlat(raw.task) && isFlat(raw.imagined) {
		r.note(Flat, j, "all candidates have the same cosines, so only the anchors tell them apart")
	}
	norm := rawScores{slices.Clone(raw.task), slices.Clone(raw.imagined), slices.Clone(raw.anchors)}
	for _, scores := range [][]float64{norm.task, norm.imagined, norm.anchors} {
		if err := r.d.opts.Normalize(scores); err != nil {
			return nil, fmt.Errorf("scores of capability %d: %w", j, err)
		}
	}
	w := r.d.opts.Weights
	scored := make([]Scored, len(candidates))
	for i, c := range candidates {
		scored[i] = Scored{ID: c.ID, order: c.Order, Scores: Scores{
			Capability: j, Combined: c.Score,
			Task: raw.task[i], Imagined: raw.imagined[i], Anchors: raw.anchors[i],
			NormTask: norm.task[i], NormImagined: norm.imagined[i], NormAnchors: norm.anchors[i],
			Total: w.Task*norm.task[i] + w.Imagined*norm.imagined[i] + w.Anchors*norm.anchors[i],
		}}
	}
	return scored, nil
}

func isFlat(scores []float64) bool {
	return slices.Max(scores)-slices.Min(scores) < 1e-6
}

// list orders scored candidates by h, ties by the order of the gallery, and
// parts those that nothing speaks for.
func (r *retrieval) list(j int, scored []Scored, keep int) List {
	slices.SortFunc(scored, func(a, b Scored) int {
		return cmp.Or(prospect.CompareScores(a.Total, b.Total), cmp.Compare(a.order, b.order))
	})
	l := List{Capability: j, Candidates: []Scored{}}
	for _, s := range scored {
		if !r.d.opts.Abstain.credible(s.Scores) {
			l.Abstained = append(l.Abstained, s)
			continue
		}
		s.Rank = len(l.Candidates) + 1
		l.Candidates = append(l.Candidates, s)
	}
	l.Kept = min(len(l.Candidates), keep)
	if len(l.Candidates) == 0 && len(l.Abstained) > 0 {
		r.note(Abstained, j, fmt.Sprintf("no candidate reached the thresholds; %d were dropped", len(l.Abstained)))
	}
	return l
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
		r.dreams = append(r.dreams, dream{capability: j, text: text})
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
			r.note(NotImagined, d.capability, fmt.Sprintf("the imagined skill cannot be embedded (%v), so the capability's own text is used", refused.Err))
			continue
		}
		r.note(NotImagined, d.capability, fmt.Sprintf("the capability cannot be embedded (%v) and was left out", refused.Err))
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
