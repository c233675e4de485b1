package bm25_test

import (
	"context"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/bm25"
)

var update = flag.Bool("update", false, "measure all rows of the golden tables anew and write them")

// The analyzers that the package comment compares.
var choices = map[string]bm25.StandardOptions{
	"default":       {},
	"no stop words": {StopWords: []string{}},
	"no stems":      {Stem: bm25.NoStem},
	"parts only":    {Identifiers: bm25.PartsOnly},
	"whole only":    {Identifiers: bm25.WholeOnly},
	"plain words":   {Stem: bm25.NoStem, StopWords: []string{}, Identifiers: bm25.PartsOnly},
}

// Rankings of the evaluation sets, to the last digit: a change that moves one
// shows as a diff of testdata/quality.json. Rows that take seconds are
// measured with -update alone.
func TestQualityIsGolden(t *testing.T) {
	const golden = "testdata/quality.json"
	want := map[string]map[string]figures{}
	if !*update {
		data, err := os.ReadFile(golden)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(data, &want))
	}
	got := map[string]map[string]figures{}
	for name, folder := range map[string]string{
		"cranfield": "classic/cranfield", "med": "classic/med", "vaswani": "classic/vaswani",
		"theoremqa": "reasoning/theoremqa", "pony_pages": "reasoning/pony_pages",
		"skillsbench, name+description": "skillsbench", "skillsbench, full text": "skillsbench",
	} {
		textOf := fullText
		if strings.HasSuffix(name, "description") {
			textOf = nameAndDescription
		}
		set := load(t, folder, textOf)
		got[name] = map[string]figures{}
		for _, choice := range slices.Sorted(maps.Keys(choices)) {
			if strings.HasSuffix(name, "full text") && choice != "default" && !*update {
				continue
			}
			ix := build(t, bm25.Options{Analyzer: standard(t, choices[choice])}, set.docs)
			f := evaluate(t, set, func(text string) ([]prospect.Hit, error) {
				return ix.Search(context.Background(), prospect.Query{Text: text, K: 1000})
			})
			got[name][choice] = f
			if !*update {
				require.InDelta(t, want[name][choice].MAP, f.MAP, 1e-4, "%s, %s", name, choice)
				require.InDelta(t, want[name][choice].NDCG10, f.NDCG10, 1e-4, "%s, %s", name, choice)
			}
		}
	}
	if *update {
		data, err := json.MarshalIndent(got, "", "\t")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(golden, append(data, '\n'), 0o644))
		want = got
	}
	for choice := range choices {
		mean := 0.0
		for _, row := range want {
			mean += row[choice].NDCG10 / float64(len(want))
		}
		t.Logf("%-14s mean NDCG@10 %.4f", choice, mean)
	}
}

// Terrier 5 publishes a MAP of 0.2992 for BM25 with b = 0.4 on Vaswani, in its
// quick-start guide. Its set-up: k1 = 1.2, idf log((N−df+.5)/(df+.5)), Porter
// stems, 733 stop words, and for a term that the query has n times the weight
// (k3 + 1)·n/(k3 + n), k3 = 8. Ours here has newer Porter stems and stop words
// of its own.
func TestVaswaniLikeTerrier(t *testing.T) {
	set := load(t, "classic/vaswani", fullText)
	a := standard(t, bm25.StandardOptions{StopWords: functionWords})
	for variant, want := range map[bm25.Variant]float64{bm25.Robertson: 0.2960, bm25.Lucene: 0.2952} {
		ix := build(t, bm25.Options{Variant: variant, B: new(0.4), Analyzer: a}, set.docs)
		f := evaluate(t, set, func(text string) ([]prospect.Hit, error) {
			n := map[string]float64{}
			for _, term := range a.Terms(text) {
				n[term]++
			}
			var terms []bm25.QueryTerm
			for term, n := range n {
				terms = append(terms, bm25.QueryTerm{Term: term, Weight: (8 + 1) * n / (8 + n)})
			}
			return ix.SearchTerms(context.Background(), terms, prospect.Query{K: 1000})
		})
		require.InDelta(t, 0.2992, f.MAP, 0.005, variant)
		require.InDelta(t, want, f.MAP, 1e-4, variant)
	}
}

// Queries in Chinese, Japanese and Korean find skills written so: each of
// those skills by a stretch of its own text.
func TestDenseScriptsFindTheirSkills(t *testing.T) {
	set := load(t, "skillsbench", fullText)
	ix := build(t, bm25.Options{}, set.docs)
	dense := regexp.MustCompile(`[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]{5,12}`)
	asked, found := 0, 0
	for _, d := range loaded["skillsbench"].Docs {
		if string(d.Metadata["cjk"]) != "true" {
			continue
		}
		stretches := dense.FindAllString(d.Text, 3)
		if len(stretches) == 0 {
			continue
		}
		asked++
		hits, err := ix.Search(context.Background(), prospect.Query{Text: strings.Join(stretches, " "), K: 10})
		require.NoError(t, err)
		if slices.Contains(ids(hits), d.ID) {
			found++
		}
	}
	t.Logf("%d of %d", found, asked)
	require.Greater(t, asked, 100)
	require.GreaterOrEqual(t, found, asked*95/100)
}

// functionWords are the closed classes of English words and what is as common
// and as empty.
var functionWords = strings.Fields(`
	a an the
	i me my myself we us our ours ourselves you your yours yourself yourselves
	he him his himself she her hers herself it its itself
	they them their theirs themselves
	this that these those who whom whose which what
	am is are was were be been being have has had having do does did doing
	will would shall should can could may might must
	and or but nor if then than so because as
	of at by for with about against between into through during before after
	to from in on out
	here there when where why how
	all any both each few more most other some such
	no not only own same too very just also
	across again along already although always among another any anyone anything apart around aside away
	became become becomes becoming behind being below beneath beside besides beyond both came come comes
	concerning consequently consider considered considering despite done down due during either else elsewhere
	enough etc even ever every everything except far few first following follows former found further
	furthermore gave generally get gets getting give given gives giving go goes going gone got great greater
	greatly had hence hereby however immediately indeed instead inside involving keep keeps kept know known
	knows largely last lately later latter least less let like likely little made mainly make makes making many
	mean means meanwhile merely mostly much namely near nearly necessary need neither never nevertheless next
	nobody none nonetheless normally nothing now obtain obtained often one ones onto otherwise outside over overall
	particular particularly per perhaps possible possibly present presumably previous previously probably
	provide provided provides quite rather really recent recently regarding related relatively respectively
	said say says second see seem seemed seems seen several shown show shows significant significantly similar
	similarly since six somehow something sometimes somewhat somewhere soon still sub take taken takes taking
	ten thereby therefore therein thereof thing things third thorough thoroughly though three throughout thus
	together told toward towards tried truly try two under unless unlikely until unto up upon use used useful
	uses using usually various versus via want way ways well went whatever whenever whereas whereby wherein
	wherever whether while whoever whole widely within without work yet zero`)
