package skill

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

var (
	errOutside   = errors.New("leads out of the root")
	errCircle    = errors.New("too many links in a row, or a circle")
	errNotFolder = errors.New("leads through a file")
	errNoLinks   = errors.New("the file system cannot read links")
)

// maxLinks is how many links one path may go through, as on Linux.
const maxLinks = 40

// OpenDir opens a folder on disk for [Load], its FS method giving the file
// system. The operating system then sees to it that nothing outside of the
// folder is read, even if somebody changes links during the walk; [os.DirFS],
// where Load itself looks where links lead, is open to that race. The caller
// closes the root when the walk is done.
func OpenDir(path string) (*os.Root, error) { return os.OpenRoot(path) }

// follow finds what the link called name in the real folder dir stands for. It
// reports, under the path shown, a link that is not to be followed.
func (w *walk) follow(dir, shown, name string) (real string, mode fs.FileMode, ok bool) {
	real, mode, err := resolve(w.fsys, dir, name)
	if err != nil {
		w.report(Error, LinkNotFollowed, shown, "", err)
		return "", 0, false
	}
	return real, mode, true
}

// resolve follows links one at a time, within the root only, until it has the
// path of a thing that is no link. The parts of dir have to be real.
func resolve(fsys fs.FS, dir, name string) (real string, mode fs.FileMode, err error) {
	if _, ok := fsys.(fs.ReadLinkFS); !ok {
		return "", 0, errNoLinks
	}
	real, mode = dir, fs.ModeDir // mode is always that of real
	rest, links := name, 0
	for rest != "" {
		part, after, _ := strings.Cut(rest, "/")
		rest = after
		if part == "" {
			continue
		}
		if !mode.IsDir() {
			return "", 0, errNotFolder
		}
		if part == "." {
			continue
		}
		if part == ".." {
			if real == "." {
				return "", 0, errOutside
			}
			real = path.Dir(real)
			continue
		}
		next := path.Join(real, part)
		info, err := fs.Lstat(fsys, next)
		if err != nil {
			return "", 0, err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			real, mode = next, info.Mode().Type()
			continue
		}
		if links++; links > maxLinks {
			return "", 0, errCircle
		}
		target, err := fs.ReadLink(fsys, next)
		if err != nil {
			return "", 0, err
		}
		// An absolute target is outside even where it names a place inside: the
		// file system does not know where its root lies.
		if filepath.IsAbs(target) || filepath.VolumeName(target) != "" || strings.HasPrefix(filepath.ToSlash(target), "/") {
			return "", 0, errOutside
		}
		rest = filepath.ToSlash(target) + "/" + rest
	}
	return real, mode, nil
}
