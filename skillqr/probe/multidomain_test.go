package probe_test

import (
	"context"
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/bm25"
	"github.com/prospect-go/prospect/embed"
	"github.com/prospect-go/prospect/embed/onnx"
	"github.com/prospect-go/prospect/skillqr"
	"github.com/prospect-go/prospect/skillqr/probe"
	"github.com/prospect-go/prospect/vecindex"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const (
	// evalModel names a sentence-transformers folder to evaluate beside the
	// built-in model. Its figures are printed, and compared with the second
	// golden file if they were taken with the very same model.
	evalModel = "PROSPECT_EVAL_MODEL"
	// evalCache names a folder in which that model's vectors are kept, for it
	// takes minutes.
	evalCache = "PROSPECT_EVAL_CACHE"
	// missingFile names a file to which requests without a recorded answer are
	// written. Texts of the collections are in it: it is not for the repository.
	missingFile = "PROSPECT_MISSING"

	answersFile = "../testdata/multidomain-rewrites.jsonl"
	setFile     = "../testdata/multidomain.yaml"
	clusterFile = "../testdata/multidomain.clusters"
	figuresFile = "testdata/multidomain.json"
	otherFile   = "testdata/multidomain-minilm.json"

	perDomain  = 20 // queries in the sample
	sampleSeed = 1
)

var domains = []string{"theorems", "pony", "medline", "skills"}

// dense is an index of the documents' vectors.
func (s *study) dense(t *testing.T, e prospect.Embedder) *vecindex.Index {
	texts := make([]string, len(s.docs))
	for i, d := range s.docs {
		texts[i] = textOf(d)
	}
	vectors, err := embed.Batched(t.Context(), e, prospect.RoleDocument, texts, embed.BatchOptions{})
	require.NoError(t, err)
	ix, err := vecindex.New(e.Dim(), vecindex.Options{Identity: e.Identity()})
	require.NoError(t, err)
	require.NoError(t, ix.AddBatch(s.ids, vectors))
	return ix
}

// byTerms hands the weights of the parts over to BM25.
func byTerms(ix *bm25.Index) skillqr.Retriever {
	return func(ctx context.Context, parts []skillqr.Part, k int) ([]prospect.Hit, error) {
		var terms []bm25.QueryTerm
		for _, p := range parts {
			terms = ix.Analyzer().Query(terms, p.Text, p.Weight)
		}
		return ix.SearchTerms(ctx, terms, prospect.Query{K: k})
	}
}

// TestMultidomain gives the figures of rewriting on the mixed collection, from
// recorded answers, for 20 queries of each of its parts:
//
//	go test -v -run Multidomain ./skillqr/probe
//
// The answers are those of a large language model that was shown each request
// whole and one at a time, as an API would. There was no service behind it: the
// requests were dealt at random to sessions of some dozens, such that none saw a
// query twice, and within a session the earlier requests stay in view. So
// wording may have been carried over from the documents of one request to the
// answer of another, for all arms alike. Those of mining were dealt to sessions
// of one to eight requests, draft and revision to one each.
//
// The model knows the theorems and much of the documentation by heart. The file
// holds no prompts, but answers to prompts with documents take over phrases of
// them.
func TestMultidomain(t *testing.T) {
	s := loadStudy(t)
	ix := s.dense(t, s.built)
	retrievers := []retriever{
		{"bm25", "", byTerms(s.words)},
		{"built-in", "", skillqr.ByVector(ix, s.built)},
		{"built-in, sum", "", skillqr.ByVectorSum(ix, s.built)},
	}
	if e := otherModel(t); e != nil {
		other := s.dense(t, e)
		retrievers = append(retrievers,
			retriever{"other", e.Identity(), skillqr.ByVector(other, e)}, retriever{"other, sum", e.Identity(), skillqr.ByVectorSum(other, e)})
	}
	if os.Getenv(missingFile) != "" {
		_, err := probe.Compare(t.Context(), s.queries, s.arms(t, retrievers[0].find), probe.Options{})
		require.NoError(t, err)
		t.Skipf("%d requests have no answer yet; they are in the file that %s names", s.missing, missingFile)
	}
	got, others := s.newFigures(""), s.newFigures("")
	for _, r := range retrievers {
		report, err := probe.Compare(t.Context(), s.queries, s.arms(t, r.find), probe.Options{})
		require.NoError(t, err)
		oracle, err := probe.Oracle(t.Context(), s.rewriter(t, true, skillqr.Options{}), r.find, s.queries, probe.OracleOptions{Again: s.again(t)})
		require.NoError(t, err)
		t.Log("\n" + s.table(r.name, report, oracle) + "\n" + pairTable(t, report, oracle))
		f := got
		if r.model != "" {
			f = others
			f.Model = r.model
		}
		f.add(t, r.name, report, oracle)
	}
	s.routing(t)
	require.Zero(t, s.missing, "requests have no recorded answer; %s=FILE lists them", missingFile)
	require.Empty(t, s.answers.Unused(), "recorded answers that nothing asks for")
	golden(t, figuresFile, got)
	if others.Model != "" {
		golden(t, otherFile, others)
	}
}

// otherModel is the one that PROSPECT_EVAL_MODEL names, nil without.
func otherModel(t *testing.T) prospect.Embedder {
	dir := os.Getenv(evalModel)
	if dir == "" {
		return nil
	}
	model, err := onnx.Open(t.Context(), dir, onnx.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { model.Close() })
	e := &remembering{Embedder: model, seen: map[string][]float32{}}
	if dir := os.Getenv(evalCache); dir != "" {
		cache, err := embed.NewCache(model, dir, embed.CacheOptions{})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, cache.Close()) })
		e.Embedder = cache
	}
	return e
}

type retriever struct {
	name  string
	model string // the identity of a model other than the built-in one
	find  skillqr.Retriever
}
