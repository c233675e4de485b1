package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/prospect-go/prospect/metrics"
)

// headline are the measures that a person looks at first: recall and
// completeness at the least cutoff, which is what an agent is handed, and NDCG
// at the next.
func headline(ks []int) []string {
	next := ks[min(1, len(ks)-1)]
	return []string{fmt.Sprintf("recall@%d", ks[0]), fmt.Sprintf("completeness@%d", ks[0]), fmt.Sprintf("ndcg@%d", next)}
}

// printTables prints the means and, where there is a baseline, the differences
// to it.
func printTables(w io.Writer, s *study) {
	c := s.coll.counts
	fmt.Fprintf(w, "%s, qrels %s: %d queries over %d documents", clean(s.coll.name), clean(s.opts.qrels), c.Queries, c.Documents)
	if c.Distractors > 0 {
		fmt.Fprintf(w, " (%d of them distractors)", c.Distractors)
	}
	fmt.Fprintln(w)
	if s.embedder != nil {
		fmt.Fprintf(w, "embedder %s\n", clean(s.embedder.Identity()))
	}
	fmt.Fprintln(w)
	s.meansTable().print(w)
	if s.base() != nil && len(s.results) > 1 {
		fmt.Fprintf(w, "\nDifferences to %s with %g %% intervals (paired bootstrap); p of the randomisation test,\ncorrected for %s; queries won:lost\n\n",
			s.base().plan.name, 100*confidence, numbered(len(s.results)-1, "system", "systems"))
		s.differencesTable().print(w)
	}
	if notes := s.notes(); len(notes) > 0 {
		fmt.Fprintf(w, "\n%s\n", strings.Join(notes, "\n"))
	}
}

func (s *study) meansTable() table {
	names := s.results[0].eval.Measures
	var columns []int
	for _, kind := range tableKinds {
		for i, name := range names {
			if k, _, _ := strings.Cut(name, "@"); k == kind {
				columns = append(columns, i)
			}
		}
	}
	t := table{{"system"}}
	for _, i := range columns {
		t[0] = append(t[0], shortName(names[i]))
	}
	for _, r := range s.results {
		row := []string{r.plan.name}
		for _, i := range columns {
			row = append(row, figure(r.eval.Means[i]))
		}
		t = append(t, row)
	}
	return t
}

// tableKinds are the measures of the table of means; the others are in the
// document.
var tableKinds = []string{"recall", "ndcg", "completeness"}

// shortName is a measure's name in the head of a table.
func shortName(measure string) string {
	return strings.NewReplacer("recall", "R", "ndcg", "nDCG", "completeness", "Comp").Replace(measure)
}

func (s *study) differencesTable() table {
	names := headline(s.opts.ks)
	t := table{append([]string{"system"}, names...)}
	for _, r := range s.results {
		if r.versus == nil {
			continue
		}
		row := []string{r.plan.name}
		for _, name := range names {
			row = append(row, difference(r.versus[slices.Index(r.eval.Measures, name)]))
		}
		t = append(t, row)
	}
	return t
}

// difference is a comparison in a line.
func difference(c metrics.MultipleComparison) string {
	return fmt.Sprintf("%s [%s, %s] %-7s %2d:%-2d", signed(c.Difference), signed(c.Low), signed(c.High), pValue(c.MaxT), c.Wins, c.Losses)
}

func pValue(p float64) string {
	if p < 0.001 {
		return "p<.001"
	}
	return "p " + figure(p)
}

// figure is a number from 0 to 1 with three decimals and no zero before them.
func figure(x float64) string {
	s := fmt.Sprintf("%.3f", x)
	return strings.Replace(s, "0.", ".", 1)
}

func signed(x float64) string {
	s := strings.Replace(fmt.Sprintf("%+.3f", x), "0.", ".", 1)
	if s == "-.000" {
		return "+.000"
	}
	return s
}

// notes say what a reader must know beside the figures.
func (s *study) notes() []string {
	notes := slices.Clone(s.opts.leftOut)
	add := func(n int, one, many, more string) {
		if n > 0 {
			notes = append(notes, numbered(n, one, many)+" "+more)
		}
	}
	if s.im.source != "" {
		missing := s.im.missing(s.coll.queries)
		add(len(missing), "query", "queries", "without anything imagined, for which systems did what they do without: "+listed(missing))
		add(s.im.strangers, "recorded answer", "recorded answers", "to queries that the collection lacks, not used.")
	}
	for _, r := range s.results {
		if r.plan.kind == rewriting {
			add(r.fallbacks(), "query", "queries", "could not be rewritten and stayed as they were: "+r.plan.name)
		}
	}
	c := s.coll.counts
	add(c.DroppedNames, "distractor", "distractors", "dropped (-strict): the name is that of a document of the corpus.")
	add(c.NotJudged, "query", "queries", "without judgements, not run.")
	add(c.NoRelevant, "judged query", "judged queries", "without a relevant document, not run.")
	add(c.AbsentGold, "relevant document", "relevant documents", "missing from the corpus, which nothing can find.")
	add(c.Empty, "document", "documents", "without a text to embed, which vectors cannot find.")
	return notes
}

// listed names the first few of many.
func listed(ids []string) string {
	const most = 8
	text := clean(strings.Join(ids[:min(most, len(ids))], ", "))
	if more := len(ids) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// A table is rows of cells; the first row is the head.
type table [][]string

// print aligns columns: the first to the left, the others to the right.
func (t table) print(w io.Writer) {
	widths := make([]int, len(t[0]))
	for _, row := range t {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range t {
		var b strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				b.WriteString(cell + pad)
			} else {
				b.WriteString("  " + pad + cell)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
}
