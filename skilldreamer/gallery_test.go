package skilldreamer_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/bm25"
	"github.com/prospect-go/prospect/skill"
	"github.com/prospect-go/prospect/skilldreamer"
)

var ctx = context.Background()

func file(name, description, body string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte("---\nname: " + name + "\ndescription: " + description + "\n---\n" + body + "\n")}
}

func keys(g *skilldreamer.Gallery) []string {
	var out []string
	for id := range g.All() {
		out = append(out, id)
	}
	return out
}

func TestPutReplacesAndKeepsTheOrder(t *testing.T) {
	e := &counting{Embedder: hash()}
	g := newGallery(t, e, trades()...)
	before := keys(g)
	require.Equal(t, 6, e.take(prospect.RoleDocument))

	require.NoError(t, g.Put(ctx, named("git-bisect", "Something about honey.")))
	require.Equal(t, before, keys(g))
	require.Equal(t, 1, e.take(prospect.RoleDocument))
	s, ok := g.Skill("git-bisect")
	require.True(t, ok)
	require.Equal(t, "Something about honey.", s.Description)
	hits, err := g.Lexicon().Search(ctx, prospect.Query{Text: "honey", K: 5})
	require.NoError(t, err)
	require.Len(t, hits, 1)
	hits, err = g.Lexicon().Search(ctx, prospect.Query{Text: "commit", K: 5})
	require.NoError(t, err)
	require.Empty(t, hits)

	// The same skill again, and a change outside the embedded text.
	require.NoError(t, g.Put(ctx, named("git-bisect", "Something about honey.")))
	changed := named("git-bisect", "Something about honey.")
	changed.License = "MIT"
	require.NoError(t, g.Put(ctx, changed))
	require.Zero(t, e.take(prospect.RoleDocument))
	s, _ = g.Skill("git-bisect")
	require.Equal(t, "MIT", s.License)

	require.NoError(t, g.Remove(ctx, "bread-formula", "git-bisect"))
	require.Equal(t, []string{"hive-inspection", "bank-reconciliation", "pdf-form-filling", "tide-tables"}, keys(g))
	require.NoError(t, g.Put(ctx, named("bread-formula", "Back again.")))
	require.Equal(t, "bread-formula", keys(g)[4], "added again is last")
	require.Equal(t, 5, g.Len())
	require.Equal(t, 5, g.Vectors().Len())
	require.Equal(t, 5, g.Lexicon().Len())
}

func TestChangesAreAllOrNothing(t *testing.T) {
	fail := errors.New("model crashed")
	e := prospect.NewEmbedder("picky/1", 2, func(_ context.Context, _ prospect.Role, texts []string) ([][]float32, error) {
		out := make([][]float32, len(texts))
		for i, text := range texts {
			switch text {
			case "bad\nx":
				return nil, &prospect.TextError{Index: i, Err: fail}
			case "nan\nx":
				out[i] = []float32{float32(math.NaN()), 0}
			case "zero\nx":
				out[i] = []float32{0, 0}
			case "long\nx":
				out[i] = []float32{3, 4}
			case "near\nx": // within 0.01 of a unit vector
				out[i] = []float32{1.005, 0}
			case "dim\nx":
				out[i] = []float32{1}
			case "few\nx":
				return out[:0], nil
			default:
				out[i] = []float32{1, 0}
			}
		}
		return out, nil
	})
	g := newGallery(t, e, named("one", "x"))
	for name, want := range map[string]error{"bad": fail, "nan": prospect.ErrNotFinite, "zero": prospect.ErrZeroVector, "long": prospect.ErrContract, "near": prospect.ErrContract, "dim": prospect.ErrDimension} {
		err := g.Put(ctx, named("two", "x"), named("one", "y"), named(name, "x"))
		require.Error(t, err, name)
		require.ErrorIs(t, err, want)
		culprit, ok := errors.AsType[*prospect.IDError](err)
		require.True(t, ok)
		require.Equal(t, name, culprit.ID)
		require.Equal(t, []string{"one"}, keys(g))
		s, _ := g.Skill("one")
		require.Equal(t, "x", s.Description)
	}
	require.ErrorIs(t, g.Put(ctx, named("two", "x"), named("few", "x")), prospect.ErrContract, "fewer vectors than texts")
	require.ErrorIs(t, g.Put(ctx, named("a", "x"), named("a", "y")), prospect.ErrDuplicateID)
	require.ErrorIs(t, g.Put(ctx, &skill.Skill{Description: "x"}), prospect.ErrEmptyID)
	require.ErrorIs(t, g.Put(ctx, nil), prospect.ErrOption)
	require.ErrorIs(t, g.Remove(ctx, "one", "none"), prospect.ErrNotFound)
	require.ErrorIs(t, g.Remove(ctx, "one", "one"), prospect.ErrDuplicateID)
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	require.ErrorIs(t, g.Put(cancelled, named("two", "x")), context.Canceled)
	require.Equal(t, []string{"one"}, keys(g))
	require.NoError(t, g.Put(ctx, &skill.Skill{Name: "parsed-by-hand", Description: "x"}))
	require.Equal(t, []string{"one", "parsed-by-hand"}, keys(g))
}

func TestSyncFollowsFolders(t *testing.T) {
	e := &counting{Embedder: hash()}
	g := newGallery(t, e)
	fs := fstest.MapFS{
		"a/SKILL.md": file("a", "first skill", "body a"),
		"b/SKILL.md": file("b", "second skill", "body b"),
		"c/SKILL.md": file("c", "third skill", "body c"),
		"d/SKILL.md": {Data: []byte("no front matter at all")},
	}
	sources := []skill.Source{{Name: "user", FS: fs}}
	var progress [][2]int
	r, err := g.Sync(ctx, sources, skilldreamer.SyncOptions{Progress: func(done, total int) { progress = append(progress, [2]int{done, total}) }})
	require.NoError(t, err)
	require.Equal(t, []string{"user:a", "user:b", "user:c"}, r.Added)
	require.Equal(t, 3, r.Embedded)
	require.NotEmpty(t, r.Problems, "what was not loaded is told")
	require.Equal(t, [][2]int{{3, 3}}, progress)

	r, err = g.Sync(ctx, sources, skilldreamer.SyncOptions{})
	require.NoError(t, err)
	require.Equal(t, 3, r.Unchanged)
	require.Zero(t, r.Embedded)
	require.Empty(t, slices.Concat(r.Added, r.Updated, r.Removed))

	fs["a/SKILL.md"] = file("a", "first skill", "another body") // beyond the recipe
	fs["b/SKILL.md"] = file("b", "second skill, rewritten", "body b")
	fs["moved/c/SKILL.md"] = fs["c/SKILL.md"]
	delete(fs, "c/SKILL.md")
	e.take(prospect.RoleDocument)
	r, err = g.Sync(ctx, sources, skilldreamer.SyncOptions{})
	require.NoError(t, err)
	require.Equal(t, []string{"user:a", "user:b"}, r.Updated)
	require.Equal(t, []string{"user:moved/c"}, r.Added)
	require.Equal(t, []string{"user:c"}, r.Removed)
	require.Equal(t, 1, e.take(prospect.RoleDocument), "one text is new; the moved skill keeps its vector")
	s, _ := g.Skill("user:a")
	require.Equal(t, "another body", s.Body)

	gone := []skill.Source{{Name: "user", FS: fstest.MapFS{}}}
	r, err = g.Sync(ctx, gone, skilldreamer.SyncOptions{})
	require.NoError(t, err)
	require.Len(t, r.Removed, 3)
	require.Zero(t, g.Len())
}

func TestSourcesHavePrecedenceAndScopes(t *testing.T) {
	project := fstest.MapFS{"deploy/SKILL.md": file("deploy", "deploy the way of this project", "")}
	user := fstest.MapFS{
		"deploy/SKILL.md": file("deploy", "deploy the way of this user", ""),
		"review/SKILL.md": file("review", "review a change", ""),
	}
	g := newGallery(t, hash())
	_, err := g.Sync(ctx, []skill.Source{{Name: "project", FS: project}, {Name: "user", FS: user}}, skilldreamer.SyncOptions{})
	require.NoError(t, err)
	require.Equal(t, []string{"project", "user"}, g.Sources())
	d := newDreamer(t, g, nil, skilldreamer.Options{})
	for _, c := range []struct {
		sources []string
		want    []string
	}{
		{nil, []string{"project:deploy", "user:review"}},
		{[]string{"user", "project"}, []string{"project:deploy", "user:review"}},
		{[]string{"user"}, []string{"user:deploy", "user:review"}},
		{[]string{"project"}, []string{"project:deploy"}},
		{[]string{"nowhere"}, nil},
	} {
		r, err := d.Plain(ctx, skilldreamer.Request{Task: "deploy", Sources: c.sources})
		require.NoError(t, err)
		require.ElementsMatch(t, c.want, ids(r), "%v", c.sources)
	}
	v, err := g.View(ctx)
	require.NoError(t, err)
	require.Equal(t, 2, v.Len())
	_, err = v.Skills(ctx, []string{"user:deploy"})
	require.ErrorIs(t, err, prospect.ErrNotFound, "hidden by the project's")
	_, err = v.Lexical(ctx, "deploy", []string{"user:deploy"})
	require.ErrorIs(t, err, prospect.ErrNotFound)
	_, err = v.Similarities(ctx, [][]float32{make([]float32, 4096)}, []string{"none"})
	require.ErrorIs(t, err, prospect.ErrNotFound)

	// The other precedence, with nothing else changed.
	_, err = g.Sync(ctx, []skill.Source{{Name: "user", FS: user}, {Name: "project", FS: project}}, skilldreamer.SyncOptions{})
	require.NoError(t, err)
	r, err := d.Plain(ctx, skilldreamer.Request{Task: "deploy"})
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"user:deploy", "user:review"}, ids(r))
}

func TestOneNameTwiceInOneSourceHidesNeither(t *testing.T) {
	a, b := named("same", "about honey"), named("same", "about bread")
	a.ID, b.ID = "x/same", "y/same"
	g := newGallery(t, hash(), a, b)
	v, err := g.View(ctx)
	require.NoError(t, err)
	require.Equal(t, 2, v.Len())
}

func saved(t testing.TB, g *skilldreamer.Gallery) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "skills.gallery")
	require.NoError(t, g.Save(path))
	return path
}

func TestSaveAndOpen(t *testing.T) {
	full := &skill.Skill{ID: "dir/full", Source: "user", Name: "full", Description: "d", License: "MIT", Compatibility: "any",
		Metadata: map[string]string{"version": "1.10"}, AllowedTools: []string{"Read"}, Extra: map[string]any{"model": "x", "list": []any{"a", nil}},
		Body: "# B\n\nbody", Dir: "dir/full", File: "dir/full/SKILL.md", Resources: []string{"ref.md"}, Hash: "00ff"}
	g := newGallery(t, hash(), append(trades(), full)...)
	require.NoError(t, g.Remove(ctx, "git-bisect"))
	require.NoError(t, g.Put(ctx, named("bread-formula", "updated, so its row moved")))
	path := saved(t, g)

	e := &counting{Embedder: hash()}
	opts := skilldreamer.GalleryOptions{Dense: &skilldreamer.Recipe{}, Lexical: &skilldreamer.Recipe{}}
	h, err := skilldreamer.OpenGallery(path, e, opts)
	require.NoError(t, err)
	require.Equal(t, keys(g), keys(h))
	require.Equal(t, g.Sources(), h.Sources())
	for id, s := range g.All() {
		got, ok := h.Skill(id)
		require.True(t, ok)
		require.Equal(t, s, got)
	}
	req := skilldreamer.Request{Task: "height of a bread hive"}
	im := &skilldreamer.Imagined{Capabilities: []skilldreamer.Capability{{Text: "inspect a hive"}}, Anchors: []string{"varroa"}}
	was, err := newDreamer(t, g, nil, skilldreamer.Options{}).Retrieve(ctx, req, im)
	require.NoError(t, err)
	is, err := newDreamer(t, h, nil, skilldreamer.Options{}).Retrieve(ctx, req, im)
	require.NoError(t, err)
	require.Equal(t, was.Skills, is.Skills)

	// It goes on as if nothing had happened, and nothing is embedded again.
	e.take(prospect.RoleDocument)
	require.NoError(t, h.Put(ctx, named("tide-tables", "Work out the height of tide at a secondary port."), named("new", "one")))
	require.Equal(t, 1, e.take(prospect.RoleDocument))
	require.Equal(t, "new", keys(h)[h.Len()-1])
}

func TestAGalleryOfAnotherMakingIsRefused(t *testing.T) {
	g := newGallery(t, hash(), trades()...)
	path := saved(t, g)
	none := &skilldreamer.Recipe{}
	words := bm25.NewAnalyzer("other/1", func(dst []string, text string) []string { return append(dst, text) })
	same := prospect.NewEmbedder("other/1", 4096, func(context.Context, prospect.Role, []string) ([][]float32, error) { return nil, nil })
	for name, c := range map[string]struct {
		e prospect.Embedder
		o skilldreamer.GalleryOptions
	}{
		"embedder": {same, skilldreamer.GalleryOptions{Dense: none, Lexical: none}},
		"recipe":   {hash(), skilldreamer.GalleryOptions{Dense: &skilldreamer.Recipe{Body: 7}, Lexical: none}},
		"lexical":  {hash(), skilldreamer.GalleryOptions{Dense: none, Lexical: &skilldreamer.Recipe{Body: -1}}},
		"analyzer": {hash(), skilldreamer.GalleryOptions{Dense: none, Lexical: none, BM25: bm25.Options{Analyzer: words}}},
	} {
		_, err := skilldreamer.OpenGallery(path, c.e, c.o)
		require.ErrorIs(t, err, prospect.ErrIdentity, name)
		require.ErrorContains(t, err, path)
	}
}

// TestReadersSeeOneState changes the gallery while others search: skills come
// and go in pairs, and no search may see half a pair or a skill that one of
// the indexes does not have.
func TestReadersSeeOneState(t *testing.T) {
	g := newGallery(t, hash(), trades()...)
	im := &skilldreamer.Imagined{Capabilities: []skilldreamer.Capability{{Text: "left twin"}, {Text: "right twin"}}, Anchors: []string{"twin"}}
	d := newDreamer(t, g, nil, skilldreamer.Options{K: 40})
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				r, err := d.Retrieve(ctx, skilldreamer.Request{Task: "twin"}, im)
				if err != nil {
					t.Error(err)
					return
				}
				twins := 0
				for _, m := range r.Skills {
					if m.Skill.Body == "twin" {
						twins++
					}
				}
				if twins%2 != 0 {
					t.Errorf("saw %d twins", twins)
					return
				}
			}
		})
	}
	for i := range 60 {
		l, r := named(fmt.Sprintf("l%d", i), "left twin"), named(fmt.Sprintf("r%d", i), "right twin")
		l.Body, r.Body = "twin", "twin"
		require.NoError(t, g.Put(ctx, l, r))
		if i >= 5 {
			require.NoError(t, g.Remove(ctx, fmt.Sprintf("l%d", i-5), fmt.Sprintf("r%d", i-5)))
		}
	}
	close(stop)
	wg.Wait()
}
