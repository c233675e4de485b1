package main

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect/metrics"
	"github.com/prospect-go/prospect/skilldreamer"
)

func TestDocumentsAreSkillsByTheirFrontMatter(t *testing.T) {
	s, isSkill := toSkill(metrics.Doc{ID: "a--1", Title: "ignored", Text: "---\nname: knots\ndescription: Tie knots.\n---\n\nThe bowline.\n"})
	require.True(t, isSkill)
	require.Equal(t, []string{"a--1", "knots", "Tie knots.", "The bowline."}, []string{s.ID, s.Name, s.Description, s.Body})
	require.Equal(t, "knots", label(s))

	for name, text := range map[string]string{
		"plain":                    "The bowline makes a loop.",
		"a rule at the top":        "---\nThe bowline makes a loop.",
		"front matter of a page":   "---\nlayout: page\n---\n\nThe bowline.",
		"front matter in the text": "Knots\n---\nname: knots\ndescription: Tie knots.\n---\n",
	} {
		s, isSkill := toSkill(metrics.Doc{ID: "d", Title: "Knots to know", Text: text})
		require.False(t, isSkill, name)
		require.Equal(t, "Knots to know\n"+strings.TrimSpace(text), skilldreamer.DefaultLexical().Text(s), "%s: every recipe takes all of it", name)
		require.Equal(t, skilldreamer.DefaultLexical().Text(s), skilldreamer.DefaultDense().Text(s))
		require.Equal(t, "Knots to know", label(s))
	}
}

func TestATitleThatBeginsTheTextIsNotRepeated(t *testing.T) {
	s, _ := toSkill(metrics.Doc{ID: "1", Title: "wings in a slipstream .", Text: "Wings  in a\nslipstream . A study."})
	require.Equal(t, "Wings  in a\nslipstream . A study.", s.Description)
	s, _ = toSkill(metrics.Doc{ID: "2", Title: "only a title"})
	require.Equal(t, "only a title", s.Description)
	s, _ = toSkill(metrics.Doc{ID: "3"})
	require.Empty(t, s.Description)
}

func TestSharedNamesAreInTheMetadata(t *testing.T) {
	for text, want := range map[string]bool{
		`{"same_name_as": ["a"]}`: true, `{"same_name_as": "a"}`: true,
		`{"same_name_as": null}`: false, `{"name": "a"}`: false, `[]`: false, ``: false,
	} {
		require.Equal(t, want, sharesName(metrics.Doc{Metadata: json.RawMessage(text)}), text)
	}
}

// Gzipped judgements are read where there are no plain ones, and the hash is of
// the file that was read.
func TestGzippedJudgements(t *testing.T) {
	gzipped := func(judgement string) string {
		var b strings.Builder
		z := gzip.NewWriter(&b)
		_, err := z.Write([]byte("query-id\tcorpus-id\tscore\n" + judgement + "\n"))
		require.NoError(t, err)
		require.NoError(t, z.Close())
		return b.String()
	}
	files := map[string]string{
		"corpus.jsonl":      `{"_id": "d", "text": "bees make honey"}` + "\n",
		"queries.jsonl":     `{"_id": "q", "text": "honey"}` + "\n",
		"qrels/test.tsv.gz": gzipped("q\td\t2"),
		"qrels/lost.tsv.gz": gzipped("z\td\t1"),
		"qrels/none.tsv.gz": gzipped("q\td\t0"),
	}
	dir := folder(t, files)
	c, err := readCollection(options{data: dir, qrels: "test"}, false)
	require.NoError(t, err)
	require.Equal(t, metrics.Qrels[string, string]{"q": {"d": 2}}, c.qrels)
	require.Equal(t, inputFile{"qrels/test.tsv.gz", fmt.Sprintf("%x", sha256.Sum256([]byte(files["qrels/test.tsv.gz"])))}, c.files[2])
	_, err = readCollection(options{data: dir, qrels: "lost"}, false)
	require.EqualError(t, err, `-qrels: qrels/lost.tsv.gz judges the query "z", which the queries lack`)
	_, err = readCollection(options{data: dir, qrels: "none"}, false)
	require.EqualError(t, err, "-qrels: no query has a relevant document in qrels/none.tsv.gz")

	files["qrels/test.tsv"] = "query-id\tcorpus-id\tscore\nq\td\t1\n"
	c, err = readCollection(options{data: folder(t, files), qrels: "test"}, false)
	require.NoError(t, err)
	require.Equal(t, 1.0, c.qrels["q"]["d"])
	require.Len(t, c.files, 3)
	require.Equal(t, "qrels/test.tsv", c.files[2].File)
}

func TestACollectionCountsWhatItIsMadeOf(t *testing.T) {
	c, err := readCollection(options{data: tiny, distractors: tinyDistractors, qrels: "test", strict: true}, false)
	require.NoError(t, err)
	require.Equal(t, counts{
		Documents: 15, Skills: 11, Corpus: 12, Distractors: 3, DroppedNames: 1,
		Queries: 6, NotJudged: 1, NoRelevant: 1, AbsentGold: 1,
	}, c.counts)
	require.Equal(t, "tiny", c.name)
	require.Equal(t, 2, c.relevant("cross-the-bar"))
	require.False(t, c.graded())
	require.Equal(t, []string{"corpus.jsonl", "queries.jsonl", "qrels/test.tsv", "distractors.jsonl"}, []string{c.files[0].File, c.files[1].File, c.files[2].File, c.files[3].File})

	graded, err := readCollection(options{data: tiny, qrels: "graded"}, true)
	require.NoError(t, err)
	require.True(t, graded.graded())
	texts, err := graded.texts(t.Context(), []string{"note-barometer", "gone"})
	require.NoError(t, err)
	require.Equal(t, []string{"Reading a barometer\n\nA fall of more than six hectopascals in three hours means a gale is near.", ""}, texts)
}
