package main

import "fmt"

// outcomesPage is the part of the report on outcomes of agents.
type outcomesPage struct {
	Dots  dotChart
	Arms  table
	Pairs table
	Notes []string
}

func (o *outcomes) page() *outcomesPage {
	var rows []dotRowOf
	for i, a := range o.arms {
		row := dotRowOf{name: a.name, base: i == 0}
		for j, r := range []rate{a.passRate, a.loadRate} {
			row.vals = append(row.vals, dotValue{mean: r.mean, low: r.interval.Low, high: r.interval.High, tone: map[bool]string{true: "base", false: "even"}[i == 0], title: a.name + ": " + r.String(), absent: j == 1 && !a.provides})
		}
		rows = append(rows, row)
	}
	return &outcomesPage{
		Dots: newDotChart("Pass rate and load rate by arm, with intervals", []string{"pass rate", "load rate"}, rows),
		Arms: o.armsTable(), Pairs: o.pairsTable(), Notes: o.notes(),
	}
}

// notes say which rewards could not be counted.
func (o *outcomes) notes() (notes []string) {
	for _, a := range o.arms {
		if a.missing+a.invalid > 0 {
			notes = append(notes, fmt.Sprintf("%s: counted as 0 are %s and %s outside 0 to 1.", a.name, numbered(a.missing, "missing reward", "missing rewards"), numbered(a.invalid, "reward", "rewards")))
		}
	}
	return notes
}
