package skill

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

var errTooLarge = errors.New("larger than the bound")

// A walk goes through one file system. It visits each real folder once, however
// many links lead there, so it ends whatever the links do. Folders are entered
// under their own path first and through links after that.
type walk struct {
	fsys fs.FS
	opts LoadOptions
	skip map[string]bool

	entries  int
	visited  map[string]string // real path → path under which it was walked
	links    []dirLink         // not yet followed
	folders  []*folder         // with a SKILL.md, in the order they were found
	problems []Problem
}

// A folder with a SKILL.md.
type folder struct {
	dir, file string   // paths by which it was found
	real      string   // path of the SKILL.md without links
	resources []string // relative to dir
}

// A dirLink is a symbolic link to a folder.
type dirLink struct {
	dir, real string
	depth     int
	owner     *folder
}

func newWalk(fsys fs.FS, opts LoadOptions) *walk {
	w := &walk{fsys: fsys, opts: opts, skip: map[string]bool{}, visited: map[string]string{}}
	for _, name := range opts.SkipDirs {
		w.skip[name] = true
	}
	return w
}

func (w *walk) report(severity Severity, kind Kind, path, message string, err error) {
	w.problems = append(w.problems, Problem{
		Source: w.opts.Source, Path: path, Kind: kind, Severity: severity, Message: message, Err: err,
	})
}

// errStop ends a walk that met its bound on entries.
var errStop = errors.New("stop")

// run fills folders and problems. The error is that of the root or of ctx.
func (w *walk) run(ctx context.Context) error {
	err := w.enter(ctx, dirLink{dir: ".", real: "."})
	for err == nil && len(w.links) > 0 {
		link := w.links[0]
		w.links = w.links[1:]
		switch as, seen := w.visited[link.real]; {
		case seen:
			w.report(Note, LinkNotFollowed, link.dir, "leads to "+as+", which is loaded there", nil)
		case w.skip[path.Base(link.real)]:
			w.report(Note, LinkNotFollowed, link.dir, "leads to "+link.real+", a folder to skip", nil)
		default:
			err = w.enter(ctx, link)
		}
	}
	if errors.Is(err, errStop) {
		return nil
	}
	return err
}

// enter walks a folder and what is below it.
func (w *walk) enter(ctx context.Context, at dirLink) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if as, seen := w.visited[at.real]; seen {
		w.report(Note, LinkNotFollowed, at.dir, "is the folder "+as+", which is loaded there", nil)
		return nil
	}
	w.visited[at.real] = at.dir
	entries, err := fs.ReadDir(w.fsys, at.real)
	if err != nil {
		if at.dir == "." {
			return err // no walk without a root
		}
		// What was read before the error counts.
		w.report(Error, Unreadable, at.dir, "the folder was not searched, or in part only", err)
	}
	skillFile := w.skillFile(at, entries)
	owner := at.owner
	if skillFile != nil {
		owner = skillFile
	}
	for _, e := range entries {
		if w.entries++; w.entries > w.opts.MaxEntries {
			w.report(Error, TooMany, at.dir, fmt.Sprintf(
				"the walk ended here, after %d files and folders", w.opts.MaxEntries), nil)
			return errStop
		}
		if !e.IsDir() && strings.EqualFold(e.Name(), FileName) {
			continue // seen to by skillFile
		}
		next := dirLink{
			dir: path.Join(at.dir, e.Name()), real: path.Join(at.real, e.Name()),
			depth: at.depth + 1, owner: owner,
		}
		mode := e.Type()
		if mode&fs.ModeSymlink != 0 {
			var ok bool
			if next.real, mode, ok = w.follow(at.real, next.dir, e.Name()); !ok {
				continue
			}
		}
		switch {
		case mode.IsRegular():
			if owner != nil {
				owner.resources = append(owner.resources, within(owner.dir, next.dir))
			}
		case !mode.IsDir() || w.skip[e.Name()]:
		case next.depth > w.opts.MaxDepth:
			w.report(Error, TooDeep, next.dir, fmt.Sprintf(
				"not searched: more than %d folders under the root", w.opts.MaxDepth), nil)
		case e.Type()&fs.ModeSymlink != 0:
			w.links = append(w.links, next)
		default:
			if err := w.enter(ctx, next); err != nil {
				return err
			}
		}
	}
	return nil
}

// skillFile finds the SKILL.md among the entries of a folder and adds it to
// folders; nil if there is none.
func (w *walk) skillFile(at dirLink, entries []fs.DirEntry) *folder {
	var candidates []fs.DirEntry
	for _, e := range entries {
		if !e.IsDir() && strings.EqualFold(e.Name(), FileName) {
			candidates = append(candidates, e)
		}
	}
	// The name of the specification goes before the others.
	slices.SortStableFunc(candidates, func(a, b fs.DirEntry) int {
		switch {
		case a.Name() == FileName:
			return -1
		case b.Name() == FileName:
			return 1
		}
		return strings.Compare(a.Name(), b.Name())
	})
	var found *folder
	for _, e := range candidates {
		f := &folder{dir: at.dir, file: path.Join(at.dir, e.Name()), real: path.Join(at.real, e.Name())}
		if found != nil {
			w.report(Error, DuplicateFile, f.file, "skipped: the folder has "+path.Base(found.file), nil)
			continue
		}
		mode := e.Type()
		if mode&fs.ModeSymlink != 0 {
			var ok bool
			if f.real, mode, ok = w.follow(at.real, f.file, e.Name()); !ok {
				continue
			}
		}
		if !mode.IsRegular() {
			w.report(Error, Unreadable, f.file, "not a regular file", nil)
			continue
		}
		if e.Name() != FileName {
			severity := Warning
			if w.opts.Parse.Strict {
				severity = Error
			}
			w.report(severity, FileNameCase, f.file, "the specification calls it "+FileName, nil)
			if severity == Error {
				continue
			}
		}
		found = f
	}
	if found != nil {
		w.folders = append(w.folders, found)
	}
	return found
}

// within returns the path of name relative to dir, which holds it.
func within(dir, name string) string {
	if dir == "." {
		return name
	}
	return strings.TrimPrefix(name, dir+"/")
}

// read returns the content of a file that keeps the bound.
func (w *walk) read(name string) ([]byte, error) {
	f, err := w.fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// The size that a file system states may be wrong or change: the bound holds
	// for what is read.
	data, err := io.ReadAll(io.LimitReader(f, w.opts.MaxFileBytes))
	if err != nil {
		return nil, err
	}
	if n, _ := io.ReadFull(f, make([]byte, 1)); n > 0 {
		return nil, fmt.Errorf("%w of %d bytes", errTooLarge, w.opts.MaxFileBytes)
	}
	return data, nil
}
