package sectfile

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
)

// Save writes a file so that a reader finds either the old content or the
// whole new one, also after a crash: a temporary file in the same folder,
// synced, renamed over the path, the folder synced. On error the old file is
// left as it was and the temporary one is removed. A new file can be read by
// everyone and written by the owner, less the umask; an old file's mode is
// kept.
func Save(path string, write func(io.Writer) error) (err error) {
	dir, base := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	mode := os.FileMode(0o644)
	if old, err := os.Stat(path); err == nil {
		mode = old.Mode().Perm()
	}
	f, err := create(dir, base, mode)
	if err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			f.Close() // for the error path; closing twice is harmless
			os.Remove(f.Name())
			err = fmt.Errorf("save %s: %w", path, err)
		}
	}()
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
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncDir(dir)
}

// create makes a file that did not exist, with a mode that the umask bounds
// (os.CreateTemp would make it private).
func create(dir, base string, mode os.FileMode) (*os.File, error) {
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
