package skillqr_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/skillqr"
)

// FuzzMine gives any text as the answer of one step: the set is valid, can be
// written and read, and holds at most as many skills as it may.
func FuzzMine(f *testing.F) {
	for i, own := range []string{
		`{"domain": "law", "content": "rulings", "terms": ["a", "b"]}`,
		`{"skills": [{"name": "law", "when": "w", "instruction": "i", "groups": [1, "2-3"]}, {"name": "LAW"}, "x"]}`,
		`{"reason": "r", "covered_by": [1, "law"], "missing": "", "action": "broaden", "skill": 1}`,
		`{"skills": [{"name": "algebra notes", "when": "", "instruction": "new", "gaps": ["all"]}]}`,
	} {
		f.Add(uint8(i), own)
	}
	files, err := filepath.Glob(filepath.Join("..", "internal", "answer", "testdata", "*", "*.answer"))
	require.NoError(f, err)
	for i, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(uint8(i), string(data))
	}
	corpus := new(shelf).plant("algebra", 0, 3).plant("botany", 1, 2).plant("cooking", 2, 1).corpus(f)
	clusters, err := skillqr.Cluster(context.Background(), corpus, skillqr.ClusterOptions{K: 3})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, at uint8, text string) {
		step := steps[int(at)%len(steps)]
		model := &clerk{drafts: []string{"algebra"}, instead: func(req prospect.LLMRequest, _ string) (string, error, bool) {
			return text, nil, skillqr.Step(req.SchemaName) == step
		}}
		m, err := skillqr.Mine(t.Context(), corpus, clusters, skillqr.MineOptions{Proposer: model, MaxSkills: 3, Concurrency: 1})
		require.NoError(t, err)
		require.LessOrEqual(t, len(m.Set.Skills), 3)
		for _, s := range m.Set.Skills {
			require.False(t, s.Edited(), "what models write is no person's")
		}
		for _, encode := range []func() ([]byte, error){m.Set.YAML, m.Set.JSON} {
			data, err := encode()
			require.NoError(t, err)
			back, err := skillqr.Parse(data)
			require.NoError(t, err, "%s", data)
			require.Equal(t, m.Set, back)
		}
	})
}
