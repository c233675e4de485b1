// Package evaldata lets tests read the evaluation collections that lie beside
// the checkout, where they are there: in ../shared/data from the root of the
// module, one folder a collection (skillsbench; classic/cranfield, classic/med,
// classic/vaswani) in BEIR form (corpus.jsonl or corpus.jsonl.gz,
// queries.jsonl, qrels/NAME.tsv), and some sets of awkward inputs
// (skillfiles_awkward, tokenizer). They are not part of this repository, since
// not all of them may be handed on; tests that need them skip without them.
package evaldata

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// Required is the environment variable that turns a skip for missing data into
// a failure, so that a build can make sure that the tests ran.
const Required = "PROSPECT_REQUIRE_DATA"

// Dir is the path of a file or folder of the evaluation data. The test is
// skipped where it is absent, and under the race detector, which such tests of
// figures on one goroutine would only keep busy for minutes.
func Dir(t testing.TB, elem ...string) string {
	t.Helper()
	if underRace {
		t.Skip("figures are taken without the race detector")
	}
	_, file, _, _ := runtime.Caller(0)
	root := filepath.Join(filepath.Dir(file), "..", "..")
	path := filepath.Join(append([]string{root, "..", "shared", "data"}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		if os.Getenv(Required) != "" {
			t.Fatalf("evaluation data is required and absent: %v", err)
		}
		t.Skipf("evaluation data is not beside this checkout: %s", filepath.Join(elem...))
	}
	return path
}

// A Doc is a line of a corpus or of queries.
type Doc struct {
	ID       string                     `json:"_id"`
	Title    string                     `json:"title"`
	Text     string                     `json:"text"`
	Metadata map[string]json.RawMessage `json:"metadata"`
}

// Docs reads a JSONL file, gzipped or not.
func Docs(t testing.TB, path string) []Doc {
	t.Helper()
	return Lines[Doc](t, path)
}

// Lines reads a JSONL file, gzipped or not, into any type.
func Lines[T any](t testing.TB, path string) []T {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var r io.Reader = bytes.NewReader(data)
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(r); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	var out []T
	d := json.NewDecoder(bufio.NewReaderSize(r, 1<<20))
	for {
		var v T
		if err := d.Decode(&v); err == io.EOF {
			return out
		} else if err != nil {
			t.Fatalf("%s: line %d: %v", path, len(out)+1, err)
		}
		out = append(out, v)
	}
}

// Qrels reads judgements: query id, document id, gain.
func Qrels(t testing.TB, path string) map[string]map[string]float64 {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]map[string]float64{}
	for n, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		if n == 0 {
			continue // the header
		}
		f := strings.Split(line, "\t")
		if len(f) != 3 {
			t.Fatalf("%s: line %d: %q", path, n+1, line)
		}
		gain, err := strconv.ParseFloat(f[2], 64)
		if err != nil {
			t.Fatalf("%s: line %d: %v", path, n+1, err)
		}
		if out[f[0]] == nil {
			out[f[0]] = map[string]float64{}
		}
		out[f[0]][f[1]] = gain
	}
	return out
}

// A Set is a collection in BEIR form.
type Set struct {
	Docs    []Doc
	Queries []Doc
	Qrels   map[string]map[string]float64
}

// Read reads the collection in a folder of the evaluation data, with one of
// its files of judgements. The test is skipped where it is absent.
func Read(t testing.TB, folder, qrels string) Set {
	t.Helper()
	dir := Dir(t, filepath.FromSlash(folder))
	corpus := filepath.Join(dir, "corpus.jsonl")
	if _, err := os.Stat(corpus); err != nil {
		corpus += ".gz"
	}
	return Set{
		Docs:    Docs(t, corpus),
		Queries: Docs(t, filepath.Join(dir, "queries.jsonl")),
		Qrels:   Qrels(t, filepath.Join(dir, "qrels", qrels+".tsv")),
	}
}
