package main

import (
	"context"
	"errors"
	"fmt"
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
	plans     []plan
	indexes   map[recipes]*index
	measures  []metrics.Measure
	baseline  int // of results; −1 for none
	results   []*result
}

// newStudy reads what the options name. Nothing is embedded yet.
func newStudy(o options, raw, cached prospect.Embedder) (*study, error) {
	s := &study{opts: o, raw: raw, embedder: cached, indexes: map[recipes]*index{}, baseline: -1}
	plans, err := choose(o.systems, defaults(o, depthOf(o.ks)), s.can)
	if err != nil {
		return nil, fmt.Errorf("-systems: %w", err)
	}
	s.plans = plans
	if s.baseline, err = s.findBaseline(); err != nil {
		return nil, err
	}
	if o.focus != "" && !slices.ContainsFunc(plans, func(p plan) bool { return p.name == o.focus }) {
		return nil, fmt.Errorf("-focus: %q is not among the systems", o.focus)
	}
	if s.coll, err = readCollection(o, slices.ContainsFunc(plans, plan.rewrites)); err != nil {
		return nil, err
	}
	s.measures = measuresAt(o.ks, s.coll.graded())
	if o.outputs != "" {
		if s.im, err = readImagined(o.outputs, s.coll); err != nil {
			return nil, err
		}
	}
	if o.hasModel() && slices.ContainsFunc(plans, func(p plan) bool { return p.rewrites() || p.dreams() && o.outputs == "" }) {
		if s.model, err = openModel(o); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// can says why a plan cannot run with the options.
func (s *study) can(p plan) error {
	switch {
	case p.needsVectors() && s.opts.embedder == none:
		return errors.New("needs vectors, which -embedder none rules out")
	case p.dreams() && s.opts.outputs == "" && !s.opts.hasModel():
		return errors.New("needs what a model imagined: give -llm-outputs FILE or -llm URL")
	case p.rewrites() && !s.opts.hasModel():
		return errors.New("needs a model that rewrites: give -llm URL or -llm-recording FILE")
	case p.rewriter == bySet && s.opts.set == "":
		return errors.New("needs -skillqr-set FILE")
	case p.rewriter == byHand && s.opts.byHand == "":
		return errors.New("needs -hand-written FILE")
	}
	return nil
}

// findBaseline is the position of the system that the others are compared
// with, −1 where none was named and neither of the usual ones runs.
func (s *study) findBaseline() (int, error) {
	at := func(name string) int { return slices.IndexFunc(s.plans, func(p plan) bool { return p.name == name }) }
	if name := s.opts.baseline; name != "" {
		if i := at(name); i >= 0 {
			return i, nil
		}
		return -1, fmt.Errorf("-baseline: %q is not among the systems", name)
	}
	if i := at("dense"); i >= 0 {
		return i, nil
	}
	return at("bm25"), nil
}

// run ranks, judges and compares.
func (s *study) run(ctx context.Context, p *progress) error {
	if s.model != nil && s.opts.outputs == "" && slices.ContainsFunc(s.plans, plan.dreams) {
		var err error
		if s.im, err = imagine(ctx, s.model, s.opts, s.coll.queries, p); err != nil {
			return err
		}
	}
	for i, pl := range s.plans {
		r, err := s.try(ctx, pl, func(done int) {
			p.show("running "+pl.name, i*len(s.coll.queries)+done, len(s.plans)*len(s.coll.queries))
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
	return compare(ctx, s.results, s.baseline, s.opts.resampling())
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
	if s.baseline < 0 {
		return nil
	}
	return s.results[s.baseline]
}
