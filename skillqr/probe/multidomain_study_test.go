package probe_test

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/bm25"
	"github.com/prospect-go/prospect/embed/builtin"
	"github.com/prospect-go/prospect/internal/evaldata"
	"github.com/prospect-go/prospect/llm"
	"github.com/prospect-go/prospect/skillqr"
	"github.com/prospect-go/prospect/skillqr/probe"
)

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
	// examples of right choices, one for each skill
	examples []skillqr.RouteExample
	answers  *llm.Recording
	missing  int
	built    prospect.Embedder
}

func loadStudy(t *testing.T) *study {
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
	queryTexts := map[string]string{}
	for _, q := range data.Queries {
		var domain string
		require.NoError(t, json.Unmarshal(q.Metadata["domain"], &domain))
		s.domain[q.ID] = domain
		queryTexts[q.ID] = q.Text
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
	for _, skill := range s.set.Skills {
		id := exampleQueries[skill.Name]
		require.NotEmpty(t, queryTexts[id], "%s: no example", skill.Name)
		require.False(t, slices.ContainsFunc(s.queries, func(q probe.Query) bool { return q.ID == id }), id)
		s.examples = append(s.examples, skillqr.RouteExample{Query: queryTexts[id], Skill: skill.Name})
	}
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
	prior, err := skillqr.ClusterPrior(set, clusters, e, skillqr.ClusterPriorOptions{})
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
