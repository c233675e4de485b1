package skilldreamer

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/skill"
	"github.com/prospect-go/prospect/vecindex"
)

// View is the present state of the skills that come from the named sources,
// or of all if none is named. Of skills with one name that come from several
// of these sources, those of the source with the highest precedence are in the
// view and the others are not; skills of one source never hide each other.
// A name that is no source of the gallery matches nothing.
func (g *Gallery) View(ctx context.Context, sources ...string) (View, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s := g.current.Load()
	return galleryView{s, s.scope(sources)}, nil
}

// A scope says which skills a choice of sources sees.
type scope struct {
	all bool            // every skill
	ids map[string]bool // else these
}

func (v *scope) sees(id string) bool { return v.all || v.ids[id] }

// scope is worked out once for each choice of sources and state.
func (s *state) scope(sources []string) *scope {
	chosen := s.sources // in the order of precedence
	if len(sources) > 0 {
		chosen = slices.DeleteFunc(slices.Clone(s.sources), func(name string) bool { return !slices.Contains(sources, name) })
	}
	if len(chosen) == len(s.sources) && len(chosen) < 2 {
		return &scope{all: true}
	}
	work, _ := s.scopes.LoadOrStore(fmt.Sprintf("%q", chosen), sync.OnceValue(func() *scope { return s.newScope(chosen) }))
	return work.(func() *scope)()
}

func (s *state) newScope(chosen []string) *scope {
	rank := make(map[string]int, len(chosen))
	for i, name := range chosen {
		rank[name] = i
	}
	best := make(map[string]int, len(s.skills)) // skill name: its best rank
	for _, e := range s.skills {
		if r, ok := rank[e.skill.Source]; ok {
			if b, seen := best[e.skill.Name]; !seen || r < b {
				best[e.skill.Name] = r
			}
		}
	}
	v := &scope{ids: make(map[string]bool, len(s.skills))}
	for id, e := range s.skills {
		if r, ok := rank[e.skill.Source]; ok && best[e.skill.Name] == r {
			v.ids[id] = true
		}
	}
	if len(v.ids) == len(s.skills) {
		return &scope{all: true}
	}
	return v
}

// galleryView is a state as some sources see it.
type galleryView struct {
	*state
	seen *scope
}

func (v galleryView) Len() int {
	if v.seen.all {
		return len(v.skills)
	}
	return len(v.seen.ids)
}

// keep is the filter of a search, nil where every skill is seen.
func (v galleryView) keep() func(id string) bool {
	if v.seen.all {
		return nil
	}
	return v.seen.sees
}

func (v galleryView) Nearest(ctx context.Context, vectors [][]float32, sums [][]Term, k int) ([][]Candidate, error) {
	filter := vecindex.Filter{Keep: v.keep()}
	var lists [][]prospect.Hit
	var err error
	if v.pieces {
		terms := make([][]vecindex.Term, len(sums))
		for i, sum := range sums {
			for _, t := range sum {
				terms[i] = append(terms[i], vecindex.Term(t))
			}
		}
		lists, err = v.vec.ScoreSums(ctx, vectors, terms, k, filter)
	} else {
		combined := make([][]float32, len(sums))
		for i, sum := range sums {
			combined[i] = combine(vectors, sum)
		}
		lists, err = v.vec.ScoreBatch(ctx, combined, k, filter)
	}
	if err != nil {
		return nil, err
	}
	out := make([][]Candidate, len(lists))
	for i, hits := range lists {
		out[i] = v.candidates(hits)
	}
	return out, nil
}

func (v galleryView) Matching(ctx context.Context, queries []string, k int) ([][]Candidate, error) {
	out := make([][]Candidate, len(queries))
	for i, q := range queries {
		hits, err := v.lex.Search(ctx, prospect.Query{Text: q, K: k, Keep: v.keep()})
		if err != nil {
			return nil, err
		}
		out[i] = v.candidates(hits)
	}
	return out, nil
}

func (v galleryView) candidates(hits []prospect.Hit) []Candidate {
	out := make([]Candidate, len(hits))
	for r, h := range hits {
		out[r] = Candidate{ID: h.ID, Order: v.skills[h.ID].order, Score: h.Score}
	}
	return out
}

// combine is Σ Weight·vector, added in float64. By linearity its inner product
// with a skill's one vector is the sum of similarities.
func combine(vectors [][]float32, sum []Term) []float32 {
	combined := make([]float32, len(vectors[0]))
	for i := range combined {
		var x float64
		for _, t := range sum {
			x += t.Weight * float64(vectors[t.Vector][i])
		}
		combined[i] = float32(x)
	}
	return combined
}

func (v galleryView) Similarities(ctx context.Context, vectors [][]float32, ids []string) ([][]float64, error) {
	if err := v.check(ids); err != nil {
		return nil, err
	}
	rows, err := v.vec.Scores(ctx, vectors, ids)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		for i, x := range row {
			row[i] = min(max(x, -1), 1)
		}
	}
	return rows, nil
}

func (v galleryView) Lexical(ctx context.Context, query string, ids []string) ([]float64, error) {
	if err := v.check(ids); err != nil {
		return nil, err
	}
	return v.lex.Scores(ctx, query, ids)
}

func (v galleryView) Skills(_ context.Context, ids []string) ([]*skill.Skill, error) {
	if err := v.check(ids); err != nil {
		return nil, err
	}
	skills := make([]*skill.Skill, len(ids))
	for i, id := range ids {
		skills[i] = v.skills[id].skill
	}
	return skills, nil
}

func (v galleryView) check(ids []string) error {
	for _, id := range ids {
		if _, ok := v.skills[id]; !ok || !v.seen.sees(id) {
			return &prospect.IDError{ID: id, Err: prospect.ErrNotFound}
		}
	}
	return nil
}

var (
	_ Store = (*Gallery)(nil)
	_ View  = galleryView{}
)
