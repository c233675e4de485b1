package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// tinyReport writes the report over everything that the tiny collection has.
func tinyReport(t *testing.T, more ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.html")
	good(t, onTiny(t, append([]string{"-report", path, "-outcomes", tinyOutcomes}, more...)...))
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

// elements are the names of all elements of a page, which must be well-formed
// to the letter: every element closed, every attribute quoted.
func elements(t *testing.T, page string) map[string]int {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict = true
	seen := map[string]int{}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return seen
		}
		require.NoError(t, err)
		if e, ok := token.(xml.StartElement); ok {
			seen[e.Name.Local]++
			for _, a := range e.Attr {
				require.NotRegexp(t, `^(?i)on`, a.Name.Local, "no attribute runs anything")
				require.NotContains(t, []string{"src", "href", "action", "style"}, strings.ToLower(a.Name.Local), "nothing is loaded")
			}
		}
	}
}

func TestTheReportIsWellFormedAndStandsAlone(t *testing.T) {
	page := tinyReport(t, "-systems", "all", "-focus", "no-normalize")
	seen := elements(t, page)
	for _, never := range []string{"script", "img", "link", "iframe", "object", "i"} {
		require.Zero(t, seen[never], never)
	}
	require.Equal(t, 1, seen["title"]-titlesInDrawings(page), "one title of the page")
	require.Contains(t, page, `content="default-src 'none'; style-src 'unsafe-inline'"`)
	require.NotContains(t, page, "url(")
	require.NotContains(t, page, "@import")
	require.NotRegexp(t, `https?://`, page)
	require.NotContains(t, page, "ZgotmplZ", "the template found nothing that it had to blank out")
	require.NotContains(t, page, "NaN")
	for _, heading := range []string{"Systems", "By how much a query needs", "Sensitivity", "Wins and losses", "Where it loses most", "Latency", "Outcomes of agents", "All figures", "Settings"} {
		require.Contains(t, page, ">"+heading+"<")
	}
	require.Contains(t, page, "α of skilldreamer")
	require.GreaterOrEqual(t, seen["svg"], 9)
}

// titlesInDrawings counts the titles that browsers show beside the pointer.
func titlesInDrawings(page string) int {
	return strings.Count(page, "<title>") - 1
}

var hostile = regexp.MustCompile(`(?i)<(script|img|b|i|/summary|/div|/text)\b[^>]*alert|<script>|<img|<i>knot|</summary><s`)

// Names and texts of documents, queries, capabilities and imagined skills are
// shown as text, whatever they say.
func TestTheReportEscapesWhatItIsGiven(t *testing.T) {
	all := tinyReport(t, "-systems", "bm25,dense,skilldreamer,skilldreamer-hybrid", "-focus", "skilldreamer", "-baseline", "bm25")
	require.NotRegexp(t, hostile, all)
	elements(t, all)

	// Every query as a loss: the focus is the worst there is.
	lost := tinyReport(t, "-systems", "skilldreamer@alpha=0,kc=1,dense", "-focus", "skilldreamer@alpha=0,kc=1", "-k", "1,2,3")
	require.NotRegexp(t, hostile, lost)
	elements(t, lost)

	// The hostile texts are in there, as text.
	s := newTinyStudy(t, "bm25,skilldreamer")
	s.opts.versus = 0
	require.NoError(t, s.run(t.Context(), newProgress(discard{})))
	p := page{Title: "<script>alert('title')</script>", Duel: &duel{System: "a", Base: "b"}}
	for _, q := range s.coll.queries {
		p.Duel.Worst = append(p.Duel.Worst, s.trace(q.ID, 1, 0, s.results[1], s.results[0]))
	}
	var b strings.Builder
	require.NoError(t, reportTemplate.Execute(&b, p))
	require.NotRegexp(t, hostile, b.String())
	elements(t, b.String())
	for _, text := range []string{
		"&lt;script&gt;alert(&#39;title&#39;)", "&lt;/summary&gt;&lt;script&gt;alert(&#39;query&#39;)", "Tie the dinghy &lt;b&gt;safely&lt;/b&gt; &amp; quickly",
		"&lt;script&gt;alert(&#39;capability&#39;)", "bank-matching&lt;/b&gt;", "&lt;img src=x onerror=alert(2)&gt;", "&lt;/text&gt;&lt;script&gt;alert(&#39;anchor&#39;)", "not in the corpus",
	} {
		require.Contains(t, b.String(), text)
	}
}

func TestTheReportSaysWhoFindsMore(t *testing.T) {
	page := tinyReport(t, "-systems", "bm25,skilldreamer", "-k", "3")
	require.Contains(t, page, "<b>skilldreamer</b> finds 91.7 % of what a query needs among the first 3, <b>bm25</b> 66.7 %")
	require.Contains(t, page, "With this many queries that may be chance.")
}

func TestAReportOfOneSystemHasNothingToCompare(t *testing.T) {
	page := tinyReport(t, "-systems", "bm25")
	elements(t, page)
	require.NotContains(t, page, "Wins and losses")
	require.NotContains(t, page, `class="lead"`)
}

func TestAReportOfOutcomesAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.html")
	good(t, invoke(t, "-outcomes", tinyOutcomes, "-report", path))
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	elements(t, string(data))
	require.Contains(t, string(data), "<h1>Outcomes of agents</h1>")
	require.NotContains(t, string(data), "<h2>Latency</h2>")
}

func TestNumbersForPeople(t *testing.T) {
	require.Equal(t, "5,536", grouped(5536))
	require.Equal(t, "536", grouped(536))
	require.Equal(t, "1,234,567", grouped(1234567))
	require.Equal(t, "1 query", numbered(1, "query", "queries"))
	require.Equal(t, "0 queries", numbered(0, "query", "queries"))
	require.Equal(t, "+6.1", points(0.0614))
	require.Equal(t, "−6.1", points(-0.0614))
	require.Equal(t, "+.000", signed(-0.0001))
	require.Equal(t, "-1.000", signed(-1))
	require.Equal(t, "1.000", figure(1))
	require.Equal(t, ".050", figure(0.05))
	require.Equal(t, "p<.001", pValue(0.0002))
	require.Equal(t, "ab…", short("abcd", 3))
	require.Equal(t, "abc", short("abc", 3))
}
