package skilldreamer_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect/embed/builtin"
	"github.com/prospect-go/prospect/fusion"
	"github.com/prospect-go/prospect/skill"
	"github.com/prospect-go/prospect/skilldreamer"
)

// demo are the tasks of the repository's testdata with what was recorded for
// each.
func demo(t *testing.T) (tasks []string, imagined []*skilldreamer.Imagined) {
	read := func(name string, each func(line []byte)) {
		data, err := os.ReadFile("../testdata/" + name)
		require.NoError(t, err)
		for line := range strings.Lines(string(data)) {
			each([]byte(line))
		}
	}
	read("tasks.jsonl", func(line []byte) {
		var task struct{ Text string }
		require.NoError(t, json.Unmarshal(line, &task))
		tasks = append(tasks, task.Text)
	})
	read("llm_outputs.jsonl", func(line []byte) {
		im := &skilldreamer.Imagined{}
		require.NoError(t, json.Unmarshal(line, im))
		imagined = append(imagined, im)
	})
	require.Len(t, tasks, 10)
	require.Len(t, imagined, 10)
	return tasks, imagined
}

// TestPresetsAreTheirFormulas holds both presets to the plain formulas with
// their numbers written out here, on real skills and a real model.
func TestPresetsAreTheirFormulas(t *testing.T) {
	model, err := builtin.Open(ctx)
	require.NoError(t, err)
	defer model.Close()
	g, err := skilldreamer.NewGallery(model, skilldreamer.GalleryOptions{})
	require.NoError(t, err)
	require.NoError(t, g.Put(ctx, demoSkills(t)...))
	requirePresets(t, g, demo)
}

// TestPresetsAreTheirFormulasOnSkillsBench is the same with 5,536 skills.
func TestPresetsAreTheirFormulasOnSkillsBench(t *testing.T) {
	b := loadBench(t)
	model, _ := openModel(t)
	g, err := skilldreamer.NewGallery(&remembering{Embedder: model, seen: map[string][]float32{}}, skilldreamer.GalleryOptions{})
	require.NoError(t, err)
	require.NoError(t, g.Put(ctx, b.large...))
	requirePresets(t, g, func(*testing.T) (tasks []string, imagined []*skilldreamer.Imagined) {
		for i := 0; i < len(b.tasks); i += 4 { // the formulas are slow
			tasks, imagined = append(tasks, b.tasks[i].Text), append(imagined, b.imagined[b.tasks[i].ID])
		}
		return tasks, imagined
	})
}

func requirePresets(t *testing.T, g *skilldreamer.Gallery, data func(*testing.T) ([]string, []*skilldreamer.Imagined)) {
	f := newFormulas(t, g)
	tasks, imagined := data(t)
	for i, task := range tasks {
		r, err := newDreamer(t, g, nil, skilldreamer.Paper()).Retrieve(ctx, skilldreamer.Request{Task: task}, imagined[i])
		require.NoError(t, err)
		f.check(t, skilldreamer.Options{
			K: 15, Candidates: 20, Keep: 20, Weights: skilldreamer.Weights{Task: 2, Imagined: 1, Anchors: 1},
		}, task, imagined[i], r)

		zero, err := newDreamer(t, g, nil, skilldreamer.Options{}).Retrieve(ctx, skilldreamer.Request{Task: task}, imagined[i])
		require.NoError(t, err)
		require.Equal(t, r.Skills, zero.Skills, "the zero options are the paper's")
		require.Equal(t, r.Trace.Lists, zero.Trace.Lists)

		r, err = newDreamer(t, g, nil, skilldreamer.Hybrid()).Retrieve(ctx, skilldreamer.Request{Task: task}, imagined[i])
		require.NoError(t, err)
		f.check(t, skilldreamer.Options{
			K: 15, Candidates: 20, Keep: 20, Weights: skilldreamer.Weights{Task: .5, Imagined: 1, Anchors: .25, Words: 1},
		}, task, imagined[i], r)
	}
}

func TestListsOfPresetsAndLargeRequests(t *testing.T) {
	var skills []*skill.Skill
	for i := range 60 {
		skills = append(skills, named(fmt.Sprintf("s%d", i), fmt.Sprintf("tide%s number %d", strings.Repeat(" and tide", i%7), i)))
	}
	g := newGallery(t, hash(), skills...)
	im := &skilldreamer.Imagined{Capabilities: []skilldreamer.Capability{{Text: "tide"}}, Anchors: []string{"tide"}}
	for name, c := range map[string]struct {
		options skilldreamer.Options
		found   int
		notes   []skilldreamer.NoteKind
	}{
		"paper":  {skilldreamer.Paper(), 20, []skilldreamer.NoteKind{skilldreamer.NotImagined, skilldreamer.Shortfall}},
		"zero":   {skilldreamer.Options{}, 30, []skilldreamer.NoteKind{skilldreamer.NotImagined}},
		"hybrid": {skilldreamer.Hybrid(), 30, []skilldreamer.NoteKind{skilldreamer.NotImagined}},
	} {
		r, err := newDreamer(t, g, nil, c.options).Retrieve(ctx, skilldreamer.Request{Task: "tides", K: 30}, im)
		require.NoError(t, err)
		require.Len(t, r.Skills, c.found, name)
		require.Equal(t, c.notes, kinds(r.Notes), name)
	}
}

// TestWordsByHand follows a search that finds a skill by words alone.
//
//	f(q) = (1,0)   f(s̃) = (0,1)   α = 1, β = 1, γ = 0, δ = 2, K_c = 2
//
//	skill  f(s)       r^q   r^p   d = r^q + r^p   r^w ("tide")
//	east   (1, 0)     1     0     1                0
//	diag   (.6,.8)    .6    .8    1.4              0
//	west   (-1, 0)    -1    0     -1               w > 0
//
// K_c = 2 leaves diag and east by d; west, last by d, joins them by its words.
//
//	skill  n(r^q)        n(r^p)  n(r^w)  h = n(r^q) + n(r^p) + 2n(r^w)
//	diag   1.6/2 = .8    1       0       1.8
//	east   1             0       0       1
//	west   0             0       1       2
func TestWordsByHand(t *testing.T) {
	e := table(t, map[string][]float64{
		"go": {1, 0}, "a port\nsail": {0, 1},
		"east\nx": {1, 0}, "diag\nx": {3, 4}, "west\nlow tide": {-1, 0},
	})
	g := newGallery(t, e, named("east", "x"), named("diag", "x"), named("west", "low tide"))
	im := &skilldreamer.Imagined{Capabilities: []skilldreamer.Capability{
		{Text: "x", Skill: &skilldreamer.ImaginedSkill{Name: "a-port", Description: "sail", Body: "tide"}},
	}}
	// BM25 of "tide" in west, lucene: N = 3, df = 1, lengths 2, 2 and 3, so
	// tf/(tf + k1·(1 − b + b·dl/avgdl)) = 1/(1 + 1.2·(.25 + .75·3/(7/3))).
	w := math.Log(1+(3-1+0.5)/(1+0.5)) / (1 + 1.2*(0.25+0.75*3/(7.0/3)))
	o := skilldreamer.Options{Candidates: 2, Weights: skilldreamer.Weights{Task: 1, Imagined: 1, Words: 2}, K: 3, Keep: 3}
	r, err := newDreamer(t, g, nil, o).Retrieve(ctx, skilldreamer.Request{Task: "go"}, im)
	require.NoError(t, err)
	require.Equal(t, []string{"west", "diag", "east"}, ids(r))
	require.Equal(t, []string{"a port\nsail\ntide"}, r.Trace.WordQueries, "all of it, and nothing of the capability")
	require.Equal(t, []string{"a port\nsail"}, r.Trace.Texts, "the store's recipe has no body")
	for i, want := range []skilldreamer.Scores{
		{Task: -1, Words: w, Combined: -1, NormWords: 1, Total: 2},
		{Task: .6, Imagined: .8, Combined: 1.4, NormTask: .8, NormImagined: 1, Total: 1.8},
		{Task: 1, Combined: 1, NormTask: 1, Total: 1},
	} {
		s := r.Skills[i].Scores
		require.InDeltaSlice(t,
			[]float64{want.Task, want.Imagined, want.Words, want.Combined, want.NormTask, want.NormImagined, want.NormWords, want.Total},
			[]float64{s.Task, s.Imagined, s.Words, s.Combined, s.NormTask, s.NormImagined, s.NormWords, s.Total}, 1e-6, r.Skills[i].ID)
	}
	o.Weights.Words = 0
	r, err = newDreamer(t, g, nil, o).Retrieve(ctx, skilldreamer.Request{Task: "go"}, im)
	require.NoError(t, err)
	require.Equal(t, []string{"east", "diag"}, ids(r), "nothing is found by words unless asked; both have 1")
	require.Nil(t, r.Trace.WordQueries)
}

// Without a weight there is no score by words, whatever the normaliser makes of
// nothing.
func TestNoWordsNoScore(t *testing.T) {
	o := skilldreamer.Options{Normalize: fusion.WhenFlat(fusion.MinMax, 1)}
	im := &skilldreamer.Imagined{Capabilities: []skilldreamer.Capability{{Text: "tide"}}}
	r, err := newDreamer(t, newGallery(t, hash(), trades()...), nil, o).Retrieve(ctx, skilldreamer.Request{Task: "sail"}, im)
	require.NoError(t, err)
	for _, m := range r.Skills {
		require.Zero(t, m.Scores.Words)
		require.Zero(t, m.Scores.NormWords)
		require.Equal(t, 1.0, m.Scores.NormAnchors, "flat, and the normaliser says 1")
	}
}

// A capability without an imagined skill is looked for by its own words, once.
func TestWordsOfACapabilityWithoutSkill(t *testing.T) {
	g := newGallery(t, hash(), trades()...)
	im := &skilldreamer.Imagined{Capabilities: []skilldreamer.Capability{{Text: " "}, {Text: "height of tide"}}}
	r, err := newDreamer(t, g, nil, skilldreamer.Hybrid()).Retrieve(ctx, skilldreamer.Request{Task: "sail"}, im)
	require.NoError(t, err)
	require.Equal(t, []string{"", "height of tide"}, r.Trace.Texts)
	require.Equal(t, []string{"", "height of tide"}, r.Trace.WordQueries)
	require.Equal(t, "tide-tables", r.Skills[0].ID)
	require.Positive(t, r.Skills[0].Scores.Words)
}

// Skills that a request may not see are not found by words either.
func TestWordsKeepToTheSources(t *testing.T) {
	g := newGallery(t, hash())
	for _, source := range []string{"user", "project"} {
		s := named(source+"-tide", "Height of tide.")
		s.Source = source
		require.NoError(t, g.Put(ctx, s))
	}
	im := &skilldreamer.Imagined{Capabilities: []skilldreamer.Capability{{Text: "tide"}}}
	r, err := newDreamer(t, g, nil, skilldreamer.Hybrid()).Retrieve(ctx, skilldreamer.Request{Task: "sail", Sources: []string{"user"}}, im)
	require.NoError(t, err)
	require.Equal(t, []string{"user:user-tide"}, ids(r))
}

// askedView counts how many skills are scored for each query.
type askedView struct {
	skilldreamer.View
	scored map[string]int
}

func (v askedView) Lexical(ctx context.Context, query string, ids []string) ([]float64, error) {
	v.scored[query] += len(ids)
	return v.View.Lexical(ctx, query, ids)
}

type askedStore struct {
	skilldreamer.Store
	scored map[string]int
}

func (s askedStore) View(ctx context.Context, sources ...string) (skilldreamer.View, error) {
	v, err := s.Store.View(ctx, sources...)
	return askedView{v, s.scored}, err
}

// The words of an imagined skill are scored in its own list alone, or the cost
// would grow with the square of the capabilities.
func TestWordsAreScoredInTheirOwnList(t *testing.T) {
	var skills []*skill.Skill
	im := &skilldreamer.Imagined{Anchors: []string{"anchor"}}
	for j := range 6 {
		for i := range 20 {
			skills = append(skills, named(fmt.Sprintf("s%d-%d", j, i), fmt.Sprintf("word%d", j)))
		}
		im.Capabilities = append(im.Capabilities, skilldreamer.Capability{Text: fmt.Sprintf("word%d", j)})
	}
	s := askedStore{newGallery(t, hash(), skills...), map[string]int{}}
	r, err := newDreamer(t, s, nil, skilldreamer.Hybrid()).Retrieve(ctx, skilldreamer.Request{Task: "all of it"}, im)
	require.NoError(t, err)
	all := map[string]bool{}
	for j, l := range r.Trace.Lists {
		require.Equal(t, len(l.Candidates), s.scored[im.Capabilities[j].Text])
		for _, c := range l.Candidates {
			all[c.ID] = true
		}
	}
	require.Greater(t, len(all), 40, "the lists differ")
	require.Equal(t, len(all), s.scored["anchor"], "the anchors are scored once for all lists")
}

// Sources are chosen while searching: one that has a hundredth of the skills,
// none of them near, still fills the result, by vectors and by words.
func TestSourcesDoNotStarveTheResult(t *testing.T) {
	var skills []*skill.Skill
	for i := range 500 {
		s := named(fmt.Sprintf("s%d", i), "height of tide")
		if s.Source = "many"; i%100 == 7 {
			s.Source, s.Description = "few", fmt.Sprintf("tide, and %s", strings.Repeat("much else ", 30))
		}
		skills = append(skills, s)
	}
	g := newGallery(t, hash(), skills...)
	im := &skilldreamer.Imagined{Capabilities: []skilldreamer.Capability{{Text: "height of tide"}}, Anchors: []string{"tide"}}
	for name, o := range map[string]skilldreamer.Options{"paper": skilldreamer.Paper(), "hybrid": skilldreamer.Hybrid()} {
		for _, im := range []*skilldreamer.Imagined{nil, im} {
			r, err := newDreamer(t, g, nil, o).Retrieve(ctx, skilldreamer.Request{Task: "height of tide", K: 5, Sources: []string{"few"}}, im)
			require.NoError(t, err)
			require.ElementsMatch(t, []string{"few:s7", "few:s107", "few:s207", "few:s307", "few:s407"}, ids(r), name)
			require.Equal(t, 5, r.Trace.Searched)
		}
	}
	v, err := g.View(ctx, "few")
	require.NoError(t, err)
	lists, err := v.Matching(ctx, []string{"height of tide", "nothing"}, 5)
	require.NoError(t, err)
	require.Len(t, lists[0], 5)
	require.Empty(t, lists[1])
}

func TestAbstentionByWords(t *testing.T) {
	g := newGallery(t, hash(), trades()...)
	im := &skilldreamer.Imagined{Capabilities: []skilldreamer.Capability{{Text: "tide"}}}
	o := skilldreamer.Hybrid()
	o.Abstain = skilldreamer.Abstention{Words: 1e-3}
	r, err := newDreamer(t, g, nil, o).Retrieve(ctx, skilldreamer.Request{Task: "bread"}, im)
	require.NoError(t, err)
	require.Equal(t, []string{"tide-tables"}, ids(r))
	require.Equal(t, 0, r.Trace.Lists[0].Candidates[0].Capability)
	require.Len(t, r.Trace.Lists[0].Abstained, 5)
}
