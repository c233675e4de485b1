package skillqr_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/embed/builtin"
	"github.com/prospect-go/prospect/internal/evaldata"
	"github.com/prospect-go/prospect/llm"
	"github.com/prospect-go/prospect/skillqr"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// The mixed collection is mined from recorded answers of a large model: the
// clusters that were made then, the prompts of today. A prompt that changed
// shows as a request without a record; a change of what is made of the answers
// as another set.
func TestMiningTheMixedCollection(t *testing.T) {
	ids, vectors, text, embedder := mixedCollection(t)
	corpus, err := skillqr.NewCorpus(ids, vectors, embedder, text)
	require.NoError(t, err)
	clusters, err := skillqr.OpenClusters("testdata/multidomain.clusters")
	require.NoError(t, err)
	model, err := llm.OpenRecording("testdata/multidomain-mining.jsonl", nil, llm.RecordingOptions{})
	require.NoError(t, err)
	defer model.Close()

	mined, err := skillqr.Mine(t.Context(), corpus, clusters, skillqr.MineOptions{Proposer: model, Made: "2026-11-30"})
	require.NoError(t, err)
	require.NoError(t, mined.Err)
	require.False(t, mined.Set.Degraded(), "%v", mined.Set.Notes)

	got, err := mined.Set.YAML()
	require.NoError(t, err)
	const golden = "testdata/multidomain.yaml"
	if *update {
		require.NoError(t, mined.Set.Save(golden))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err, "run with -update to make it")
	require.Equal(t, string(want), string(got))

	separation(t, mined)
}

// separation checks that skills and domains (the prefixes of the ids) agree:
// the domain that most documents of a skill's clusters are of is the skill's,
// each domain has a skill, and documents lie in clusters that a skill of their
// domain covers. Where a cluster mixes domains several skills cover it, so the
// purity of a skill is that of the clusters at best.
func separation(t *testing.T, mined *skillqr.Mining) {
	t.Helper()
	c := mined.Clusters
	counts := make([]map[string]int, c.Len()) // by cluster and domain
	total := 0
	for i := range counts {
		counts[i] = map[string]int{}
		for _, id := range c.Nearest(i, c.Size(i)) {
			domain, _, _ := strings.Cut(id, ":")
			counts[i][domain]++
			total++
		}
	}
	served := map[string][]int{} // by domain: the clusters that its skills cover
	for _, skill := range mined.Set.Skills {
		sums := map[string]int{}
		most := ""
		var positions []int
		for i := range counts {
			if slices.Contains(skill.Covers, c.Number(i)) {
				positions = append(positions, i)
				for domain, n := range counts[i] {
					sums[domain] += n
				}
			}
		}
		for domain, n := range sums {
			if n > sums[most] {
				most = domain
			}
		}
		served[most] = append(served[most], positions...)
		t.Logf("%s: %v", skill.Name, sums)
	}
	require.Len(t, served, 4)
	reached := 0
	for i := range counts {
		for domain, n := range counts[i] {
			if slices.Contains(served[domain], i) {
				reached += n
			}
		}
	}
	t.Logf("%d of %d documents lie in clusters that a skill of their domain covers", reached, total)
	require.Greater(t, float64(reached)/float64(total), 0.95)
}

// mixedCollection are the documents, titles before texts, with vectors of the
// built-in model.
func mixedCollection(t *testing.T) (ids []string, vectors [][]float32, text skillqr.TextFunc, embedder string) {
	t.Helper()
	docs := evaldata.Docs(t, filepath.Join(evaldata.Dir(t, "reasoning", "multidomain"), "corpus.jsonl.gz"))
	texts, byID := make([]string, len(docs)), make(map[string]string)
	for i, d := range docs {
		texts[i] = d.Text
		if d.Title != "" {
			texts[i] = d.Title + "\n\n" + d.Text
		}
		ids = append(ids, d.ID)
		byID[d.ID] = texts[i]
	}
	e, err := builtin.Open(t.Context())
	require.NoError(t, err)
	defer e.Close()
	vectors, err = e.Embed(t.Context(), prospect.RoleDocument, texts)
	require.NoError(t, err)
	return ids, vectors, func(_ context.Context, ids []string) ([]string, error) {
		out := make([]string, len(ids))
		for i, id := range ids {
			out[i] = byID[id]
		}
		return out, nil
	}, e.Identity()
}

// On real vectors: a half that comes later is more of the same, and a domain
// that comes later is found, without a document of the others.
func TestRefreshOfTheMixedCollection(t *testing.T) {
	ids, vectors, text, embedder := mixedCollection(t)
	part := func(keep func(i int) bool) skillqr.Corpus {
		var someIDs []string
		var some [][]float32
		for i, id := range ids {
			if keep(i) {
				someIDs, some = append(someIDs, id), append(some, vectors[i])
			}
		}
		corpus, err := skillqr.NewCorpus(someIDs, some, embedder, text)
		require.NoError(t, err)
		return corpus
	}
	whole := part(func(int) bool { return true })
	refresh := func(before skillqr.Corpus) *skillqr.Refreshed {
		m, err := skillqr.Mine(t.Context(), before, nil, skillqr.MineOptions{Proposer: agreeable()})
		require.NoError(t, err)
		got, err := skillqr.Refresh(t.Context(), whole, m.Set, m.Clusters, skillqr.RefreshOptions{MineOptions: skillqr.MineOptions{Proposer: agreeable()}})
		require.NoError(t, err)
		return got
	}

	half := refresh(part(func(i int) bool { return i%2 == 0 })).Changes
	t.Logf("every other document: %+v", half)
	require.Empty(t, half.New)
	require.Empty(t, half.Drifted)
	require.Less(t, half.Strays, half.Added/10)

	for _, domain := range []string{"theorems", "pony", "medline", "skills"} {
		got := refresh(part(func(i int) bool { return !strings.HasPrefix(ids[i], domain+":") }))
		found, others := 0, 0
		for i := range got.Clusters.Len() {
			if !slices.Contains(got.Changes.New, got.Clusters.Number(i)) {
				continue
			}
			for _, id := range got.Clusters.Nearest(i, got.Clusters.Size(i)) {
				if strings.HasPrefix(id, domain+":") {
					found++
				} else {
					others++
				}
			}
		}
		t.Logf("%s: %d of %d documents in %d new clusters, %d drifted", domain, found, got.Changes.Added, len(got.Changes.New), len(got.Changes.Drifted))
		require.Zero(t, others)
		require.Greater(t, found, got.Changes.Added/2)
	}
}

// agreeable is a model that labels all alike and finds all covered.
func agreeable() prospect.LLM {
	return llm.NewScripted("agreeable/1",
		llm.Turn{Match: "covered_by", Text: `{"covered_by": [1]}`, Repeat: true},
		llm.Turn{Match: "smallest set", Text: `{"skills": [{"name": "a", "when": "b", "instruction": "c", "groups": [1]}]}`, Repeat: true},
		llm.Turn{Text: `{"domain": "a", "content": "b", "terms": []}`, Repeat: true},
	)
}
