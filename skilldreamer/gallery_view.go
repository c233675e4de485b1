package skilldreamer

import (
	"context"
	"slices"
	"strings"

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
	return galleryView{s, s.visibility(sources)}, nil
}

// visibility says which skills a choice of sources sees.
type visibility struct {
	all bool            // every skill
	ids map[string]bool // else these
}

func (v *visibility) sees(id string) bool { return v.all || v.ids[id] }

// visibility is worked out once for each choice of sources and state.
func (s *state) visibility(sources []string) *visibility {
	var chosen []string // in the order of precedence
	for _, name := range s.sources {
		if len(sources) == 0 || slices.Contains(sources, name) {
			chosen = append(chosen, name)
		}
	}
	key := strings.Join(chosen, "\x00")
	if len(chosen) == 0 {
		key = "\x00" // differs from the one source without a name
	}
	if v, ok := s.visible.Load(key); ok {
		return v.(*visibility)
	}
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
	v := &visibility{ids: make(map[string]bool, len(s.skills))}
	for id, e := range s.skills {
		if r, ok := rank[e.skill.Source]; ok && best[e.skill.Name] == r {
			v.ids[id] = true
		}
	}
	if len(v.ids) == len(s.skills) {
		v.all, v.ids = true, nil
	}
	s.visible.Store(key, v)
	return v
}

// galleryView is a state as some sources see it.
type galleryView struct {
	*state
	*visibility
}

func (v galleryView) Len() int {
	if v.all {
		return len(v.skills)
	}
	return len(v.ids)
}

func (v galleryView) Nearest(ctx context.Context, vectors [][]float32, k int) ([][]Candidate, error) {
	var filter vecindex.Filter
	if !v.all {
		filter.Keep = v.sees
	}
	lists, err := v.vec.ScoreBatch(ctx, vectors, k, filter)
	if err != nil {
		return nil, err
	}
	out := make([][]Candidate, len(lists))
	for i, hits := range lists {
		out[i] = make([]Candidate, len(hits))
		for r, h := range hits {
			out[i][r] = Candidate{ID: h.ID, Order: v.skills[h.ID].order, Score: h.Score}
		}
	}
	return out, nil
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

func (v galleryView) Skill(_ context.Context, id string) (*skill.Skill, error) {
	if err := v.check([]string{id}); err != nil {
		return nil, err
	}
	return v.skills[id].skill, nil
}

func (v galleryView) check(ids []string) error {
	for _, id := range ids {
		if _, ok := v.skills[id]; !ok || !v.sees(id) {
			return &prospect.IDError{ID: id, Err: prospect.ErrNotFound}
		}
	}
	return nil
}

var (
	_ Store = (*Gallery)(nil)
	_ View  = galleryView{}
)
