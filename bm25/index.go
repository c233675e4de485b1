package bm25

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/prospect-go/prospect/internal/docids"
)

// An Index holds documents, each an id and the terms of its texts. See the
// package comment for concurrency. Use [New], [Open] or [Read] to make one.
type Index struct {
	settings settings

	mu  sync.Mutex  // one writer; guards gen and what it points to
	gen *generation // replaced by compaction

	current atomic.Pointer[Snapshot]
}

// settings are the options with the defaults in place.
type settings struct {
	variant       Variant
	k1, delta     float64
	fields        []field // the Text, then Options.Fields
	analyzer      *Analyzer
	maxQueryTerms int
	maxImpacts    int
	maxDead       float64
}

func (o Options) settings() settings {
	s := settings{
		variant: o.Variant, k1: 1.2,
		analyzer: o.Analyzer, maxQueryTerms: o.MaxQueryTerms, maxDead: o.MaxDead,
	}
	if s.variant == "" {
		s.variant = Lucene
	}
	switch s.variant {
	case BM25L:
		s.delta = 0.5 // Lv and Zhai, "When documents are very long, BM25 fails!", 2011
	case BM25Plus:
		s.delta = 1 // Lv and Zhai, "Lower-bounding term frequency normalization", 2011
	}
	b := 0.75
	for _, p := range []struct{ to, from *float64 }{{&s.k1, o.K1}, {&b, o.B}, {&s.delta, o.Delta}} {
		if p.from != nil {
			*p.to = *p.from
		}
	}
	if !s.variant.hasDelta() {
		s.delta = 0
	}
	s.fields = []field{{weight: 1, b: b}}
	for _, f := range o.Fields {
		used := field{name: f.Name, weight: cmp.Or(f.Weight, 1), b: b}
		if f.B != nil {
			used.b = *f.B
		}
		s.fields = append(s.fields, used)
	}
	if s.analyzer == nil {
		s.analyzer = defaultAnalyzer()
	}
	if s.maxImpacts = o.MaxImpacts; s.maxImpacts == 0 {
		s.maxImpacts = 1 << 22
	}
	if s.maxDead == 0 {
		s.maxDead = 0.25
	}
	return s
}

// A generation is the writer's state between two compactions. Snapshots share
// its storage: all of it is appended to or replaced, never changed, where a
// snapshot can see it.
type generation struct {
	docs  *docids.Table
	terms *dict
	lists lists
	store store
	// lengths in terms, by cell; totals are their sums over the live rows, by
	// field.
	lengths []uint32
	totals  []uint64
	counts  *docCounts // renewed when rows die

	fresh []uint32 // by term: postings that the current change adds; 0 between changes
}

func newGeneration(fields int) *generation {
	return &generation{docs: docids.NewTable(), terms: newDict(0), totals: make([]uint64, fields), counts: &docCounts{}}
}

// New returns an empty index, or an error for options out of range.
func New(opts Options) (*Index, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	ix := &Index{settings: opts.settings()}
	ix.gen = newGeneration(len(ix.settings.fields))
	ix.publish()
	return ix, nil
}

// publish makes the writer's state the current one; the caller holds mu.
func (ix *Index) publish() {
	g := ix.gen
	s := &Snapshot{
		settings: &ix.settings,
		docs:     g.docs.View(),
		terms:    g.terms.view(),
		lists:    g.lists[:len(g.lists):len(g.lists)],
		lengths:  g.lengths[:len(g.lengths):len(g.lengths)],
		totals:   slices.Clone(g.totals),
		counts:   g.counts,
		memory:   newMemory(ix.settings.maxImpacts),
	}
	s.formula = newFormula(s.settings, s.docs.Len(), s.totals)
	ix.current.Store(s)
}

// Snapshot returns the current state. It never changes and stays valid
// whatever happens to the index. Cost: O(1).
func (ix *Index) Snapshot() *Snapshot { return ix.current.Load() }
