package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUsage(t *testing.T) {
	for _, c := range []struct{ args, says string }{
		{"", "-data is missing"},
		{"-systems dense", "-data is missing"},
		{"-outcomes x -runs y", "-data is missing: -runs"},
		{"-data x -strict", "-strict needs -distractors"},
		{"-data x -qrels ../secrets", "is not a name of judgements"},
		{"-data x -embedder=", "-embedder is empty"},
		{"-data x -skill-text body", `-skill-text is "body", want "name+description" or "full"`},
		{"-data x -systems bm25,magic", `-systems: there is no system or group "magic"`},
		{"-data x -embedder none -systems dense", `"dense" needs vectors`},
		{"-data x -systems bm25-pseudo-skills", `"bm25-pseudo-skills" needs what a model imagined`},
		{"-data x -systems generic", `"generic" needs a model`},
		{"-data x -systems hand-written -llm http://localhost:1/v1 -model m", "needs -hand-written FILE"},
		{"-data x -systems skillqr -llm http://localhost:1/v1 -model m", "needs -skillqr-set FILE"},
		{"-data x -embedder none -baseline dense", `-baseline: "dense" is not among the systems`},
		{"-data x -embedder none -focus dense", `-focus: "dense" is not among the systems`},
		{"-data x -resamples 0", "-resamples is 0"},
		{"-data x -k 5,5", "5 comes twice"},
		{"-data x -k 0", "not a cutoff"},
		{"-data x -k five", "not a cutoff"},
		{"-data x -k 1001", "not a cutoff"},
		{"-data x -llm http://localhost/v1", "-llm needs -model"},
		{"-data x -model m", "-model needs -llm"},
		{"-data x -llm localhost:80 -model m", "not a URL"},
		{"-data x -llm http://me:word@localhost -model m", "OPENAI_API_KEY"},
		{"-data x -llm-save y", "-llm-save needs -llm"},
		{"-data x -llm-save y -llm http://localhost/v1 -model m -llm-outputs z", "no -llm-outputs"},
		{"-data x -temperature hot", "want a number from 0 to 2"},
		{"-data x -max-tokens -1", "-max-tokens is -1"},
		{"-data x -timeout 0s", "-timeout is 0s"},
		{"-data x y", `"y" is not a flag`},
		{"-nonsense", "-nonsense"},
	} {
		got := invoke(t, strings.Fields(c.args)...)
		require.Equal(t, exitUsage, got.code, c.args)
		require.Contains(t, got.err, c.says, c.args)
		require.NotContains(t, got.err, "word@", "no secrets in messages")
		require.Empty(t, got.out)
	}
}

func TestHelpNamesEveryFlag(t *testing.T) {
	got := good(t, invoke(t, "-h"))
	require.Empty(t, got.err)
	for _, flag := range []string{
		"data", "distractors", "strict", "qrels", "embedder", "llm-outputs", "llm", "model", "systems", "skill-text", "k", "json", "runs", "report",
		"outcomes", "cache", "baseline", "focus", "seed", "resamples", "llm-save", "llm-recording", "skillqr-set", "hand-written", "list",
	} {
		require.Contains(t, got.out, "  -"+flag)
	}
}

func TestFailuresNameTheCulprit(t *testing.T) {
	beir := func(name, text string) []string {
		files := map[string]string{
			"corpus.jsonl":   `{"_id": "d", "title": "bees", "text": "bees make honey"}` + "\n",
			"queries.jsonl":  `{"_id": "q", "text": "honey"}` + "\n",
			"qrels/test.tsv": "query-id\tcorpus-id\tscore\nq\td\t1\n",
		}
		if name != "" {
			files[name] = text
		}
		return []string{"-embedder", "none", "-data", folder(t, files)}
	}
	with := func(args []string, more ...string) []string { return append(args, more...) }
	outputs := func(text string) []string {
		return with(beir("", ""), "-llm-outputs", writeLines(t, "outputs.jsonl", text))
	}
	for _, c := range []struct {
		name string
		args []string
		says string
	}{
		{"no folder", []string{"-data", filepath.Join(t.TempDir(), "none")}, "none"},
		{"a file", []string{"-data", writeLines(t, "file", "")}, "is not a folder"},
		{"no queries", []string{"-data", t.TempDir()}, "queries.jsonl"},
		{"no such judgements", with(beir("", ""), "-qrels", "dev"), `no judgements "dev", only ["test"]`},
		{"a broken corpus", beir("corpus.jsonl", "{}\n"), "corpus.jsonl:1"},
		{"an empty corpus", beir("corpus.jsonl", ""), "is empty"},
		{"an id twice", beir("corpus.jsonl", strings.Repeat(`{"_id": "d", "text": "x"}`+"\n", 2)), `"d"`},
		{"a broken judgement", beir("qrels/test.tsv", "query-id\tcorpus-id\tscore\nq\td\n"), "test.tsv:2"},
		{"damaged judgements", with(beir("qrels/dev.tsv.gz", "never zipped"), "-qrels", "dev"), "-qrels: qrels/dev.tsv.gz: "},
		{"an unknown query", beir("qrels/test.tsv", "query-id\tcorpus-id\tscore\nz\td\t1\n"), `judges the query "z", which the queries lack`},
		{"nothing relevant", beir("qrels/test.tsv", "query-id\tcorpus-id\tscore\nq\td\t0\n"), "no query has a relevant document"},
		{"no distractors", with(beir("", ""), "-distractors", filepath.Join(t.TempDir(), "none.jsonl")), "none.jsonl"},
		{"a distractor with a taken id", with(beir("", ""), "-distractors", writeLines(t, "more.jsonl", `{"_id": "d", "text": "x"}`)), `more.jsonl: the id "d" comes twice`},
		{"no embedder", append([]string{"-data", tiny}, "-embedder", filepath.Join(t.TempDir(), "none")), "-embedder"},
		{"no outputs", with(beir("", ""), "-llm-outputs", filepath.Join(t.TempDir(), "none")), "-llm-outputs"},
		{"broken outputs", outputs("\n{]"), "outputs.jsonl: line 2"},
		{"outputs of another form", outputs(`{"query_id": "q", "pseudo_skills": []}`), `line 1: json: unknown field "pseudo_skills"`},
		{"outputs without a query", outputs(`{}`), "line 1: query_id is missing"},
		{"outputs twice", outputs(strings.Repeat(`{"query_id": "q"}`+"\n", 2)), `line 2: there is an answer to the query "q" already`},
		{"two values in a line", outputs(`{"query_id": "q"} {}`), "line 1: something follows"},
		{"no recording", with(beir("", ""), "-systems", "generic", "-llm-recording", filepath.Join(t.TempDir(), "none")), "-llm-recording"},
		{"no outcomes", []string{"-outcomes", filepath.Join(t.TempDir(), "none")}, "-outcomes"},
		{"an unknown arm", []string{"-outcomes", writeLines(t, "o.jsonl", `{"task": "t", "arm": "oracle"}`)}, `o.jsonl: line 1: there is no arm "oracle", only none, curated, pseudo, retrieved`},
		{"an outcome without a task", []string{"-outcomes", writeLines(t, "o.jsonl", `{"arm": "none"}`)}, "task is missing"},
		{"an outcome twice", []string{"-outcomes", writeLines(t, "o.jsonl", strings.Repeat(`{"task": "t", "arm": "none", "trial": 2}`+"\n", 2))}, `line 2: task "t" has an outcome of arm "none", trial 2, already`},
		{"an outcome of another form", []string{"-outcomes", writeLines(t, "o.jsonl", `{"task": "t", "arm": "none", "reward": "1"}`)}, "o.jsonl: line 1: json: cannot unmarshal string"},
		{"empty outcomes", []string{"-outcomes", writeLines(t, "o.jsonl", "\n")}, "there are no outcomes"},
		{"a report that cannot be written", with(beir("", ""), "-report", filepath.Join(writeLines(t, "file", ""), "r.html")), "-report"},
		{"a document that is a folder", with(beir("", ""), "-json", t.TempDir()), "is a folder, want a file"},
		{"runs in a file", with(beir("", ""), "-runs", writeLines(t, "file", "")), "-runs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := invoke(t, c.args...)
			require.Equal(t, exitFailure, got.code, got.err)
			require.Contains(t, got.err, c.says)
			require.Empty(t, got.out, "it fails before the work is done")
		})
	}
}

// TREC runs know no ids with spaces; the document does.
func TestAFileThatCannotBeWrittenKeepsNoneOfTheOthersFromIt(t *testing.T) {
	data := folder(t, map[string]string{
		"corpus.jsonl":   `{"_id": "a hive", "text": "bees make honey"}` + "\n",
		"queries.jsonl":  `{"_id": "q", "text": "honey"}` + "\n",
		"qrels/test.tsv": "query-id\tcorpus-id\tscore\nq\ta hive\t1\n",
	})
	dir := t.TempDir()
	got := invoke(t, "-embedder", "none", "-data", data, "-runs", dir, "-json", filepath.Join(dir, "f.json"), "-report", filepath.Join(dir, "r.html"))
	require.Equal(t, exitFailure, got.code)
	require.Contains(t, got.err, `-runs: bm25: `)
	require.FileExists(t, filepath.Join(dir, "f.json"))
	require.FileExists(t, filepath.Join(dir, "r.html"))
	require.NoFileExists(t, filepath.Join(dir, "bm25.run"))
}

// full is an output that takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestAnOutputThatFailsIsAFailure(t *testing.T) {
	var errs strings.Builder
	code := run(t.Context(), []string{"-outcomes", tinyOutcomes}, streams{full{}, &errs})
	require.Equal(t, exitFailure, code)
	require.Contains(t, errs.String(), "disk full")
}

func TestAFileIsThereWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "deep", "file")
	require.NoError(t, writeFile(path, func(w io.Writer) error { _, err := io.WriteString(w, "old"); return err }))
	require.Error(t, writeFile(path, func(w io.Writer) error {
		_, err := io.WriteString(w, "new")
		return errors.Join(err, errors.New("too late"))
	}))
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "old", string(data))
	left, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, left, 1, "no temporary file stays")
}
