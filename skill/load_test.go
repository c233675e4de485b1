package skill_test

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/skill"
)

// minimal is a SKILL.md with nothing to complain about but its empty body.
func minimal(name string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte("---\nname: " + name + "\ndescription: About " + name + ".\n---\n")}
}

func withBody(name, body string) *fstest.MapFile {
	f := minimal(name)
	f.Data = append(f.Data, body...)
	return f
}

func ids(skills []*skill.Skill) []string {
	list := []string{}
	for _, s := range skills {
		list = append(list, s.Key())
	}
	return list
}

// without returns the problems that are not of the kind.
func without(problems []skill.Problem, kind skill.Kind) []skill.Problem {
	var rest []skill.Problem
	for _, p := range problems {
		if p.Kind != kind {
			rest = append(rest, p)
		}
	}
	return rest
}

func TestLoad(t *testing.T) {
	file := &fstest.MapFile{Data: []byte("x")}
	fsys := fstest.MapFS{
		"README.md":                        file,
		"b/SKILL.md":                       minimal("b"),
		"b/scripts/run.py":                 file,
		"b/a.txt":                          file,
		"b/.git/config":                    file,
		"b/inner/SKILL.md":                 minimal("inner"),
		"b/inner/c.txt":                    file,
		"deep/er/and/deeper/a/SKILL.md":    minimal("a"),
		"node_modules/z/SKILL.md":          minimal("z"),
		"lower/skill.md":                   minimal("lower"),
		"two/SKILL.md":                     minimal("two"),
		"two/Skill.md":                     minimal("two"),
		"two/SKILL.MD":                     minimal("two"), // before SKILL.md in the order of names
		"lower/skill.mD":                   {Mode: fs.ModeNamedPipe},
		"broken/SKILL.md":                  file,
		"broken/nested-in-broken/SKILL.md": minimal("nested-in-broken"),
		"folder/SKILL.md/readme":           file, // a folder of that name is no skill
	}
	l, err := skill.Load(t.Context(), fsys, skill.LoadOptions{})
	require.NoError(t, err)
	require.Equal(t, []string{
		"b", "b/inner", "broken/nested-in-broken", "deep/er/and/deeper/a", "lower", "two",
	}, ids(l.Skills))
	b := l.Skills[0]
	require.Equal(t, "b", b.Dir)
	require.Equal(t, "b/SKILL.md", b.File)
	require.Equal(t, []string{"a.txt", "scripts/run.py"}, b.Resources)
	require.Equal(t, []string{"c.txt"}, l.Skills[1].Resources)
	require.Nil(t, l.Skills[2].Resources)

	rest := without(l.Problems, skill.EmptyBody)
	require.Equal(t, kinds{
		skill.NoFrontMatter, skill.Unreadable, skill.FileNameCase, skill.DuplicateFile, skill.DuplicateFile,
	}, kindsOf(rest))
	for i, path := range []string{"broken/SKILL.md", "lower/skill.mD", "lower/skill.md", "two/SKILL.MD", "two/Skill.md"} {
		require.Equal(t, path, rest[i].Path)
	}

	// All folders, if wanted.
	l, err = skill.Load(t.Context(), fsys, skill.LoadOptions{SkipDirs: []string{}, Source: "s"})
	require.NoError(t, err)
	require.Contains(t, ids(l.Skills), "s:node_modules/z")
	require.Equal(t, []string{".git/config", "a.txt", "scripts/run.py"}, l.Skills[0].Resources)

	// Strict: skill.md is not the name of the file.
	l, err = skill.Load(t.Context(), fsys, skill.LoadOptions{Parse: skill.ParseOptions{Strict: true}})
	require.NoError(t, err)
	require.NotContains(t, ids(l.Skills), "lower")
}

func TestLoadRoot(t *testing.T) {
	l, err := skill.Load(t.Context(), fstest.MapFS{
		"SKILL.md": minimal("any-name"), "x/y.txt": {}, "x/SKILL.md": minimal("x"), "x/z": {}, "w/v": {},
	}, skill.LoadOptions{})
	require.NoError(t, err)
	require.Equal(t, []string{".", "x"}, ids(l.Skills))
	require.Equal(t, "any-name", l.Skills[0].Name)
	require.Equal(t, []string{"w/v"}, l.Skills[0].Resources)
	require.Empty(t, without(l.Problems, skill.EmptyBody), "the root has no name to compare with")
}

// Whoever wants no bound gives the largest number there is.
func TestLoadWithoutBounds(t *testing.T) {
	text := "---\nname: x\ndescription: &d About it.\nmore: [*d, *d, *d]\n---\n"
	l, err := skill.Load(t.Context(), fstest.MapFS{"x/SKILL.md": {Data: []byte(text)}}, skill.LoadOptions{
		MaxFileBytes: math.MaxInt64, MaxDepth: math.MaxInt, MaxEntries: math.MaxInt,
		Parse: skill.ParseOptions{MaxFrontMatterBytes: math.MaxInt},
	})
	require.NoError(t, err)
	require.Empty(t, without(l.Problems, skill.EmptyBody))
	require.Len(t, l.Skills, 1)
	require.Equal(t, "About it.", l.Skills[0].Description)
	require.Len(t, l.Skills[0].Extra["more"], 3)
}

func TestLoadBounds(t *testing.T) {
	fsys := fstest.MapFS{
		"1/SKILL.md":     minimal("1"),
		"1/2/3/SKILL.md": minimal("3"),
		"big/SKILL.md":   withBody("big", strings.Repeat("x", 1000)),
	}
	load := func(opts skill.LoadOptions) ([]string, []skill.Problem) {
		l, err := skill.Load(t.Context(), fsys, opts)
		require.NoError(t, err)
		return ids(l.Skills), without(l.Problems, skill.EmptyBody)
	}

	got, problems := load(skill.LoadOptions{MaxDepth: 2})
	require.Equal(t, []string{"1", "big"}, got)
	require.Equal(t, kinds{skill.TooDeep}, kindsOf(problems))
	require.Equal(t, "1/2/3", problems[0].Path)
	got, problems = load(skill.LoadOptions{MaxDepth: 3})
	require.Len(t, got, 3)
	require.Empty(t, problems)

	size := int64(len(fsys["big/SKILL.md"].Data))
	got, problems = load(skill.LoadOptions{MaxFileBytes: size - 1})
	require.Equal(t, []string{"1", "1/2/3"}, got)
	require.Equal(t, kinds{skill.TooLarge}, kindsOf(problems))
	require.Equal(t, "big/SKILL.md", problems[0].Path)
	_, problems = load(skill.LoadOptions{MaxFileBytes: size})
	require.Empty(t, problems)

	// The entries in order: 1, 1/2, 1/2/3, 1/2/3/SKILL.md, 1/SKILL.md, big, …
	got, problems = load(skill.LoadOptions{MaxEntries: 5})
	require.Equal(t, []string{"1", "1/2/3"}, got)
	require.Equal(t, kinds{skill.TooMany}, kindsOf(problems))
	_, problems = load(skill.LoadOptions{MaxEntries: 7})
	require.Empty(t, problems)
}

func TestLoadInvalidOptions(t *testing.T) {
	for _, opts := range []skill.LoadOptions{
		{MaxFileBytes: -1}, {MaxDepth: -1}, {MaxEntries: -1}, {Parse: skill.ParseOptions{MaxFrontMatterBytes: -1}},
	} {
		_, err := skill.Load(t.Context(), fstest.MapFS{}, opts)
		require.ErrorIs(t, err, prospect.ErrOption)
	}
	_, err := skill.Load(t.Context(), nil, skill.LoadOptions{})
	require.ErrorIs(t, err, prospect.ErrOption)
}

func TestLoadEmpty(t *testing.T) {
	l, err := skill.Load(t.Context(), fstest.MapFS{}, skill.LoadOptions{})
	require.NoError(t, err)
	require.Empty(t, l.Skills)
	require.Empty(t, l.Problems)
	_, err = skill.LoadDir(t.Context(), "testdata/not-there", skill.LoadOptions{})
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// faulty fails to open some paths and can end a context after some opens.
type faulty struct {
	fs.FS
	broken map[string]bool
	opens  int
	cancel func()
}

func (f *faulty) Open(name string) (fs.File, error) {
	if f.broken[name] {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	if f.opens--; f.opens == 0 && f.cancel != nil {
		f.cancel()
	}
	return f.FS.Open(name)
}

func TestLoadUnreadable(t *testing.T) {
	fsys := &faulty{
		FS:     fstest.MapFS{"a/SKILL.md": minimal("a"), "b/SKILL.md": minimal("b"), "c/x/SKILL.md": minimal("x")},
		broken: map[string]bool{"b/SKILL.md": true, "c": true},
	}
	l, err := skill.Load(t.Context(), fsys, skill.LoadOptions{Source: "s"})
	require.NoError(t, err)
	require.Equal(t, []string{"s:a"}, ids(l.Skills))
	rest := without(l.Problems, skill.EmptyBody)
	require.Equal(t, kinds{skill.Unreadable, skill.Unreadable}, kindsOf(rest))
	for _, p := range rest {
		require.ErrorIs(t, p, fs.ErrPermission)
		require.Equal(t, "s", p.Source)
	}
	fsys.broken = map[string]bool{".": true}
	_, err = skill.Load(t.Context(), fsys, skill.LoadOptions{})
	require.ErrorIs(t, err, fs.ErrPermission)
}

func TestLoadCancelled(t *testing.T) {
	tree := fstest.MapFS{}
	for _, name := range strings.Split("abcdefghij", "") {
		tree[name+"/SKILL.md"] = minimal(name)
	}
	for opens := 1; opens <= 20; opens++ { // 11 folders, then 10 files
		ctx, cancel := context.WithCancel(t.Context())
		_, err := skill.Load(ctx, &faulty{FS: tree, opens: opens, cancel: cancel}, skill.LoadOptions{})
		require.ErrorIs(t, err, context.Canceled, opens)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	_, err := skill.Load(ctx, tree, skill.LoadOptions{})
	require.ErrorIs(t, err, context.Canceled)
}

func TestLoadIsDeterministic(t *testing.T) {
	tree := fstest.MapFS{}
	for _, name := range strings.Split("abcdefghij", "") {
		tree[name+"/SKILL.md"] = withBody("same", "Body.")
		tree["other/"+name+"/SKILL.md"] = withBody(name, "body.")
	}
	first, err := skill.Load(t.Context(), tree, skill.LoadOptions{})
	require.NoError(t, err)
	for range 5 {
		again, err := skill.Load(t.Context(), tree, skill.LoadOptions{})
		require.NoError(t, err)
		require.Equal(t, first, again)
	}
}
