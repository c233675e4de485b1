package skilldreamer

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/bm25"
	"github.com/prospect-go/prospect/skill"
	"github.com/prospect-go/prospect/vecindex"
)

// DefaultDense and DefaultLexical are the recipes that retrieved best for the
// built-in model and for BM25 among those tried on skill galleries; the README
// has the figures.
var (
	DefaultDense   = Recipe{Body: 1000}
	DefaultLexical = Recipe{Body: 0}
)

// GalleryOptions for [NewGallery] and [OpenGallery]. The zero value has the
// defaults.
type GalleryOptions struct {
	// Dense makes the text that is embedded. Default [DefaultDense].
	Dense *Recipe
	// Lexical makes the text of the BM25 index. Default [DefaultLexical].
	Lexical *Recipe
	// BM25 are the options of the lexical index.
	BM25 bm25.Options
}

// A Gallery holds skills in memory together with their vectors and their
// lexical index. The three change together: every search sees one snapshot of
// all of them.
//
// Skills have the id [skill.Skill.Key], or their name where they have no id.
// The order of the gallery is that in which they were first added. Skills
// belong to named sources with an order of precedence; see [Gallery.View].
//
// All methods may be called concurrently. Readers never wait for writers;
// writers wait for each other. A change costs time linear in the number of
// skills, so change many at once where possible.
type Gallery struct {
	embedder prospect.Embedder
	dense    Recipe
	lexical  Recipe

	mu     sync.Mutex // one writer; guards the indexes and broken
	vec    *vecindex.Index
	lex    *bm25.Index
	broken error // why the indexes may disagree; refuses further changes

	current atomic.Pointer[state]
}

// state is what a search sees. It never changes.
type state struct {
	skills  map[string]entry // by id
	sources []string         // by precedence, highest first
	next    int64            // the order of the next skill
	vec     *vecindex.Snapshot
	lex     *bm25.Snapshot
	visible sync.Map // of source names, joined: the cached *visibility
}

type entry struct {
	skill *skill.Skill
	order int64
}

// NewGallery returns an empty gallery whose vectors the embedder makes.
func NewGallery(embedder prospect.Embedder, opts GalleryOptions) (*Gallery, error) {
	g, err := newGallery(embedder, opts)
	if err != nil {
		return nil, err
	}
	if g.vec, err = vecindex.New(embedder.Dim(), vecindex.Options{Identity: g.identity()}); err != nil {
		return nil, err
	}
	if g.lex, err = bm25.New(opts.BM25); err != nil {
		return nil, err
	}
	g.current.Store(&state{skills: map[string]entry{}, vec: g.vec.Snapshot(), lex: g.lex.Snapshot()})
	return g, nil
}

func newGallery(embedder prospect.Embedder, opts GalleryOptions) (*Gallery, error) {
	if embedder == nil {
		return nil, errors.New("skilldreamer: a gallery needs an embedder")
	}
	g := &Gallery{embedder: embedder, dense: DefaultDense, lexical: DefaultLexical}
	if opts.Dense != nil {
		g.dense = *opts.Dense
	}
	if opts.Lexical != nil {
		g.lexical = *opts.Lexical
	}
	return g, nil
}

// identity says whose vectors the gallery holds: an embedder's, of texts made
// by a recipe.
func (g *Gallery) identity() string { return g.embedder.Identity() + " | " + g.dense.Identity() }

// Embedder is the one that makes the gallery's vectors.
func (g *Gallery) Embedder() prospect.Embedder { return g.embedder }

// Recipe makes the texts that are embedded.
func (g *Gallery) Recipe() Recipe { return g.dense }

// Len is the number of skills.
func (g *Gallery) Len() int { return len(g.current.Load().skills) }

// Skill returns the skill of an id. It is shared: do not change it.
func (g *Gallery) Skill(id string) (*skill.Skill, bool) {
	e, ok := g.current.Load().skills[id]
	return e.skill, ok
}

// All iterates over ids and skills in the order of the gallery, as it is now.
func (g *Gallery) All() iter.Seq2[string, *skill.Skill] {
	s := g.current.Load()
	return func(yield func(string, *skill.Skill) bool) {
		for _, id := range s.inOrder() {
			if !yield(id, s.skills[id].skill) {
				return
			}
		}
	}
}

// Sources are the names of the sources, highest precedence first.
func (g *Gallery) Sources() []string { return slices.Clone(g.current.Load().sources) }

// Vectors is the vector index of the present state, for searches of your own.
func (g *Gallery) Vectors() *vecindex.Snapshot { return g.current.Load().vec }

// Lexicon is the lexical index of the present state, for searches of your own.
func (g *Gallery) Lexicon() *bm25.Snapshot { return g.current.Load().lex }

func (s *state) inOrder() []string {
	ids := make([]string, 0, len(s.skills))
	for id := range s.skills {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b string) int {
		return int(min(max(s.skills[a].order-s.skills[b].order, -1), 1))
	})
	return ids
}

// Put adds skills, or replaces those whose ids are there, which keep their
// place in the order. Only texts that changed are embedded. All or nothing:
// on error the gallery is as it was.
//
// Errors: [prospect.ErrDuplicateID] for an id twice in the call,
// [prospect.ErrEmptyID] for a skill without id and name, those of the
// embedder, and ctx.Err().
func (g *Gallery) Put(ctx context.Context, skills ...*skill.Skill) error {
	_, err := g.apply(ctx, skills, nil, applyOptions{})
	return err
}

// Remove takes skills out. All or nothing: [prospect.ErrNotFound] names an id
// that is not there.
func (g *Gallery) Remove(ids ...string) error {
	_, err := g.apply(context.Background(), nil, ids, applyOptions{})
	return err
}

type applyOptions struct {
	exact    bool // remove whatever is not in the skills
	sources  []string
	progress func(done, total int)
}

// plan is a change of the gallery, worked out before anything is touched.
type plan struct {
	skills  map[string]*skill.Skill
	added   []string // ids, in order
	updated []string
	removed []string
	same    int
	texts   []string // to embed
	textOf  []string // the id each text is for
	vectors map[string][]float32
}

func (g *Gallery) apply(ctx context.Context, skills []*skill.Skill, remove []string, o applyOptions) (SyncReport, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.broken != nil {
		return SyncReport{}, fmt.Errorf("skilldreamer: the gallery takes no changes after an earlier failure: %w", g.broken)
	}
	old := g.current.Load()
	p, err := g.plan(old, skills, remove, o.exact)
	if err != nil {
		return SyncReport{}, err
	}
	if err := g.embed(ctx, p, o.progress); err != nil {
		return SyncReport{}, err
	}
	next, err := g.commit(old, p, o.sources)
	if err != nil {
		return SyncReport{}, err
	}
	g.current.Store(next)
	return SyncReport{Added: p.added, Updated: p.updated, Removed: p.removed, Unchanged: p.same, Embedded: len(p.texts)}, nil
}

// plan compares the skills with the present state.
func (g *Gallery) plan(old *state, skills []*skill.Skill, remove []string, exact bool) (*plan, error) {
	p := &plan{skills: make(map[string]*skill.Skill, len(skills)), vectors: map[string][]float32{}}
	known := map[string]string{} // text: id of a skill whose vector stands for it
	for i, s := range skills {
		if s == nil {
			return nil, fmt.Errorf("skilldreamer: skill %d is nil", i)
		}
		id := idOf(s)
		if id == "" {
			return nil, &prospect.IDError{ID: id, Err: prospect.ErrEmptyID}
		}
		if p.skills[id] != nil {
			return nil, &prospect.IDError{ID: id, Err: prospect.ErrDuplicateID}
		}
		p.skills[id] = s
	}
	for _, id := range remove {
		if _, ok := old.skills[id]; !ok {
			return nil, &prospect.IDError{ID: id, Err: prospect.ErrNotFound}
		}
		if slices.Contains(p.removed, id) {
			return nil, &prospect.IDError{ID: id, Err: prospect.ErrDuplicateID}
		}
		p.removed = append(p.removed, id)
	}
	if exact {
		for _, id := range old.inOrder() {
			if p.skills[id] == nil {
				p.removed = append(p.removed, id)
			}
		}
	}
	for _, id := range p.removed { // a skill that moved keeps its vector
		known[g.dense.Text(old.skills[id].skill)] = id
	}
	for _, s := range skills {
		id := idOf(s)
		was, ok := old.skills[id]
		switch {
		case !ok:
			p.added = append(p.added, id)
		case equal(was.skill, s):
			p.same++
			continue
		default:
			p.updated = append(p.updated, id)
			known[g.dense.Text(was.skill)] = id
		}
		text := g.dense.Text(s)
		if from, ok := known[text]; ok {
			v, err := old.vec.Get(from)
			if err != nil {
				return nil, err
			}
			p.vectors[id] = v
			continue
		}
		p.texts = append(p.texts, text)
		p.textOf = append(p.textOf, id)
	}
	return p, nil
}

// idOf is the id of a skill in a gallery.
func idOf(s *skill.Skill) string {
	if s.ID == "" {
		named := skill.Skill{ID: s.Name, Source: s.Source}
		if s.Name == "" {
			return ""
		}
		return named.Key()
	}
	return s.Key()
}

// embedBatch is how many texts are embedded between two reports of progress.
const embedBatch = 256

// embed makes the vectors of the plan and holds the embedder to its promises,
// so that nothing can fail once the indexes are touched.
func (g *Gallery) embed(ctx context.Context, p *plan, progress func(done, total int)) error {
	for done := 0; done < len(p.texts); {
		if err := ctx.Err(); err != nil {
			return err
		}
		batch := p.texts[done:min(done+embedBatch, len(p.texts))]
		ids := p.textOf[done : done+len(batch)]
		vectors, err := g.embedder.Embed(ctx, prospect.RoleDocument, batch)
		if err != nil {
			if e, ok := errors.AsType[*prospect.TextError](err); ok && e.Index >= 0 && e.Index < len(ids) {
				return &prospect.IDError{ID: ids[e.Index], Err: e.Err}
			}
			return err
		}
		if len(vectors) != len(batch) {
			return fmt.Errorf("skilldreamer: the embedder gave %d vectors for %d texts", len(vectors), len(batch))
		}
		for i, v := range vectors {
			if err := checkUnit(v, g.embedder.Dim()); err != nil {
				return &prospect.IDError{ID: ids[i], Err: err}
			}
			p.vectors[ids[i]] = v
		}
		done += len(batch)
		if progress != nil {
			progress(done, len(p.texts))
		}
	}
	return nil
}

// checkUnit holds a vector to the promises of [prospect.Embedder].
func checkUnit(v []float32, dim int) error {
	if len(v) != dim {
		return fmt.Errorf("%w: the embedder gave %d components, want %d", prospect.ErrDimension, len(v), dim)
	}
	var squares float64
	for _, x := range v {
		squares += float64(x) * float64(x)
	}
	switch {
	case math.IsNaN(squares) || math.IsInf(squares, 0):
		return fmt.Errorf("%w in the embedder's vector", prospect.ErrNotFinite)
	case squares == 0:
		return fmt.Errorf("%w from the embedder", prospect.ErrZeroVector)
	case math.Abs(math.Sqrt(squares)-1) > 1e-3:
		return fmt.Errorf("skilldreamer: the embedder's vector has length %g, want 1", math.Sqrt(squares))
	}
	return nil
}

// commit changes both indexes and makes the next state. Everything was
// checked before, so an error here is a fault of the library; readers keep the
// old state, and the gallery takes no further changes.
func (g *Gallery) commit(old *state, p *plan, sources []string) (*state, error) {
	vec := vecindex.Changes{Delete: p.removed}
	lex := bm25.Changes{Delete: p.removed}
	next := &state{skills: make(map[string]entry, len(old.skills)+len(p.added)), next: old.next}
	for id, e := range old.skills {
		next.skills[id] = e
	}
	for _, id := range p.removed {
		delete(next.skills, id)
	}
	for _, id := range p.updated {
		s := p.skills[id]
		next.skills[id] = entry{s, old.skills[id].order}
		vec.Update = append(vec.Update, vecindex.Doc{ID: id, Vector: p.vectors[id]})
		lex.Update = append(lex.Update, bm25.Doc{ID: id, Text: g.lexical.Text(s)})
	}
	for _, id := range p.added {
		s := p.skills[id]
		next.skills[id] = entry{s, next.next}
		next.next++
		vec.Add = append(vec.Add, vecindex.Doc{ID: id, Vector: p.vectors[id]})
		lex.Add = append(lex.Add, bm25.Doc{ID: id, Text: g.lexical.Text(s)})
	}
	next.sources = sources
	if sources == nil {
		next.sources = withNewSources(old.sources, p)
	}
	if err := g.vec.Apply(vec); err != nil {
		g.broken = err
		return nil, err
	}
	if err := g.lex.Apply(context.Background(), lex); err != nil {
		g.broken = err
		return nil, err
	}
	next.vec, next.lex = g.vec.Snapshot(), g.lex.Snapshot()
	return next, nil
}

// withNewSources appends the sources that were not known, in the order of the
// skills that brought them.
func withNewSources(sources []string, p *plan) []string {
	sources = slices.Clone(sources)
	for _, id := range slices.Concat(p.updated, p.added) {
		if s := p.skills[id].Source; !slices.Contains(sources, s) {
			sources = append(sources, s)
		}
	}
	return sources
}
