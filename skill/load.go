package skill

import (
	"context"
	"errors"
	"io/fs"
)

// LoadOptions says how [Load] and [LoadSources] walk. The zero value is the
// default.
type LoadOptions struct {
	// Source names the source in the skills and problems. Default: none.
	// [LoadSources] takes the names of its sources instead.
	Source string
	// Parse says how files are read. Folder and Path are filled in by the walk.
	Parse ParseOptions
	// SkipDirs lists the names of folders that are not entered, besides which
	// nothing is skipped. Default (nil): .git, .hg, .svn, node_modules,
	// __pycache__, .venv. An empty, non-nil list skips none.
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

// Loaded is what a walk found.
type Loaded struct {
	// Skills in order: by source as given, then by ID.
	Skills []*Skill
	// Problems in a deterministic order, one for each thing met: those of files by
	// source and path, then those between skills.
	Problems []Problem
}

// Load finds and parses every SKILL.md of a file system.
//
// What cannot be loaded is reported as a problem and the walk goes on; the error
// is not nil only where the root cannot be read, an option is out of range, or
// ctx is done, in which case it wraps ctx.Err().
func Load(ctx context.Context, fsys fs.FS, opts LoadOptions) (Loaded, error) {
	return Loaded{}, errors.New("not yet")
}

// A Source is a named place that skills come from, for example "project".
type Source struct {
	// Name is unique among the sources of a call, not empty, and has no colon.
	Name string
	// FS holds the skills; see [OpenDir] for a folder on disk.
	FS fs.FS
}

// LoadSources loads several sources in order of precedence, first wins.
//
// Nothing is dropped: a skill whose name also occurs in an earlier source is
// kept and reported as [ShadowedName], since a request may choose the sources it
// looks in; [Loaded.Visible] applies the precedence.
func LoadSources(ctx context.Context, sources []Source, opts LoadOptions) (Loaded, error) {
	return Loaded{}, errors.New("not yet")
}

// Visible returns the skills that a request sees which looks in the named
// sources only, or in all if none is named: of skills with one name that come
// from several of these sources, those of the source of highest precedence. The
// order is kept.
func (l Loaded) Visible(sources ...string) []*Skill { return nil }
