package main

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReadFolder(t *testing.T) {
	dir := folder(t, map[string]string{
		"b.md":           "\n## A heading #\n\nText.\r\n",
		"a/Notes.TXT":    "No heading, café \xff.",
		"a/empty.md":     "\t\n",
		"a/binary.txt":   "\x00\xff\xfe\u200b",
		"a/long.txt":     string(bytes.Repeat([]byte("x"), maxFile+1)),
		"a/#only.md":     "#\ntext",
		"picture.png":    "x",
		".cache/old.md":  "x",
		".draft.md":      "x",
		"z/deep/er/c.md": "# Deep",
	})
	docs, skipped, err := readDocuments(dir)
	require.NoError(t, err)
	require.Equal(t, []document{
		{"a/#only.md", "#only", "#\ntext"},
		{"a/Notes.TXT", "Notes", "No heading, café \uFFFD."},
		{"b.md", "A heading #", "## A heading #\n\nText."},
		{"z/deep/er/c.md", "Deep", "# Deep"},
	}, docs)
	require.Equal(t, []string{"a/binary.txt: empty", "a/empty.md: empty", "a/long.txt: more than 4 MiB"}, skipped)
}

func TestReadCorpus(t *testing.T) {
	lines := `{"_id": "2", "title": " T ", "text": "x\ny ", "metadata": {"a": 1}}` + "\n\n" +
		`{"_id": "1", "text": "only text"}` + "\n" + `{"_id": "3", "title": "", "text": " "}` + "\n" + `{"_id": "4", "title": "only title"}`
	dir := folder(t, map[string]string{"corpus.jsonl": lines})
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write([]byte(lines))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "corpus.jsonl.gz"), packed.Bytes(), 0o644))
	for _, name := range []string{"corpus.jsonl", "corpus.jsonl.gz"} {
		docs, skipped, err := readDocuments(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, []document{
			{"2", " T ", "T\n\nx\ny"}, {"1", "", "only text"}, {"4", "only title", "only title"},
		}, docs)
		require.Equal(t, []string{"3: empty"}, skipped)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "cut.jsonl.gz"), packed.Bytes()[:packed.Len()-9], 0o644))
	_, _, err = readDocuments(filepath.Join(dir, "cut.jsonl.gz"))
	require.Error(t, err)
}

func TestLabels(t *testing.T) {
	l := &library{docs: map[string]document{"7": {id: "7", title: "Bees"}, "8": {id: "8"}}}
	require.Equal(t, "7 Bees", l.label("7"))
	require.Equal(t, "8", l.label("8"))
	l.folder = true
	require.Equal(t, "7", l.label("7"))
}
