package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/prospect-go/prospect/metrics"
)

func (t *table) title() string {
	return fmt.Sprintf("%s, %s of %d skills, %d tasks", t.model, t.col.name, len(t.col.skills), len(t.col.tasks))
}

// reportEach prints, for each table, all measures of every setting and what R̄
// changes against the first.
func reportEach(w io.Writer, tables []*table, settings []setting) error {
	for _, t := range tables {
		all, err := evaluate(t, settings)
		if err != nil {
			return err
		}
		r := objectives(all)
		changes, err := metrics.CompareAll(r[1:], r[0], metrics.Resampling{})
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "\n%s\n\n| | %s | change of R̄ | p | corrected | won–lost |\n|---|%s---|---:|---:|---:|\n",
			t.title(), strings.Join(measureNames, " | "), strings.Repeat("---:|", len(measureNames)))
		for i, s := range settings {
			fmt.Fprintf(w, "| %s |", s.name)
			for m := range measureNames {
				fmt.Fprintf(w, " %.3f |", all[i].mean(m))
			}
			if i == 0 {
				fmt.Fprintln(w, " | | | |")
				continue
			}
			c := changes[i-1]
			fmt.Fprintf(w, " %s | %.4f | %.3f | %d–%d |\n", change(c.Comparison), c.P, c.MaxT, c.Wins, c.Losses)
		}
	}
	return nil
}

// reportSideBySide prints what R̄ changes against the first setting, in one
// column a table.
func reportSideBySide(w io.Writer, tables []*table, settings []setting) error {
	columns := make([][]string, len(tables))
	fmt.Fprint(w, "\n| |")
	for k, t := range tables {
		all, err := evaluate(t, settings)
		if err != nil {
			return err
		}
		r := objectives(all)
		changes, err := metrics.CompareAll(r[1:], r[0], metrics.Resampling{})
		if err != nil {
			return err
		}
		columns[k] = append(columns[k], fmt.Sprintf("%.3f", all[0].mean(objective)))
		for _, c := range changes {
			columns[k] = append(columns[k], fmt.Sprintf("%s, %.3f", change(c.Comparison), c.MaxT))
		}
		fmt.Fprintf(w, " %s |", t.title())
	}
	fmt.Fprintf(w, "\n|---|%s\n", strings.Repeat("---|", len(tables)))
	for i, s := range settings {
		fmt.Fprintf(w, "| %s |", s.name)
		for _, c := range columns {
			fmt.Fprintf(w, " %s |", c[i])
		}
		fmt.Fprintln(w)
	}
	return nil
}

func change(c metrics.Comparison) string {
	return fmt.Sprintf("%+.3f [%+.3f, %+.3f]", c.Difference, c.Low, c.High)
}

// reportChoice prints the settings that are best over all tables together, and
// what choosing among all of them gains on tasks that had no part in the
// choice, with the same model and with others.
func reportChoice(w io.Writer, tables []*table, settings []setting, show int) error {
	by := make([][][]float64, len(tables)) // R̄ by table, setting and task
	pooled := make([][]float64, len(settings))
	for k, t := range tables {
		all, err := evaluate(t, settings)
		if err != nil {
			return err
		}
		by[k] = objectives(all)
		for s, row := range by[k] {
			if k == 0 {
				pooled[s] = make([]float64, len(row))
			}
			for i, x := range row {
				pooled[s][i] += x / float64(len(tables))
			}
		}
	}
	changes, err := metrics.CompareAll(pooled[1:], pooled[0], metrics.Resampling{})
	if err != nil {
		return err
	}
	order := make([]int, len(settings)-1)
	for i := range order {
		order[i] = i + 1
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(mean(pooled[b]), mean(pooled[a])) })
	preset := slices.IndexFunc(settings, func(s setting) bool { return s.sameAs(hybrid()) })
	fmt.Fprintf(w, "\n%s\n%d settings besides the paper's; the preset is number %d of them\n\n| |", tables[0].title(), len(order), 1+slices.Index(order, preset))
	for _, t := range tables {
		fmt.Fprintf(w, " %s |", t.model)
	}
	fmt.Fprintf(w, " change of their mean | corrected |\n|---|%s---|---:|\n", strings.Repeat("---:|", len(tables)))
	for _, s := range append(order[:min(show, len(order))], preset) {
		fmt.Fprintf(w, "| %s |", settings[s].name)
		for k := range tables {
			fmt.Fprintf(w, " %.3f |", mean(by[k][s]))
		}
		c := changes[s-1]
		fmt.Fprintf(w, " %s | %.4f |\n", change(c.Comparison), c.MaxT)
	}

	fmt.Fprintf(w, "\n| chosen with | tested with | gain on tasks that did not choose | p | gain on those that did | chosen most often |\n|---|---|---|---:|---:|---|\n")
	line := func(from, to string, choose, test [][]float64) error {
		gains, chosen := heldOut(choose, test)
		c, err := metrics.Compare(gains, make([]float64, len(gains)), metrics.Resampling{})
		if err != nil {
			return err
		}
		often := slices.Index(chosen, slices.Max(chosen))
		best := 0
		for s := range choose {
			if mean(choose[s]) > mean(choose[best])+1e-12 {
				best = s
			}
		}
		fmt.Fprintf(w, "| %s | %s | %s | %.4f | %+.3f | %s (%.0f %%) |\n", from, to, change(c), c.P,
			mean(test[best])-mean(test[0]), settings[often].name, 100*float64(chosen[often])/(folds*repeats))
		return nil
	}
	for a, from := range tables {
		for b, to := range tables {
			if err := line(from.model, to.model, by[a], by[b]); err != nil {
				return err
			}
		}
	}
	if len(tables) > 1 {
		for b, to := range tables {
			if err := line("all", to.model, pooled, by[b]); err != nil {
				return err
			}
		}
	}
	return nil
}
