package bm25_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/bm25"
)

// dataDir is the folder of evaluation sets beside the checkout.
const dataDir = "../../shared/data"

// A corpus is an evaluation set in BEIR form.
type corpus struct {
	docs    []bm25.Doc
	queries []query
	rel     map[string]map[string]bool // by query and document
}

type query struct{ id, text string }

// needData skips a test or benchmark where the evaluation sets are not there.
func needData(t testing.TB) {
	if _, err := os.Stat(dataDir); err != nil {
		t.Skipf("no evaluation sets at %s beside the checkout", dataDir)
	}
}

// load reads a set. textOf makes the text of a document of its title, text and
// metadata.
func load(t testing.TB, dir, qrels string, textOf func(line) string, more ...string) corpus {
	needData(t)
	c := corpus{rel: map[string]map[string]bool{}}
	name := filepath.Join(dataDir, dir, "corpus.jsonl")
	if _, err := os.Stat(name); err != nil {
		name += ".gz"
	}
	for _, name := range append([]string{name}, more...) {
		eachLine(t, name, func(l line) { c.docs = append(c.docs, bm25.Doc{ID: l.ID, Text: textOf(l)}) })
	}
	f, err := os.Open(filepath.Join(dataDir, dir, "qrels", qrels))
	require.NoError(t, err)
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Scan() // header
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		require.Len(t, fields, 3)
		score, err := strconv.Atoi(strings.TrimSpace(fields[2]))
		require.NoError(t, err)
		require.Positive(t, score)
		if c.rel[fields[0]] == nil {
			c.rel[fields[0]] = map[string]bool{}
		}
		c.rel[fields[0]][fields[1]] = true
	}
	require.NoError(t, lines.Err())
	eachLine(t, filepath.Join(dataDir, dir, "queries.jsonl"), func(l line) {
		if len(c.rel[l.ID]) > 0 {
			c.queries = append(c.queries, query{l.ID, l.Text})
		}
	})
	return c
}

type line struct {
	ID       string `json:"_id"`
	Title    string `json:"title"`
	Text     string `json:"text"`
	Metadata struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		CJK         bool   `json:"cjk"`
	} `json:"metadata"`
}

func eachLine(t testing.TB, name string, each func(line)) {
	f, err := os.Open(name)
	require.NoError(t, err)
	defer f.Close()
	var r io.Reader = bufio.NewReaderSize(f, 1<<20)
	if strings.HasSuffix(name, ".gz") {
		r, err = gzip.NewReader(r)
		require.NoError(t, err)
	}
	d := json.NewDecoder(r)
	for {
		var l line
		err := d.Decode(&l)
		if err == io.EOF {
			return
		}
		require.NoError(t, err)
		each(l)
	}
}

func fullText(l line) string { return l.Text }

func nameAndDescription(l line) string {
	return l.Metadata.Name + " " + l.Metadata.Description
}

// skills is the gallery of the skills benchmark with all its distractors.
func skills(t testing.TB, textOf func(line) string) corpus {
	return load(t, "skillsbench", "test.tsv", textOf, filepath.Join(dataDir, "skillsbench", "distractors.jsonl.gz"))
}

func build(t testing.TB, opts bm25.Options, docs []bm25.Doc) *bm25.Index {
	ix, err := bm25.New(opts)
	require.NoError(t, err)
	require.NoError(t, ix.AddBatch(context.Background(), docs))
	return ix
}

// figures are means over the queries of a set.
type figures struct{ MAP, NDCG10 float64 }

// evaluate ranks 1,000 documents for each query. Average precision and NDCG
// are those of trec_eval with binary gains.
func evaluate(t testing.TB, ix *bm25.Index, c corpus) figures {
	var sum figures
	for _, q := range c.queries {
		hits, err := ix.Search(context.Background(), prospect.Query{Text: q.text, K: 1000})
		require.NoError(t, err)
		found, precision, gain, ideal := 0, 0.0, 0.0, 0.0
		for i, h := range hits {
			if c.rel[q.id][h.ID] {
				found++
				precision += float64(found) / float64(i+1)
				if i < 10 {
					gain += 1 / math.Log2(float64(i+2))
				}
			}
		}
		for i := range min(10, len(c.rel[q.id])) {
			ideal += 1 / math.Log2(float64(i+2))
		}
		sum.MAP += precision / float64(len(c.rel[q.id]))
		sum.NDCG10 += gain / ideal
	}
	n := float64(len(c.queries))
	return figures{sum.MAP / n, sum.NDCG10 / n}
}

func standard(t testing.TB, opts bm25.StandardOptions) *bm25.Analyzer {
	a, err := bm25.Standard(opts)
	require.NoError(t, err)
	return a
}

func ids(hits []prospect.Hit) []string {
	return slices.Collect(func(yield func(string) bool) {
		for _, h := range hits {
			if !yield(h.ID) {
				return
			}
		}
	})
}
