package skilldreamer

import (
	"cmp"
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
// Errors: [prospect.ErrInvalidK] for a negative K, those of the embedder and
// of the store, and ctx.Err().
//
// Cost: one embedding of the task and of each capability, one pass over the
// gallery for all capabilities together, and K_c BM25 scores each.
func (d *Dreamer) Retrieve(ctx context.Context, req Request, imagined *Imagined) (*Result, error) {
	k, err := d.k(req)
	if err != nil {
		return nil, err
	}
	r := &retrieval{d: d, k: k, im: imagined, res: &Result{Imagined: imagined}}
	if imagined != nil {
		r.capabilities = usableCapabilities(imagined)
		r.res.Partial = imagined.Partial
		r.res.Notes = slices.Clone(imagined.Notes)
		for _, c := range imagined.Calls {
			r.res.Trace.Usage = r.res.Trace.Usage.Add(c.Usage)
		}
		r.res.Trace.Imagine = imagined.Elapsed
	}
	if blank(req.Task) {
		return r.res, nil
	}
	if r.view, err = d.store.View(ctx, req.Sources...); err != nil {
		return nil, err
	}
	r.res.Trace.Searched = r.view.Len()
	if err := r.embed(ctx, req.Task); err != nil {
		return nil, err
	}
	if len(r.capabilities) == 0 {
		err = r.plain(ctx)
	} else {
		err = r.dreamt(ctx)
	}
	if err != nil {
		return nil, err
	}
	if n := len(r.res.Skills); n < k {
		r.note(Shortfall, fmt.Sprintf("%d skills were asked for, %d found (%d in the gallery)", k, n, r.view.Len()))
	}
	return r.res, nil
}

// retrieval is one run of Retrieve.
type retrieval struct {
	d            *Dreamer
	k            int
	im           *Imagined
	capabilities []int // indexes into im.Capabilities of those with a text
	view         View
	task         []float32   // f(q)
	imagined     [][]float32 // f(s̃_j), by position in capabilities
	res          *Result
}

func usableCapabilities(im *Imagined) []int {
	var js []int
	for j, c := range im.Capabilities {
		if !blank(c.text(Recipe{Body: -1})) {
			js = append(js, j)
		}
	}
	return js
}

func (r *retrieval) note(kind NoteKind, text string) {
	r.res.Notes = append(r.res.Notes, Note{kind, -1, text})
}

// embed makes f(q) and every f(s̃_j).
func (r *retrieval) embed(ctx context.Context, task string) error {
	defer timed(&r.res.Trace.Embed, time.Now())
	embedder, recipe := r.d.store.Embedder(), r.d.store.Recipe()
	r.res.Trace.Texts = []string{task}
	q, err := embedder.Embed(ctx, prospect.RoleQuery, []string{task})
	if err != nil {
		return fmt.Errorf("embed the task: %w", err)
	}
	r.task = q[0]
	texts := make([]string, len(r.capabilities))
	for i, j := range r.capabilities {
		texts[i] = r.im.Capabilities[j].text(recipe)
	}
	r.res.Trace.Texts = append(r.res.Trace.Texts, texts...)
	if r.imagined, err = embedder.Embed(ctx, r.d.opts.ImaginedRole, texts); err != nil {
		return fmt.Errorf("embed the imagined skills: %w", err)
	}
	return nil
}

// plain ranks by the cosine with the task alone.
func (r *retrieval) plain(ctx context.Context) error {
	r.res.Plain = true
	if r.im != nil {
		r.note(NoCapabilities, "nothing was imagined; these skills are nearest to the task's own text")
	}
	begin := time.Now()
	nearest, err := r.view.Nearest(ctx, [][]float32{r.task}, r.k)
	timed(&r.res.Trace.Nearest, begin)
	if err != nil {
		return err
	}
	list := List{Capability: -1}
	for _, c := range nearest[0] {
		cos := min(max(c.Score, -1), 1)
		s := Scored{ID: c.ID, order: c.Order, Scores: Scores{Capability: -1, Task: cos, Combined: cos, NormTask: cos, Total: cos}}
		if a := r.d.opts.Abstain; a.Task > 0 && cos < a.Task {
			list.Abstained = append(list.Abstained, s)
			continue
		}
		s.Rank = len(list.Candidates) + 1
		list.Candidates = append(list.Candidates, s)
	}
	list.Kept = len(list.Candidates)
	r.finish([]List{list})
	return r.matches(ctx, [][]Scored{list.Candidates})
}

// dreamt is the method itself.
func (r *retrieval) dreamt(ctx context.Context) error {
	w, o := r.d.opts.Weights, r.d.opts
	combined := make([][]float32, len(r.capabilities))
	for i := range r.capabilities {
		combined[i] = combine(w.Task, r.task, w.Imagined, r.imagined[i])
	}
	if o.Candidates < r.k {
		r.note(Shortfall, fmt.Sprintf("candidate lists of %d are smaller than the %d skills asked for", o.Candidates, r.k))
	}
	begin := time.Now()
	nearest, err := r.view.Nearest(ctx, combined, o.Candidates)
	timed(&r.res.Trace.Nearest, begin)
	if err != nil {
		return err
	}
	begin = time.Now()
	lists := make([]List, len(r.capabilities))
	query := r.im.lexicalQuery()
	r.res.Trace.LexicalQuery = query
	if query == "" {
		r.note(NoAnchors, "no anchors were given, so the lexical score is 0 for all")
	}
	for i, j := range r.capabilities {
		if lists[i], err = r.score(ctx, j, r.imagined[i], nearest[i], query); err != nil {
			return err
		}
	}
	timed(&r.res.Trace.Score, begin)
	r.finish(lists)
	kept := make([][]Scored, len(lists))
	for i, l := range lists {
		kept[i] = l.Candidates[:l.Kept]
	}
	return r.matches(ctx, kept)
}

// score gives the candidates of capability j their raw and normalised scores
// and orders them by h.
func (r *retrieval) score(ctx context.Context, j int, imagined []float32, candidates []Candidate, query string) (List, error) {
	list := List{Capability: j, Candidates: []Scored{}}
	if len(candidates) == 0 {
		return list, nil
	}
	ids := make([]string, len(candidates))
	for i, c := range candidates {
		ids[i] = c.ID
	}
	sims, err := r.view.Similarities(ctx, [][]float32{r.task, imagined}, ids)
	if err != nil {
		return list, err
	}
	anchors := make([]float64, len(ids))
	if query != "" {
		if anchors, err = r.view.Lexical(ctx, query, ids); err != nil {
			return list, err
		}
	}
	normTask, normImagined, normAnchors := slices.Clone(sims[0]), slices.Clone(sims[1]), slices.Clone(anchors)
	for _, scores := range [][]float64{normTask, normImagined, normAnchors} {
		if err := fusion.MinMax(scores); err != nil {
			return list, fmt.Errorf("scores of capability %d: %w", j, err)
		}
	}
	w := r.d.opts.Weights
	all := make([]Scored, len(ids))
	for i, c := range candidates {
		all[i] = Scored{ID: c.ID, order: c.Order, Scores: Scores{
			Capability: j, Combined: c.Score,
			Task: sims[0][i], Imagined: sims[1][i], Anchors: anchors[i],
			NormTask: normTask[i], NormImagined: normImagined[i], NormAnchors: normAnchors[i],
			Total: w.Task*normTask[i] + w.Imagined*normImagined[i] + w.Anchors*normAnchors[i],
		}}
	}
	slices.SortFunc(all, func(a, b Scored) int {
		return cmp.Or(prospect.CompareScores(a.Total, b.Total), cmp.Compare(a.order, b.order))
	})
	for _, s := range all {
		if !r.d.opts.Abstain.credible(s.Scores) {
			list.Abstained = append(list.Abstained, s)
			continue
		}
		s.Rank = len(list.Candidates) + 1
		list.Candidates = append(list.Candidates, s)
	}
	list.Kept = min(len(list.Candidates), r.d.opts.Keep)
	return list, nil
}

// finish puts the lists into the trace and notes those that abstained.
func (r *retrieval) finish(lists []List) {
	r.res.Trace.Lists = lists
	for _, l := range lists {
		if len(l.Candidates) == 0 && len(l.Abstained) > 0 {
			r.res.Notes = append(r.res.Notes, Note{Abstained, l.Capability, fmt.Sprintf("no candidate reached the thresholds; %d were dropped", len(l.Abstained))})
		}
	}
}

// matches merges the lists and fetches the skills.
func (r *retrieval) matches(ctx context.Context, lists [][]Scored) error {
	r.res.Skills = []Match{}
	for i, pick := range fusion.RoundRobin(lists, func(s Scored) string { return s.ID }, r.k) {
		s, err := r.view.Skill(ctx, pick.Item.ID)
		if err != nil {
			return err
		}
		m := Match{Rank: i + 1, ID: pick.Item.ID, Skill: s, Capability: pick.Item.Capability, Scores: pick.Item.Scores}
		for _, l := range r.res.Trace.Lists {
			for _, c := range l.Candidates {
				if c.ID == m.ID && c.Capability != m.Capability {
					m.Also = append(m.Also, c.Scores)
				}
			}
		}
		r.res.Skills = append(r.res.Skills, m)
	}
	return nil
}

// combine is α·a + β·b, added in float64.
func combine(alpha float64, a []float32, beta float64, b []float32) []float32 {
	sum := make([]float32, len(a))
	for i := range a {
		sum[i] = float32(alpha*float64(a[i]) + beta*float64(b[i]))
	}
	return sum
}

func sortStable[T any](s []T, key func(T) int) {
	slices.SortStableFunc(s, func(a, b T) int { return cmp.Compare(key(a), key(b)) })
}
