package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/fusion"
	"github.com/prospect-go/prospect/metrics"
	"github.com/prospect-go/prospect/skill"
	"github.com/prospect-go/prospect/skilldreamer"
	"github.com/prospect-go/prospect/skillqr"
)

// An answer is what a system says to one query.
type answer struct {
	ids     []string // best first, each once
	dream   *skilldreamer.Result
	rewrite *skillqr.Rewrite
	// fallback says that nothing was imagined for the query, or that it could
	// not be rewritten, so that the system did what it does without.
	fallback bool
}

// A ranker is a plan made ready over an index.
type ranker struct {
	plan    plan
	index   *index
	dreamer *skilldreamer.Dreamer // of plans that dream
	rewrite *rewriter             // of plans that rewrite
	im      imagination
	depth   int
}

func newRanker(p plan, ix *index, im imagination, depth int) (*ranker, error) {
	r := &ranker{plan: p, index: ix, im: im, depth: depth}
	if p.kind != dreaming {
		return r, nil
	}
	o := p.options
	o.Normalize = normalizers[p.norm]
	var err error
	if r.dreamer, err = skilldreamer.New(ix.store, nil, o); err != nil {
		return nil, fmt.Errorf("%s: %w", p.name, err)
	}
	return r, nil
}

// rank answers a query. A blank one finds nothing.
func (r *ranker) rank(ctx context.Context, q metrics.Doc) (answer, error) {
	if strings.TrimSpace(q.Text) == "" {
		return answer{ids: []string{}}, nil
	}
	a, err := r.answer(ctx, q)
	if err != nil {
		return a, fmt.Errorf("%s: query %q: %w", r.plan.name, q.ID, err)
	}
	return a, nil
}

func (r *ranker) answer(ctx context.Context, q metrics.Doc) (answer, error) {
	switch r.plan.kind {
	case lexical:
		return hits(r.index.byWords(ctx, q.Text, r.depth))
	case dense:
		return hits(r.index.byVector(ctx, q.Text, r.depth))
	case hybridRRF, hybridWeighted:
		return r.hybrid(ctx, q.Text)
	case lexicalDreams:
		return r.words(ctx, q)
	case rewriting:
		return r.rewrite.search(ctx, r.index, q.Text, r.depth)
	}
	return r.dream(ctx, q)
}

func hits(list []prospect.Hit, err error) (answer, error) {
	return answer{ids: metrics.Ranking(list)}, err
}

// hybrid merges what words and vectors find.
func (r *ranker) hybrid(ctx context.Context, text string) (answer, error) {
	byVector, err := r.index.byVector(ctx, text, r.plan.fused)
	if err != nil {
		return answer{}, err
	}
	byWords, err := r.index.byWords(ctx, text, r.plan.fused)
	if err != nil {
		return answer{}, err
	}
	lists := [][]prospect.Hit{byVector, byWords}
	weights := []float64{r.plan.weight, 1 - r.plan.weight}
	if r.plan.kind == hybridRRF {
		return hits(fusion.RRF(lists, fusion.RRFOptions{RankConstant: r.plan.constant, Weights: weights, K: r.depth}))
	}
	return hits(fusion.Weighted(lists, fusion.WeightedOptions{Normalizer: normalizers[r.plan.norm], Weights: weights, K: r.depth}))
}

// dream is the method, or a part of it.
func (r *ranker) dream(ctx context.Context, q metrics.Doc) (answer, error) {
	im := r.think(q)
	res, err := r.dreamer.Retrieve(ctx, skilldreamer.Request{Task: q.Text}, im)
	if err != nil {
		return answer{}, err
	}
	a := answer{dream: res, fallback: res.Plain}
	if r.plan.merge == byScore && !res.Plain {
		a.ids = bestOf(res.Trace.Lists, r.depth)
		return a, nil
	}
	a.ids = make([]string, len(res.Skills))
	for i, m := range res.Skills {
		a.ids[i] = m.ID
	}
	return a, nil
}

// think is what the plan leaves of what was imagined; nil where that is
// nothing.
func (r *ranker) think(q metrics.Doc) *skilldreamer.Imagined {
	if !r.im.has(q.ID) {
		return nil
	}
	im := r.im.byQuery[q.ID]
	switch r.plan.thought {
	case taskAlone:
		return &skilldreamer.Imagined{Anchors: im.Anchors, Capabilities: []skilldreamer.Capability{{Text: q.Text}}}
	case capabilityTexts:
		texts := &skilldreamer.Imagined{Anchors: im.Anchors}
		for _, c := range im.Capabilities {
			texts.Capabilities = append(texts.Capabilities, skilldreamer.Capability{Text: c.Text, Evidence: c.Evidence})
		}
		return texts
	}
	return im
}

// bestOf ranks by the highest h in any list, ties in the order of the lists.
func bestOf(lists []skilldreamer.List, k int) []string {
	best := map[string]float64{}
	var ids []string
	for _, l := range lists {
		for _, c := range l.Candidates[:l.Kept] {
			h, seen := best[c.ID]
			if !seen {
				ids = append(ids, c.ID)
			}
			if !seen || c.Total > h {
				best[c.ID] = c.Total
			}
		}
	}
	slices.SortStableFunc(ids, func(a, b string) int { return cmp.Compare(best[b], best[a]) })
	return ids[:min(k, len(ids))]
}

// words searches for each imagined skill by its words and merges by turns.
// Without anything imagined it searches by the words of the query.
func (r *ranker) words(ctx context.Context, q metrics.Doc) (answer, error) {
	im := r.think(q)
	if im == nil {
		a, err := hits(r.index.byWords(ctx, q.Text, r.depth))
		a.fallback = true
		return a, err
	}
	var lists [][]prospect.Hit
	for _, c := range im.Capabilities {
		text := c.Text
		if s := c.Skill; s != nil {
			text = r.plan.lexical.Text(&skill.Skill{Name: s.Name, Description: s.Description, Body: s.Body})
		}
		list, err := r.index.byWords(ctx, text, r.depth)
		if err != nil {
			return answer{}, err
		}
		lists = append(lists, list)
	}
	a := answer{ids: []string{}}
	for _, pick := range fusion.RoundRobin(lists, func(h prospect.Hit) string { return h.ID }, r.depth) {
		a.ids = append(a.ids, pick.Item.ID)
	}
	return a, nil
}
