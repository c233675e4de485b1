package skilldreamer_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/skill"
	"github.com/prospect-go/prospect/skilldreamer"
)

func TestPiecesOfABody(t *testing.T) {
	s := &skill.Skill{Name: "long-one", Description: "D.", Body: "alpha beta gamma delta\nepsilon zeta eta theta"}
	for _, c := range []struct {
		recipe skilldreamer.Recipe
		want   []string
	}{
		{skilldreamer.Recipe{}, []string{"long one\nD."}},
		{skilldreamer.Recipe{Body: -1, Piece: 5}, []string{"long one\nD.\n" + s.Body}},
		{skilldreamer.Recipe{Piece: 100}, []string{"long one\nD.", "long one\n" + s.Body}},
		{skilldreamer.Recipe{Body: 11, Piece: 15}, []string{"long one\nD.\nalpha beta ", "long one\ngamma delta", "long one\nepsilon zeta", "long one\neta theta"}},
		{skilldreamer.Recipe{Piece: 4, MaxPieces: 2, NoName: true}, []string{"D.", "alph", "a be"}},
	} {
		require.Equal(t, c.want, c.recipe.Texts(s), "%+v", c.recipe)
	}
	require.Equal(t, "name+description+16 pieces of 100/1", skilldreamer.Recipe{Piece: 100}.Identity())
	short := &skill.Skill{Name: "a", Description: "b"}
	require.Equal(t, []string{"a\nb"}, skilldreamer.Recipe{Piece: 10}.Texts(short))
}

// TestSeveralVectorsASkill holds the one pass over all vectors to the plain
// formulas with sim as the maximum, computed one by one.
func TestSeveralVectorsASkill(t *testing.T) {
	words := strings.Fields("pdf form tide hive bread ledger commit brood queen port field scale match flatten broken height open item test yeast")
	rng := rand.New(rand.NewPCG(3, 5))
	phrase := func(n int) string {
		var w []string
		for range n {
			w = append(w, words[rng.IntN(len(words))])
		}
		return strings.Join(w, " ")
	}
	recipe := skilldreamer.Recipe{Piece: 30, MaxPieces: 3}
	e := &counting{Embedder: hash()}
	g, err := skilldreamer.NewGallery(e, skilldreamer.GalleryOptions{Dense: &recipe})
	require.NoError(t, err)
	var skills []*skill.Skill
	want := 0
	for i := range 40 {
		s := named(fmt.Sprintf("s%d", i), phrase(4))
		s.Body = phrase(i % 25)
		skills = append(skills, s)
		want += len(recipe.Texts(s))
	}
	require.NoError(t, g.Put(ctx, skills...))
	require.LessOrEqual(t, e.take(prospect.RoleDocument), want)

	im := &skilldreamer.Imagined{Anchors: []string{"tide"}, Capabilities: []skilldreamer.Capability{{Text: phrase(5)}, {Text: phrase(6)}}}
	o := skilldreamer.Options{K: 10, Candidates: 12}
	check := func(g *skilldreamer.Gallery) *skilldreamer.Result {
		r, err := newDreamer(t, g, nil, o).Retrieve(ctx, skilldreamer.Request{Task: words[0] + " " + words[5]}, im)
		require.NoError(t, err)
		sim := func(role prospect.Role, text string, s *skill.Skill) float64 {
			q, err := hash().Embed(ctx, role, []string{text})
			require.NoError(t, err)
			best := -2.0
			pieces, err := hash().Embed(ctx, prospect.RoleDocument, recipe.Texts(s))
			require.NoError(t, err)
			for _, p := range pieces {
				var dot float64
				for i := range p {
					dot += float64(p[i]) * float64(q[0][i])
				}
				best = max(best, dot)
			}
			return best
		}
		for j, l := range r.Trace.Lists {
			var all []float64
			for _, s := range skills {
				all = append(all, 2*sim(prospect.RoleQuery, r.Trace.Task, s)+sim(prospect.RoleDocument, im.Capabilities[j].Text, s))
			}
			slices.SortFunc(all, prospect.CompareScores)
			require.Len(t, l.Candidates, 12)
			for _, c := range l.Candidates {
				s, _ := g.Skill(c.ID)
				q, p := sim(prospect.RoleQuery, r.Trace.Task, s), sim(prospect.RoleDocument, im.Capabilities[j].Text, s)
				require.InDelta(t, q, c.Task, 1e-6)
				require.InDelta(t, p, c.Imagined, 1e-6)
				require.InDelta(t, 2*q+p, c.Combined, 1e-5)
				require.GreaterOrEqual(t, c.Combined, all[11]-1e-5, "one of the twelve best")
			}
		}
		return r
	}
	was := check(g)

	path := filepath.Join(t.TempDir(), "g")
	require.NoError(t, g.Save(path))
	h, err := skilldreamer.OpenGallery(path, e, skilldreamer.GalleryOptions{Dense: &recipe})
	require.NoError(t, err)
	require.Equal(t, was.Skills, check(h).Skills)
	_, err = skilldreamer.OpenGallery(path, e, skilldreamer.GalleryOptions{Dense: &skilldreamer.Recipe{Piece: 31, MaxPieces: 3}})
	require.ErrorIs(t, err, prospect.ErrIdentity)

	// A change of one piece embeds that piece alone.
	e.take(prospect.RoleDocument)
	longest := slices.MaxFunc(skills, func(a, b *skill.Skill) int { return len(a.Body) - len(b.Body) })
	changed := *longest
	changed.Body = longest.Body[:60] + " entirely other words"
	require.Greater(t, len(recipe.Texts(&changed)), 2)
	require.NoError(t, h.Put(ctx, &changed))
	require.LessOrEqual(t, e.take(prospect.RoleDocument), 2)
}
