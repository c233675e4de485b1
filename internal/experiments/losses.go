package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// reportLosses prints how each task came out: what each way of ranking found,
// and where the skills that were needed stood in the rows of scores.
func reportLosses(w io.Writer, t *table) error {
	systems := []setting{dense(), lexical(), denseAndLexical(), paper(), hybrid()}
	all, err := evaluate(t, systems)
	if err != nil {
		return err
	}
	for q, task := range t.col.tasks {
		fmt.Fprintf(w, "\n## %s\n\n", task.id)
		for j, c := range task.imagined.Capabilities {
			fmt.Fprintf(w, "%d. %s (%s)\n", j, c.Text, c.Skill.Name)
		}
		fmt.Fprintf(w, "\nanchors: %s\n\n", strings.Join(task.imagined.Anchors, ", "))
		for i, s := range systems {
			fmt.Fprintf(w, "%s, R̄ %.3f:", s.name, all[i][objective][q])
			for _, id := range t.ids(s.rank(t, q)) {
				if task.relevant[id] > 0 {
					id = "**" + id + "**"
				}
				fmt.Fprintf(w, " %s", id)
			}
			fmt.Fprintf(w, "\n\n")
		}
		var needed []string
		for id := range task.relevant {
			needed = append(needed, id)
		}
		slices.Sort(needed)
		row := t.tasks[q]
		for _, id := range needed {
			at := t.place[id]
			fmt.Fprintf(w, "- %s: rank %d by the task's vector, %d by its words, %d by the anchors\n", id,
				rankOf(row.query, at), rankOf(row.words, at), rankOf(row.anchors, at))
			for j := range row.pseudo {
				d := make([]float64, len(row.query))
				for i := range d {
					d[i] = 2*row.query[i] + row.pseudo[j][i]
				}
				fmt.Fprintf(w, "  - capability %d: %d by the imagined skill's vector, %d by its words, %d by d\n",
					j, rankOf(row.pseudo[j], at), rankOf(row.pseudoWords[j], at), rankOf(d, at))
			}
		}
	}
	return nil
}

// rankOf is a column's place by scores, from 1.
func rankOf(scores []float64, at int) int {
	rank := 1
	for _, x := range scores {
		if x > scores[at] {
			rank++
		}
	}
	return rank
}
