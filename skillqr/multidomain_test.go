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
	docs := evaldata.Docs(t, filepath.Join(evaldata.Dir(t, "reasoning", "multidomain"), "corpus.jsonl.gz"))
	ids, texts, byID := make([]string, len(docs)), make([]string, len(docs)), make(map[string]string)
	for i, d := range docs {
		ids[i], texts[i] = d.ID, d.Text
		if d.Title != "" {
			texts[i] = d.Title + "\n\n" + d.Text
		}
		byID[d.ID] = texts[i]
	}
	embedder, err := builtin.Open(t.Context())
	require.NoError(t, err)
	defer embedder.Close()
	vectors, err := embedder.Embed(t.Context(), prospect.RoleDocument, texts)
	require.NoError(t, err)
	corpus, err := skillqr.NewCorpus(ids, vectors, embedder.Identity(), func(_ context.Context, ids []string) ([]string, error) {
		out := make([]string, len(ids))
		for i, id := range ids {
			out[i] = byID[id]
		}
		return out, nil
	})
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
