package skilldreamer

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/prospect-go/prospect"
)

// nearest asks the view and holds it to its promise.
func (r *retrieval) nearest(ctx context.Context, vectors [][]float32, sums [][]Term, k int) ([][]Candidate, error) {
	lists, err := r.view.Nearest(ctx, vectors, sums, k)
	if err != nil {
		return nil, err
	}
	if len(lists) != len(sums) {
		return nil, fmt.Errorf("%w: the store gave %d lists for %d sums", prospect.ErrContract, len(lists), len(sums))
	}
	return lists, checkLists(lists, k)
}

// checkLists holds lists of candidates to at most k each, all different, with
// scores that can be compared.
func checkLists(lists [][]Candidate, k int) error {
	for _, list := range lists {
		if len(list) > k {
			return fmt.Errorf("%w: the store gave %d candidates where %d were asked for", prospect.ErrContract, len(list), k)
		}
		seen := make(map[string]bool, len(list))
		for _, c := range list {
			if seen[c.ID] {
				return &prospect.IDError{ID: c.ID, Err: fmt.Errorf("%w: the store gave a candidate twice", prospect.ErrContract)}
			}
			seen[c.ID] = true
			if !isFinite(c.Score) {
				return &prospect.IDError{ID: c.ID, Err: fmt.Errorf("%w: the store gave the score %v", prospect.ErrContract, c.Score)}
			}
		}
	}
	return nil
}

// checkScores holds the scores of one vector or query with the skills of ids to
// one each, all finite.
func checkScores(scores []float64, ids []string) error {
	if len(scores) != len(ids) {
		return fmt.Errorf("%w: the store gave %d scores for %d skills", prospect.ErrContract, len(scores), len(ids))
	}
	for i, x := range scores {
		if !isFinite(x) {
			return &prospect.IDError{ID: ids[i], Err: fmt.Errorf("%w: the store gave the score %v", prospect.ErrContract, x)}
		}
	}
	return nil
}

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// matching gives the candidates nearest to each capability and, after them,
// those that have the words of what was imagined for it. The latter have no sum
// yet.
func (r *retrieval) matching(ctx context.Context, nearest [][]Candidate, k int) ([][]Candidate, error) {
	r.res.Trace.WordQueries = make([]string, len(r.im.Capabilities))
	queries := make([]string, len(r.dreams))
	for i, d := range r.dreams {
		queries[i] = d.words
		r.res.Trace.WordQueries[d.capability] = d.words
	}
	lists, err := r.view.Matching(ctx, queries, k)
	if err != nil {
		return nil, err
	}
	if len(lists) != len(queries) {
		return nil, fmt.Errorf("%w: the store gave %d lists for %d queries", prospect.ErrContract, len(lists), len(queries))
	}
	if err := checkLists(lists, k); err != nil {
		return nil, err
	}
	all := make([][]Candidate, len(nearest))
	for i, list := range lists {
		all[i] = slices.Clone(nearest[i])
		known := make(map[string]bool, len(nearest[i]))
		for _, c := range nearest[i] {
			known[c.ID] = true
		}
		for _, c := range list {
			if !known[c.ID] {
				all[i] = append(all[i], Candidate{ID: c.ID, Order: c.Order})
			}
		}
	}
	return all, nil
}

// rawScores are r^q, r^p, r^a and r^w of one list's candidates, in their order.
type rawScores struct{ task, imagined, anchors, words []float64 }

// raw fetches the scores of all candidates of all lists at once. vectors are
// f(q) and the f(s̃_j).
func (r *retrieval) raw(ctx context.Context, vectors [][]float32, candidates [][]Candidate) ([]rawScores, error) {
	at := map[string]int{} // id: its column
	var ids []string
	for _, list := range candidates {
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
	if len(cosines) != len(vectors) {
		return nil, fmt.Errorf("%w: the store gave similarities of %d vectors for %d", prospect.ErrContract, len(cosines), len(vectors))
	}
	for _, row := range cosines {
		if err := checkScores(row, ids); err != nil {
			return nil, err
		}
	}
	query := r.im.lexicalQuery()
	r.res.Trace.LexicalQuery = query
	if isBlank(query) {
		r.note(NoAnchors, -1, "no anchors were given, so the lexical score is 0 for all")
	}
	anchors, err := r.lexical(ctx, query, ids)
	if err != nil {
		return nil, err
	}
	raw := make([]rawScores, len(candidates))
	for i, list := range candidates {
		own := make([]string, len(list))
		for k, c := range list {
			own[k] = c.ID
			col := at[c.ID]
			raw[i].task = append(raw[i].task, cosines[0][col])
			raw[i].imagined = append(raw[i].imagined, cosines[i+1][col])
			raw[i].anchors = append(raw[i].anchors, anchors[col])
		}
		raw[i].words = make([]float64, len(list))
		if r.d.opts.Weights.Words > 0 {
			if raw[i].words, err = r.lexical(ctx, r.dreams[i].words, own); err != nil {
				return nil, err
			}
		}
	}
	return raw, nil
}

// lexical asks the view and holds it to its promise. A blank query has a score
// of 0 with every skill.
func (r *retrieval) lexical(ctx context.Context, query string, ids []string) ([]float64, error) {
	if isBlank(query) {
		return make([]float64, len(ids)), nil
	}
	scores, err := r.view.Lexical(ctx, query, ids)
	if err != nil {
		return nil, err
	}
	return scores, checkScores(scores, ids)
}

// score gives the candidates of capability j their normalised scores and h. The
// first of them, as many as near, have their sum d; that of the others, found by
// words, is computed here.
func (r *retrieval) score(j int, candidates []Candidate, near int, raw rawScores) ([]Scored, error) {
	if len(candidates) > 1 && isFlat(raw.task) && isFlat(raw.imagined) {
		r.note(Flat, j, "all candidates have the same cosines, so only their words tell them apart")
	}
	w := r.d.opts.Weights
	norm := rawScores{slices.Clone(raw.task), slices.Clone(raw.imagined), slices.Clone(raw.anchors), slices.Clone(raw.words)}
	parts := [][]float64{norm.task, norm.imagined, norm.anchors, norm.words}
	if w.Words == 0 { // there is no such score
		parts = parts[:3]
	}
	for _, scores := range parts {
		if err := r.d.opts.Normalize(scores); err != nil {
			return nil, fmt.Errorf("scores of capability %d: %w", j, err)
		}
		for i, x := range scores {
			if !isFinite(x) {
				return nil, &prospect.IDError{ID: candidates[i].ID, Err: fmt.Errorf("%w: Options.Normalize made %v of a score", prospect.ErrContract, x)}
			}
		}
	}
	scored := make([]Scored, len(candidates))
	for i, c := range candidates {
		if i >= near {
			c.Score = w.Task*raw.task[i] + w.Imagined*raw.imagined[i]
		}
		scored[i] = Scored{ID: c.ID, order: c.Order, Scores: Scores{
			Capability: j, Combined: c.Score,
			Task: raw.task[i], Imagined: raw.imagined[i], Anchors: raw.anchors[i], Words: raw.words[i],
			NormTask: norm.task[i], NormImagined: norm.imagined[i], NormAnchors: norm.anchors[i], NormWords: norm.words[i],
			Total: w.Task*norm.task[i] + w.Imagined*norm.imagined[i] + w.Anchors*norm.anchors[i] + w.Words*norm.words[i],
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
