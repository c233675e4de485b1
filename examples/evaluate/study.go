package main

import (
	"context"
	"slices"
	"strings"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/bm25"
	"github.com/prospect-go/prospect/metrics"
)

// A study is a whole run of the program: systems over a collection.
type study struct {
	opts      options
	coll      *collection
	raw       prospect.Embedder // nil without
	embedder  prospect.Embedder // the same with a cache
	model     *model            // nil without
	im        imagination
	rewriting *rewritingRecord // nil where nothing rewrites
	whole     *bm25.Snapshot   // over whole texts; nil until something needs it
	indexes   map[recipes]*index
	measures  []metrics.Measure
	results   []*result
}

// newStudy reads what the options name. Nothing is embedded yet.
func newStudy(o options, raw, cached prospect.Embedder) (*study, error) {
	s := &study{opts: o, raw: raw, embedder: cached, indexes: map[recipes]*index{}}
	var err error
	if s.coll, err = readCollection(o, slices.ContainsFunc(o.plans, plan.rewrites)); err != nil {
		return nil, err
	}
	s.measures = measuresAt(o.ks, s.coll.graded())
	if o.outputs != "" {
		if s.im, err = readImagined(o.outputs, s.coll); err != nil {
			return nil, err
		}
	}
	if o.hasModel() && slices.ContainsFunc(o.plans, func(p plan) bool { return p.rewrites() || p.dreams() && o.outputs == "" }) {
		if s.model, err = openModel(o); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// run ranks, judges and compares.
func (s *study) run(ctx context.Context, p *progress) error {
	if s.model != nil && s.opts.outputs == "" && slices.ContainsFunc(s.opts.plans, plan.dreams) {
		var err error
		if s.im, err = imagine(ctx, s.model, s.opts, s.coll.queries, p); err != nil {
			return err
		}
	}
	for i, pl := range s.opts.plans {
		r, err := s.try(ctx, pl, func(done int) {
			p.show("running "+pl.name, i*len(s.coll.queries)+done, len(s.opts.plans)*len(s.coll.queries))
		}, p)
		if err != nil {
			return err
		}
		if err := r.judge(s.coll, s.measures); err != nil {
			return err
		}
		s.results = append(s.results, r)
	}
	if err := s.takeLatencies(ctx, p); err != nil {
		return err
	}
	p.show("comparing", 0, len(s.results))
	return compare(ctx, s.results, s.opts.versus, s.opts.resampling())
}

// takeLatencies takes those of the systems without parameters, of which the
// others are variants. Ablations are for their figures alone.
func (s *study) takeLatencies(ctx context.Context, p *progress) error {
	for i, r := range s.results {
		if len(r.plan.params) > 0 || strings.HasPrefix(r.plan.base, "no-") {
			continue
		}
		p.show("taking latencies", i, len(s.results))
		var err error
		if r.latency, err = takeLatency(ctx, r, s.raw, s.coll.queries); err != nil {
			return err
		}
	}
	return nil
}

// try runs one system over all queries.
func (s *study) try(ctx context.Context, pl plan, tell func(done int), p *progress) (*result, error) {
	r, err := s.ready(ctx, pl, p)
	if err != nil {
		return nil, err
	}
	res := &result{plan: pl, ranker: r, answers: make(map[string]answer, len(s.coll.queries))}
	for i, q := range s.coll.queries {
		tell(i)
		if res.answers[q.ID], err = r.rank(ctx, q); err != nil {
			return nil, err
		}
	}
	return res, nil
}

// ready makes a plan ready, over an index that plans with the same recipes
// share.
func (s *study) ready(ctx context.Context, pl plan, p *progress) (*ranker, error) {
	key := recipes{pl.dense, pl.lexical}
	if s.indexes[key] == nil {
		ix, err := buildIndex(ctx, s.coll.skills, key, s.embedder, p)
		if err != nil {
			return nil, err
		}
		s.indexes[key] = ix
		s.coll.counts.Empty = max(s.coll.counts.Empty, len(ix.dropped))
	}
	r, err := newRanker(pl, s.indexes[key], s.im, depthOf(s.opts.ks))
	if err == nil && pl.kind == rewriting {
		err = s.addRewriter(ctx, r, p)
	}
	return r, err
}

// base is the result of the baseline, nil where there is none.
func (s *study) base() *result {
	if s.opts.versus < 0 {
		return nil
	}
	return s.results[s.opts.versus]
}
