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
	"strings"
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

// gzippedFolder holds judgements in both forms, with data for those of test.
func gzippedFolder(data []byte) metrics.BEIR {
	return metrics.BEIR{FS: fstest.MapFS{
		"qrels/test.tsv.gz":     {Data: data},
		"qrels/both.tsv":        {Data: []byte("query-id\tcorpus-id\tscore\nq\tplain\t1\n")},
		"qrels/both.tsv.gz":     {Data: []byte("never read")},
		"qrels/both-2.tsv.gz":   {},
		"qrels/README.gz":       {},
		"qrels/folder.tsv.gz/x": {},
	}}
}

func TestBEIRQrelsMayBeGzipped(t *testing.T) {
	text := "query-id\tcorpus-id\tscore\nq\ta\t1\nq\tb\t2\n"
	for name, data := range map[string][]byte{
		"whole": zip(t, text), "in parts": append(zip(t, text[:30]), zip(t, text[30:])...),
	} {
		qrels, err := gzippedFolder(data).Qrels("test")
		require.NoError(t, err, name)
		require.Equal(t, qrelsMap{"q": {"a": 1, "b": 2}}, qrels, name)
	}
	b := gzippedFolder(nil)
	qrels, err := b.Qrels("both")
	require.NoError(t, err)
	require.Equal(t, qrelsMap{"q": {"plain": 1}}, qrels)
	names, err := b.QrelsNames()
	require.NoError(t, err)
	require.Equal(t, []string{"both", "both-2", "test"}, names)
	_, err = b.Qrels("absent")
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, "qrels/absent.tsv")
	require.NotContains(t, err.Error(), ".gz")

	// What may not be touched is not taken for absent.
	for _, file := range []string{"qrels/both.tsv", "qrels/test.tsv.gz"} {
		name, _, _ := strings.Cut(strings.TrimPrefix(file, "qrels/"), ".")
		_, err = metrics.BEIR{FS: locked{b.FS, file}}.Qrels(name)
		require.ErrorIs(t, err, fs.ErrPermission, file)
		require.ErrorContains(t, err, file)
	}
}

func TestGzippedBEIRQrelsErrors(t *testing.T) {
	const text = "query-id\tcorpus-id\tscore\nq\ta\t1\n"
	good := zip(t, text)
	flipped := slices.Clone(good)
	flipped[len(flipped)-6] ^= 1 // in the checksum
	damaged := slices.Clone(good)
	damaged[10] = 0xff // no kind of block
	for _, c := range []struct {
		name string
		data []byte
		is   error
		says string
	}{
		{"empty", nil, prospect.ErrCorrupt, "qrels/test.tsv.gz: "},
		{"not gzipped", []byte(text), prospect.ErrCorrupt, "qrels/test.tsv.gz: "},
		{"truncated in the header", good[:5], prospect.ErrCorrupt, "qrels/test.tsv.gz: "},
		{"truncated at the begin", good[:10], prospect.ErrCorrupt, "qrels/test.tsv.gz:1: "},
		{"truncated in the checksum", good[:len(good)-2], prospect.ErrCorrupt, "qrels/test.tsv.gz:3: "},
		{"damaged", damaged, prospect.ErrCorrupt, "qrels/test.tsv.gz:1: "},
		{"flipped", flipped, prospect.ErrCorrupt, "qrels/test.tsv.gz:3: "},
		{"more behind it", append(slices.Clone(good), "more"...), prospect.ErrCorrupt, "qrels/test.tsv.gz:3: "},
		{"a line", zip(t, text+"q\tb\n"), prospect.ErrFormat, "qrels/test.tsv.gz:3: "},
		{"no header", zip(t, ""), prospect.ErrFormat, "qrels/test.tsv.gz:1: "},
	} {
		qrels, err := gzippedFolder(c.data).Qrels("test")
		require.ErrorIs(t, err, c.is, c.name)
		require.ErrorContains(t, err, c.says, c.name)
		require.Nil(t, qrels, c.name)
	}
	for cut := range good { // wherever it breaks off
		_, err := gzippedFolder(good[:cut]).Qrels("test")
		require.ErrorIs(t, err, prospect.ErrCorrupt, "cut at %d", cut)
		require.ErrorContains(t, err, "qrels/test.tsv.gz:", "cut at %d", cut)
	}
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
