package main

import (
	"fmt"
	"strings"
)

// outcomesPage is the part of the report on outcomes of agents.
type outcomesPage struct {
	Dots  dotChart
	Arms  table
	Pairs table
	Notes []string
}

func (o *outcomes) page() *outcomesPage {
	var rows []dotRowOf
	for _, a := range o.arms {
		base := a.name == "none" // which every other arm is compared with
		row := dotRowOf{name: a.name, base: base}
		for j, r := range []rate{a.passRate, a.loadRate} {
			row.vals = append(row.vals, dotValue{mean: r.mean, low: r.interval.Low, high: r.interval.High, tone: map[bool]string{true: "base", false: "even"}[base], title: a.name + ": " + r.String(), absent: j == 1 && !a.provides})
		}
		rows = append(rows, row)
	}
	return &outcomesPage{
		Dots: newDotChart("Pass rate and load rate by arm, with intervals", []string{"pass rate", "load rate"}, rows),
		Arms: o.armsTable(), Pairs: o.pairsTable(), Notes: o.notes(),
	}
}

// notes say which rewards could not be counted, and what was not looked at.
func (o *outcomes) notes() (notes []string) {
	for _, a := range o.arms {
		var odd []string
		if a.missing > 0 {
			odd = append(odd, numbered(a.missing, "missing reward", "missing rewards"))
		}
		if a.invalid > 0 {
			odd = append(odd, numbered(a.invalid, "reward", "rewards")+" outside 0 to 1")
		}
		if len(odd) > 0 {
			notes = append(notes, fmt.Sprintf("%s: %s counted as 0.", a.name, strings.Join(odd, " and ")))
		}
	}
	if len(o.ignored) > 0 {
		notes = append(notes, fmt.Sprintf("Fields that are not known here were not looked at: %s.", listed(o.ignored)))
	}
	return notes
}
