package main

import (
	"fmt"
	"slices"
	"time"
)

// needCharts show recall by how many documents a query needs, at the first two
// cutoffs.
func (s *study) needCharts() []lineChart {
	shown := s.fewResults(5)
	groups := shown[0].byNeed
	if len(groups) < 2 {
		return nil
	}
	var labels []string
	for _, g := range groups {
		labels = append(labels, fmt.Sprintf("%s (%d)", g.label, g.queries))
	}
	var charts []lineChart
	for _, k := range s.opts.ks[:min(2, len(s.opts.ks))] {
		measure := fmt.Sprintf("recall@%d", k)
		var lines []lineOf
		for _, r := range shown {
			l := lineOf{name: r.plan.name}
			for _, g := range r.byNeed {
				v := g.means[slices.Index(r.eval.Measures, measure)]
				l.values, l.titles = append(l.values, v), append(l.titles, figure(v))
			}
			lines = append(lines, l)
		}
		charts = append(charts, newLineChart(measure, measure+" by the number of documents that a query needs", "documents needed (queries)", labels, lines))
	}
	return charts
}

// fewResults are the results that are shown where there is no room for all:
// the baseline, the focus, and the first of the others that are no sweeps.
func (s *study) fewResults(n int) []*result {
	var few []*result
	add := func(r *result) {
		if r != nil && len(few) < n && !slices.Contains(few, r) {
			few = append(few, r)
		}
	}
	add(s.base())
	add(s.focus())
	for _, name := range []string{"skilldreamer-hybrid", "pseudo-skills", "bm25", "hybrid-weighted"} {
		if i := slices.IndexFunc(s.results, func(r *result) bool { return r.plan.name == name }); i >= 0 {
			add(s.results[i])
		}
	}
	for _, r := range s.results {
		if !r.plan.swept() {
			add(r)
		}
	}
	for _, r := range s.results {
		add(r)
	}
	return few
}

// greek are the names of parameters in formulas.
var greek = map[string]string{"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "kc": "K_c", "kr": "K_r"}

// sweepCharts show the headline's measures by the values of each parameter
// that has three or more.
func (s *study) sweepCharts() []lineChart {
	type axisOf struct{ base, param string }
	var order []axisOf
	points := map[axisOf][]*result{}
	for _, r := range s.results {
		if r.plan.swept() {
			key := axisOf{r.plan.base, r.plan.params[0].Name}
			if points[key] == nil {
				order = append(order, key)
			}
			points[key] = append(points[key], r)
		}
	}
	var charts []lineChart
	for _, key := range order {
		if len(points[key]) < 3 {
			continue
		}
		var labels []string
		for _, r := range points[key] {
			labels = append(labels, r.plan.params[0].Value)
		}
		var lines []lineOf
		for _, measure := range headline(s.opts.ks) {
			l := lineOf{name: measure}
			if b := s.base(); b != nil {
				l.level = &b.eval.Means[slices.Index(b.eval.Measures, measure)]
			}
			for _, r := range points[key] {
				i := slices.Index(r.eval.Measures, measure)
				l.values = append(l.values, r.eval.Means[i])
				l.titles = append(l.titles, fmt.Sprintf("%s, interval %s to %s", figure(r.eval.Means[i]), figure(r.intervals[i].Low), figure(r.intervals[i].High)))
			}
			lines = append(lines, l)
		}
		name := key.param
		if g, ok := greek[name]; ok {
			name = g
		}
		c := newLineChart(fmt.Sprintf("%s of %s", name, key.base), fmt.Sprintf("Measures of %s by %s", key.base, name), name, labels, lines)
		if b := s.base(); b != nil {
			c.Level = b.plan.name
		}
		charts = append(charts, c)
	}
	return charts
}

// latencyChart shows how long a query takes by stage, nil where it was not
// taken.
func (s *study) latencyChart() *stackChart {
	var timed []*result
	most := time.Duration(0)
	for _, r := range s.results {
		if r.latency != nil {
			timed = append(timed, r)
			most = max(most, r.latency.whole())
		}
	}
	if len(timed) == 0 {
		return nil
	}
	const row, top, left, right = 26.0, 8.0, 190.0, chartWidth - 250
	c := &stackChart{chart: chart{chartWidth, top + row*float64(len(timed)) + 28, "Time of a query by stage and system"}}
	c.Bottom = top + row*float64(len(timed))
	x := newAxis(0, 1e12, left, right, 0, ms(most))
	c.Ticks = x.ticks(func(v float64) string { return plainNumber(v) + " ms" })
	for i, r := range timed {
		l := r.latency
		sr := stackRow{Y: top + row*(float64(i)+0.5), Label: r.plan.name}
		at := 0.0
		for j, st := range stages {
			d := ms(l.middle[st])
			if d <= 0 {
				continue
			}
			sr.Parts = append(sr.Parts, stackPart{x.at(at), x.at(at+d) - x.at(at), fmt.Sprintf("s%d", j+1), fmt.Sprintf("%s, %s: %.2f ms", r.plan.name, stageNames[st], d)})
			at += d
		}
		sr.End = x.at(at)
		sr.Text = fmt.Sprintf("median %s ms, p95 %s ms", twoDigits(ms(l.median)), twoDigits(ms(l.p95)))
		c.Rows = append(c.Rows, sr)
	}
	for j, st := range stages {
		if slices.ContainsFunc(timed, func(r *result) bool { return r.latency.middle[st] > 0 }) {
			c.Legend = append(c.Legend, legendItem{fmt.Sprintf("s%d", j+1), stageNames[st]})
		}
	}
	return c
}

var stageNames = map[stage]string{
	thinking: "model: capabilities and imagined skills", embedding: "embed texts", score: "score vectors", words: "score words (BM25)", rest: "normalise and merge",
}

// whole is the mean over the middle half.
func (l *latency) whole() (sum time.Duration) {
	for _, d := range l.middle {
		sum += d
	}
	return sum
}

// twoDigits is a number with two digits that count, or all of a larger one.
func twoDigits(v float64) string {
	switch {
	case v >= 10:
		return fmt.Sprintf("%.0f", v)
	case v >= 1:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}
