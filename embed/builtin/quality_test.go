package builtin_test

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/embed"
	"github.com/prospect-go/prospect/embed/builtin"
	"github.com/prospect-go/prospect/internal/evaldata"
	"github.com/prospect-go/prospect/metrics"
	"github.com/prospect-go/prospect/vecindex"
)

var updateQuality = flag.Bool("update-quality", false, "rewrite testdata/quality.json")

// teacher is NDCG@10 of all-MiniLM-L6-v2 on the same texts, at its own length
// of 256 tokens, from the reference implementation.
var teacher = map[string]float64{"cranfield": 0.3958, "med": 0.7854, "vaswani": 0.4359, "skillsbench": 0.5399}

// TestQualityAgainstTheTeacher holds the built-in model to four fifths of its
// teacher's NDCG@10, averaged over four collections that it was not trained
// on, and to the figures in testdata/quality.json.
func TestQualityAgainstTheTeacher(t *testing.T) {
	e, err := builtin.Open(t.Context())
	require.NoError(t, err)
	defer e.Close()
	got := map[string]float64{}
	var student, best float64
	for name, folder := range map[string]string{
		"cranfield": "classic/cranfield", "med": "classic/med", "vaswani": "classic/vaswani", "skillsbench": "skillsbench",
	} {
		set := evaldata.Read(t, folder, "test")
		if name == "skillsbench" {
			set.Docs = append(set.Docs, evaldata.Docs(t, evaldata.Dir(t, "skillsbench", "distractors.jsonl.gz"))...)
		}
		got[name] = ndcg10(t, e, name, set)
		t.Logf("%-12s %.4f of %.4f: %.1f %%", name, got[name], teacher[name], 100*got[name]/teacher[name])
		student += got[name]
		best += teacher[name]
	}
	t.Logf("mean         %.4f of %.4f: %.1f %%", student/4, best/4, 100*student/best)
	require.Greater(t, student/best, 0.8)

	path := filepath.Join("testdata", "quality.json")
	if *updateQuality {
		data, err := json.MarshalIndent(got, "", "  ")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, append(data, '\n'), 0o644))
		return
	}
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	var want map[string]float64
	require.NoError(t, json.Unmarshal(data, &want))
	require.Len(t, want, len(got))
	for name, v := range want {
		require.InDelta(t, v, got[name], 0.003, name)
	}
}

func ndcg10(t *testing.T, e prospect.Embedder, name string, set evaldata.Set) float64 {
	ids, texts := make([]string, len(set.Docs)), make([]string, len(set.Docs))
	for i, d := range set.Docs {
		ids[i], texts[i] = d.ID, textOf(t, name, d)
	}
	vectors, err := embed.Batched(t.Context(), e, prospect.RoleDocument, texts, embed.BatchOptions{})
	require.NoError(t, err)
	ix, err := vecindex.New(e.Dim(), vecindex.Options{})
	require.NoError(t, err)
	require.NoError(t, ix.AddBatch(ids, vectors))
	run := metrics.Run[string, string]{}
	for _, q := range set.Queries {
		v, err := e.Embed(t.Context(), prospect.RoleQuery, []string{q.Text})
		require.NoError(t, err)
		hits, err := ix.Search(t.Context(), prospect.Query{Vector: v[0], K: 10})
		require.NoError(t, err)
		for _, h := range hits {
			run[q.ID] = append(run[q.ID], h.ID)
		}
	}
	eval, err := metrics.Evaluate(run, set.Qrels, metrics.NDCG(10))
	require.NoError(t, err)
	require.False(t, math.IsNaN(eval.Means[0]))
	return eval.Means[0]
}

// textOf is what is embedded of a document. Cranfield's texts begin with their
// titles; a skill is its name and description.
func textOf(t *testing.T, set string, d evaldata.Doc) string {
	switch set {
	case "cranfield":
		if d.Text == "" {
			return "-" // two documents are empty
		}
		return d.Text
	case "skillsbench":
		var name, description string
		require.NoError(t, json.Unmarshal(d.Metadata["name"], &name))
		require.NoError(t, json.Unmarshal(d.Metadata["description"], &description))
		return name + "\n" + description
	}
	if d.Title != "" {
		return d.Title + "\n" + d.Text
	}
	return d.Text
}
