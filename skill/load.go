package skill

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/prospect-go/prospect"
)

// LoadOptions says how [Load], [LoadDir] and [LoadSources] walk. The zero value
// is the default.
type LoadOptions struct {
	// Source names the source in the skills and problems. Default: none.
	// [LoadSources] takes the names of its sources instead.
	Source string
	// Parse says how files are read. Folder and Path are filled in by the walk.
	Parse ParseOptions
	// SkipDirs lists the names of folders that are not entered; they count neither
	// as skills nor as resources, and are not reported. Default (nil): .git, .hg,
	// .svn, node_modules, __pycache__, .venv. An empty, non-nil list skips none.
	SkipDirs []string
	// MaxFileBytes bounds one SKILL.md. Default 1 MiB.
	MaxFileBytes int64
	// MaxDepth bounds the depth of folders under the root, which is at 0.
	// Default 16.
	MaxDepth int
	// MaxEntries bounds the files and folders looked at in one source.
	// Default 1,000,000.
	MaxEntries int
}

// Validate returns an error that wraps [prospect.ErrOption] if a bound is
// negative.
func (o LoadOptions) Validate() error {
	for _, bound := range []struct {
		name  string
		value int64
	}{
		{"MaxFileBytes", o.MaxFileBytes},
		{"MaxDepth", int64(o.MaxDepth)},
		{"MaxEntries", int64(o.MaxEntries)},
		{"Parse.MaxFrontMatterBytes", int64(o.Parse.MaxFrontMatterBytes)},
	} {
		if bound.value < 0 {
			return fmt.Errorf("%w: %s is %d", prospect.ErrOption, bound.name, bound.value)
		}
	}
	return nil
}

var defaultSkipDirs = []string{".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv"}

func (o LoadOptions) withDefaults() LoadOptions {
	if o.SkipDirs == nil {
		o.SkipDirs = defaultSkipDirs
	}
	o.MaxFileBytes = cmp.Or(o.MaxFileBytes, 1<<20)
	o.MaxDepth = cmp.Or(o.MaxDepth, 16)
	o.MaxEntries = cmp.Or(o.MaxEntries, 1_000_000)
	return o
}

// Loaded is what a walk found.
type Loaded struct {
	// Skills in order: by source as given, then by ID.
	Skills []*Skill
	// Problems in a deterministic order, one for each thing met: those of files
	// and folders by source and path, then those between skills by source and
	// path.
	Problems []Problem
}

// Load finds and parses every SKILL.md of a file system.
//
// What cannot be loaded is reported as a problem and the walk goes on; the error
// is not nil only where the root cannot be read, an option is out of range, or
// ctx is done, in which case it wraps ctx.Err(). Load reads nothing outside of
// the root: see the package comment for links.
func Load(ctx context.Context, fsys fs.FS, opts LoadOptions) (Loaded, error) {
	l, err := loadOne(ctx, fsys, opts)
	if err != nil {
		return Loaded{}, err
	}
	l.Problems = append(l.Problems, compare(l.Skills)...)
	return l, nil
}

// LoadDir is [Load] for a folder on disk, opened as by [OpenDir].
func LoadDir(ctx context.Context, dir string, opts LoadOptions) (Loaded, error) {
	root, err := OpenDir(dir)
	if err != nil {
		return Loaded{}, fmt.Errorf("skill: %w", err)
	}
	defer root.Close()
	return Load(ctx, root.FS(), opts)
}

// loadOne loads one source, without the comparison of skills.
func loadOne(ctx context.Context, fsys fs.FS, opts LoadOptions) (Loaded, error) {
	if err := opts.Validate(); err != nil {
		return Loaded{}, err
	}
	if fsys == nil {
		return Loaded{}, fmt.Errorf("%w: no file system", prospect.ErrOption)
	}
	w := newWalk(fsys, opts.withDefaults())
	if err := w.run(ctx); err != nil {
		return Loaded{}, fmt.Errorf("skill: %w", err)
	}
	var l Loaded
	for _, f := range w.folders {
		if err := ctx.Err(); err != nil {
			return Loaded{}, fmt.Errorf("skill: %w", err)
		}
		if s := w.load(f); s != nil {
			l.Skills = append(l.Skills, s)
		}
	}
	slices.SortStableFunc(l.Skills, func(a, b *Skill) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortStableFunc(w.problems, func(a, b Problem) int { return cmp.Compare(a.Path, b.Path) })
	l.Problems = w.problems
	return l, nil
}

// load reads and parses the SKILL.md of a folder; nil if that failed, which is
// reported then.
func (w *walk) load(f *folder) *Skill {
	data, err := w.read(f.real)
	if err != nil {
		kind := Unreadable
		if errors.Is(err, errTooLarge) {
			kind = TooLarge
		}
		w.report(Error, kind, f.file, "the skill is not loaded", err)
		return nil
	}
	opts := w.opts.Parse
	opts.Path = f.file
	opts.Folder = ""
	if f.dir != "." {
		opts.Folder = path.Base(f.dir)
	}
	s, problems, _ := Parse(data, opts) // the problems include the error's
	for _, p := range problems {
		p.Source = w.opts.Source
		w.problems = append(w.problems, p)
	}
	if s == nil {
		return nil
	}
	slices.Sort(f.resources)
	s.ID, s.Dir, s.File, s.Source, s.Resources = f.dir, f.dir, f.file, w.opts.Source, f.resources
	return s
}
