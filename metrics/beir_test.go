package metrics_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/internal/evaldata"
	"github.com/prospect-go/prospect/metrics"
)

func zip(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

func ExampleBEIR() {
	collection := metrics.BEIR{FS: fstest.MapFS{ // or os.DirFS(dir)
		"corpus.jsonl":   {Data: []byte(`{"_id": "charts", "title": "Charts", "text": "Draw charts.", "metadata": {"stars": 3}}` + "\n")},
		"queries.jsonl":  {Data: []byte(`{"_id": "q1", "text": "plot a curve"}` + "\n")},
		"qrels/test.tsv": {Data: []byte("query-id\tcorpus-id\tscore\nq1\tcharts\t1\n")},
	}}
	for doc, err := range collection.Corpus() {
		if err != nil {
			panic(err)
		}
		var meta struct{ Stars int }
		if err := json.Unmarshal(doc.Metadata, &meta); err != nil {
			panic(err)
		}
		fmt.Printf("%s: %s %s %d stars\n", doc.ID, doc.Title, doc.Text, meta.Stars)
	}
	queries, err := collection.Queries()
	if err != nil {
		panic(err)
	}
	qrels, err := collection.Qrels("test")
	if err != nil {
		panic(err)
	}
	fmt.Println(queries[0].ID, queries[0].Text, qrels["q1"])
	// Output:
	// charts: Charts Draw charts. 3 stars
	// q1 plot a curve map[charts:1]
}

const twoDocs = `{"_id":"a","title":"A","text":"x"}` + "\n" + `{"_id":"b","text":"y","metadata":{"n": [1, 2.50]}}` + "\n"

var wantDocs = []metrics.Doc{{ID: "a", Title: "A", Text: "x"}, {ID: "b", Text: "y", Metadata: json.RawMessage(`{"n": [1, 2.50]}`)}}

func TestBEIRFolder(t *testing.T) {
	for name, files := range map[string]fstest.MapFS{
		"plain":   {"corpus.jsonl": {Data: []byte(twoDocs)}, "queries.jsonl": {Data: []byte(twoDocs)}},
		"gzipped": {"corpus.jsonl.gz": {Data: zip(t, twoDocs)}, "queries.jsonl.gz": {Data: zip(t, twoDocs)}},
		// As compressors that work in parallel and cat write them.
		"in parts": {"corpus.jsonl.gz": {Data: append(zip(t, twoDocs[:10]), zip(t, twoDocs[10:])...)}, "queries.jsonl": {Data: []byte(twoDocs)}},
	} {
		b := metrics.BEIR{FS: files}
		docs, err := collect(b.Corpus())
		require.NoError(t, err, name)
		require.Equal(t, wantDocs, docs, name)
		queries, err := b.Queries()
		require.NoError(t, err, name)
		require.Equal(t, wantDocs, queries, name)
		for file := range files {
			docs, err := collect(b.Docs(file))
			require.NoError(t, err, file)
			require.Equal(t, wantDocs, docs, file)
		}
	}
}

func TestBEIRQrels(t *testing.T) {
	b := metrics.BEIR{FS: fstest.MapFS{
		"qrels/test.tsv":       {Data: []byte("query-id\tcorpus-id\tscore\nq\ta\t1\n")},
		"qrels/dev.tsv":        {Data: []byte("query-id\tcorpus-id\tscore\nq\ta\n")},
		"qrels/README":         {Data: []byte("")},
		"qrels/folder.tsv/x":   {Data: []byte("")},
		"qrels/train.tsv.save": {Data: []byte("")},
	}}
	names, err := b.QrelsNames()
	require.NoError(t, err)
	require.Equal(t, []string{"dev", "test"}, names)
	qrels, err := b.Qrels("test")
	require.NoError(t, err)
	require.Equal(t, qrelsMap{"q": {"a": 1}}, qrels)
	_, err = b.Qrels("dev")
	require.ErrorIs(t, err, prospect.ErrFormat)
	require.ErrorContains(t, err, "qrels/dev.tsv:2: ")
	_, err = b.Qrels("absent")
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = b.Qrels("../../secret")
	require.Error(t, err)
	_, err = metrics.BEIR{FS: fstest.MapFS{}}.QrelsNames()
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func collect(docs func(func(metrics.Doc, error) bool)) (got []metrics.Doc, err error) {
	ended := false
	docs(func(d metrics.Doc, e error) bool {
		if ended {
			panic("the sequence goes on after an error")
		}
		if e != nil {
			if d.ID != "" {
				panic("a document beside an error")
			}
			err, ended = e, true
			return true // one that wants more gets nothing
		}
		got = append(got, d)
		return true
	})
	return got, err
}

func TestBEIRFolderErrors(t *testing.T) {
	good := zip(t, twoDocs)
	flipped := slices.Clone(good)
	flipped[len(flipped)-6] ^= 1 // in the checksum
	for _, c := range []struct {
		name  string
		files fstest.MapFS
		is    error
		says  string
	}{
		{"no corpus", fstest.MapFS{}, fs.ErrNotExist, "corpus.jsonl"},
		{"two", fstest.MapFS{"corpus.jsonl": {Data: []byte(twoDocs)}, "corpus.jsonl.gz": {Data: good}}, prospect.ErrFormat, "corpus.jsonl.gz beside it"},
		{"truncated", fstest.MapFS{"corpus.jsonl.gz": {Data: good[:len(good)-20]}}, prospect.ErrCorrupt, "corpus.jsonl.gz"},
		{"truncated in the checksum", fstest.MapFS{"corpus.jsonl.gz": {Data: good[:len(good)-2]}}, prospect.ErrCorrupt, "corpus.jsonl.gz:3: "},
		{"flipped", fstest.MapFS{"corpus.jsonl.gz": {Data: flipped}}, prospect.ErrCorrupt, "checksum"},
		{"empty", fstest.MapFS{"corpus.jsonl.gz": {Data: nil}}, prospect.ErrCorrupt, "corpus.jsonl.gz"},
		{"not gzipped", fstest.MapFS{"corpus.jsonl.gz": {Data: []byte(twoDocs)}}, prospect.ErrCorrupt, "corpus.jsonl.gz"},
		{"line", fstest.MapFS{"corpus.jsonl": {Data: []byte(twoDocs + "{}")}}, prospect.ErrEmptyID, "corpus.jsonl:3: "},
	} {
		_, err := collect(metrics.BEIR{FS: c.files}.Corpus())
		require.ErrorIs(t, err, c.is, c.name)
		require.ErrorContains(t, err, c.says, c.name)
	}
	_, err := metrics.BEIR{FS: fstest.MapFS{"queries.jsonl": {Data: []byte("x")}}}.Queries()
	require.ErrorContains(t, err, "queries.jsonl:1: ")
}

// Every collection at hand is read as the reader of the tests reads it.
func TestCollectionsAtHand(t *testing.T) {
	for folder, qrels := range map[string]string{
		"skillsbench": "test", "classic/cranfield": "test_graded", "classic/med": "test", "classic/vaswani": "test",
		"reasoning/theoremqa": "test", "reasoning/pony_pages": "test", "reasoning/multidomain": "test",
	} {
		t.Run(folder, func(t *testing.T) {
			want := evaldata.Read(t, folder, qrels)
			b := metrics.BEIR{FS: os.DirFS(evaldata.Dir(t, filepath.FromSlash(folder)))}
			got, err := b.Qrels(qrels)
			require.NoError(t, err)
			require.Equal(t, qrelsMap(want.Qrels), got)
			queries, err := b.Queries()
			require.NoError(t, err)
			docs, err := collect(b.Corpus())
			require.NoError(t, err)
			for _, pair := range []struct {
				got  []metrics.Doc
				want []evaldata.Doc
			}{{queries, want.Queries}, {docs, want.Docs}} {
				require.Len(t, pair.got, len(pair.want))
				for i, w := range pair.want {
					g := pair.got[i]
					require.Equal(t, [3]string{w.ID, w.Title, w.Text}, [3]string{g.ID, g.Title, g.Text})
					require.Equal(t, len(w.Metadata) > 0, g.Metadata != nil)
				}
			}
		})
	}
}

func TestBEIRWithoutAFolder(t *testing.T) {
	var none metrics.BEIR
	_, err := none.Queries()
	require.ErrorIs(t, err, prospect.ErrOption)
	_, err = none.Qrels("test")
	require.ErrorIs(t, err, prospect.ErrOption)
	_, err = none.QrelsNames()
	require.ErrorIs(t, err, prospect.ErrOption)
	for _, err := range none.Corpus() {
		require.ErrorIs(t, err, prospect.ErrOption)
	}
}

// locked is a folder in which one file may not be touched.
type locked struct {
	fs.FS
	name string
}

func (l locked) Open(name string) (fs.File, error) {
	if name == l.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return l.FS.Open(name)
}

// A file that cannot be read is not taken for absent.
func TestBEIRWithAFileThatCannotBeRead(t *testing.T) {
	b := metrics.BEIR{FS: locked{fstest.MapFS{"queries.jsonl": {}, "queries.jsonl.gz": {Data: zip(t, "")}}, "queries.jsonl"}}
	_, err := b.Queries()
	require.ErrorIs(t, err, fs.ErrPermission)
}
