package skilldreamer_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect/metrics"
	"github.com/prospect-go/prospect/skill"
	"github.com/prospect-go/prospect/skilldreamer"
)

func TestRecipeText(t *testing.T) {
	s := &skill.Skill{Name: "tide-tables", Description: "Height of tide.", Body: "Überall Wasser"}
	for _, c := range []struct {
		body           int
		text, identity string
	}{
		{0, "tide tables\nHeight of tide.", "name+description/1"},
		{1, "tide tables\nHeight of tide.\nÜ", "name+description+body[:1]/1"},
		{3, "tide tables\nHeight of tide.\nÜbe", "name+description+body[:3]/1"},
		{14, "tide tables\nHeight of tide.\nÜberall Wasser", "name+description+body[:14]/1"},
		{99, "tide tables\nHeight of tide.\nÜberall Wasser", "name+description+body[:99]/1"},
		{-1, "tide tables\nHeight of tide.\nÜberall Wasser", "name+description+body/1"},
	} {
		r := skilldreamer.Recipe{Body: c.body}
		require.Equal(t, c.text, r.Text(s))
		require.Equal(t, c.identity, r.Identity())
	}
	require.Equal(t, "a\nb", skilldreamer.Recipe{Body: 5}.Text(&skill.Skill{Name: "a", Description: "b"}))
	only := skilldreamer.Recipe{NoName: true, NoDescription: true, Body: -1}
	require.Equal(t, "Überall Wasser", only.Text(s))
	require.Equal(t, "body/1", only.Identity())
	require.Equal(t, "Height of tide.", skilldreamer.Recipe{NoName: true}.Text(s))
	require.Equal(t, "name/1", skilldreamer.Recipe{NoDescription: true}.Identity())
}

// TestRecipesOnSkillsBench is why the default recipes are what they are: how
// much of the body to embed, and how much to index, with the built-in model
// on the gallery of 5,536 skills.
func TestRecipesOnSkillsBench(t *testing.T) {
	b := loadBench(t)
	model, other := openModel(t)
	e := &remembering{Embedder: model, seen: map[string][]float32{}}
	got := figures{}
	for _, c := range []struct{ dense, lexical int }{
		{0, 0}, {300, 0}, {600, 0}, {1000, 0}, {2000, 0}, {1000, 600}, {1000, 2000}, {1000, -1},
	} {
		g, err := skilldreamer.NewGallery(e, skilldreamer.GalleryOptions{Dense: &skilldreamer.Recipe{Body: c.dense}, Lexical: &skilldreamer.Recipe{Body: c.lexical}})
		require.NoError(t, err)
		require.NoError(t, g.Put(ctx, b.large...))
		name := fmt.Sprintf("dense %d, lexical %d", c.dense, c.lexical)
		got[name] = map[string]map[string]float64{}
		for _, s := range systems()[:3] {
			run := metrics.Run[string, string]{}
			for _, task := range b.tasks {
				run[task.ID] = s.rank(t, g, task, b.imagined[task.ID])
			}
			eval, err := metrics.Evaluate(run, b.qrels, metrics.Recall(5), metrics.NDCG(10), metrics.Completeness(10))
			require.NoError(t, err)
			got[name][s.name] = map[string]float64{}
			for i, m := range eval.Measures {
				got[name][s.name][m] = eval.Means[i]
			}
			t.Logf("%-26s %-14s %.3f", name, s.name, eval.Means)
		}
	}
	if !other {
		golden(t, "recipes-builtin.json", got, oneTask)
	}
}
