package main

import (
	"fmt"

	"github.com/prospect-go/prospect/metrics"
)

// measures of every table; after them comes R̄.
var measures = []metrics.Measure{
	metrics.Recall(5), metrics.Recall(10), metrics.Recall(15),
	metrics.NDCG(10), metrics.Completeness(5), metrics.Completeness(10),
}

var measureNames = []string{"R@5", "R@10", "R@15", "nDCG@10", "C@5", "C@10", "R̄"}

// objective is the place of R̄, the mean of the first three, among the measures.
const objective = 6

// figures of a setting are values by measure and task.
type figures [][]float64

func (f figures) mean(measure int) float64 { return mean(f[measure]) }

// evaluate gives the figures of each setting.
func evaluate(t *table, settings []setting) ([]figures, error) {
	out := make([]figures, len(settings))
	for i, s := range settings {
		f := make(figures, len(measureNames))
		for q, task := range t.col.tasks {
			j, err := metrics.Judge(t.ids(s.rank(t, q)), task.relevant)
			if err != nil {
				return nil, fmt.Errorf("%s, task %s: %w", s.name, task.id, err)
			}
			for k, m := range measures {
				v, err := m.Of(j)
				if err != nil {
					return nil, fmt.Errorf("task %s: %w", task.id, err)
				}
				f[k] = append(f[k], v)
			}
			f[objective] = append(f[objective], (f[0][q]+f[1][q]+f[2][q])/3)
		}
		out[i] = f
	}
	return out, nil
}

// objectives are R̄ by setting and task.
func objectives(all []figures) [][]float64 {
	out := make([][]float64, len(all))
	for i, f := range all {
		out[i] = f[objective]
	}
	return out
}

func mean(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}
