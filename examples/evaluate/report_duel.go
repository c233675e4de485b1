package main

import (
	"cmp"
	"fmt"
	"slices"
)

// A duel is the focus against the baseline, query by query.
type duel struct {
	System, Base       string
	Measure            string
	Wins, Losses, Ties int
	Bars               barChart
	Worst, Best        []trace
}

// How many queries are shown in full.
const (
	mostWorst = 10
	mostBest  = 3
)

// duel compares query by query, by the measure of the headline that tells the
// finest differences; nil where there is nothing to compare.
func (s *study) duel() *duel {
	r, b := s.focus(), s.base()
	if r == nil {
		return nil
	}
	names := headline(s.opts.ks)
	measure := names[len(names)-1]
	at := slices.Index(r.eval.Measures, measure)
	type round struct {
		query         string
		before, after float64
	}
	rounds := make([]round, len(r.eval.Queries))
	for i, q := range r.eval.Queries {
		rounds[i] = round{q.Query, b.eval.Queries[i].Values[at], q.Values[at]}
	}
	slices.SortStableFunc(rounds, func(x, y round) int { return cmp.Compare(y.after-y.before, x.after-x.before) })
	d := &duel{System: r.plan.name, Base: b.plan.name, Measure: measure}
	var bars []barOf
	for _, x := range rounds {
		switch delta := x.after - x.before; {
		case delta > 0:
			d.Wins++
		case delta < 0:
			d.Losses++
		default:
			d.Ties++
		}
		bars = append(bars, barOf{x.after - x.before, fmt.Sprintf("%s: %s (%s, was %s)", x.query, signed(x.after-x.before), figure(x.after), figure(x.before))})
	}
	d.Bars = newBarChart(fmt.Sprintf("Differences in %s between %s and %s by query", measure, r.plan.name, b.plan.name), bars)
	for _, x := range slices.Backward(rounds) {
		if len(d.Worst) == mostWorst || x.after >= x.before {
			break
		}
		d.Worst = append(d.Worst, s.trace(x.query, x.before, x.after, r, b))
	}
	for _, x := range rounds {
		if len(d.Best) == mostBest || x.after <= x.before {
			break
		}
		d.Best = append(d.Best, s.trace(x.query, x.before, x.after, r, b))
	}
	return d
}
