package skilldreamer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/bm25"
	"github.com/prospect-go/prospect/skill"
	"github.com/prospect-go/prospect/vecindex"
)

// Put adds skills, or replaces those whose ids are there, which keep their
// place in the order. Only texts that changed are embedded. All or nothing:
// on error the gallery is as it was.
//
// Errors, the first three in a [*prospect.IDError]: [prospect.ErrDuplicateID]
// for an id twice in the call, [prospect.ErrEmptyID] for a skill without id
// and name, those of the embedder about a text or its vector;
// [prospect.ErrContract], [ErrBroken], other errors of the embedder, ctx.Err().
func (g *Gallery) Put(ctx context.Context, skills ...*skill.Skill) error {
	if err := g.lock(ctx); err != nil {
		return err
	}
	defer g.unlock()
	_, err := g.apply(ctx, change{skills: skills})
	return err
}

// Remove takes skills out. All or nothing: [prospect.ErrNotFound] names an id
// that is not there, [prospect.ErrDuplicateID] one that comes twice.
func (g *Gallery) Remove(ctx context.Context, ids ...string) error {
	if err := g.lock(ctx); err != nil {
		return err
	}
	defer g.unlock()
	_, err := g.apply(ctx, change{remove: ids})
	return err
}

// A change is what a caller wants.
type change struct {
	skills   []*skill.Skill
	remove   []string
	exact    bool // remove whatever is not in skills, unless keep says so
	keep     func(id string) bool
	sources  []string // by precedence; nil: as they are, new ones last
	progress func(done, total int)
}

// apply makes a change; the caller is the one writer.
func (g *Gallery) apply(ctx context.Context, c change) (SyncReport, error) {
	if g.broken != nil {
		return SyncReport{}, fmt.Errorf("%w: %w", ErrBroken, g.broken)
	}
	old := g.current.Load()
	p, err := g.plan(old, c)
	if err != nil {
		return SyncReport{}, err
	}
	report := SyncReport{Added: p.added, Updated: p.updated, Removed: p.removed, Kept: p.kept, Unchanged: p.same, Embedded: len(p.texts)}
	sources := c.sources
	if sources == nil {
		sources = withNewSources(old.sources, p)
	}
	if len(p.added)+len(p.updated)+len(p.removed) == 0 && slices.Equal(sources, old.sources) {
		return report, nil
	}
	if err := g.embed(ctx, p, c.progress); err != nil {
		return SyncReport{}, err
	}
	next, err := g.commit(ctx, old, p)
	if err != nil {
		return SyncReport{}, err
	}
	next.sources = sources
	g.current.Store(next)
	return report, nil
}

// plan is a change worked out, before anything is touched.
type plan struct {
	skills  map[string]*skill.Skill
	added   []string // ids, in order
	updated []string
	removed []string
	kept    []string
	same    int
	textsOf map[string][]string  // of the added and updated, by id
	vectors map[string][]float32 // by text
	texts   []string             // to embed, each once
	firstID map[string]string    // text to embed: the first id it is for
}

// plan compares the skills with the present state.
func (g *Gallery) plan(old *state, c change) (*plan, error) {
	p := &plan{skills: make(map[string]*skill.Skill, len(c.skills)), textsOf: map[string][]string{}, vectors: map[string][]float32{}, firstID: map[string]string{}}
	for i, s := range c.skills {
		if s == nil {
			return nil, fmt.Errorf("%w: skill %d is nil", prospect.ErrOption, i)
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
	seen := make(map[string]bool, len(c.remove))
	for _, id := range c.remove {
		if _, ok := old.skills[id]; !ok {
			return nil, &prospect.IDError{ID: id, Err: prospect.ErrNotFound}
		}
		if seen[id] {
			return nil, &prospect.IDError{ID: id, Err: prospect.ErrDuplicateID}
		}
		seen[id] = true
		p.removed = append(p.removed, id)
	}
	if c.exact {
		for _, id := range old.inOrder() {
			switch {
			case p.skills[id] != nil:
			case c.keep != nil && c.keep(id):
				p.kept = append(p.kept, id)
			default:
				p.removed = append(p.removed, id)
			}
		}
	}
	// Vectors of what leaves or changes may serve what comes: a skill that
	// moved to another folder has the same text.
	for _, id := range p.removed {
		if err := p.keepVectors(g, old, id); err != nil {
			return nil, err
		}
	}
	for _, s := range c.skills {
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
			if err := p.keepVectors(g, old, id); err != nil {
				return nil, err
			}
		}
		p.textsOf[id] = g.dense.Texts(s)
		for _, text := range p.textsOf[id] {
			if _, twice := p.firstID[text]; p.vectors[text] == nil && !twice {
				p.texts = append(p.texts, text)
				p.firstID[text] = id
			}
		}
	}
	return p, nil
}

// keepVectors remembers the vectors of a skill that leaves or changes.
func (p *plan) keepVectors(g *Gallery, old *state, id string) error {
	vectors, err := old.vec.Vectors(id)
	if err != nil {
		return err
	}
	texts := g.dense.Texts(old.skills[id].skill)
	if len(texts) != len(vectors) {
		return nil // made by another cut; embedded anew
	}
	for i, text := range texts {
		p.vectors[text] = vectors[i]
	}
	return nil
}

// doc is a skill's vectors as the index takes them.
func (p *plan) doc(id string) vecindex.Doc {
	d := vecindex.Doc{ID: id}
	for i, text := range p.textsOf[id] {
		if i == 0 {
			d.Vector = p.vectors[text]
		} else {
			d.More = append(d.More, p.vectors[text])
		}
	}
	return d
}

// idOf is the id of a skill in a gallery.
func idOf(s *skill.Skill) string {
	switch {
	case s.ID != "":
		return s.Key()
	case s.Name == "":
		return ""
	}
	named := skill.Skill{ID: s.Name, Source: s.Source}
	return named.Key()
}

// embedBatch is how many texts are embedded between two reports of progress.
const embedBatch = 256

// embed makes the vectors of the plan and holds the embedder to its promises,
// so that nothing can fail once the indexes are touched.
func (g *Gallery) embed(ctx context.Context, p *plan, progress func(done, total int)) error {
	done := 0
	for texts := range slices.Chunk(p.texts, embedBatch) {
		if err := ctx.Err(); err != nil {
			return err
		}
		vectors, err := embedUnit(ctx, g.embedder, prospect.RoleDocument, texts)
		if err != nil {
			if e, ok := errors.AsType[*prospect.TextError](err); ok && e.Index >= 0 && e.Index < len(texts) {
				return &prospect.IDError{ID: p.firstID[texts[e.Index]], Err: e.Err}
			}
			return err
		}
		for i, v := range vectors {
			p.vectors[texts[i]] = v
		}
		done += len(texts)
		if progress != nil {
			progress(done, len(p.texts))
		}
	}
	return nil
}

// commit changes both indexes and makes the next state. The lexical index
// comes first, for it can still be cancelled; after it nothing can fail but
// for a fault of the library: readers then keep the old state, and the gallery
// takes no further changes.
func (g *Gallery) commit(ctx context.Context, old *state, p *plan) (*state, error) {
	vec := vecindex.Changes{Delete: p.removed}
	lex := bm25.Changes{Delete: p.removed}
	next := &state{skills: make(map[string]entry, len(old.skills)+len(p.added)), next: old.next, pieces: old.pieces}
	for id, e := range old.skills {
		next.skills[id] = e
	}
	for _, id := range p.removed {
		delete(next.skills, id)
	}
	for _, id := range p.updated {
		s := p.skills[id]
		next.skills[id] = entry{s, old.skills[id].order}
		vec.Update = append(vec.Update, p.doc(id))
		lex.Update = append(lex.Update, bm25.Doc{ID: id, Text: g.lexical.Text(s)})
	}
	for _, id := range p.added {
		s := p.skills[id]
		next.skills[id] = entry{s, next.next}
		next.next++
		vec.Add = append(vec.Add, p.doc(id))
		lex.Add = append(lex.Add, bm25.Doc{ID: id, Text: g.lexical.Text(s)})
	}
	if err := g.lex.Apply(ctx, lex); err != nil {
		return nil, err
	}
	if err := g.vec.Apply(vec); err != nil {
		g.broken = err
		return nil, fmt.Errorf("%w: %w", ErrBroken, err)
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
