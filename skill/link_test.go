package skill_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect/skill"
)

// linkTree makes files and links (name → target) on disk and returns the folder
// called root among them.
func linkTree(t *testing.T, files []string, links map[string]string) string {
	t.Helper()
	if runtime.GOOS == "windows" || runtime.GOOS == "js" {
		t.Skip("symbolic links need a right here")
	}
	base := t.TempDir()
	for _, name := range files {
		full := filepath.Join(base, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o777))
		require.NoError(t, os.WriteFile(full, minimal(filepath.Base(filepath.Dir(full))).Data, 0o666))
	}
	for name, target := range links {
		full := filepath.Join(base, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o777))
		if filepath.IsAbs(target) {
			target = filepath.Join(base, target)
		}
		require.NoError(t, os.Symlink(target, full))
	}
	return filepath.Join(base, "root")
}

// loadBothWays loads a folder through os.Root and through os.DirFS, which does
// not confine links itself, and holds that the outcome is the same.
func loadBothWays(t *testing.T, root string) skill.Loaded {
	t.Helper()
	confined, err := skill.LoadDir(t.Context(), root, skill.LoadOptions{})
	require.NoError(t, err)
	plain, err := skill.Load(t.Context(), os.DirFS(root), skill.LoadOptions{})
	require.NoError(t, err)
	require.Equal(t, ids(confined.Skills), ids(plain.Skills))
	require.Equal(t, kindsOf(confined.Problems), kindsOf(plain.Problems))
	for i, s := range confined.Skills {
		require.Equal(t, s, plain.Skills[i])
	}
	return confined
}

func problemPaths(problems []skill.Problem) map[string]skill.Severity {
	at := map[string]skill.Severity{}
	for _, p := range problems {
		if p.Kind == skill.LinkNotFollowed {
			at[p.Path] = p.Severity
		}
	}
	return at
}

func TestLinksOutOfTheRoot(t *testing.T) {
	root := linkTree(t,
		[]string{"outside/secret/SKILL.md", "root/a/SKILL.md"},
		map[string]string{
			"root/dir":          "../outside/secret",
			"root/abs":          "/outside/secret", // absolute
			"root/own":          "/root/a",         // absolute, though it is inside
			"root/f/SKILL.md":   "../../outside/secret/SKILL.md",
			"root/a/resource":   "../../outside/secret/SKILL.md",
			"root/a/gone":       "nowhere",
			"root/a/file":       "SKILL.md/..",
			"root/through":      "dir/../a", // .. after a link that leaves
			"root/b/there-back": "../../root/a",
		})
	l := loadBothWays(t, root)
	require.Equal(t, []string{"a"}, ids(l.Skills))
	require.Empty(t, l.Skills[0].Resources)
	require.Equal(t, map[string]skill.Severity{
		"dir": skill.Error, "abs": skill.Error, "own": skill.Error, "f/SKILL.md": skill.Error,
		"a/resource": skill.Error, "a/gone": skill.Error, "a/file": skill.Error, "through": skill.Error, "b/there-back": skill.Error,
	}, problemPaths(l.Problems))
}

func TestLinksInside(t *testing.T) {
	root := linkTree(t,
		[]string{
			"root/a/SKILL.md", "root/shared/text.md",
			"root/node_modules/pkg/skills/p/SKILL.md", "root/node_modules/pkg/skills/p/res",
		},
		map[string]string{
			"root/b":          "a",                       // loaded as a
			"root/p":          "node_modules/pkg/skills", // not walked otherwise
			"root/q":          "p/p",                     // through another link, loaded by then
			"root/modules":    "node_modules",
			"root/c/SKILL.md": "../shared/text.md", // a link to a file
			"root/a/link.txt": "../shared/text.md",
			"root/node_modules/pkg/skills/p/res-link": "../../../../shared/text.md",
		})
	l := loadBothWays(t, root)
	require.Equal(t, []string{"a", "c", "p/p"}, ids(l.Skills))
	require.Equal(t, []string{"link.txt"}, l.Skills[0].Resources)
	require.Equal(t, "shared", l.Skills[1].Name)
	require.Equal(t, []string{"res", "res-link"}, l.Skills[2].Resources)
	require.Equal(t, "p/p/SKILL.md", l.Skills[2].File)
	require.Equal(t, map[string]skill.Severity{
		"b": skill.Note, "q": skill.Note, "modules": skill.Note,
	}, problemPaths(l.Problems))
}

// Each folder is loaded once, also where links lead to it and to one above it.
func TestLinksThatOverlap(t *testing.T) {
	root := linkTree(t,
		[]string{"root/node_modules/pkg/a/SKILL.md", "root/node_modules/pkg/b/SKILL.md"},
		map[string]string{
			"root/l1": "node_modules//pkg/./a",
			"root/l2": "node_modules/pkg",
		})
	l := loadBothWays(t, root)
	require.Equal(t, []string{"l1", "l2/b"}, ids(l.Skills))
	require.Equal(t, map[string]skill.Severity{"l2/a": skill.Note}, problemPaths(l.Problems))
}

// A name that is no valid path of an fs.FS is reported, not left out in silence.
func TestNameThatIsNotUTF8(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the file system may refuse such a name")
	}
	root := linkTree(t, []string{"root/a/SKILL.md", "root/b\xff/SKILL.md"}, nil)
	l := loadBothWays(t, root)
	require.Equal(t, []string{"a"}, ids(l.Skills))
	require.Equal(t, kinds{skill.Unreadable}, kindsOf(without(l.Problems, skill.EmptyBody)))
}

func TestLinkCircles(t *testing.T) {
	root := linkTree(t,
		[]string{"root/a/SKILL.md", "root/.git/x/SKILL.md"},
		map[string]string{
			"root/self":      "self",
			"root/one":       "two",
			"root/two":       "one",
			"root/a/up":      "..",
			"root/a/here":    ".",
			"root/x":         ".git/x",
			"root/.git/x/up": "../x",
		})
	l := loadBothWays(t, root)
	require.Equal(t, []string{"a", "x"}, ids(l.Skills))
	require.Equal(t, map[string]skill.Severity{
		"self": skill.Error, "one": skill.Error, "two": skill.Error,
		"a/up": skill.Note, "a/here": skill.Note, "x/up": skill.Note,
	}, problemPaths(l.Problems))
}

// A path may go through 40 links and no more.
func TestLinkChains(t *testing.T) {
	links := map[string]string{"root/l39": "a", "root/m": "l0"}
	want := map[string]skill.Severity{"l39": skill.Note, "m": skill.Error}
	for i := range 39 {
		links[fmt.Sprintf("root/l%d", i)] = fmt.Sprintf("l%d", i+1)
		want[fmt.Sprintf("l%d", i)] = skill.Note
	}
	l := loadBothWays(t, linkTree(t, []string{"root/a/SKILL.md"}, links))
	require.Equal(t, []string{"a"}, ids(l.Skills))
	require.Equal(t, want, problemPaths(l.Problems))
}

func TestUnreadableOnDisk(t *testing.T) {
	root := linkTree(t, []string{"root/a/SKILL.md", "root/b/SKILL.md", "root/c/SKILL.md"}, nil)
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	require.NoError(t, os.Chmod(filepath.Join(root, "a", "SKILL.md"), 0))
	require.NoError(t, os.Chmod(filepath.Join(root, "b"), 0))
	defer os.Chmod(filepath.Join(root, "b"), 0o777)
	l := loadBothWays(t, root)
	require.Equal(t, []string{"c"}, ids(l.Skills))
	require.Equal(t, kinds{skill.Unreadable, skill.Unreadable}, kindsOf(without(l.Problems, skill.EmptyBody)))
}

// noLinks hides that a file system can read links.
type noLinks struct{ fs.FS }

func TestLinksWithoutReadLink(t *testing.T) {
	tree := fstest.MapFS{
		"a/SKILL.md": minimal("a"),
		"l":          {Data: []byte("a"), Mode: fs.ModeSymlink | 0o777},
	}
	l, err := skill.Load(t.Context(), noLinks{tree}, skill.LoadOptions{})
	require.NoError(t, err)
	require.Equal(t, []string{"a"}, ids(l.Skills))
	require.Equal(t, map[string]skill.Severity{"l": skill.Error}, problemPaths(l.Problems))
}
