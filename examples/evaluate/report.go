package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/prospect-go/prospect/metrics"
)

//go:embed report.html.tmpl
var reportHTML string

//go:embed report.css
var reportCSS string

// reportTemplate escapes whatever it is given, by where it stands: names and
// texts of documents, queries and models are anybody's. The page loads nothing
// and runs nothing, and tells the browser so.
var reportTemplate = template.Must(template.New("report").Funcs(template.FuncMap{
	"n":   func(v float64) string { return fmt.Sprintf("%.1f", v) },
	"sub": func(a, b float64) float64 { return a - b },
	"add": func(a, b float64) float64 { return a + b },
}).Parse(reportHTML))

// A page is the report as the template shows it.
type page struct {
	CSS      template.CSS // ours
	Title    string
	Subtitle string
	Facts    []string
	Lead     *lead
	Notes    []string
	Dots     *dotChart
	Base     string
	Systems  []systemLine
	Needs    []lineChart
	Sweeps   []lineChart
	Duel     *duel
	Latency  *stackChart
	Figures  *figureTable
	Outcomes *outcomesPage
	Settings string
}

// A lead says the main thing in a sentence.
type lead struct {
	System, Base      string
	Cutoff            string
	Share, BaseShare  string
	Delta, Low, High  string
	P                 string
	Wins, Losses      int
	Systems           int
	Significant, Less bool
}

type systemLine struct{ Name, About string }

// A figureTable has every mean.
type figureTable struct {
	Head []string
	Rows []figureRow
}

type figureRow struct {
	Name  string
	Cells []figureCell
}

type figureCell struct{ Text, Tone, Title string }

// writeReport writes the page. s or agents may be nil, not both.
func writeReport(w io.Writer, s *study, agents *outcomes, doc document) error {
	p := page{CSS: template.CSS(reportCSS), Title: "Outcomes of agents"}
	if s != nil {
		s.fill(&p)
	}
	if agents != nil {
		p.Outcomes = agents.page()
	}
	doc.PerQuery = nil
	set, err := json.MarshalIndent(doc.Settings, "", "  ")
	if err != nil {
		return err
	}
	p.Settings = string(set)
	var b bytes.Buffer
	if err := reportTemplate.Execute(&b, p); err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

func (s *study) fill(p *page) {
	c := s.coll.counts
	p.Title = s.coll.name
	p.Subtitle = fmt.Sprintf("%s over %s", numbered(c.Queries, "query", "queries"), numbered(c.Documents, "document", "documents"))
	if c.Distractors > 0 {
		p.Subtitle += fmt.Sprintf(", %s of them distractors", grouped(c.Distractors))
	}
	p.Facts = s.facts()
	p.Notes = s.notes()
	p.Lead = s.lead()
	p.Dots = s.dots()
	if b := s.base(); b != nil {
		p.Base = b.plan.name
	}
	p.Systems = s.systemLines()
	p.Needs = s.needCharts()
	p.Sweeps = s.sweepCharts()
	p.Duel = s.duel()
	p.Latency = s.latencyChart()
	p.Figures = s.figureTable()
}

func (s *study) facts() []string {
	facts := []string{"Judgements: " + s.opts.qrels}
	if s.embedder != nil {
		facts = append(facts, fmt.Sprintf("Embedder: %s, %d dimensions", embedderName(s.opts.embedder), s.embedder.Dim()))
	}
	switch s.im.source {
	case "recorded":
		facts = append(facts, "Capabilities and imagined skills: recorded answers of a model")
	case "model":
		facts = append(facts, "Capabilities and imagined skills: "+s.im.model)
	}
	return facts
}

// focus is the system whose wins and losses are shown; nil where there is
// nothing to compare.
func (s *study) focus() *result {
	name := s.opts.focus
	if name == "" {
		name = "skilldreamer"
	}
	var last *result
	for i, r := range s.results {
		if i == s.opts.versus || s.opts.versus < 0 {
			continue
		}
		if r.plan.name == name {
			return r
		}
		last = r
	}
	return last
}

func (s *study) lead() *lead {
	r, b := s.focus(), s.base()
	if r == nil {
		return nil
	}
	name := headline(s.opts.ks)[0]
	i := slices.Index(r.eval.Measures, name)
	c := r.versus[i]
	return &lead{
		System: r.plan.name, Base: b.plan.name, Cutoff: fmt.Sprint(s.opts.ks[0]),
		Share: percent(r.eval.Means[i]), BaseShare: percent(b.eval.Means[i]),
		Delta: points(c.Difference), Low: points(c.Low), High: points(c.High), P: pValue(c.MaxT),
		Wins: c.Wins, Losses: c.Losses, Systems: len(s.results) - 1,
		Significant: c.MaxT < 0.05, Less: c.Difference < 0,
	}
}

func percent(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }

// points are percentage points, with a sign.
func points(x float64) string {
	return strings.Replace(fmt.Sprintf("%+.1f", 100*x), "-", "−", 1)
}

// swept says that a system is a point of a sweep, which has charts of its own.
func (p plan) swept() bool { return len(p.params) == 1 && sweepable[p.params[0].Name] }

// sweepable are the parameters whose values make an axis.
var sweepable = map[string]bool{"alpha": true, "beta": true, "gamma": true, "delta": true, "kc": true, "kr": true, "fused": true, "weight": true, "constant": true, "body": true, "words": true, "piece": true}

// dots are the systems by the headline's measures, without sweeps where there
// are other systems.
func (s *study) dots() *dotChart {
	names := headline(s.opts.ks)
	var rows []dotRowOf
	for _, sweeps := range []bool{false, true} {
		if sweeps && len(rows) > 1 {
			break
		}
		for i, r := range s.results {
			if r.plan.swept() == sweeps {
				rows = append(rows, r.dotRow(names, i == s.opts.versus))
			}
		}
	}
	c := newDotChart(fmt.Sprintf("Means of %s by system, with intervals", strings.Join(names, ", ")), names, rows)
	return &c
}

func (r *result) dotRow(names []string, base bool) dotRowOf {
	row := dotRowOf{name: r.plan.name, base: base}
	for _, name := range names {
		i := slices.Index(r.eval.Measures, name)
		v := dotValue{mean: r.eval.Means[i], low: r.intervals[i].Low, high: r.intervals[i].High, tone: "even"}
		v.title = fmt.Sprintf("%s, %s: %s, interval %s to %s", r.plan.name, name, figure(v.mean), figure(v.low), figure(v.high))
		if base {
			v.tone = "base"
		} else if r.versus != nil {
			c := r.versus[i]
			v.delta, v.tone = signed(c.Difference), tone(c)
			v.title += "; difference " + difference(c)
		}
		row.vals = append(row.vals, v)
	}
	return row
}

// tone says on which side of zero the whole interval of a difference lies.
func tone(c metrics.MultipleComparison) string {
	switch {
	case c.Low > 0:
		return "better"
	case c.High < 0:
		return "worse"
	}
	return "even"
}

func (s *study) systemLines() (lines []systemLine) {
	for _, sys := range systems {
		if slices.ContainsFunc(s.results, func(r *result) bool { return r.plan.base == sys.name }) {
			lines = append(lines, systemLine{sys.name, sys.about})
		}
	}
	return lines
}

func (s *study) figureTable() *figureTable {
	t := &figureTable{Head: []string{"system"}}
	measures := s.results[0].eval.Measures
	for _, m := range measures {
		t.Head = append(t.Head, shortName(m))
	}
	for _, r := range s.results {
		row := figureRow{Name: r.plan.name}
		for i, v := range r.eval.Means {
			cell := figureCell{Text: figure(v), Title: fmt.Sprintf("%s of %s, interval %s to %s", measures[i], r.plan.name, figure(r.intervals[i].Low), figure(r.intervals[i].High))}
			if r.versus != nil {
				c := r.versus[i]
				low := measures[i] == "qsm" // of which less is better
				switch {
				case c.Low > 0 && !low || c.High < 0 && low:
					cell.Tone = "up"
				case c.High < 0 && !low || c.Low > 0 && low:
					cell.Tone = "down"
				}
				cell.Title += "; difference " + difference(c)
			}
			row.Cells = append(row.Cells, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func numbered(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + many
}

// grouped writes thousands apart: 5,536.
func grouped(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
