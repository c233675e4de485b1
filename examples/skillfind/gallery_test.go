package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect/embed"
	"github.com/prospect-go/prospect/skill"
	"github.com/prospect-go/prospect/skilldreamer"
)

// galleryOf runs a search and returns what the document says of the gallery.
func galleryOf(t *testing.T, args ...string) (galleryRecord, outcome) {
	t.Helper()
	got := skillfind(t, append(args, "-json", "-task", "honey")...)
	require.Zero(t, got.code, got.err)
	var doc document
	require.NoError(t, json.Unmarshal([]byte(got.out), &doc))
	return doc.Gallery, got
}

func TestTheSecondRunOpensTheGallery(t *testing.T) {
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "deep", "skills.gallery")
	writeSkill(t, dir, "bread", "Bake bread.")
	writeSkill(t, dir, "bees", "Keep bees.")
	args := []string{"-skills", dir, "-gallery", file}

	g, _ := galleryOf(t, args...)
	require.False(t, g.Opened)
	require.Equal(t, []int{2, 2, 2}, []int{g.Skills, g.Added, g.Embedded})
	before, err := os.Stat(file)
	require.NoError(t, err)

	g, got := galleryOf(t, args...)
	require.True(t, g.Opened)
	require.Equal(t, []int{2, 0, 0}, []int{g.Skills, g.Added, g.Embedded})
	require.Empty(t, got.err)
	after, err := os.Stat(file)
	require.NoError(t, err)
	require.True(t, os.SameFile(before, after), "nothing changed, so nothing is written")

	writeSkill(t, dir, "bees", "Keep bees through winter.")
	writeSkill(t, dir, "jam", "Make jam.")
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "bread")))
	g, _ = galleryOf(t, args...)
	require.True(t, g.Opened)
	require.Equal(t, []int{2, 1, 1, 1, 2}, []int{g.Skills, g.Added, g.Updated, g.Removed, g.Embedded})
	g, _ = galleryOf(t, args...)
	require.Zero(t, g.Embedded, "the change was saved")
}

func TestTheGalleryOfAnotherEmbedderIsBuiltAnew(t *testing.T) {
	dir, file := t.TempDir(), galleryFile(t)
	writeSkill(t, dir, "bees", "Keep bees.")
	other, err := skilldreamer.NewGallery(embed.NewHash(64), skilldreamer.GalleryOptions{})
	require.NoError(t, err)
	require.NoError(t, other.Put(t.Context(), &skill.Skill{ID: "x", Name: "x", Description: "y"}))
	require.NoError(t, other.Save(file))

	g, got := galleryOf(t, "-skills", dir, "-gallery", file)
	require.False(t, g.Opened)
	require.Equal(t, 1, g.Skills)
	require.Contains(t, got.err, "another embedder or recipe and is built anew")
	g, got = galleryOf(t, "-skills", dir, "-gallery", file)
	require.True(t, g.Opened)
	require.Empty(t, got.err)
}

func TestADamagedGalleryIsBuiltAnew(t *testing.T) {
	dir, file := t.TempDir(), galleryFile(t)
	writeSkill(t, dir, "bees", "Keep bees.")
	galleryOf(t, "-skills", dir, "-gallery", file)
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, data[:len(data)/2], 0o644))
	g, got := galleryOf(t, "-skills", dir, "-gallery", file)
	require.False(t, g.Opened)
	require.Contains(t, got.err, "is damaged and is built anew")
}

func TestAFileThatIsNoGalleryIsLeftAlone(t *testing.T) {
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "letter.txt")
	writeSkill(t, dir, "bees", "Keep bees.")
	letter := []byte(strings.Repeat("Dear aunt, ", 100))
	require.NoError(t, os.WriteFile(file, letter, 0o644))
	got := skillfind(t, "-skills", dir, "-gallery", file, "-task", "honey")
	require.Equal(t, exitFailure, got.code)
	require.Contains(t, got.err, "cannot be used, name another")
	require.Contains(t, got.err, file)
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, letter, data)
}

func TestWithoutAPlaceForTheGalleryTheSearchGoesOn(t *testing.T) {
	dir := t.TempDir()
	writeSkill(t, dir, "bees", "Keep bees.")
	blocked := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(blocked, nil, 0o644))
	for _, place := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(place, blocked)
	}
	g, got := galleryOf(t, "-skills", dir)
	require.Equal(t, 1, g.Skills)
	require.Empty(t, g.File)
	require.Contains(t, got.err, "not kept for the next run")
}

func TestTheDefaultPlaceFollowsTheFolders(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	a, err := defaultFile([]folder{{"project", "a"}, {"user", "b"}})
	if err != nil {
		t.Skip("no cache folder on this system: ", err)
	}
	again, _ := defaultFile([]folder{{"project", "./a"}, {"user", "b/"}})
	swapped, _ := defaultFile([]folder{{"user", "b"}, {"project", "a"}})
	named, _ := defaultFile([]folder{{"x/../y", "a"}, {"user", "b"}})
	require.Equal(t, a, again)
	require.NotEqual(t, a, swapped)
	require.Equal(t, filepath.Dir(a), filepath.Dir(named))
	require.True(t, strings.HasPrefix(filepath.Base(a), "project-"))
}

func TestSourcesHavePrecedence(t *testing.T) {
	project, user := t.TempDir(), t.TempDir()
	writeSkill(t, project, "deploy", "Deploy the way of this project.")
	writeSkill(t, user, "deploy", "Deploy the way of this user.")
	writeSkill(t, user, "review", "Review a change.")
	got := skillfind(t, "-skills", "project="+project+",user="+user, "-gallery", galleryFile(t), "-task", "deploy")
	require.Zero(t, got.code, got.err)
	require.Contains(t, got.out, "deploy (project)")
	require.Contains(t, got.out, "review (user)")
	require.NotContains(t, got.out, "deploy (user)")
	require.Contains(t, got.out, "2 warnings", "one name, one body")
}

func TestNamesOfSources(t *testing.T) {
	for flags, want := range map[string][]folder{
		"a/skills":              {{"skills", "a/skills"}},
		"a/skills,b/skills":     {{"skills", "a/skills"}, {"skills-2", "b/skills"}},
		"x=a, y=b=c":            {{"x", "a"}, {"y", "b=c"}},
		"skills=b,a/skills":     {{"skills", "b"}, {"skills-2", "a/skills"}},
		"a/skills,skills=other": {{"skills-2", "a/skills"}, {"skills", "other"}},
	} {
		var got []folder
		require.NoError(t, addFolders(&got, flags))
		require.NoError(t, nameFolders(got))
		require.Equal(t, want, got, flags)
	}
}

func TestProblemsOfLoadingAreToldOf(t *testing.T) {
	dir, file := t.TempDir(), galleryFile(t)
	writeSkill(t, dir, "bees", "Keep bees.")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "bad"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bad", "SKILL.md"), []byte("nothing"), 0o644))
	got := skillfind(t, "-skills", dir, "-gallery", file, "-task", "honey")
	require.Contains(t, got.out, "1 thing left out, 0 warnings (-explain lists them)")
	got = skillfind(t, "-skills", dir, "-gallery", file, "-task", "honey", "-explain")
	require.Contains(t, got.out, "bad/SKILL.md: error: no front matter")
	g, _ := galleryOf(t, "-skills", dir, "-gallery", file)
	require.Equal(t, "no front matter", g.Problems[0].Kind)

	require.NoError(t, os.RemoveAll(filepath.Join(dir, "bees")))
	got = skillfind(t, "-skills", dir, "-gallery", galleryFile(t), "-task", "honey")
	require.Equal(t, exitFailure, got.code)
	require.Contains(t, got.err, "no skills to search: 1 files could not be loaded, the first is")
}

func TestProgressWaitsAndIsSparse(t *testing.T) {
	at := time.Unix(0, 0)
	for terminal, want := range map[bool]string{
		false: "embedding skills: 20 of 100 (20 %)\nembedding skills: 80 of 100 (80 %)\n",
		true:  "\rembedding skills: 20 of 100 (20 %)\rembedding skills: 40 of 100 (40 %)\rembedding skills: 80 of 100 (80 %)\r" + strings.Repeat(" ", 60) + "\r",
	} {
		var b bytes.Buffer
		p := newProgress(&b)
		now := at
		p.terminal, p.begin, p.now = terminal, at, func() time.Time { return now }
		for _, step := range []struct {
			after time.Duration
			done  int
		}{{100, 10}, {600, 20}, {650, 30}, {1000, 40}, {6000, 80}, {20000, 100}} {
			now = at.Add(step.after * time.Millisecond)
			p.show(step.done, 100)
		}
		p.done()
		require.Equal(t, want, b.String())
	}
	var b bytes.Buffer
	p := newProgress(&b)
	p.show(256, 512) // at once
	p.done()
	require.Empty(t, b.String())
}

func TestInterruptedIsAFailure(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("key pressed"))
	got := skillfindWith(t, ctx, "", "-skills", bundledSkills, "-gallery", galleryFile(t), "-task", "honey")
	require.Equal(t, exitFailure, got.code)
	require.Contains(t, got.err, "interrupted")
}
