package main

import (
	"context"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect/embed/builtin"
	"github.com/prospect-go/prospect/internal/evaldata"
	"github.com/prospect-go/prospect/skilldreamer"
)

const demoFolder = "../../testdata"

func demoTable(t *testing.T, col *collection) (*table, *vectorFile) {
	model, err := builtin.Open(context.Background())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, model.Close()) })
	v, err := openVectors(model, t.TempDir())
	require.NoError(t, err)
	r := recipes{skilldreamer.DefaultDense(), skilldreamer.DefaultLexical()}
	table, err := newTable(context.Background(), col, v, r)
	require.NoError(t, err)
	return table, v
}

// The settings named after what the library offers rank as the library does.
func TestSettingsAreTheLibrarys(t *testing.T) {
	demo, err := readDemo(demoFolder)
	require.NoError(t, err)
	requireTheLibrarys(t, demo)
}

func TestSettingsAreTheLibrarysOnSkillsBench(t *testing.T) {
	col, err := readSkillsBench(evaldata.Dir(t, "skillsbench"), "large")
	require.NoError(t, err)
	require.Len(t, col.skills, 5536)
	require.Len(t, col.tasks, 47)
	col.tasks = col.tasks[:8] // as good as all, and sooner done
	requireTheLibrarys(t, col)
}

func requireTheLibrarys(t *testing.T, col *collection) {
	table, vectors := demoTable(t, col)
	ctx := context.Background()
	g, err := skilldreamer.NewGallery(vectors.Embedder, skilldreamer.GalleryOptions{})
	require.NoError(t, err)
	require.NoError(t, g.Put(ctx, col.skills...))
	for _, c := range []struct {
		setting setting
		options skilldreamer.Options
	}{{paper(), skilldreamer.Paper()}, {hybrid(), skilldreamer.Hybrid()}, {dense(), skilldreamer.Options{}}} {
		d, err := skilldreamer.New(g, nil, c.options)
		require.NoError(t, err)
		for q, task := range col.tasks {
			imagined := task.imagined
			if c.setting.plain != "" {
				imagined = nil
			}
			r, err := d.Retrieve(ctx, skilldreamer.Request{Task: task.text}, imagined)
			require.NoError(t, err)
			var want []string
			for _, m := range r.Skills {
				want = append(want, m.ID)
			}
			require.Equal(t, want, table.ids(c.setting.rank(table, q)), "%s, %s", c.setting.name, task.id)
		}
	}
}

// A table of three skills and one task with two capabilities, by hand.
//
//	        skill 0   1    2
//	r^q           1   .5   0      n over all: 1 .5 0
//	r^p of c0     0   1    .5     n: 0 1 .5
//	r^p of c1     .2  .2   .6     n: 0 0 1
//	r^a           0   0    4      n: 0 0 1
//	r^w of c0     2   0    0      n: 1 0 0
//	r^w of c1     0   0    0      n: 0 0 0
func handTable() *table {
	return &table{hub: []float64{.1, .6, 0}, tasks: []taskScores{{
		query: []float64{1, .5, 0}, words: []float64{0, 0, 3}, anchors: []float64{0, 0, 4},
		pseudo:      [][]float64{{0, 1, .5}, {.2, .2, .6}},
		capability:  [][]float64{{1, 0, 0}, {0, 0, 1}},
		pseudoWords: [][]float64{{2, 0, 0}, {0, 0, 0}},
	}}}
}

func TestRankByHand(t *testing.T) {
	for _, c := range []struct {
		s    setting
		want []int
	}{
		// d of c0: 2 2 .5, of c1: 2.2 1.2 .6; all three are candidates.
		// h of c0: 2+0+0, 1+1+0, 0+.5+1 = 2 2 1.5; of c1: 2 1 1+1 = 2 1 2.
		// Lists 0 1 2 and 0 2 1 (ties by place), merged: 0, then 1 and 2.
		{paper(), []int{0, 1, 2}},
		// Without α and γ: h of c0 0 1 .5, of c1 0 0 1. Lists 1 2 0 and 2 0 1.
		{setting{imagined: 1}, []int{1, 2, 0}},
		// K_c = 1: one of each list by d: 0 and 0.
		{setting{task: 2, imagined: 1, candidates: 1}, []int{0}},
		// K_c = 1 with α 0 to find: 1 of c0, 2 of c1.
		{setting{task: 2, imagined: 1, candidates: 1, find: -1}, []int{1, 2}},
		// K_c = 1, words find 0 for c0 and nothing for c1. c0: r^p 1 0 of 1 and
		// 0, r^w 0 1, so with δ = 3 h of 1 is 1 and of 0 is 3.
		{setting{imagined: 1, words: 3, pool: true, candidates: 1}, []int{0, 2, 1}},
		// By sum of h over the lists: 0+0, 1+0, .5+1.
		{setting{imagined: 1, merge: "sum"}, []int{2, 1, 0}},
		// By the greatest: 0, 1, 1.
		{setting{imagined: 1, merge: "max"}, []int{1, 2, 0}},
		// Capabilities for their imagined skills: lists 0 1 2 and 2 0 1.
		{setting{imagined: 1, vector: "capability"}, []int{0, 2, 1}},
		// Less the nearness to all: c0 -.1 .4 .5, c1 .1 -.4 .6. Lists 2 1 0, 2 0 1.
		{setting{imagined: 1, hub: 1}, []int{2, 1, 0}},
		// The task's own list 0 1 2 first.
		{setting{imagined: 1, whole: "vector"}, []int{0, 1, 2}},
		// One list, of the task.
		{setting{task: 2, vector: "task"}, []int{0, 1, 2}},
		{setting{plain: "vector"}, []int{0, 1, 2}},
		{setting{plain: "words"}, []int{2, 0, 1}},
		// ½·(1 .5 0) + ½·(0 0 1): .5 .25 .5.
		{setting{plain: "both"}, []int{0, 2, 1}},
	} {
		require.Equal(t, c.want, c.s.rank(handTable(), 0), "%+v", c.s)
	}
}

func TestNormalize(t *testing.T) {
	for how, want := range map[string][]float64{
		"":     {0, 1, .25, .25},
		"rank": {0, 1, .5, .5},
		"rrf":  {1.0 / 64, 1.0 / 61, 1 / 62.5, 1 / 62.5},
		// mean 3.5, variance (6.25 + 12.25 + .5) / 4 with two of .25
		"z": {-2.5 / math.Sqrt(4.75), 3.5 / math.Sqrt(4.75), -.5 / math.Sqrt(4.75), -.5 / math.Sqrt(4.75)},
	} {
		x := []float64{1, 7, 3, 3}
		if how == "" {
			x = []float64{1, 9, 3, 3}
		}
		normalize(x, how)
		require.InDeltaSlice(t, want, x, 1e-12, how)
	}
	for _, how := range []string{"", "rank", "rrf", "z"} {
		x := []float64{4, 4}
		normalize(x, how)
		require.Equal(t, []float64{0, 0}, x)
	}
}

func TestBestAgainstSorting(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		x := make([]float64, 1+rng.IntN(40))
		var all []candidate
		for i := range x {
			x[i] = float64(rng.IntN(8)) // many ties
			all = append(all, candidate{i, x[i]})
		}
		inOrder(all)
		k := 1 + rng.IntN(45)
		var want []int
		for _, c := range all[:min(k, len(all))] {
			want = append(want, c.at)
		}
		require.Equal(t, want, best(x, k))
	}
}

// Every setting has a name of its own, and no two are the same.
func TestSettingsAreDistinct(t *testing.T) {
	all := tried()
	names := map[string]bool{}
	for i, s := range all {
		require.False(t, names[s.name], s.name)
		names[s.name] = true
		require.False(t, slices.ContainsFunc(all[:i], s.sameAs), s.name)
	}
	require.True(t, all[0].sameAs(paper()))
	require.True(t, slices.ContainsFunc(all, hybrid().sameAs))
	require.True(t, around()[0].sameAs(hybrid()))
}

// Tasks that nothing was recorded for, or that need what is not there, are
// named before anything is ranked.
func TestTasksThatCannotBeJudged(t *testing.T) {
	for _, c := range []struct{ tasks, answers, says string }{
		{`{"id": "t1", "text": "x", "relevant": ["a"]}`, `{"query_id": "other"}`, "task t1 has no judgement or no recorded answer"},
		{`{"id": "t2", "text": "x"}`, `{"query_id": "t2", "capabilities": []}`, "task t2 has no judgement or no recorded answer"},
		{`{"id": "t3", "text": "x", "relevant": ["gone"]}`, `{"query_id": "t3", "capabilities": []}`, `task t3: the skill "gone"`},
	} {
		dir := t.TempDir()
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "skills", "a"), 0o755))
		for name, text := range map[string]string{
			"skills/a/SKILL.md": "---\nname: a\ndescription: b\n---\n", "tasks.jsonl": c.tasks, "llm_outputs.jsonl": c.answers,
		} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
		}
		err := run(t.Context(), []string{"-demo", dir, "-cache", t.TempDir()}, io.Discard)
		require.ErrorContains(t, err, c.says)
	}
}

// The reports run to their end and say what they are about.
func TestReports(t *testing.T) {
	for study, says := range map[string]string{
		"gains": "SkillDreamer, published", "ablations": "no anchors", "changes": "α 0.5", "around": "γ 0.5",
		"losses": "by the imagined skill's vector",
	} {
		var out strings.Builder
		err := run(t.Context(), []string{"-demo", demoFolder, "-cache", t.TempDir(), "-study", study}, &out)
		require.NoError(t, err, study)
		require.Contains(t, out.String(), says)
		require.NotContains(t, out.String(), "NaN")
	}
	var out strings.Builder
	nowhere := filepath.Join(t.TempDir(), "none")
	require.ErrorContains(t, run(t.Context(), []string{"-demo", nowhere, "-study", "x"}, &out), "no study", "before anything is read")
	require.ErrorContains(t, run(t.Context(), nil, &out), "nothing to read")
	require.Error(t, run(t.Context(), []string{"-data", filepath.Join(t.TempDir(), "none")}, &out))
}
