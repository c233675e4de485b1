package skilldreamer_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"io/fs"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/skill"
	"github.com/prospect-go/prospect/skilldreamer"
)

func TestNoCallIsSpentOnARequestThatCannotBe(t *testing.T) {
	m := &scripted{infer: []string{twoCapabilities}, imagine: bakerAndPilot}
	d := newDreamer(t, newGallery(t, hash(), trades()...), m, skilldreamer.Options{})
	_, err := d.Find(ctx, skilldreamer.Request{Task: "sail", K: -1})
	require.ErrorIs(t, err, prospect.ErrInvalidK)
	r, err := d.Find(ctx, skilldreamer.Request{Task: " \t"})
	require.NoError(t, err)
	require.Equal(t, []skilldreamer.NoteKind{skilldreamer.BlankTask}, kinds(r.Notes))
	require.NotNil(t, r.Skills)
	require.Empty(t, m.asked)
}

func TestStrictRefusesToFallBack(t *testing.T) {
	d := newDreamer(t, newGallery(t, hash(), trades()...), &scripted{inferErr: errors.New("down")}, skilldreamer.Options{Strict: true})
	_, err := d.Find(ctx, skilldreamer.Request{Task: "sail"})
	require.ErrorIs(t, err, skilldreamer.ErrNotImagined)
	require.ErrorContains(t, err, "down")
}

// picky refuses texts without a letter, as an embedder may.
func picky() prospect.Embedder {
	inner := hash()
	return prospect.NewEmbedder("picky/1", inner.Dim(), func(ctx context.Context, role prospect.Role, texts []string) ([][]float32, error) {
		for i, text := range texts {
			if !strings.ContainsAny(strings.ToLower(text), "abcdefghijklmnopqrstuvwxyz") {
				return nil, &prospect.TextError{Index: i, Err: prospect.ErrEmptyText}
			}
		}
		return inner.Embed(ctx, role, texts)
	})
}

func TestImaginedTextsNeverFailASearch(t *testing.T) {
	g := newGallery(t, picky(), trades()...)
	d := newDreamer(t, g, nil, skilldreamer.Options{K: 2})
	emoji := &skilldreamer.ImaginedSkill{Description: "🌊🌊", Body: "🌊"}
	for name, c := range map[string]struct {
		capabilities []skilldreamer.Capability
		texts        []string
	}{
		"skill refused":      {[]skilldreamer.Capability{{Text: "tide", Skill: emoji}, {Text: "bread"}}, []string{"tide", "bread"}},
		"both refused":       {[]skilldreamer.Capability{{Text: "🌊", Skill: emoji}, {Text: "bread"}}, []string{"", "bread"}},
		"text refused":       {[]skilldreamer.Capability{{Text: "bread"}, {Text: "..."}}, []string{"bread", ""}},
		"nothing left":       {[]skilldreamer.Capability{{Text: "..."}, {Text: " "}}, []string{"", ""}},
		"empty skill":        {[]skilldreamer.Capability{{Text: "tide", Skill: &skilldreamer.ImaginedSkill{}}}, []string{"tide"}},
		"skill of body only": {[]skilldreamer.Capability{{Text: "tide", Skill: &skilldreamer.ImaginedSkill{Body: "look up the tide"}}}, []string{"tide"}},
	} {
		t.Run(name, func(t *testing.T) {
			im := &skilldreamer.Imagined{Capabilities: c.capabilities, Anchors: []string{"tide"}}
			r, err := d.Retrieve(ctx, skilldreamer.Request{Task: "sail"}, im)
			require.NoError(t, err)
			require.Equal(t, c.texts, r.Trace.Texts)
			require.Contains(t, kinds(r.Notes), skilldreamer.NotImagined)
			for j, text := range r.Trace.Texts {
				last := skilldreamer.Note{}
				for _, n := range r.Notes {
					if n.Kind == skilldreamer.NotImagined && n.Capability == j {
						last = n
					}
				}
				require.Equal(t, text == "", strings.Contains(last.Text, "left out"), "the last word on capability %d: %q", j, last.Text)
			}
			require.Len(t, r.Skills, 2)
			require.Equal(t, name == "nothing left", r.Plain)
			for _, l := range r.Trace.Lists {
				if !r.Plain {
					require.NotEmpty(t, c.texts[l.Capability], "lists name the capability they are of")
				}
			}
		})
	}
	_, err := d.Retrieve(ctx, skilldreamer.Request{Task: "🌊"}, nil)
	require.ErrorIs(t, err, prospect.ErrEmptyText, "the task itself is the caller's")
}

// What the embedder refused is in the notes as an error, one for each step that
// was tried, after what Imagine had noted.
func TestNotesOfRefusedTextsHoldTheReason(t *testing.T) {
	d := newDreamer(t, newGallery(t, picky(), trades()...), nil, skilldreamer.Options{})
	im := &skilldreamer.Imagined{
		Capabilities: []skilldreamer.Capability{{Text: "🌊", Skill: &skilldreamer.ImaginedSkill{Description: "🌊🌊"}}, {Text: "..."}},
		Notes:        []skilldreamer.Note{{Kind: skilldreamer.NotImagined, Capability: 1, Text: "no skill could be imagined, so the capability's own text is used"}},
	}
	r, err := d.Retrieve(ctx, skilldreamer.Request{Task: "sail"}, im)
	require.NoError(t, err)
	require.Equal(t, []skilldreamer.NoteKind{
		skilldreamer.NotImagined, skilldreamer.NotImagined, skilldreamer.NotImagined, skilldreamer.NotImagined,
		skilldreamer.NoCapabilities, skilldreamer.Shortfall,
	}, kinds(r.Notes))
	for i, want := range []struct {
		capability int
		text       string
	}{{1, "no skill could be imagined"}, {0, "capability's own text is used"}, {0, "left out"}, {1, "left out"}} {
		require.Equal(t, want.capability, r.Notes[i].Capability)
		require.Contains(t, r.Notes[i].Text, want.text)
		require.Equal(t, i > 0, errors.Is(r.Notes[i].Err, prospect.ErrEmptyText))
	}

	// A capability without a text has nothing that could stand for its skill.
	im = &skilldreamer.Imagined{Capabilities: []skilldreamer.Capability{{Text: " ", Skill: &skilldreamer.ImaginedSkill{Description: "🌊🌊"}}}}
	im.Capabilities[0].Skill.Name = "🌊"
	r, err = d.Retrieve(ctx, skilldreamer.Request{Task: "sail", K: 6}, im)
	require.NoError(t, err)
	require.Equal(t, []skilldreamer.NoteKind{skilldreamer.NotImagined, skilldreamer.NoCapabilities}, kinds(r.Notes))
	require.Contains(t, r.Notes[0].Text, "left out")
}

// brokenStore breaks one promise at a time.
type brokenStore struct {
	skilldreamer.Store
	embedder prospect.Embedder
	fault    string
}

type brokenView struct {
	skilldreamer.View
	fault string
}

func (s brokenStore) Embedder() prospect.Embedder {
	if s.embedder != nil {
		return s.embedder
	}
	return s.Store.Embedder()
}

func (s brokenStore) View(ctx context.Context, sources ...string) (skilldreamer.View, error) {
	v, err := s.Store.View(ctx, sources...)
	return brokenView{v, s.fault}, err
}

func (v brokenView) Nearest(ctx context.Context, vectors [][]float32, sums [][]skilldreamer.Term, k int) ([][]skilldreamer.Candidate, error) {
	lists, err := v.View.Nearest(ctx, vectors, sums, k)
	switch v.fault {
	case "nearest":
		lists = lists[:0]
	case "candidate twice":
		lists[0][1] = lists[0][0]
	case "too many candidates":
		lists[0] = append(lists[0], make([]skilldreamer.Candidate, k)...)
	case "candidate of no score":
		lists[0][1].Score = math.NaN()
	}
	return lists, err
}

func (v brokenView) Matching(ctx context.Context, queries []string, k int) ([][]skilldreamer.Candidate, error) {
	lists, err := v.View.Matching(ctx, queries, k)
	switch v.fault {
	case "matching":
		lists = lists[:0]
	case "match twice":
		lists[0] = append(lists[0], lists[0]...)
	}
	return lists, err
}

func (v brokenView) Similarities(ctx context.Context, vectors [][]float32, ids []string) ([][]float64, error) {
	rows, err := v.View.Similarities(ctx, vectors, ids)
	switch v.fault {
	case "rows":
		rows = rows[1:]
	case "columns":
		rows[1] = rows[1][1:]
	case "similarity of NaN":
		rows[1][0] = math.NaN()
	}
	return rows, err
}

func (v brokenView) Lexical(ctx context.Context, query string, ids []string) ([]float64, error) {
	scores, err := v.View.Lexical(ctx, query, ids)
	switch v.fault {
	case "lexical":
		scores = nil
	case "infinite BM25":
		scores[0] = math.Inf(1)
	}
	return scores, err
}

func (v brokenView) Skills(ctx context.Context, ids []string) ([]*skill.Skill, error) {
	skills, err := v.View.Skills(ctx, ids)
	switch v.fault {
	case "skills":
		skills = skills[1:]
	case "no skill":
		skills[0] = nil
	}
	return skills, err
}

func TestBrokenPromisesAreErrorsNotPanics(t *testing.T) {
	g := newGallery(t, hash(), trades()...)
	im := &skilldreamer.Imagined{Capabilities: []skilldreamer.Capability{{Text: "tide"}}, Anchors: []string{"tide"}}
	short := prospect.NewEmbedder("x", g.Embedder().Dim(), func(context.Context, prospect.Role, []string) ([][]float32, error) { return nil, nil })
	long := prospect.NewEmbedder("x", g.Embedder().Dim(), func(_ context.Context, _ prospect.Role, texts []string) ([][]float32, error) {
		v := make([]float32, g.Embedder().Dim())
		v[0] = 2
		return [][]float32{v}[:len(texts)], nil
	})
	for name, s := range map[string]brokenStore{
		"nearest": {fault: "nearest"}, "rows": {fault: "rows"}, "columns": {fault: "columns"}, "lexical": {fault: "lexical"}, "matching": {fault: "matching"}, "skills": {fault: "skills"},
		"embedder": {embedder: short}, "length": {embedder: long},
	} {
		s.Store = g
		_, err := newDreamer(t, s, nil, skilldreamer.Hybrid()).Retrieve(ctx, skilldreamer.Request{Task: "sail"}, im)
		require.ErrorIs(t, err, prospect.ErrContract, name)
	}
	for _, fault := range []string{
		"candidate twice", "candidate of no score", "match twice", "similarity of NaN", "infinite BM25", "no skill",
	} {
		_, err := newDreamer(t, brokenStore{Store: g, fault: fault}, nil, skilldreamer.Hybrid()).Retrieve(ctx, skilldreamer.Request{Task: "sail"}, im)
		require.ErrorIs(t, err, prospect.ErrContract, fault)
		culprit, ok := errors.AsType[*prospect.IDError](err)
		require.True(t, ok, "%s: %v", fault, err)
		_, ok = g.Skill(culprit.ID)
		require.True(t, ok, "%s names a skill", fault)
	}
	_, err := newDreamer(t, brokenStore{Store: g, fault: "too many candidates"}, nil, skilldreamer.Options{}).Retrieve(ctx, skilldreamer.Request{Task: "sail"}, im)
	require.ErrorIs(t, err, prospect.ErrContract)
	void := func(x []float64) error { x[0] = math.NaN(); return nil }
	_, err = newDreamer(t, g, nil, skilldreamer.Options{Normalize: void}).Retrieve(ctx, skilldreamer.Request{Task: "sail"}, im)
	require.ErrorIs(t, err, prospect.ErrContract)
	require.ErrorContains(t, err, "Normalize")

	whole := brokenStore{Store: g}
	r, err := newDreamer(t, whole, nil, skilldreamer.Options{K: 1}).Retrieve(ctx, skilldreamer.Request{Task: "sail"}, im)
	require.NoError(t, err)
	require.Equal(t, []string{"tide-tables"}, ids(r), "a store of one's own")
}

func TestFindEndsSoonAfterItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := prospect.NewEmbedder("slow", 4096, func(ctx context.Context, role prospect.Role, texts []string) ([][]float32, error) {
			if role == prospect.RoleDocument {
				return hash().Embed(ctx, role, texts)
			}
			<-ctx.Done()
			return nil, ctx.Err()
		})
		never := prospect.NewLLM("never", func(ctx context.Context, _ prospect.LLMRequest) (prospect.LLMResponse, error) {
			<-ctx.Done()
			return prospect.LLMResponse{}, ctx.Err()
		})
		d := newDreamer(t, newGallery(t, slow, trades()...), never, skilldreamer.Options{Grace: 3 * time.Second})
		deadline, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		begin := time.Now()
		_, err := d.Find(deadline, skilldreamer.Request{Task: "sail"})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 4*time.Second, time.Since(begin))
	})
}

// A caller who leaves before the deadline is not kept until the grace is over.
func TestCancellingBeforeTheDeadlineEndsTheRetrieval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := prospect.NewEmbedder("slow", 4096, func(ctx context.Context, role prospect.Role, texts []string) ([][]float32, error) {
			if role == prospect.RoleDocument {
				return hash().Embed(ctx, role, texts)
			}
			<-ctx.Done()
			return nil, ctx.Err()
		})
		d := newDreamer(t, newGallery(t, slow, trades()...), nil, skilldreamer.Options{})
		deadline, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		time.AfterFunc(2*time.Second, cancel)
		begin := time.Now()
		_, err := d.Find(deadline, skilldreamer.Request{Task: "sail"})
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, 2*time.Second, time.Since(begin))
	})
}

func TestACompleteAnswerIsNotPartial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// The last answer comes between the end of thinking and the deadline.
		m := &scripted{infer: []string{twoCapabilities}, imagine: func(c string) (string, error) { time.Sleep(970 * time.Millisecond); return bakerAndPilot(c) }}
		d := newDreamer(t, newGallery(t, hash(), trades()...), m, skilldreamer.Options{})
		deadline, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		im, err := d.Imagine(deadline, "sail")
		require.NoError(t, err)
		require.False(t, im.Partial)
		require.Empty(t, im.Notes)
	})
}

func TestDreamersMayShareOptions(t *testing.T) {
	temperature := 0.5
	o := skilldreamer.Options{Prompts: skilldreamer.DefaultPrompts(), Temperature: &temperature}
	m := &scripted{infer: []string{twoCapabilities}, imagine: bakerAndPilot}
	d := newDreamer(t, newGallery(t, hash(), trades()...), m, o)
	o.Prompts.System = "changed"
	temperature = 7
	_, err := d.Imagine(ctx, "sail")
	require.NoError(t, err)
	require.NotEqual(t, "changed", m.asked[0].System)
	require.Equal(t, 0.5, *m.asked[0].Temperature)
}

func TestRetrieveLeavesWhatWasImaginedAlone(t *testing.T) {
	notes := make([]skilldreamer.Note, 0, 8)
	im := &skilldreamer.Imagined{Notes: notes}
	d := newDreamer(t, newGallery(t, hash(), trades()...), nil, skilldreamer.Options{})
	_, err := d.Retrieve(ctx, skilldreamer.Request{Task: "sail"}, im)
	require.NoError(t, err)
	require.Empty(t, im.Notes)
	require.Zero(t, notes[:1][0], "not even beyond its end")
}

func TestTiesOfManySkillsGoByGalleryOrder(t *testing.T) {
	v := map[string][]float64{"go": {1, 0}, "c": {1, 0}}
	var skills []*skill.Skill
	var want []string
	for i := range 40 {
		n := fmt.Sprintf("s%d", (i*17)%40)
		v[n+"\nsame"] = []float64{1, 0}
		skills = append(skills, named(n, "same"))
		want = append(want, n)
	}
	d := newDreamer(t, newGallery(t, table(t, v), skills...), nil, skilldreamer.Options{K: 40})
	r, err := d.Retrieve(ctx, skilldreamer.Request{Task: "go"}, &skilldreamer.Imagined{Capabilities: []skilldreamer.Capability{{Text: "c"}}})
	require.NoError(t, err)
	require.Equal(t, want, ids(r))
}

func TestTheTwoRecipesAreKeptApart(t *testing.T) {
	s := &skill.Skill{ID: "a", Name: "a", Description: "first", Body: "honey"}
	g, err := skilldreamer.NewGallery(hash(), skilldreamer.GalleryOptions{Dense: &skilldreamer.Recipe{}, Lexical: &skilldreamer.Recipe{Body: -1}})
	require.NoError(t, err)
	require.NoError(t, g.Put(ctx, s))
	changed := *s
	changed.Body = "wax"
	require.NoError(t, g.Put(ctx, &changed))
	hits, err := g.Lexicon().Search(ctx, prospect.Query{Text: "wax", K: 1})
	require.NoError(t, err)
	require.Len(t, hits, 1)
	hits, err = g.Lexicon().Search(ctx, prospect.Query{Text: "honey", K: 1})
	require.NoError(t, err)
	require.Empty(t, hits)
	v, err := hash().Embed(ctx, prospect.RoleDocument, []string{"a\nfirst"})
	require.NoError(t, err)
	scores, err := g.Vectors().Scores(ctx, v, []string{"a"})
	require.NoError(t, err)
	require.InDelta(t, 1, scores[0][0], 1e-6)
}

func TestEveryFieldOfASkillIsFollowed(t *testing.T) {
	s := skill.Skill{ID: "a", Name: "a", Description: "d", Hash: "same"}
	g := newGallery(t, hash(), &s)
	for name, change := range map[string]func(*skill.Skill){
		"name":        func(s *skill.Skill) { s.Name = "b" },
		"description": func(s *skill.Skill) { s.Description = "other" },
		"resources":   func(s *skill.Skill) { s.Resources = []string{"x"} },
		"hash":        func(s *skill.Skill) { s.Hash = "other" },
		"metadata":    func(s *skill.Skill) { s.Metadata = map[string]string{"k": "v"} },
	} {
		c := s
		change(&c)
		require.NoError(t, g.Put(ctx, &c))
		got, _ := g.Skill("a")
		require.Equal(t, &c, got, name)
		require.NoError(t, g.Put(ctx, &s))
	}
}

func TestEqualTextsAreEmbeddedOnce(t *testing.T) {
	e := &counting{Embedder: hash()}
	a, b := named("same", "d"), named("same", "d")
	a.ID, b.ID = "x", "y"
	g := newGallery(t, e, a, b)
	require.Equal(t, 2, g.Len())
	require.Equal(t, 1, e.take(prospect.RoleDocument))
}

// unreachable fails to read one folder.
type unreachable struct {
	fstest.MapFS
	path string
}

func (u *unreachable) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == u.path {
		return nil, fmt.Errorf("stale handle: %w", fs.ErrPermission)
	}
	return u.MapFS.ReadDir(name)
}

func (u *unreachable) Open(name string) (fs.File, error) {
	if name == u.path {
		return nil, fmt.Errorf("stale handle: %w", fs.ErrPermission)
	}
	return u.MapFS.Open(name)
}

func TestWhatIsOutOfReachKeepsItsSkills(t *testing.T) {
	u := &unreachable{MapFS: fstest.MapFS{
		"team/a/SKILL.md": file("a", "first", ""), "team/b/SKILL.md": file("b", "second", ""), "c/SKILL.md": file("c", "third", ""), "d/SKILL.md": file("d", "fourth", ""),
	}}
	g := newGallery(t, hash())
	sources := []skill.Source{{Name: "u", FS: u}}
	_, err := g.Sync(ctx, sources, skilldreamer.SyncOptions{})
	require.NoError(t, err)
	u.path = "team"
	delete(u.MapFS, "d/SKILL.md")
	r, err := g.Sync(ctx, sources, skilldreamer.SyncOptions{})
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"u:team/a", "u:team/b"}, r.Kept)
	require.Equal(t, []string{"u:d"}, r.Removed)
	require.NotEmpty(t, r.Problems)
	require.Equal(t, 3, g.Len())
	u.path = "c/SKILL.md"
	r, err = g.Sync(ctx, sources, skilldreamer.SyncOptions{})
	require.NoError(t, err)
	require.Equal(t, []string{"u:c"}, r.Kept)
}

func TestNoSourceIsNotTheSourceWithoutAName(t *testing.T) {
	other := named("other", "x")
	other.Source = "user"
	g := newGallery(t, hash(), named("plain", "x"), other)
	for _, c := range []struct {
		sources []string
		want    int
	}{{[]string{"nowhere"}, 0}, {[]string{""}, 1}, {[]string{"user"}, 1}, {nil, 2}} {
		v, err := g.View(ctx, c.sources...)
		require.NoError(t, err)
		require.Equal(t, c.want, v.Len(), "%q", c.sources)
	}
}

func TestWritersWaitNoLongerThanTheirContext(t *testing.T) {
	started, release := make(chan struct{}), make(chan struct{})
	e := prospect.NewEmbedder("blocks", 4096, func(ctx context.Context, role prospect.Role, texts []string) ([][]float32, error) {
		close(started)
		<-release
		return hash().Embed(ctx, role, texts)
	})
	g, err := skilldreamer.NewGallery(e, skilldreamer.GalleryOptions{})
	require.NoError(t, err)
	done := make(chan error)
	go func() { done <- g.Put(ctx, named("a", "x")) }()
	<-started
	short, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, g.Put(short, named("b", "x")), context.DeadlineExceeded)
	require.ErrorIs(t, g.Remove(short, "a"), context.DeadlineExceeded)
	_, err = g.Sync(short, nil, skilldreamer.SyncOptions{})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	close(release)
	require.NoError(t, <-done)
	require.Equal(t, 1, g.Len())
}

func TestFenceMarksNeverOccurInTheText(t *testing.T) {
	var first string
	m := prospect.NewLLM("m", func(_ context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
		first, _, _ = strings.Cut(req.Prompt, "\n")
		return prospect.LLMResponse{Text: "no"}, nil
	})
	d := newDreamer(t, newGallery(t, hash()), m, skilldreamer.Options{})
	_, err := d.Imagine(ctx, "x")
	require.NoError(t, err)
	mark := strings.Trim(first, "<>")
	// Of a hash that holds itself there is none to be had here, but a text
	// that holds its own first mark can be made of two texts by turns.
	_, err = d.Imagine(ctx, "x "+mark)
	require.NoError(t, err)
	require.NotContains(t, "x "+mark, strings.Trim(first, "<>"))
}
