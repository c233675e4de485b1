package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// An inputFile is a file that figures depend on.
type inputFile struct {
	File   string `json:"file"` // within the folder of the data, or the base name
	SHA256 string `json:"sha256"`
}

// inputFiles takes the hashes of all that was read, so that two figures can be
// told to come of the same data.
func inputFiles(dir string, o options) ([]inputFile, error) {
	var files []inputFile
	judgements := qrelsFile(os.DirFS(dir), o.qrels)
	for _, name := range []string{"corpus.jsonl", "corpus.jsonl.gz", "queries.jsonl", "queries.jsonl.gz", judgements} {
		f, err := hashFile(filepath.Join(dir, filepath.FromSlash(name)), name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // the other of the two forms was read
		} else if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	for _, more := range []struct{ flag, path string }{{"-distractors", o.distractors}, {"-llm-outputs", o.outputs}} {
		if more.path == "" {
			continue
		}
		f, err := hashFile(more.path, filepath.Base(more.path))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", more.flag, err)
		}
		files = append(files, f)
	}
	return files, nil
}

// qrelsFile is the file that metrics.BEIR reads the judgements from: the plain
// one if there is one.
func qrelsFile(folder fs.FS, name string) string {
	file := "qrels/" + name + ".tsv"
	if _, err := fs.Stat(folder, file); errors.Is(err, fs.ErrNotExist) {
		file += ".gz"
	}
	return file
}

func hashFile(path, name string) (inputFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return inputFile{}, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return inputFile{}, fmt.Errorf("%s: %w", path, err)
	}
	return inputFile{name, hex.EncodeToString(h.Sum(nil))}, nil
}

// sortedKeys are the keys of a map in their order, so that nothing depends on
// that of the map.
func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

func values[K comparable, V any](m map[K]V) []V { return slices.Collect(maps.Values(m)) }
