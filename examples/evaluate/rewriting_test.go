package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect/internal/evaldata"
)

// recordedAnswers are those that a model gave for a sample of the collection
// "multidomain", with which package skillqr is evaluated.
const recordedAnswers = "../../skillqr/testdata/multidomain-rewrites.jsonl"

// sampled are the queries of the sample, by the labels of the answers.
func sampled(t *testing.T) map[string]bool {
	t.Helper()
	data, err := os.ReadFile(recordedAnswers)
	require.NoError(t, err)
	ids := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		var entry struct {
			Label string `json:"label"` // "STAGE QUERY ARM"
		}
		require.NoError(t, json.Unmarshal([]byte(line), &entry))
		if parts := strings.SplitN(entry.Label, " ", 3); len(parts) == 3 {
			ids[parts[1]] = true
		}
	}
	return ids
}

// What this program asks for is what was asked when the answers were recorded,
// so that the figures of rewriting come about without a model.
func TestRewritesAreReplayed(t *testing.T) {
	dir := evaldata.Dir(t, "reasoning", "multidomain")
	ids := sampled(t)
	qrels := "query-id\tcorpus-id\tscore\n"
	judged := map[string]bool{}
	for query, grades := range evaldata.Qrels(t, filepath.Join(dir, "qrels", "test.tsv")) {
		for id, grade := range grades {
			if ids[query] {
				qrels += fmt.Sprintf("%s\t%s\t%g\n", query, id, grade)
				judged[query] = true
			}
		}
	}
	require.Len(t, judged, 80)
	data := folder(t, map[string]string{"qrels/sample.tsv": qrels})
	for _, name := range []string{"corpus.jsonl.gz", "queries.jsonl"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(data, name), text, 0o644))
	}
	path := filepath.Join(t.TempDir(), "out.json")
	good(t, invoke(t, "-data", data, "-qrels", "sample", "-embedder", "none", "-systems", "original,generic,skillqr,generic@feedback=0,skillqr@feedback=0",
		"-baseline", "original", "-skillqr-set", "../../skillqr/testdata/multidomain.yaml", "-llm-recording", recordedAnswers, "-json", path, "-resamples", "100"))
	var doc document
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &doc))
	original := doc.Systems[0].Metrics["ndcg@10"]
	for _, s := range doc.Systems[1:] {
		require.Zero(t, s.Counts.Fallbacks, "%s: every answer is in the file", s.Name)
		require.Greater(t, s.Metrics["ndcg@10"], original, s.Name)
	}
}
