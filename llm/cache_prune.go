package llm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// abandoned is the age at which a file that was being written is taken for the
// remains of a process that is gone.
const abandoned = time.Hour

var (
	shardName = regexp.MustCompile(`^[0-9a-f]{2}$`)
	entryName = regexp.MustCompile(`^[0-9a-f]{32}\.json$`)
)

type prunable struct {
	path string
	info fs.FileInfo
}

// Prune removes entries that are older than MaxAge and then, oldest first,
// those that are beyond MaxBytes. It returns how many it removed. Other files
// in the folder are left alone. It may run while the cache is in use, here and
// in other processes. Cost: a stat of every entry.
func (c *Cache) Prune(ctx context.Context) (removed int, err error) {
	entries, err := c.entries(ctx)
	if err != nil {
		return 0, fmt.Errorf("llm: prune: %w", err)
	}
	slices.SortFunc(entries, func(a, b prunable) int {
		return cmp.Or(a.info.ModTime().Compare(b.info.ModTime()), strings.Compare(a.path, b.path))
	})
	var size int64
	for _, e := range entries {
		size += e.info.Size()
	}
	for _, e := range entries {
		if !c.expired(e.info) && (c.opts.MaxBytes == 0 || size <= c.opts.MaxBytes) {
			break // and so are all after it
		}
		if err := ctx.Err(); err != nil {
			return removed, err
		}
		switch err := os.Remove(e.path); {
		case err == nil:
			removed++
		case !errors.Is(err, fs.ErrNotExist): // another process was faster
			return removed, fmt.Errorf("llm: prune: %w", err)
		}
		size -= e.info.Size()
	}
	return removed, nil
}

// entries lists the entries, and clears away what writers left behind that
// never came to their end.
func (c *Cache) entries(ctx context.Context) ([]prunable, error) {
	shards, err := os.ReadDir(c.dir)
	if err != nil {
		return nil, err
	}
	var found []prunable
	for _, shard := range shards {
		if !shard.IsDir() || !shardName.MatchString(shard.Name()) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		dir := filepath.Join(c.dir, shard.Name())
		files, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			info, err := f.Info()
			if err != nil || !info.Mode().IsRegular() {
				continue // gone meanwhile, or not ours
			}
			path := filepath.Join(dir, f.Name())
			switch {
			case entryName.MatchString(f.Name()):
				found = append(found, prunable{path, info})
			case strings.HasPrefix(f.Name(), temporary) && time.Since(info.ModTime()) > abandoned:
				os.Remove(path) // if this fails, the next one tries again
			}
		}
	}
	return found, nil
}
