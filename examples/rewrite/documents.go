package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A document is a file of a folder, or a line of a corpus.
type document struct {
	id    string // path in the folder, with slashes, or _id
	title string
	text  string // with the title, as it is embedded, searched and shown to a model
}

const (
	maxFile = 4 << 20  // bytes of a document
	maxLine = 64 << 20 // bytes of a line of a corpus
)

// readDocuments reads a folder or a corpus. What is left out, and why, comes in
// skipped.
func readDocuments(path string) (docs []document, skipped []string, err error) {
	if isFolder(path) {
		docs, skipped, err = readFolder(path)
	} else {
		docs, skipped, err = readCorpus(path)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("-docs: %w", err)
	}
	if len(docs) == 0 {
		return nil, nil, fmt.Errorf("-docs: %s holds no documents (files .md and .txt, or lines of JSON)", path)
	}
	return docs, skipped, nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// readFolder reads the files .md and .txt under a folder, in the order of their
// paths. Hidden files and folders are left alone.
func readFolder(dir string) (docs []document, skipped []string, err error) {
	err = fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); len(name) > 1 && name[0] == '.' {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		ext := strings.ToLower(filepath.Ext(path))
		if d.IsDir() || ext != ".md" && ext != ".txt" {
			return nil
		}
		data, err := readFile(filepath.Join(dir, filepath.FromSlash(path)))
		if err != nil {
			return err
		}
		text := strings.ReplaceAll(string(data), "\r\n", "\n")
		text = strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD"))
		switch {
		case len(data) > maxFile:
			skipped = append(skipped, path+": more than 4 MiB")
		case !readable(text):
			skipped = append(skipped, path+": empty")
		default:
			docs = append(docs, document{path, titleOf(path, text), text})
		}
		return nil
	})
	return docs, skipped, err
}

// readable says that there is more in a text than space, control characters and
// what stands for bytes that are no text: an embedder has nothing to read in
// those, and one odd file should not keep the others from being found.
func readable(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsSpace(r) && !unicode.Is(unicode.C, r) && r != utf8.RuneError
	})
}

// readFile reads one byte more than a document may have.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxFile+1))
}

// titleOf is the first line of a text where that is a heading, else the name
// of its file.
func titleOf(path, text string) string {
	first, _, _ := strings.Cut(text, "\n")
	if heading := strings.TrimSpace(strings.TrimLeft(first, "#")); strings.HasPrefix(first, "#") && heading != "" {
		return heading
	}
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// readCorpus reads a file of JSON objects, one a line, gzipped or not.
func readCorpus(path string) (docs []document, skipped []string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	seen := make(map[string]bool)
	for n := 1; lines.Scan(); n++ {
		if len(strings.TrimSpace(lines.Text())) == 0 {
			continue
		}
		var doc struct {
			ID    string `json:"_id"`
			Title string `json:"title"`
			Text  string `json:"text"`
		}
		if err := json.Unmarshal(lines.Bytes(), &doc); err != nil {
			return nil, nil, fmt.Errorf("%s: line %d: %w", path, n, err)
		}
		text := strings.TrimSpace(strings.TrimSpace(doc.Title) + "\n\n" + strings.TrimSpace(doc.Text))
		switch {
		case doc.ID == "":
			return nil, nil, fmt.Errorf("%s: line %d: an object needs a text _id", path, n)
		case seen[doc.ID]:
			return nil, nil, fmt.Errorf("%s: line %d: the id %q is taken", path, n, doc.ID)
		case !readable(text):
			skipped = append(skipped, doc.ID+": empty")
			continue
		}
		seen[doc.ID] = true
		docs = append(docs, document{doc.ID, doc.Title, text})
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return nil, nil, fmt.Errorf("%s: a line of more than 64 MiB", path)
	}
	return docs, slices.Clip(skipped), lines.Err()
}
