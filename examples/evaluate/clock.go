package main

import (
	"context"
	"sync"
	"time"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/skilldreamer"
)

// A clock adds up what one query spends by stage. A nil clock takes no time.
type clock struct {
	mu    sync.Mutex
	spent map[stage]time.Duration
}

// run times a stage until the function that it returns is called.
func (c *clock) run(s stage) (stop func()) {
	if c == nil {
		return func() {}
	}
	begin := time.Now()
	return func() {
		took := time.Since(begin)
		c.mu.Lock()
		c.spent[s] += took
		c.mu.Unlock()
	}
}

// timed is the ranker with a clock, and with an embedder of its own.
func (r *ranker) timed(c *clock, raw prospect.Embedder) (*ranker, error) {
	ix := *r.index
	ix.clock, ix.embedder = c, timedEmbedder{raw, c}
	if ix.gallery != nil {
		ix.store = timedStore{ix.gallery, ix.embedder, c}
	}
	timed, err := newRanker(r.plan, &ix, r.im, r.depth)
	if err == nil {
		timed.rewrite = r.rewrite
	}
	return timed, err
}

type timedEmbedder struct {
	prospect.Embedder
	clock *clock
}

func (e timedEmbedder) Embed(ctx context.Context, role prospect.Role, texts []string) ([][]float32, error) {
	defer e.clock.run(embedding)()
	return e.Embedder.Embed(ctx, role, texts)
}

type timedStore struct {
	skilldreamer.Store
	embedder prospect.Embedder
	clock    *clock
}

func (s timedStore) Embedder() prospect.Embedder { return s.embedder }

func (s timedStore) View(ctx context.Context, sources ...string) (skilldreamer.View, error) {
	v, err := s.Store.View(ctx, sources...)
	return timedView{v, s.clock}, err
}

type timedView struct {
	skilldreamer.View
	clock *clock
}

func (v timedView) Nearest(ctx context.Context, vectors [][]float32, sums [][]skilldreamer.Term, k int) ([][]skilldreamer.Candidate, error) {
	defer v.clock.run(score)()
	return v.View.Nearest(ctx, vectors, sums, k)
}

func (v timedView) Similarities(ctx context.Context, vectors [][]float32, ids []string) ([][]float64, error) {
	defer v.clock.run(score)()
	return v.View.Similarities(ctx, vectors, ids)
}

func (v timedView) Matching(ctx context.Context, queries []string, k int) ([][]skilldreamer.Candidate, error) {
	defer v.clock.run(words)()
	return v.View.Matching(ctx, queries, k)
}

func (v timedView) Lexical(ctx context.Context, query string, ids []string) ([]float64, error) {
	defer v.clock.run(words)()
	return v.View.Lexical(ctx, query, ids)
}
