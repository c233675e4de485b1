package main

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/prospect-go/prospect/metrics"
)

// A result is one system's answers and how good they are.
type result struct {
	plan    plan
	ranker  *ranker
	answers map[string]answer // by query
	eval    *metrics.Evaluation[string]
	// intervals of the means, in the order of the measures.
	intervals []metrics.Interval
	// versus compares with the baseline, in the order of the measures; nil for
	// the baseline itself and where there is none.
	versus  []metrics.MultipleComparison
	byNeed  []needGroup
	latency *latency // nil where it was not taken
}

// A needGroup are the queries that need about as many documents.
type needGroup struct {
	label   string
	queries int
	means   []float64 // in the order of the measures
}

// depthOf is how many documents each system is asked for: the paper's K, or
// the largest cutoff if that is more.
func depthOf(ks []int) int { return max(15, ks[len(ks)-1]) }

// measuresAt are the measures that are taken, at every cutoff.
func measuresAt(ks []int, graded bool) []metrics.Measure {
	var ms []metrics.Measure
	for _, k := range ks {
		ms = append(ms, metrics.Recall(k), metrics.NDCG(k), metrics.Completeness(k), metrics.Precision(k), metrics.Success(k),
			renamed(fmt.Sprintf("mrr@%d", k), metrics.RR(k)), renamed(fmt.Sprintf("map@%d", k), metrics.AP(k)))
		if graded {
			ms = append(ms, metrics.NDCGExp(k))
		}
	}
	return append(ms, metrics.QSM())
}

// renamed is m under the name by which its mean is known.
func renamed(name string, m metrics.Measure) metrics.Measure {
	return metrics.NewMeasure(name, func(j metrics.Judged) float64 {
		v, err := m.Of(j)
		if err != nil {
			panic(err) // it is only called with relevant documents, and K is positive
		}
		return v
	})
}

// judge evaluates a system's answers.
func (r *result) judge(c *collection, measures []metrics.Measure) error {
	run := metrics.Run[string, string]{}
	qrels := metrics.Qrels[string, string]{}
	for _, q := range c.queries {
		run[q.ID] = r.answers[q.ID].ids
		qrels[q.ID] = c.qrels[q.ID]
	}
	var err error
	if r.eval, err = metrics.Evaluate(run, qrels, measures...); err != nil {
		return fmt.Errorf("%s: %w", r.plan.name, err)
	}
	r.byNeed = r.groupByNeed(c)
	return nil
}

// needs are the bounds of the groups: from and to how many documents.
var needs = []struct {
	label    string
	from, to int
}{{"1", 1, 1}, {"2", 2, 2}, {"3", 3, 3}, {"4", 4, 4}, {"5–9", 5, 9}, {"10+", 10, 1 << 30}}

// groupByNeed takes means over the queries that need about as many documents.
func (r *result) groupByNeed(c *collection) []needGroup {
	var groups []needGroup
	for _, need := range needs {
		g := needGroup{label: need.label, means: make([]float64, len(r.eval.Measures))}
		for _, q := range r.eval.Queries {
			if n := c.relevant(q.Query); n < need.from || n > need.to {
				continue
			}
			g.queries++
			for i, v := range q.Values {
				g.means[i] += v
			}
		}
		if g.queries == 0 {
			continue
		}
		for i := range g.means {
			g.means[i] /= float64(g.queries)
		}
		groups = append(groups, g)
	}
	return groups
}

// compare gives every result the intervals of its means and, unless baseline
// is negative, its differences to that of the results. P-values are corrected,
// measure by measure, for how many systems were tried.
func compare(ctx context.Context, results []*result, baseline int, opts metrics.Resampling) error {
	measures := results[0].eval.Measures
	for i, r := range results {
		r.intervals = make([]metrics.Interval, len(measures))
		if baseline >= 0 && i != baseline {
			r.versus = make([]metrics.MultipleComparison, len(measures))
		}
	}
	var g errgroup.Group
	g.SetLimit(4)
	for m, name := range measures {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := compareOne(results, baseline, m, opts); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			return nil
		})
	}
	return g.Wait()
}

// compareOne is compare for one measure. Only that measure's fields are
// written.
func compareOne(results []*result, baseline, measure int, opts metrics.Resampling) error {
	var columns [][]float64
	var others []*result
	var base []float64
	for i, r := range results {
		column, ok := r.eval.Column(r.eval.Measures[measure])
		if !ok {
			return fmt.Errorf("%s has no such column", r.plan.name)
		}
		var err error
		if r.intervals[measure], err = metrics.MeanInterval(column, opts); err != nil {
			return err
		}
		if i == baseline {
			base = column
		} else {
			columns, others = append(columns, column), append(others, r)
		}
	}
	if baseline < 0 || len(others) == 0 {
		return nil
	}
	compared, err := metrics.CompareAll(columns, base, opts)
	if err != nil {
		return err
	}
	for i, r := range others {
		r.versus[measure] = compared[i]
	}
	return nil
}
