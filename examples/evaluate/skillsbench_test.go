package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect/internal/evaldata"
)

// oneTask is the most that one task of the 47 can move a mean: where two
// skills are nearly tied, another kernel may order them the other way.
const oneTask = 1.0/47 + 1e-9

// The figures of the built-in model on SkillsBench are those that the tests of
// skilldreamer hold, which come about without this program.
func TestSkillsBench(t *testing.T) {
	dir := evaldata.Dir(t, "skillsbench")
	var golden map[string]map[string]map[string]float64 // by gallery, system and measure
	data, err := os.ReadFile(filepath.Join("..", "..", "skilldreamer", "testdata", "skillsbench-builtin.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &golden))

	same := map[string]string{ // theirs: ours
		"bm25": "bm25", "dense": "dense", "skilldreamer": "skilldreamer",
		"query as capability": "no-ci", "capability text": "no-psg", "no anchors": "no-anchors",
		"alpha 0": "no-query", "alpha 0.5": "skilldreamer@alpha=0.5", "alpha 1": "skilldreamer@alpha=1", "alpha 4": "skilldreamer@alpha=4",
	}
	systems := "bm25,dense,skilldreamer,no-ci,no-psg,no-anchors,no-query,skilldreamer@alpha=0.5,skilldreamer@alpha=1,skilldreamer@alpha=4"
	distractors, vectors := filepath.Join(dir, "distractors.jsonl.gz"), t.TempDir()
	for gallery, more := range map[string][]string{
		"5536":        {"-distractors", distractors},
		"5510 strict": {"-distractors", distractors, "-strict"},
		"198":         nil,
	} {
		path := filepath.Join(t.TempDir(), "out.json")
		good(t, invoke(t, append([]string{
			"-data", dir, "-llm-outputs", filepath.Join(dir, "llm_outputs.jsonl"), "-systems", systems, "-json", path, "-resamples", "100", "-cache", vectors,
		}, more...)...))
		var doc document
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(data, &doc))
		got := map[string]map[string]float64{}
		for _, s := range doc.Systems {
			got[s.Name] = s.Metrics
		}
		compared := 0
		for theirs, ours := range same {
			for measure, want := range golden[gallery][theirs] {
				require.InDelta(t, want, got[ours][measure], oneTask, "%s, %s, %s", gallery, ours, measure)
				compared++
			}
		}
		require.Equal(t, 10*10, compared)
	}
}
