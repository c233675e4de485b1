package main

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/embed"
	"github.com/prospect-go/prospect/fusion"
	"github.com/prospect-go/prospect/metrics"
	"github.com/prospect-go/prospect/skilldreamer"
)

// newTinyStudy is the tiny collection with an embedder of hashed words, which
// is enough to tell systems apart.
func newTinyStudy(t *testing.T, systems string) *study {
	t.Helper()
	e := embed.NewHash(256)
	return studyOf(t, options{
		data: tiny, distractors: tinyDistractors, qrels: "test", outputs: tinyOutputs, embedder: "hash",
		ks: []int{1, 3}, seed: 1, resamples: 100, systems: systems,
	}, e)
}

// studyOf is a study by options that did not come from flags.
func studyOf(t *testing.T, o options, e prospect.Embedder) *study {
	t.Helper()
	require.NoError(t, o.chooseSystems())
	s, err := newStudy(o, e, e)
	require.NoError(t, err)
	return s
}

// answers runs one system over the tiny collection.
func answers(t *testing.T, s *study, name string) map[string]answer {
	t.Helper()
	p, err := newPlan(name, defaults(s.opts, depthOf(s.opts.ks)))
	require.NoError(t, err)
	r, err := s.try(t.Context(), p, func(int) {}, newProgress(discard{}))
	require.NoError(t, err)
	return r.answers
}

func idsOf(a map[string]answer) map[string][]string {
	ids := map[string][]string{}
	for q, x := range a {
		ids[q] = x.ids
	}
	return ids
}

// Systems that are one by the formulas give one ranking.
func TestSystemsAgreeWhereTheFormulasDo(t *testing.T) {
	s := newTinyStudy(t, "")
	for _, c := range [][2]string{
		{"skilldreamer@alpha=0", "no-query"},
		{"skilldreamer@beta=0", "no-imagined"},
		{"skilldreamer@gamma=0", "no-anchors"},
		{"skilldreamer@norm=raw", "no-normalize"},
		{"skilldreamer@norm=raw,gamma=0", "no-rerank"},
		{"skilldreamer@merge=best", "no-round-robin"},
		{"pseudo-skills", "skilldreamer@alpha=0,gamma=0"},
		{"capabilities", "no-psg@alpha=0,gamma=0"},
		{"original", "bm25"},
		{"original@by=vectors", "dense"},
		{"hybrid-rrf@weight=1", "dense"},
		{"hybrid-weighted@weight=1,norm=max", "dense"},
	} {
		require.Equal(t, idsOf(answers(t, s, c[0])), idsOf(answers(t, s, c[1])), "%s and %s", c[0], c[1])
	}
	require.NotEqual(t, idsOf(answers(t, s, "skilldreamer")), idsOf(answers(t, s, "dense")))
}

// The plain query is what a Dreamer with nothing imagined finds.
func TestDenseIsPlainRetrieval(t *testing.T) {
	s := newTinyStudy(t, "")
	got := answers(t, s, "dense")
	ix := s.indexes[recipes{skilldreamer.DefaultDense(), skilldreamer.DefaultLexical()}]
	d, err := skilldreamer.New(ix.store, nil, skilldreamer.Options{})
	require.NoError(t, err)
	for _, q := range s.coll.queries {
		plain, err := d.Plain(t.Context(), skilldreamer.Request{Task: q.Text})
		require.NoError(t, err)
		var want []string
		for _, m := range plain.Skills {
			want = append(want, m.ID)
		}
		require.Equal(t, want, got[q.ID].ids, q.ID)
	}
}

// Reciprocal ranks are summed as the formula says.
func TestHybridIsReciprocalRankFusion(t *testing.T) {
	s := newTinyStudy(t, "")
	got, byWords, byVectors := answers(t, s, "hybrid-rrf@fused=15,constant=60"), answers(t, s, "bm25"), answers(t, s, "dense")
	for q, a := range got {
		sums := map[string]float64{}
		for _, list := range [][]string{byVectors[q].ids, byWords[q].ids} {
			for rank, id := range list {
				sums[id] += 0.5 / float64(fusion.DefaultRankConstant+rank+1)
			}
		}
		last := math.Inf(1)
		for _, id := range a.ids {
			require.LessOrEqual(t, sums[id], last+1e-15, "%s: %s", q, id)
			last = sums[id]
			delete(sums, id)
		}
		for id, left := range sums {
			require.LessOrEqual(t, left, last+1e-15, "%s: %s is left out", q, id)
		}
	}
}

func TestListsAreMergedByTheBestScore(t *testing.T) {
	scored := func(id string, h float64) skilldreamer.Scored {
		return skilldreamer.Scored{ID: id, Scores: skilldreamer.Scores{Total: h}}
	}
	lists := []skilldreamer.List{
		{Candidates: []skilldreamer.Scored{scored("a", 3), scored("b", 1), scored("z", 0.9)}, Kept: 2},
		{Candidates: []skilldreamer.Scored{scored("c", 3), scored("b", 2), scored("a", 0)}, Kept: 3},
	}
	require.Equal(t, []string{"a", "c", "b"}, bestOf(lists, 10), "z is not kept; a before c, which scores the same, by the order of the lists")
	require.Equal(t, []string{"a", "c"}, bestOf(lists, 2))
	require.Empty(t, bestOf(nil, 2))
}

func TestQueriesWithoutAnythingImaginedFallBack(t *testing.T) {
	s := newTinyStudy(t, "")
	require.Equal(t, []string{"storm-coming"}, s.im.missing(s.coll.queries))
	plain, words := answers(t, s, "dense")["storm-coming"], answers(t, s, "bm25")["storm-coming"]
	for _, name := range []string{"skilldreamer", "capabilities", "no-ci", "no-round-robin"} {
		got := answers(t, s, name)
		require.True(t, got["storm-coming"].fallback, name)
		require.Equal(t, plain.ids, got["storm-coming"].ids, name)
		require.False(t, got["first-loaf"].fallback, name)
	}
	require.Equal(t, words.ids, answers(t, s, "bm25-pseudo-skills")["storm-coming"].ids)
}

func TestABlankQueryFindsNothing(t *testing.T) {
	s := newTinyStudy(t, "")
	for _, name := range []string{"bm25", "dense", "hybrid-rrf", "skilldreamer", "bm25-capabilities", "original"} {
		p, err := newPlan(name, defaults(s.opts, 15))
		require.NoError(t, err)
		r, err := s.ready(t.Context(), p, newProgress(discard{}))
		require.NoError(t, err)
		a, err := r.rank(t.Context(), metrics.Doc{ID: "blank", Text: " \n"})
		require.NoError(t, err)
		require.Empty(t, a.ids)
	}
}

func TestRecipesHaveIndexesOfTheirOwn(t *testing.T) {
	s := newTinyStudy(t, "")
	answers(t, s, "bm25")
	answers(t, s, "skilldreamer@alpha=1")
	require.Len(t, s.indexes, 1, "systems with the same recipes share one")
	answers(t, s, "bm25@words=all")
	answers(t, s, "dense@piece=40")
	require.Len(t, s.indexes, 3)
	require.Equal(t, 1, s.coll.counts.Empty)
	for _, ix := range s.indexes {
		require.Equal(t, []string{"note-empty"}, ix.dropped)
		require.Equal(t, s.coll.counts.Documents-1, ix.size)
	}
}

// Without an embedder, words are all there is.
func TestWordsAloneNeedNoEmbedder(t *testing.T) {
	s := studyOf(t, options{data: tiny, qrels: "test", embedder: none, outputs: tinyOutputs, ks: []int{1}, resamples: 10, systems: "words"}, nil)
	require.NoError(t, s.run(t.Context(), newProgress(discard{})))
	require.Equal(t, "bm25", s.base().plan.name)
	require.True(t, slices.Contains(s.results[2].answers["boat-to-bed"].ids[:2], "engine-winterising"))
	require.Nil(t, s.settings().Embedder)
}
