package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/skill"
	"github.com/prospect-go/prospect/skilldreamer"
)

// A shelf is the gallery together with how it was come by.
type shelf struct {
	gallery  *skilldreamer.Gallery
	embedder string // as the user knows it
	folders  []folder
	file     string // "" where it is not kept
	opened   bool   // from the file, else built
	took     time.Duration
	report   skilldreamer.SyncReport
}

// openShelf opens the gallery file, if there is one that fits, brings it up to
// date with the folders, and saves it if anything changed.
func openShelf(ctx context.Context, opts options, embedder prospect.Embedder, std streams) (*shelf, error) {
	begin := time.Now()
	sources, closeSources, err := openSources(opts.skills)
	if err != nil {
		return nil, err
	}
	defer closeSources()
	s := &shelf{embedder: opts.embedder, folders: opts.skills, file: opts.gallery}
	if s.file == "" {
		if s.file, err = defaultFile(opts.skills); err != nil {
			std.say("the gallery will not be kept for the next run: %v (-gallery FILE names a place)", err)
		}
	}
	if err := s.open(embedder, opts.gallery != "", std); err != nil {
		return nil, err
	}
	progress := newProgress(std.err)
	s.report, err = s.gallery.Sync(ctx, sources, skilldreamer.SyncOptions{Progress: progress.show})
	progress.done()
	if err != nil {
		return nil, fmt.Errorf("load the skills: %w", err)
	}
	if s.gallery.Len() == 0 {
		return nil, fmt.Errorf("there are no skills to search: %s", s.emptiness())
	}
	if changed := len(s.report.Added) + len(s.report.Updated) + len(s.report.Removed); s.file != "" && (changed > 0 || !s.opened) {
		if err := s.save(); err != nil {
			std.say("the gallery is not kept for the next run: %v (-gallery FILE names another place)", err)
			s.file = ""
		}
	}
	s.took = time.Since(begin)
	return s, nil
}

// open reads the file or, if there is none that can be used, starts an empty
// gallery. What stands in the way of a file that the user named, and might be
// something else, is an error.
func (s *shelf) open(embedder prospect.Embedder, named bool, std streams) (err error) {
	if s.file != "" {
		s.gallery, err = skilldreamer.OpenGallery(s.file, embedder, skilldreamer.GalleryOptions{})
		switch {
		case err == nil:
			s.opened = true
			return nil
		case errors.Is(err, fs.ErrNotExist):
		case errors.Is(err, prospect.ErrIdentity):
			std.say("%s was made with another embedder or recipe and is built anew", s.file)
		case errors.Is(err, prospect.ErrCorrupt):
			std.say("%s is damaged and is built anew", s.file)
		case named:
			return fmt.Errorf("-gallery: this file cannot be used, name another: %w", err)
		default:
			std.say("%s cannot be used and is built anew: %v", s.file, err)
		}
	}
	s.gallery, err = skilldreamer.NewGallery(embedder, skilldreamer.GalleryOptions{})
	return err
}

func (s *shelf) save() error {
	if err := os.MkdirAll(filepath.Dir(s.file), 0o755); err != nil {
		return err
	}
	return s.gallery.Save(s.file)
}

// emptiness says why there is nothing.
func (s *shelf) emptiness() string {
	for _, p := range s.report.Problems {
		if p.Severity == skill.Error {
			return fmt.Sprintf("%d files could not be loaded, the first is %v", s.count(skill.Error), p)
		}
	}
	return "no folder under -skills has a file " + skill.FileName
}

// count is how many problems of a severity were met while loading.
func (s *shelf) count(severity skill.Severity) (n int) {
	for _, p := range s.report.Problems {
		if p.Severity == severity {
			n++
		}
	}
	return n
}

// defaultFile is a place in the user's cache folder that is the same for the
// same folders.
func defaultFile(folders []folder) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, f := range folders {
		abs, err := filepath.Abs(f.dir)
		if err != nil {
			return "", err
		}
		if real, err := filepath.EvalSymlinks(abs); err == nil {
			abs = real
		}
		fmt.Fprintf(h, "%q %q\n", f.name, abs)
	}
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, folders[0].name)
	name = name[:min(len(name), 40)]
	return filepath.Join(cache, "prospect", name+"-"+hex.EncodeToString(h.Sum(nil)[:6])+".gallery"), nil
}
