package skilldreamer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/bm25"
	"github.com/prospect-go/prospect/skill"
	"github.com/prospect-go/prospect/vecindex"
)

// GalleryOptions for [NewGallery] and [OpenGallery]. The zero value has the
// defaults.
type GalleryOptions struct {
	// Dense makes the text that is embedded. Default [DefaultDense].
	Dense *Recipe
	// Lexical makes the text of the BM25 index. Default [DefaultLexical].
	Lexical *Recipe
	// Vectors are the options of the vector index; its Identity is set by the
	// gallery.
	Vectors vecindex.Options
	// BM25 are the options of the lexical index.
	BM25 bm25.Options
}

// ErrBroken: an earlier change of a [Gallery] failed half way, which is a
// fault of the library. Searches go on over the last whole state; changes are
// refused.
var ErrBroken = errors.New("skilldreamer: the gallery takes no changes after an earlier failure")

// A Gallery holds skills in memory together with their vectors and their
// lexical index. The three change together: every search sees one snapshot of
// all of them.
//
// Skills have the id [skill.Skill.Key], or their name where they have no id.
// They are kept, not copied: do not change them afterwards. The order of the
// gallery is that in which they were first added. Skills belong to named
// sources with an order of precedence; see [Gallery.View].
//
// All methods may be called concurrently. Readers never wait for writers;
// writers wait for each other, until their ctx is done. A change costs time
// linear in the number of skills, so change many at once where possible.
type Gallery struct {
	embedder prospect.Embedder
	dense    Recipe
	lexical  Recipe
	opts     GalleryOptions

	writer chan struct{} // holds a token while somebody writes; guards the next three
	vec    *vecindex.Index
	lex    *bm25.Index
	broken error

	current atomic.Pointer[state]
}

// state is what a search sees. It never changes.
type state struct {
	skills  map[string]entry // by id
	sources []string         // by precedence, highest first
	next    int64            // the order of the next skill
	vec     *vecindex.Snapshot
	lex     *bm25.Snapshot
	pieces  bool     // skills may have several vectors
	scopes  sync.Map // of chosen sources, joined: a func() *scope that works it out once
}

type entry struct {
	skill *skill.Skill
	order int64
}

// NewGallery returns an empty gallery whose vectors the embedder makes. Error:
// [prospect.ErrOption], and those of the options of the indexes.
func NewGallery(embedder prospect.Embedder, opts GalleryOptions) (*Gallery, error) {
	g, err := newGallery(embedder, opts)
	if err != nil {
		return nil, err
	}
	if g.vec, err = vecindex.New(embedder.Dim(), g.opts.Vectors); err != nil {
		return nil, err
	}
	if g.lex, err = bm25.New(opts.BM25); err != nil {
		return nil, err
	}
	g.current.Store(&state{skills: map[string]entry{}, vec: g.vec.Snapshot(), lex: g.lex.Snapshot(), pieces: g.dense.Piece > 0})
	return g, nil
}

func newGallery(embedder prospect.Embedder, opts GalleryOptions) (*Gallery, error) {
	if embedder == nil {
		return nil, fmt.Errorf("%w: a gallery needs an embedder", prospect.ErrOption)
	}
	g := &Gallery{embedder: embedder, dense: DefaultDense(), lexical: DefaultLexical(), opts: opts, writer: make(chan struct{}, 1)}
	if opts.Dense != nil {
		g.dense = *opts.Dense
	}
	if opts.Lexical != nil {
		g.lexical = *opts.Lexical
	}
	if err := errors.Join(g.dense.validate("Dense"), g.lexical.validate("Lexical")); err != nil {
		return nil, err
	}
	// Vectors are an embedder's, of texts made by a recipe.
	g.opts.Vectors.Identity = g.embedder.Identity() + " | " + g.dense.Identity()
	return g, nil
}

// lock waits for the other writers.
func (g *Gallery) lock(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case g.writer <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g *Gallery) unlock() { <-g.writer }

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

// inOrder lists the ids in the order of the gallery.
func (s *state) inOrder() []string {
	type place struct {
		order int64
		id    string
	}
	places := make([]place, 0, len(s.skills))
	for id, e := range s.skills {
		places = append(places, place{e.order, id})
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(a.order, b.order) })
	ids := make([]string, len(places))
	for i, p := range places {
		ids[i] = p.id
	}
	return ids
}
