package sectfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// Save writes a file so that a reader finds either the old content or the
// whole new one, also after a crash: a temporary file in the same folder,
// synced, renamed over the path, the folder synced. On error the old file is
// left as it was and the temporary one is removed; only an error of syncing the
// folder comes after the new file took its place. A new file can be read by
// everyone and written by the owner, less the umask; an old file's mode is
// kept. Where the path is a symbolic link, the file that it leads to is
// replaced, not the link. On Windows, where a file that somebody has open cannot
// be replaced, Save tries for about a second.
func Save(path string, write func(io.Writer) error) error { return save(path, 0o644, write) }

// SavePrivate is [Save] for what others should not see: a new file can be read
// and written by the owner alone. An old file's mode is kept here too.
func SavePrivate(path string, write func(io.Writer) error) error { return save(path, 0o600, write) }

func save(path string, mode fs.FileMode, write func(io.Writer) error) (err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	dir, base := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	f, err := create(dir, base, mode)
	if err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	renamed := false
	defer func() {
		if !renamed { // also when write panics
			f.Close() // for the error path; closing twice is harmless
			os.Remove(f.Name())
		}
		if err != nil {
			err = fmt.Errorf("save %s: %w", path, err)
		}
	}()
	if old, err := os.Stat(path); err == nil {
		if err := f.Chmod(old.Mode().Perm()); err != nil && runtime.GOOS != "windows" {
			return err
		}
	}
	w := bufio.NewWriterSize(f, 256<<10)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	retries := 0
	if runtime.GOOS == "windows" {
		retries = windowsRetries
	}
	if err := replace(os.Rename, f.Name(), path, retries); err != nil {
		return err
	}
	renamed = true // from here on the temporary name may be another Save's
	return syncDir(dir)
}

// windowsRetries are about one second in all.
const windowsRetries = 8

// replace renames, and tries again where access is denied: Windows refuses to
// replace a file that another process has open, which is over as soon as a
// reader has loaded it or a virus scanner is done. The waits double from 4 ms.
func replace(rename func(from, to string) error, from, to string, retries int) error {
	for wait := 4 * time.Millisecond; ; wait *= 2 {
		err := rename(from, to)
		if err == nil || retries == 0 || !errors.Is(err, fs.ErrPermission) && !sharingViolation(err) {
			return err
		}
		retries--
		time.Sleep(wait)
	}
}

// sharingViolation says whether err is Windows' ERROR_SHARING_VIOLATION or
// ERROR_LOCK_VIOLATION, which have no error of package fs.
func sharingViolation(err error) bool {
	var code syscall.Errno
	return runtime.GOOS == "windows" && errors.As(err, &code) && (code == 32 || code == 33)
}

// create makes a file that did not exist, with a mode that the umask bounds
// (os.CreateTemp would make it private).
func create(dir, base string, mode fs.FileMode) (*os.File, error) {
	for try := 0; ; try++ {
		name := filepath.Join(dir, fmt.Sprintf(".%s.%d-%d.tmp", base, os.Getpid(), try))
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if os.IsExist(err) && try < 10_000 {
			continue
		}
		return f, err
	}
}

// syncDir makes the rename durable where folders can be synced.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" || runtime.GOOS == "js" || runtime.GOOS == "wasip1" || runtime.GOOS == "plan9" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// Load opens a file and hands it to read, buffered.
func Load(path string, read func(io.Reader) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := read(bufio.NewReaderSize(f, 256<<10)); err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	return nil
}
