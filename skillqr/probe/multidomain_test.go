package probe_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/bm25"
	"github.com/prospect-go/prospect/embed"
	"github.com/prospect-go/prospect/embed/builtin"
	"github.com/prospect-go/prospect/embed/onnx"
	"github.com/prospect-go/prospect/internal/evaldata"
	"github.com/prospect-go/prospect/llm"
	"github.com/prospect-go/prospect/skillqr"
	"github.com/prospect-go/prospect/skillqr/probe"
	"github.com/prospect-go/prospect/vecindex"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const (
	// evalModel names a sentence-transformers folder to evaluate beside the
	// built-in model. Its figures are printed and compared with no golden file.
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

	perDomain  = 20 // queries in the sample
	sampleSeed = 1
)

var domains = []string{"theorems", "pony", "medline", "skills"}

// byHand are instructions that somebody wrote who knows the four parts of the
// collection, and knows of each query to which it belongs.
var byHand = map[string]skillqr.Skill{
	"theorems": {
		Name: "theorem behind an exercise", When: "exercises and problems in mathematics, physics, engineering or finance",
		Instruction: "The documents are encyclopedia-like descriptions of one theorem, definition, formula or method each. Find out which one the solution of the exercise rests on and name it, with its other names. State it in general form: what it assumes, what it says, and the terms and symbols that its description uses. Do not solve the exercise and leave its numbers and story out.",
	},
	"pony": {
		Name: "documentation of the Pony language", When: "programs to be written in Pony",
		Instruction: "The documents are pages of the Pony tutorial and of its standard library reference. Work out which features of the language and which types and methods the program needs: classes, actors, primitives, reference capabilities, arrays, strings, maps, iterators, loops, match expressions, arithmetic and its partial forms, exceptions. Use the words of such pages: type names such as Array, String, Map, USize or Iterator, method names, signatures and what they say about them. Leave the story of the task out.",
	},
	"medline": {
		Name: "medical abstracts", When: "questions about diseases, tissues, drugs and treatments",
		Instruction: "The documents are abstracts of medical and biological studies of the 1960s, in lower case, without titles. Add the names of conditions, organs, cells, substances, methods and animals under which such studies are filed, with synonyms and related terms of that time, and write the kind of findings that such an abstract reports: what was examined, in whom, and what was observed.",
	},
	"skills": {
		Name: "procedures for agents", When: "tasks for a working agent",
		Instruction: "The documents are skill files for agents: a name, a description that says what the skill does and when to use it, and instructions. Work out which tools, file formats, libraries, standards and methods the task calls for, stated or not. Write it as such descriptions do: what the skill does, with which library, on which kind of file, and the names of steps and pitfalls. Leave paths, names and figures of this one task out.",
	},
}

// A study is the collection and all that its queries are answered with.
type study struct {
	docs    []evaldata.Doc
	ids     []string
	texts   map[string]string
	queries []probe.Query
	domain  map[string]string // by query id
	words   *bm25.Index
	set     *skillqr.Set
	prior   skillqr.Prior
	answers *llm.Recording
	missing int
	built   prospect.Embedder
}

func loadStudy(t *testing.T) *study {
	if _, err := os.Stat(answersFile); err != nil {
		t.Skip("no answers are recorded")
	}
	data := evaldata.Read(t, "reasoning/multidomain", "test")
	s := &study{docs: data.Docs, texts: map[string]string{}, domain: map[string]string{}}
	require.Len(t, s.docs, 2033)
	var err error
	s.words, err = bm25.New(bm25.Options{})
	require.NoError(t, err)
	batch := make([]bm25.Doc, len(s.docs))
	for i, d := range s.docs {
		s.ids = append(s.ids, d.ID)
		s.texts[d.ID] = textOf(d)
		batch[i] = bm25.Doc{ID: d.ID, Text: textOf(d)}
	}
	require.NoError(t, s.words.AddBatch(t.Context(), batch))

	byDomain := map[string][]probe.Query{}
	for _, q := range data.Queries {
		var domain string
		require.NoError(t, json.Unmarshal(q.Metadata["domain"], &domain))
		s.domain[q.ID] = domain
		byDomain[domain] = append(byDomain[domain], probe.Query{ID: q.ID, Text: q.Text, Grades: data.Qrels[q.ID]})
	}
	for _, domain := range domains {
		s.queries = append(s.queries, probe.Sample(byDomain[domain], perDomain, sampleSeed)...)
	}
	require.Len(t, s.queries, perDomain*len(domains))

	model, err := builtin.Open(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { model.Close() })
	s.built = &remembering{Embedder: model, seen: map[string][]float32{}}
	s.set, err = skillqr.Load(setFile)
	require.NoError(t, err)
	s.prior = clusterPrior(t, s.set, s.built)
	s.answers = s.open(t)
	return s
}

func textOf(d evaldata.Doc) string {
	if d.Title == "" {
		return d.Text
	}
	return d.Title + "\n\n" + d.Text
}

func clusterPrior(t *testing.T, set *skillqr.Set, e prospect.Embedder) skillqr.Prior {
	clusters, err := skillqr.OpenClusters(clusterFile)
	require.NoError(t, err)
	rows, dim := clusters.Centroids()
	centroids := map[int][]float32{}
	for i := range clusters.Len() {
		centroids[clusters.Number(i)] = rows[i*dim : (i+1)*dim]
	}
	prior, err := skillqr.ClusterPrior(set, func(c int) []float32 { return centroids[c] }, e, skillqr.ClusterPriorOptions{})
	require.NoError(t, err)
	return prior
}

// open opens the recorded answers. What they lack counts as missing and, with
// PROSPECT_MISSING, is written to that file, a JSON object a line.
func (s *study) open(t *testing.T) *llm.Recording {
	out := json.NewEncoder(io.Discard)
	if path := os.Getenv(missingFile); path != "" {
		f, err := os.Create(path)
		require.NoError(t, err)
		t.Cleanup(func() { f.Close() })
		out = json.NewEncoder(f)
		out.SetEscapeHTML(false)
	}
	r, err := llm.OpenRecording(answersFile, nil, llm.RecordingOptions{Missing: func(e llm.Entry) {
		s.missing++
		err := out.Encode(map[string]string{"key": e.Key, "label": e.Label, "system": e.Request.System, "prompt": e.Request.Prompt})
		if err != nil {
			t.Error(err)
		}
	}})
	require.NoError(t, err)
	return r
}

// labelled adds the stage to the label under which requests are listed.
type labelled struct{ prospect.LLM }

func (l labelled) Generate(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
	return l.LLM.Generate(llm.WithLabel(ctx, req.SchemaName+" "+llm.Label(ctx)), req)
}

// rewriter makes one on the recorded answers, with feedback or without. The
// documents for feedback come from BM25 for all retrievers, so that one
// recorded answer serves them all.
func (s *study) rewriter(t *testing.T, feedback bool, o skillqr.Options) *skillqr.Rewriter {
	if feedback {
		o.Feedback = &skillqr.Feedback{
			Find: skillqr.ByText(s.words),
			Texts: func(_ context.Context, ids []string) ([]string, error) {
				out := make([]string, len(ids))
				for i, id := range ids {
					out[i] = s.texts[id]
				}
				return out, nil
			},
		}
	}
	rw, err := skillqr.New(s.set, labelled{s.answers}, o)
	require.NoError(t, err)
	return rw
}

// named gives every call of an arm a label.
func named(a probe.Arm, label string) probe.Arm {
	search := a.Search
	a.Search = func(ctx context.Context, q probe.Query, k int) ([]prospect.Hit, *skillqr.Rewrite, error) {
		return search(llm.WithLabel(ctx, q.ID+" "+label), q, k)
	}
	return a
}

func (s *study) hand(q probe.Query) (skillqr.Skill, bool) {
	skill, ok := byHand[s.domain[q.ID]]
	return skill, ok
}

func (s *study) generic(probe.Query) (skillqr.Skill, bool) { return s.set.Generic, true }

// arms are the ways to rewrite, for one retriever.
func (s *study) arms(t *testing.T, find skillqr.Retriever) []probe.Arm {
	plain := func(o skillqr.Options) *skillqr.Rewriter { return s.rewriter(t, false, o) }
	fed := func(o skillqr.Options) *skillqr.Rewriter { return s.rewriter(t, true, o) }
	var o skillqr.Options
	arms := []probe.Arm{
		probe.Raw("original query", find),
		named(probe.With("generic", plain(o), find, s.generic), "generic"),
		named(probe.With("generic, feedback", fed(o), find, s.generic), "generic +feedback"),
		named(probe.With("by hand", plain(o), find, s.hand), "by hand"),
		named(probe.With("by hand, feedback", fed(o), find, s.hand), "by hand +feedback"),
		named(probe.Mined("skillqr", plain(o), find, skillqr.SearchOptions{}), "mined"),
		named(probe.Mined("skillqr, feedback", fed(o), find, skillqr.SearchOptions{}), "mined +feedback"),
	}
	for i, skill := range s.set.Skills {
		one := func(probe.Query) (skillqr.Skill, bool) { return skill, true }
		arms = append(arms, named(probe.With(fmt.Sprintf("only skill %d, feedback", i+1), fed(o), find, one), fmt.Sprintf("skill %d +feedback", i+1)))
	}
	mined := func(name string, o skillqr.Options, so skillqr.SearchOptions) {
		arms = append(arms, named(probe.Mined(name, fed(o), find, so), "mined +feedback"))
	}
	mined("query x3", skillqr.Options{Join: skillqr.JoinWeights{Original: 3, Expansion: 1}}, skillqr.SearchOptions{})
	mined("query x5", skillqr.Options{Join: skillqr.JoinWeights{Original: 5, Expansion: 1}}, skillqr.SearchOptions{})
	mined("expansion alone", skillqr.Options{Join: skillqr.JoinWeights{Expansion: 1}}, skillqr.SearchOptions{})
	mined("fused with raw, ranks", skillqr.Options{}, skillqr.SearchOptions{Raw: 1})
	mined("fused with raw, scores", skillqr.Options{}, skillqr.SearchOptions{Raw: 1, Fuse: skillqr.FuseScores})
	mined("two skills", skillqr.Options{Top: 2}, skillqr.SearchOptions{})
	mined("two skills, even", skillqr.Options{Top: 2}, skillqr.SearchOptions{Second: 1})
	mined("two skills and raw", skillqr.Options{Top: 2}, skillqr.SearchOptions{Raw: 0.5})
	mined("prior", skillqr.Options{Routing: skillqr.Routing{Prior: s.prior}}, skillqr.SearchOptions{})
	mined("prior alone", skillqr.Options{Routing: skillqr.Routing{Prior: s.prior, PriorOnly: true}}, skillqr.SearchOptions{})
	mined("3 votes", skillqr.Options{Routing: skillqr.Routing{Votes: 3}}, skillqr.SearchOptions{})
	mined("kept if sure", skillqr.Options{}, skillqr.SearchOptions{Keep: skillqr.KeepSure(2, 0.2)})
	return arms
}

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
// recorded answers:
//
//	go test -v -run Multidomain ./skillqr/probe
func TestMultidomain(t *testing.T) {
	s := loadStudy(t)
	ix := s.dense(t, s.built)
	retrievers := []retriever{
		{"bm25", byTerms(s.words)},
		{"built-in", skillqr.ByVector(ix, s.built)},
		{"built-in, sum", skillqr.ByVectorSum(ix, s.built)},
	}
	if e := otherModel(t); e != nil {
		other := s.dense(t, e)
		retrievers = append(retrievers, retriever{"other", skillqr.ByVector(other, e)}, retriever{"other, sum", skillqr.ByVectorSum(other, e)})
	}
	if os.Getenv(missingFile) != "" {
		_, err := probe.Compare(t.Context(), s.queries, s.arms(t, retrievers[0].find), probe.Options{})
		require.NoError(t, err)
		t.Skipf("%d requests have no answer yet; they are in the file that %s names", s.missing, missingFile)
	}
	got := figures{}
	for _, r := range retrievers {
		report, err := probe.Compare(t.Context(), s.queries, s.arms(t, r.find), probe.Options{})
		require.NoError(t, err)
		oracle, err := probe.Oracle(t.Context(), s.rewriter(t, true, skillqr.Options{}), r.find, s.queries, probe.OracleOptions{})
		require.NoError(t, err)
		got[r.name] = s.figures(report, oracle)
		t.Log("\n" + s.table(r.name, report, oracle))
	}
	s.routing(t)
	require.Zero(t, s.missing, "requests have no recorded answer; %s=FILE lists them", missingFile)
	require.Empty(t, s.answers.Unused(), "recorded answers that nothing asks for")
	golden(t, got)
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
	name string
	find skillqr.Retriever
}

// figures are means of NDCG@10 by retriever, arm and domain; "all" is over all
// of them.
type figures map[string]map[string]map[string]float64

func (s *study) figures(r *probe.Report, o *probe.OracleReport) map[string]map[string]float64 {
	out := map[string]map[string]float64{}
	for _, a := range r.Arms {
		out[a.Name] = s.byDomain(a.Values)
	}
	out["best skill, feedback"] = s.byDomain(best(o))
	return out
}

func best(o *probe.OracleReport) []float64 {
	var out []float64
	for _, q := range o.Queries {
		out = append(out, slices.Max(q.Values))
	}
	return out
}

func (s *study) byDomain(values []float64) map[string]float64 {
	out := map[string]float64{}
	for i, v := range values {
		out[s.domain[s.queries[i].ID]] += v / perDomain
		out["all"] += v / float64(len(values))
	}
	return out
}

func (s *study) table(name string, r *probe.Report, o *probe.OracleReport) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s, %s | all |", name, r.Measure)
	for _, d := range domains {
		fmt.Fprintf(&b, " %s |", d)
	}
	b.WriteString(" gain over the original query (95 %) | p, corrected | better, worse | fell back |\n|---|---:|---:|---:|---:|---:|---|---|---|---|\n")
	row := func(name string, values []float64) {
		means := s.byDomain(values)
		fmt.Fprintf(&b, "| %s | %.3f |", name, means["all"])
		for _, d := range domains {
			fmt.Fprintf(&b, " %.3f |", means[d])
		}
	}
	for _, a := range r.Arms {
		row(a.Name, a.Values)
		if c := a.AgainstRaw; c != nil {
			fmt.Fprintf(&b, " %+.3f (%+.3f to %+.3f) | %.4f, %.4f | %d, %d | %d |\n", c.Difference, c.Low, c.High, c.P, c.MaxT, c.Wins, c.Losses, a.Fell)
		} else {
			b.WriteString(" | | | |\n")
		}
	}
	row("best skill, feedback", best(o))
	fmt.Fprintf(&b, " | | | |\n\nchosen against generic: %+.3f (%+.3f to %+.3f), p %.4f; best against chosen: %+.3f (%+.3f to %+.3f); ",
		o.RoutedGain.Difference, o.RoutedGain.Low, o.RoutedGain.High, o.RoutedGain.P, o.Gap.Difference, o.Gap.Low, o.Gap.High)
	fmt.Fprintf(&b, "%d of %d queries are sensitive to the choice, of which %.0f %% got a best skill\n", len(o.Sensitive), len(o.Queries), 100*o.BestRouted)
	return b.String()
}

// routing prints which skills the queries of each domain got, by the model, by
// votes and by the prior alone.
func (s *study) routing(t *testing.T) {
	for _, c := range []struct {
		name string
		r    skillqr.Routing
	}{{"one vote", skillqr.Routing{}}, {"3 votes", skillqr.Routing{Votes: 3}}, {"prior alone", skillqr.Routing{Prior: s.prior, PriorOnly: true}}} {
		counts := map[string]map[string]int{}
		split := 0
		for _, q := range s.queries {
			route, _, err := s.rewriter(t, false, skillqr.Options{Routing: c.r}).Route(llm.WithLabel(t.Context(), q.ID), q.Text)
			require.NoError(t, err)
			d := s.domain[q.ID]
			if counts[d] == nil {
				counts[d] = map[string]int{}
			}
			counts[d][route.Skill]++
			if route.Agreed < route.Answers {
				split++
			}
		}
		for _, d := range domains {
			t.Logf("%s, %s: %v", c.name, d, counts[d])
		}
		t.Logf("%s: the votes on %d queries differ", c.name, split)
	}
}

// oneQuery is the most that one query of a domain's sample can move a mean:
// where documents are nearly tied, another kernel may order them the other
// way.
const oneQuery = 1.0/perDomain + 1e-9

// golden compares figures with a file of testdata, or rewrites it. Figures of
// another model than the built-in one are left out.
func golden(t *testing.T, got figures) {
	t.Helper()
	for name := range got {
		if strings.HasPrefix(name, "other") {
			delete(got, name)
		}
	}
	if *update {
		data, err := json.MarshalIndent(got, "", "  ")
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Dir(figuresFile), 0o755))
		require.NoError(t, os.WriteFile(figuresFile, append(data, '\n'), 0o644))
		return
	}
	data, err := os.ReadFile(figuresFile)
	require.NoError(t, err, "run with -update to make it")
	var want figures
	require.NoError(t, json.Unmarshal(data, &want))
	require.Len(t, got, len(want))
	for retriever, arms := range want {
		require.Len(t, got[retriever], len(arms), retriever)
		for arm, means := range arms {
			for domain, v := range means {
				require.InDelta(t, v, got[retriever][arm][domain], oneQuery, "%s, %s, %s", retriever, arm, domain)
			}
		}
	}
}

// remembering embeds each text once, for the arms share them.
type remembering struct {
	prospect.Embedder
	mu   sync.Mutex
	seen map[string][]float32
}

func (r *remembering) Embed(ctx context.Context, role prospect.Role, texts []string) ([][]float32, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var fresh []string
	for _, text := range texts {
		if _, ok := r.seen[role.String()+text]; !ok {
			fresh = append(fresh, text)
		}
	}
	if len(fresh) > 0 {
		vectors, err := r.Embedder.Embed(ctx, role, fresh)
		if err != nil {
			return nil, err
		}
		for i, v := range vectors {
			r.seen[role.String()+fresh[i]] = v
		}
	}
	out := make([][]float32, len(texts))
	for i, text := range texts {
		out[i] = slices.Clone(r.seen[role.String()+text])
	}
	return out, nil
}
