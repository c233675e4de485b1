package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/bm25"
	"github.com/prospect-go/prospect/skill"
	"github.com/prospect-go/prospect/skilldreamer"
)

// recipes say which texts stand for a document in an index.
type recipes struct{ dense, lexical skilldreamer.Recipe }

// An index is the gallery by one pair of recipes.
type index struct {
	gallery  *skilldreamer.Gallery // nil without an embedder
	store    skilldreamer.Store    // what a Dreamer sees of it
	lexicon  *bm25.Snapshot
	embedder prospect.Embedder
	size     int
	dropped  []string // ids of documents that cannot be embedded
	clock    *clock   // nil but while latency is taken
}

// buildIndex indexes the documents; a nil embedder makes an index of words
// alone. Documents whose text has nothing to embed are left out.
func buildIndex(ctx context.Context, skills []*skill.Skill, r recipes, e prospect.Embedder, p *progress) (*index, error) {
	if e == nil {
		return buildLexicon(ctx, skills, r.lexical)
	}
	ix := &index{embedder: e}
	var keep []*skill.Skill
	total := 0
	for _, s := range skills {
		texts := r.dense.Texts(s)
		if strings.TrimSpace(texts[0]) == "" {
			ix.dropped = append(ix.dropped, s.ID)
			continue
		}
		keep = append(keep, s)
		total += len(texts)
	}
	done := 0
	watching := &watched{e, func(n int) { done += n; p.show("embedding documents", min(done, total), total) }}
	var err error
	if ix.gallery, err = skilldreamer.NewGallery(watching, skilldreamer.GalleryOptions{Dense: &r.dense, Lexical: &r.lexical}); err != nil {
		return nil, err
	}
	for {
		err := ix.gallery.Put(ctx, keep...)
		refused, ok := errors.AsType[*prospect.IDError](err)
		if ok && errors.Is(err, prospect.ErrEmptyText) {
			ix.dropped = append(ix.dropped, refused.ID)
			keep = slices.DeleteFunc(keep, func(s *skill.Skill) bool { return s.ID == refused.ID })
			done = 0
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("index the documents: %w", err)
		}
		break
	}
	watching.tell = func(int) {}
	ix.store, ix.lexicon, ix.size = ix.gallery, ix.gallery.Lexicon(), ix.gallery.Len()
	return ix, nil
}

func buildLexicon(ctx context.Context, skills []*skill.Skill, r skilldreamer.Recipe) (*index, error) {
	ids, texts := make([]string, len(skills)), make([]string, len(skills))
	for i, s := range skills {
		ids[i], texts[i] = s.ID, r.Text(s)
	}
	lexicon, err := newLexicon(ctx, ids, texts)
	return &index{lexicon: lexicon, size: len(skills)}, err
}

func newLexicon(ctx context.Context, ids, texts []string) (*bm25.Snapshot, error) {
	lexicon, err := bm25.New(bm25.Options{})
	if err != nil {
		return nil, err
	}
	changes := bm25.Changes{Add: make([]bm25.Doc, len(ids))}
	for i, id := range ids {
		changes.Add[i] = bm25.Doc{ID: id, Text: texts[i]}
	}
	if err := lexicon.Apply(ctx, changes); err != nil {
		return nil, fmt.Errorf("index the documents: %w", err)
	}
	return lexicon.Snapshot(), nil
}

// byWords are the k documents with the best BM25 scores.
func (ix *index) byWords(ctx context.Context, text string, k int) ([]prospect.Hit, error) {
	return ix.matching(ctx, prospect.Query{Text: text, K: k})
}

// byVector are the k documents nearest to the text.
func (ix *index) byVector(ctx context.Context, text string, k int) ([]prospect.Hit, error) {
	vectors, err := ix.embedder.Embed(ctx, prospect.RoleQuery, []string{text})
	if err != nil {
		return nil, err
	}
	return ix.nearest(ctx, prospect.Query{Vector: vectors[0], K: k})
}

func (ix *index) matching(ctx context.Context, q prospect.Query) ([]prospect.Hit, error) {
	defer ix.clock.run(words)()
	return ix.lexicon.Search(ctx, q)
}

func (ix *index) nearest(ctx context.Context, q prospect.Query) ([]prospect.Hit, error) {
	defer ix.clock.run(score)()
	return ix.gallery.Vectors().Search(ctx, q)
}
