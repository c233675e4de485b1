package main

import (
	"fmt"
	"io"
	"strings"
)

func (r rate) String() string {
	return fmt.Sprintf("%s [%s, %s]", figure(r.mean), figure(r.interval.Low), figure(r.interval.High))
}

// print prints the rates and the differences.
func (o *outcomes) print(w io.Writer) {
	fmt.Fprintf(w, "Outcomes of agents, with %g %% intervals (bootstrap over tasks)\n\n", 100*confidence)
	o.armsTable().print(w)
	if len(o.pairs) > 0 {
		fmt.Fprintf(w, "\nPaired differences over the tasks that both arms have; p of the randomisation test, corrected (Holm)\n\n")
		o.pairsTable().print(w)
	}
	if notes := o.notes(); len(notes) > 0 {
		fmt.Fprintf(w, "\n%s\n", strings.Join(notes, "\n"))
	}
}

func (o *outcomes) armsTable() table {
	t := table{{"arm", "tasks", "attempts", "pass rate", "load rate", "provided", "loaded"}}
	for _, a := range o.arms {
		load := "–"
		if a.provides {
			load = a.loadRate.String()
		}
		t = append(t, []string{a.name, fmt.Sprint(len(a.tasks)), fmt.Sprint(a.attempts), a.passRate.String(), load, fmt.Sprintf("%.1f", a.provided), fmt.Sprintf("%.1f", a.loaded)})
	}
	return t
}

func (o *outcomes) pairsTable() table {
	t := table{{"arms", "rate", "tasks", "difference", "p", "won:lost"}}
	for _, p := range o.pairs {
		t = append(t, []string{
			p.arm + " − " + p.against, p.rate, fmt.Sprint(p.N),
			fmt.Sprintf("%s [%s, %s]", signed(p.Difference), signed(p.Low), signed(p.High)), pValue(p.holm), fmt.Sprintf("%d:%d", p.Wins, p.Losses),
		})
	}
	return t
}

// outcomesRecord is the outcomes in a document.
type outcomesRecord struct {
	Arms        []armRecord  `json:"arms"`
	Differences []pairRecord `json:"differences"`
}

type armRecord struct {
	Name           string             `json:"name"`
	Tasks          int                `json:"tasks"`
	Attempts       int                `json:"attempts"`
	PassRate       float64            `json:"pass_rate"`
	PassInterval   [2]float64         `json:"pass_interval"`
	LoadRate       *float64           `json:"load_rate"` // null where no skills were provided
	LoadInterval   *[2]float64        `json:"load_interval"`
	MissingRewards int                `json:"missing_rewards"`
	InvalidRewards int                `json:"invalid_rewards"`
	Provided       float64            `json:"provided"` // mean number of skills
	Loaded         float64            `json:"loaded"`
	PerTask        map[string]float64 `json:"per_task"` // pass rates
}

type pairRecord struct {
	Arm     string `json:"arm"`
	Against string `json:"against"`
	Rate    string `json:"rate"` // "pass_rate" or "load_rate"
	Tasks   int    `json:"tasks"`
	differenceRecord
}

func (o *outcomes) record() *outcomesRecord {
	rec := &outcomesRecord{Arms: []armRecord{}, Differences: []pairRecord{}}
	for _, a := range o.arms {
		r := armRecord{
			Name: a.name, Tasks: len(a.tasks), Attempts: a.attempts,
			PassRate: a.passRate.mean, PassInterval: [2]float64{a.passRate.interval.Low, a.passRate.interval.High},
			MissingRewards: a.missing, InvalidRewards: a.invalid, Provided: a.provided, Loaded: a.loaded, PerTask: byName(a.tasks, a.pass),
		}
		if a.provides {
			r.LoadRate, r.LoadInterval = &a.loadRate.mean, &[2]float64{a.loadRate.interval.Low, a.loadRate.interval.High}
		}
		rec.Arms = append(rec.Arms, r)
	}
	for _, p := range o.pairs {
		d := newDifference(p.Comparison, p.holm)
		rec.Differences = append(rec.Differences, pairRecord{p.arm, p.against, strings.ReplaceAll(p.rate, " ", "_"), p.N, d})
	}
	return rec
}
