package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect/metrics"
)

// Other programs read this shape; it may grow but not change.
func TestTheShapeOfTheDocument(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "out.json")
	good(t, onTiny(t, "-k", "5,10,15", "-json", path))
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	var doc struct {
		Settings map[string]json.RawMessage `json:"settings"`
		Systems  []struct {
			Name    string             `json:"name"`
			Metrics map[string]float64 `json:"metrics"`
		} `json:"systems"`
		PerQuery map[string]map[string]map[string]float64 `json:"per_query"`
	}
	require.NoError(t, json.Unmarshal(data, &doc))
	var names []string
	for _, s := range doc.Systems {
		names = append(names, s.Name)
		for _, m := range []string{"recall", "ndcg", "completeness", "precision", "success", "mrr", "map"} {
			for _, k := range []string{"@5", "@10", "@15"} {
				v, ok := s.Metrics[m+k]
				require.True(t, ok, m+k)
				require.True(t, v >= 0 && v <= 1)
			}
		}
		// Means are those of the values by query.
		require.Len(t, doc.PerQuery[s.Name], 6)
		for m, mean := range s.Metrics {
			sum := 0.0
			for _, values := range doc.PerQuery[s.Name] {
				sum += values[m]
			}
			require.InDelta(t, mean, sum/6, 1e-12, "%s of %s", m, s.Name)
		}
	}
	require.Equal(t, []string{"bm25", "dense", "hybrid-rrf", "hybrid-weighted", "capabilities", "pseudo-skills", "skilldreamer", "skilldreamer-hybrid"}, names)
	for _, key := range []string{"program", "build", "data", "embedder", "bm25", "imagined", "k", "depth", "baseline", "statistics"} {
		require.Contains(t, doc.Settings, key)
	}
	require.NotContains(t, string(data), filepath.Dir(path), "no paths of this machine")
}

// One run twice gives the same document, but for the latencies.
func TestFiguresDoNotDependOnTheRun(t *testing.T) {
	once := func() document {
		s := newTinyStudy(t, "main,ablations")
		require.NoError(t, s.run(t.Context(), newProgress(discard{})))
		d := newDocument(s)
		for i := range d.Systems {
			d.Systems[i].Latency = nil
		}
		return d
	}
	require.Equal(t, once(), once())
}

func TestIntervalsAndDifferencesFitTheMeans(t *testing.T) {
	s := newTinyStudy(t, "main")
	require.NoError(t, s.run(t.Context(), newProgress(discard{})))
	base := s.base()
	require.Equal(t, "dense", base.plan.name)
	require.Nil(t, base.versus)
	for _, r := range s.results {
		queries := 0
		for _, g := range r.byNeed {
			queries += g.queries
		}
		require.Equal(t, len(s.coll.queries), queries, "every query is in one group")
		for i := range s.measures {
			require.LessOrEqual(t, r.intervals[i].Low, r.eval.Means[i]+1e-12)
			require.GreaterOrEqual(t, r.intervals[i].High, r.eval.Means[i]-1e-12)
			if r == base {
				continue
			}
			c := r.versus[i]
			require.InDelta(t, r.eval.Means[i]-base.eval.Means[i], c.Difference, 1e-12)
			require.Equal(t, len(s.coll.queries), c.Wins+c.Losses+c.Ties)
			require.True(t, c.P <= c.Holm && c.P <= c.MaxT && c.Holm <= 1 && c.MaxT <= 1)
		}
	}
}

func TestRunsAreThoseOfTheRankings(t *testing.T) {
	dir := t.TempDir()
	good(t, onTiny(t, "-systems", "bm25,skilldreamer@alpha=0.5,kc=40", "-runs", dir))
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	slices.Sort(files)
	require.Equal(t, []string{filepath.Join(dir, "bm25.run"), filepath.Join(dir, "skilldreamer@alpha=0.5+kc=40.run")}, files)

	s := newTinyStudy(t, "bm25")
	want := answers(t, s, "bm25")
	f, err := os.Open(files[0])
	require.NoError(t, err)
	defer f.Close()
	got, err := metrics.ReadTrecRun(f, files[0])
	require.NoError(t, err)
	for query, a := range want {
		if len(a.ids) > 0 {
			require.Equal(t, a.ids, got.TrecRun()[query], "trec_eval reads %q as it was ranked", query)
		}
	}
}

func TestFileNamesOfSystems(t *testing.T) {
	require.Equal(t, "a@b=0.5+c=d", fileName("a@b=0.5,c=d"))
	require.Equal(t, ".._.._x_y", fileName("../../x y"))
}

func TestFiguresThatAreNoneAreAFault(t *testing.T) {
	require.Panics(t, func() { finite(math.NaN()) })
	require.Panics(t, func() { finite(math.Inf(-1)) })
	require.Equal(t, 0.5, finite(0.5))
}

func TestWhatIsPrintedSteersNoTerminal(t *testing.T) {
	require.Equal(t, "a b[31m c d", clean("a\n b\x1b[31m \u202ec\u2028d"))
	require.Equal(t, "\uFFFD", clean("\xff"))
	files := map[string]string{
		"corpus.jsonl":   `{"_id": "d\u001b[2J", "text": "bees"}` + "\n",
		"queries.jsonl":  `{"_id": "q", "text": "honey"}` + "\n",
		"qrels/test.tsv": "query-id\tcorpus-id\tscore\nq\td\t1\n",
	}
	got := invoke(t, "-embedder", "none", "-data", folder(t, files), "-llm-outputs", writeLines(t, "o", strings.Repeat(`{"query_id": "\u001b[2J"}`+"\n", 2)))
	require.Equal(t, exitFailure, got.code)
	require.NotContains(t, strings.TrimSuffix(got.err, "\n"), "\x1b")
	got = good(t, invoke(t, "-outcomes", writeLines(t, "o", `{"task": "t", "arm": "none", "reward": 1, "\u001b[2J": 1}`)))
	require.NotContains(t, got.out, "\x1b", "the name of a field")
}
