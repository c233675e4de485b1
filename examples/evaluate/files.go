package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/prospect-go/prospect/metrics"
)

// writeFile writes a file that is there whole or not at all. Folders above it
// are made.
func writeFile(path string, write func(io.Writer) error) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".evaluate-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	out := bufio.NewWriter(f)
	if err := write(out); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// makeFolders makes those of the files that are written at the end: a path that
// cannot be is told before the work, which may take a model an hour.
func (o options) makeFolders() error {
	for _, f := range []struct{ flag, path string }{{"-json", o.json}, {"-report", o.report}} {
		if f.path == "" {
			continue
		}
		if info, err := os.Stat(f.path); err == nil && info.IsDir() {
			return fmt.Errorf("%s: %s is a folder, want a file", f.flag, f.path)
		}
		if err := os.MkdirAll(filepath.Dir(f.path), 0o755); err != nil {
			return fmt.Errorf("%s: %w", f.flag, err)
		}
	}
	if o.runs == "" {
		return nil
	}
	if err := os.MkdirAll(o.runs, 0o755); err != nil {
		return fmt.Errorf("-runs: %w", err)
	}
	return nil
}

// writeRuns writes one TREC run a system. Scores are K − rank, since those of
// some systems cannot be compared within a list.
func writeRuns(dir string, results []*result) error {
	for _, r := range results {
		run := metrics.ScoredRun{}
		for query, a := range r.answers {
			run[query] = metrics.ByRank(a.ids)
		}
		name := fileName(r.plan.name)
		err := writeFile(filepath.Join(dir, name+".run"), func(w io.Writer) error { return metrics.WriteTrecRun(w, name, run) })
		if err != nil {
			return fmt.Errorf("-runs: %s: %w", r.plan.name, err)
		}
	}
	return nil
}

// fileName is a system's name as a file's, and as the tag of a run.
func fileName(system string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.=@", r):
			return r
		case r == ',':
			return '+'
		}
		return '_'
	}, system)
}
