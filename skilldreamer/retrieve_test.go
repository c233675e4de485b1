package skilldreamer_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/skill"
	"github.com/prospect-go/prospect/skilldreamer"
)

// TestByHand follows one search with numbers small enough to check on paper.
//
//	f(q) = (1,0)   f(s̃) = (0,1)   α = 2, β = 1, γ = 1
//
//	skill  f(s)       r^q   r^p   d = 2r^q + r^p
//	east   (1, 0)     1     0     2
//	diag   (.6,.8)    .6    .8    2
//	north  (0, 1)     0     1     1
//	west   (-1, 0)    -1    0     -2
//
// K_c = 3 leaves east, diag, north (a tie at 2: gallery order). The anchor
// "tide" is in north alone, so n(r^a) = 0, 0, 1.
//
//	skill  n(r^q)  n(r^p)  n(r^a)  h = 2n(r^q) + n(r^p) + n(r^a)
//	east   1       0       0       2
//	diag   .6      .8      0       2
//	north  0       1       1       2
//
// All tie at 2, up to rounding of .6 and .8, so the order among them is not
// asked here; γ = 2 lifts north to 3, alone at the top.
func TestByHand(t *testing.T) {
	e := table(t, map[string][]float64{
		"go": {1, 0}, "c": {0, 1},
		"east\nx": {1, 0}, "diag\nx": {3, 4}, "north\ntide": {0, 1}, "west\nx": {-1, 0},
	})
	g := newGallery(t, e, named("east", "x"), named("diag", "x"), named("north", "tide"), named("west", "x"))
	im := &skilldreamer.Imagined{Capabilities: []skilldreamer.Capability{{Text: "c"}}, Anchors: []string{"tide"}}
	d := newDreamer(t, g, nil, skilldreamer.Options{K: 3, Candidates: 3, Weights: skilldreamer.Weights{Task: 2, Imagined: 1, Anchors: 2}})
	r, err := d.Retrieve(context.Background(), skilldreamer.Request{Task: "go"}, im)
	require.NoError(t, err)
	require.Equal(t, "north", r.Skills[0].ID)
	require.Len(t, r.Skills, 3)
	want := map[string]skilldreamer.Scores{
		"east":  {Task: 1, Imagined: 0, Combined: 2, NormTask: 1, NormImagined: 0, Total: 2},
		"diag":  {Task: .6, Imagined: .8, Combined: 2, NormTask: .6, NormImagined: .8, Total: 2},
		"north": {Task: 0, Imagined: 1, Combined: 1, NormTask: 0, NormImagined: 1, NormAnchors: 1, Total: 3},
	}
	for _, m := range r.Skills {
		w, s := want[m.ID], m.Scores
		got := []float64{s.Task, s.Imagined, s.Combined, s.NormTask, s.NormImagined, s.NormAnchors, s.Total}
		require.InDeltaSlice(t, []float64{w.Task, w.Imagined, w.Combined, w.NormTask, w.NormImagined, w.NormAnchors, w.Total}, got, 1e-6, m.ID)
	}
	// BM25 of "tide" in north, lucene: N = 4, df = 1, every skill has 2 terms,
	// so the length part is 1 and tf/(tf + k1) = 1/2.2.
	idf := math.Log(1 + (4-1+0.5)/(1+0.5))
	require.InDelta(t, idf/2.2, r.Skills[0].Scores.Anchors, 1e-6)
}

func TestListsAreMergedRowByRow(t *testing.T) {
	// Two capabilities point at the two ends; the middle is second in both.
	e := table(t, map[string][]float64{
		"go": {1, 1}, "a": {1, 0}, "b": {0, 1},
		"one\nx": {1, 0}, "mid\nx": {1, 1}, "two\nx": {0, 1},
	})
	g := newGallery(t, e, named("one", "x"), named("mid", "x"), named("two", "x"))
	im := &skilldreamer.Imagined{Capabilities: []skilldreamer.Capability{{Text: "a"}, {Text: "b"}}}
	d := newDreamer(t, g, nil, skilldreamer.Options{Weights: skilldreamer.Weights{Imagined: 1}})
	r, err := d.Retrieve(context.Background(), skilldreamer.Request{Task: "go", K: 3}, im)
	require.NoError(t, err)
	require.Equal(t, []string{"one", "two", "mid"}, ids(r))
	require.Equal(t, []int{0, 1, 0}, []int{r.Skills[0].Capability, r.Skills[1].Capability, r.Skills[2].Capability})
	require.Equal(t, 1, r.Skills[2].Also[0].Capability, "the middle was a candidate of the other list too")
	require.Equal(t, []int{1, 2, 3}, []int{r.Skills[0].Rank, r.Skills[1].Rank, r.Skills[2].Rank})
}

func TestAllEqualScoresGoByGalleryOrder(t *testing.T) {
	v := map[string][]float64{"go": {1, 0}, "c": {1, 0}}
	var skills []*skill.Skill
	for _, n := range []string{"zeta", "alpha", "mu", "beta"} {
		v[n+"\nsame"] = []float64{1, 0}
		skills = append(skills, named(n, "same"))
	}
	g := newGallery(t, table(t, v), skills...)
	d := newDreamer(t, g, nil, skilldreamer.Options{})
	for _, im := range []*skilldreamer.Imagined{nil, {Capabilities: []skilldreamer.Capability{{Text: "c"}}, Anchors: []string{"same"}}} {
		r, err := d.Retrieve(context.Background(), skilldreamer.Request{Task: "go"}, im)
		require.NoError(t, err)
		require.Equal(t, []string{"zeta", "alpha", "mu", "beta"}, ids(r))
		if im != nil {
			require.Contains(t, kinds(r.Notes), skilldreamer.Flat)
			require.Zero(t, r.Skills[0].Scores.Total, "equal scores carry no information")
		}
	}
}

// Products of unit vectors in float32 go beyond 1 by rounding; cosines do not.
func TestCosinesStayWithinOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	v := map[string][]float64{}
	var skills []*skill.Skill
	for i := range 200 {
		s := named(fmt.Sprintf("s%d", i), "x")
		for range 100 {
			v[s.Name+"\nx"] = append(v[s.Name+"\nx"], rng.NormFloat64())
		}
		skills = append(skills, s)
	}
	g := newGallery(t, table(t, v), skills...)
	view, err := g.View(ctx)
	require.NoError(t, err)
	beyond := 0
	for _, s := range skills {
		vectors, err := g.Vectors().Vectors(s.ID)
		require.NoError(t, err)
		raw, err := g.Vectors().Scores(ctx, vectors, []string{s.ID})
		require.NoError(t, err)
		if raw[0][0] > 1 {
			beyond++
		}
		cosines, err := view.Similarities(ctx, vectors, []string{s.ID})
		require.NoError(t, err)
		require.LessOrEqual(t, cosines[0][0], 1.0)
		require.InDelta(t, 1, cosines[0][0], 1e-6)
	}
	require.Positive(t, beyond, "the test sees what it is about")
}

// Cosines that differ by more than rounding are not flat.
func TestSmallDifferencesAreNotFlat(t *testing.T) {
	// cos 1 and 1/√(1 + 10⁻⁴) = 0.99995
	e := table(t, map[string][]float64{"go": {1, 0}, "c": {1, 0}, "a\nx": {100, 1}, "b\nx": {1, 0}})
	g := newGallery(t, e, named("a", "x"), named("b", "x"))
	im := &skilldreamer.Imagined{Capabilities: []skilldreamer.Capability{{Text: "c"}}}
	r, err := newDreamer(t, g, nil, skilldreamer.Options{K: 2}).Retrieve(context.Background(), skilldreamer.Request{Task: "go"}, im)
	require.NoError(t, err)
	require.Equal(t, []string{"b", "a"}, ids(r))
	require.NotContains(t, kinds(r.Notes), skilldreamer.Flat)
}

// TestAgainstThePlainFormulas holds the fast path (combined vectors, one pass)
// to the formulas of the package comment, computed one by one in float64.
func TestAgainstThePlainFormulas(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Uint64().Draw(rt, "seed")
		rng := rand.New(rand.NewPCG(seed, 1))
		n := rapid.IntRange(1, 60).Draw(rt, "skills")
		m := rapid.IntRange(1, 5).Draw(rt, "capabilities")
		o := skilldreamer.Options{
			K:          rapid.IntRange(1, 20).Draw(rt, "K"),
			Candidates: rapid.IntRange(1, 25).Draw(rt, "Kc"),
			Keep:       rapid.IntRange(1, 25).Draw(rt, "Kr"),
			Weights: skilldreamer.Weights{
				Task:     rapid.SampledFrom([]float64{0, .5, 1, 2, 4}).Draw(rt, "alpha"),
				Imagined: rapid.SampledFrom([]float64{.5, 1}).Draw(rt, "beta"),
				Anchors:  rapid.SampledFrom([]float64{0, .25, 1}).Draw(rt, "gamma"),
				Words:    rapid.SampledFrom([]float64{0, .5, 1}).Draw(rt, "delta"),
			},
		}
		words := strings.Fields("pdf form tide hive bread ledger commit brood queen port field scale match flatten broken height open item test yeast")
		phrase := func() string {
			var w []string
			for range 3 + rng.IntN(6) {
				w = append(w, words[rng.IntN(len(words))])
			}
			return strings.Join(w, " ")
		}
		var skills []*skill.Skill
		for i := range n {
			skills = append(skills, named(fmt.Sprintf("s%d", i), phrase()))
		}
		g := newGallery(t, hash(), skills...)
		task := phrase()
		im := &skilldreamer.Imagined{Anchors: []string{words[0], words[3]}}
		for j := range m {
			im.Capabilities = append(im.Capabilities, skilldreamer.Capability{Text: phrase(),
				Skill: &skilldreamer.ImaginedSkill{Name: fmt.Sprintf("p%d", j), Description: phrase(), Body: phrase()}})
		}
		r, err := newDreamer(t, g, nil, o).Retrieve(context.Background(), skilldreamer.Request{Task: task}, im)
		require.NoError(rt, err)

		newFormulas(rt, g).check(rt, o, task, im, r)
	})
}

func TestPlainFallbackSaysSo(t *testing.T) {
	g := newGallery(t, hash(), trades()...)
	d := newDreamer(t, g, nil, skilldreamer.Options{K: 3})
	r, err := d.Find(context.Background(), skilldreamer.Request{Task: "which commit broke the test"})
	require.NoError(t, err)
	require.True(t, r.Plain)
	require.Equal(t, []skilldreamer.NoteKind{skilldreamer.NoModel, skilldreamer.NoCapabilities}, kinds(r.Notes))
	require.Equal(t, "git-bisect", r.Skills[0].ID)
	require.Equal(t, -1, r.Skills[0].Capability)
	require.Equal(t, "git-bisect", r.Skills[0].Skill.Name)

	plain, err := d.Plain(context.Background(), skilldreamer.Request{Task: "which commit broke the test"})
	require.NoError(t, err)
	require.Equal(t, ids(r), ids(plain))
	require.Empty(t, plain.Notes, "asked for, so nothing went wrong")
}

func TestShortfallIsNoted(t *testing.T) {
	g := newGallery(t, hash(), trades()...)
	d := newDreamer(t, g, nil, skilldreamer.Options{})
	im := &skilldreamer.Imagined{Capabilities: []skilldreamer.Capability{{Skill: &skilldreamer.ImaginedSkill{Description: "tide"}}}, Anchors: []string{"tide"}}
	r, err := d.Retrieve(context.Background(), skilldreamer.Request{Task: "tides"}, im)
	require.NoError(t, err)
	require.Len(t, r.Skills, 6)
	require.Equal(t, []skilldreamer.NoteKind{skilldreamer.Shortfall}, kinds(r.Notes))

	d = newDreamer(t, g, nil, skilldreamer.Options{K: 4, Candidates: 2})
	r, err = d.Retrieve(context.Background(), skilldreamer.Request{Task: "tides"}, im)
	require.NoError(t, err)
	require.Len(t, r.Skills, 2)
	require.Equal(t, []skilldreamer.NoteKind{skilldreamer.Shortfall}, kinds(r.Notes))
	require.Contains(t, r.Notes[0].Text, "lists of 2 candidates")

	d = newDreamer(t, g, nil, skilldreamer.Options{K: 4, Keep: 2})
	r, err = d.Retrieve(context.Background(), skilldreamer.Request{Task: "tides"}, im)
	require.NoError(t, err)
	require.Len(t, r.Skills, 2)
	require.Equal(t, []skilldreamer.NoteKind{skilldreamer.Shortfall}, kinds(r.Notes))
	require.Contains(t, r.Notes[0].Text, "of which 2 are kept")
}

// A request may ask for more than the options do: the lists grow with it.
func TestListsAreAsLongAsTheRequest(t *testing.T) {
	var skills []*skill.Skill
	for i := range 60 {
		skills = append(skills, named(fmt.Sprintf("s%d", i), fmt.Sprintf("tide%s number %d", strings.Repeat(" and tide", i%7), i)))
	}
	g := newGallery(t, hash(), skills...)
	im := &skilldreamer.Imagined{Capabilities: []skilldreamer.Capability{{Skill: &skilldreamer.ImaginedSkill{Description: "tide"}}}, Anchors: []string{"tide"}}
	for k, want := range map[int]int{0: 15, 7: 7, 50: 50} {
		r, err := newDreamer(t, g, nil, skilldreamer.Options{}).Retrieve(context.Background(), skilldreamer.Request{Task: "tides", K: k}, im)
		require.NoError(t, err)
		require.Len(t, r.Skills, want)
		require.Empty(t, r.Notes)
		require.Len(t, r.Trace.Lists[0].Candidates, max(20, k))
		require.Equal(t, max(20, k), r.Trace.Lists[0].Kept)
		// α = 2, β = 1, γ = 1 unless said otherwise.
		for _, c := range r.Trace.Lists[0].Candidates {
			require.InDelta(t, 2*c.Task+c.Imagined, c.Combined, 1e-5)
			require.InDelta(t, 2*c.NormTask+c.NormImagined+c.NormAnchors, c.Total, 1e-9)
		}
	}
}

func TestRequestsThatFindNothing(t *testing.T) {
	g := newGallery(t, hash(), trades()...)
	d := newDreamer(t, g, nil, skilldreamer.Options{})
	r, err := d.Find(context.Background(), skilldreamer.Request{Task: " \n"})
	require.NoError(t, err)
	require.Empty(t, r.Skills)
	_, err = d.Find(context.Background(), skilldreamer.Request{Task: "x", K: -1})
	require.ErrorIs(t, err, prospect.ErrInvalidK)

	empty := newGallery(t, hash())
	im := &skilldreamer.Imagined{Capabilities: []skilldreamer.Capability{{Text: "tide"}, {Text: " "}}, Anchors: []string{"tide"}}
	for _, im := range []*skilldreamer.Imagined{nil, im} {
		r, err = newDreamer(t, empty, nil, skilldreamer.Options{}).Retrieve(context.Background(), skilldreamer.Request{Task: "x"}, im)
		require.NoError(t, err)
		require.Empty(t, r.Skills)
		require.Contains(t, kinds(r.Notes), skilldreamer.Shortfall)
	}
}

func TestAbstention(t *testing.T) {
	e := table(t, map[string][]float64{"go": {1, 0, 0}, "c": {0, 1, 0}, "near\nx": {9, 9, 1}, "far\nx": {1, 1, 9}, "word\ntide": {0, 0, 1}})
	g := newGallery(t, e, named("near", "x"), named("far", "x"), named("word", "tide"))
	im := &skilldreamer.Imagined{Capabilities: []skilldreamer.Capability{{Text: "c"}}, Anchors: []string{"tide"}}
	find := func(a skilldreamer.Abstention, im *skilldreamer.Imagined) *skilldreamer.Result {
		r, err := newDreamer(t, g, nil, skilldreamer.Options{Abstain: a}).Retrieve(context.Background(), skilldreamer.Request{Task: "go"}, im)
		require.NoError(t, err)
		return r
	}
	require.Len(t, find(skilldreamer.Abstention{}, im).Skills, 3)
	require.Equal(t, []string{"near"}, ids(find(skilldreamer.Abstention{Task: .5}, im)))
	require.ElementsMatch(t, []string{"near", "word"}, ids(find(skilldreamer.Abstention{Imagined: .5, Anchors: .1}, im)))
	none := find(skilldreamer.Abstention{Task: .999}, im)
	require.Empty(t, none.Skills)
	require.Contains(t, kinds(none.Notes), skilldreamer.Abstained)
	require.Len(t, none.Trace.Lists[0].Abstained, 3)
	require.Equal(t, []string{"near"}, ids(find(skilldreamer.Abstention{Task: .5}, nil)))
	require.Empty(t, ids(find(skilldreamer.Abstention{Task: .999}, nil)))
	// Plain results have the cosine with the task alone: the threshold for the
	// imagined skill stands in, and where neither is set, nothing is reached.
	require.Equal(t, []string{"near"}, ids(find(skilldreamer.Abstention{Imagined: .5}, nil)))
	require.Equal(t, []string{"near"}, ids(find(skilldreamer.Abstention{Task: .5, Imagined: .01}, nil)), "Task goes before Imagined")
	require.Empty(t, ids(find(skilldreamer.Abstention{Anchors: .1}, nil)))
}

func TestOptionsThatMakeNoSense(t *testing.T) {
	g := newGallery(t, hash())
	for name, o := range map[string]skilldreamer.Options{
		"negative K":       {K: -1},
		"negative grace":   {Grace: -1},
		"negative reserve": {Reserve: -time.Second},
		"cold":             {Temperature: new(-0.1)},
		"no temperature":   {Temperature: new(math.NaN())},
		"role":             {ImaginedRole: 7},
		"out of reach":     {Abstain: skilldreamer.Abstention{Words: 1}},
		"NaN weight":       {Weights: skilldreamer.Weights{Task: math.NaN()}},
		"negative weight":  {Weights: skilldreamer.Weights{Task: 1, Anchors: -1}},
		"infinite":         {Weights: skilldreamer.Weights{Imagined: math.Inf(1)}},
		"huge":             {Weights: skilldreamer.Weights{Task: 1e39}},
		"no candidates":    {Weights: skilldreamer.Weights{Anchors: 1}},
		"plan":             {Calls: 9},
		"words' weight":    {Weights: skilldreamer.Weights{Task: 1, Words: -1}},
		"words alone":      {Weights: skilldreamer.Weights{Words: 1}},
		"words' threshold": {Abstain: skilldreamer.Abstention{Words: -1}},
		"threshold":        {Abstain: skilldreamer.Abstention{Task: math.NaN()}},
		"broken prompt":    {Prompts: skilldreamer.Prompts{Capabilities: "{{.Nope}}"}},
		"unparsed prompt":  {Prompts: skilldreamer.Prompts{Imagine: "{{"}},
		"blank prompt":     {Prompts: skilldreamer.Prompts{ImagineAll: "{{if false}}x{{end}}"}},
		"empty recipe":     {ImaginedRecipe: &skilldreamer.Recipe{NoName: true, NoDescription: true}},
	} {
		_, err := skilldreamer.New(g, nil, o)
		require.ErrorIs(t, err, prospect.ErrOption, name)
	}
	_, err := skilldreamer.New(nil, nil, skilldreamer.Options{})
	require.ErrorIs(t, err, prospect.ErrOption)
	_, err = skilldreamer.NewGallery(nil, skilldreamer.GalleryOptions{})
	require.ErrorIs(t, err, prospect.ErrOption)
	for option, o := range map[string]skilldreamer.GalleryOptions{
		"Dense":   {Dense: &skilldreamer.Recipe{NoName: true, NoDescription: true}},
		"Lexical": {Lexical: &skilldreamer.Recipe{Piece: -1}},
	} {
		_, err = skilldreamer.NewGallery(hash(), o)
		require.ErrorIs(t, err, prospect.ErrOption)
		require.ErrorContains(t, err, option)
	}
	// On machines of 32 bits too.
	_, err = skilldreamer.New(g, nil, skilldreamer.Options{Reserve: time.Hour, Grace: 1 << 31})
	require.NoError(t, err)
}

func TestImaginedSkillsAreEncodedLikeRealOnes(t *testing.T) {
	e := &counting{Embedder: hash()}
	g := newGallery(t, e, trades()...)
	e.take(prospect.RoleDocument)
	im := &skilldreamer.Imagined{Capabilities: []skilldreamer.Capability{
		{Text: "c", Skill: &skilldreamer.ImaginedSkill{Name: "tide-tables", Description: "Work out the height of tide at a secondary port."}},
	}}
	d := newDreamer(t, g, nil, skilldreamer.Options{})
	r, err := d.Retrieve(context.Background(), skilldreamer.Request{Task: "sail"}, im)
	require.NoError(t, err)
	require.InDelta(t, 1, r.Skills[0].Scores.Imagined, 1e-6, "the same text gives the same vector")
	require.Equal(t, "tide-tables", r.Skills[0].ID)
	require.Equal(t, 1, e.take(prospect.RoleDocument))
	require.Equal(t, 1, e.take(prospect.RoleQuery))
	require.Equal(t, "sail", r.Trace.Task)
	require.Equal(t, []string{"tide tables\nWork out the height of tide at a secondary port."}, r.Trace.Texts)

	short := &skilldreamer.Recipe{NoName: true}
	r, err = newDreamer(t, g, nil, skilldreamer.Options{ImaginedRecipe: short}).Retrieve(context.Background(), skilldreamer.Request{Task: "sail"}, im)
	require.NoError(t, err)
	require.Equal(t, []string{"Work out the height of tide at a secondary port."}, r.Trace.Texts)
	e.take(prospect.RoleDocument)
	e.take(prospect.RoleQuery)

	d = newDreamer(t, g, nil, skilldreamer.Options{ImaginedRole: prospect.RoleQuery})
	_, err = d.Retrieve(context.Background(), skilldreamer.Request{Task: "sail"}, im)
	require.NoError(t, err)
	require.Equal(t, 2, e.take(prospect.RoleQuery))
}

func TestCancelledRetrieveIsAnError(t *testing.T) {
	g := newGallery(t, hash(), trades()...)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	d := newDreamer(t, g, nil, skilldreamer.Options{})
	_, err := d.Plain(ctx, skilldreamer.Request{Task: "x"})
	require.ErrorIs(t, err, context.Canceled)
	_, err = d.Find(ctx, skilldreamer.Request{Task: "x"})
	require.ErrorIs(t, err, context.Canceled)
}
