package metrics

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// A Run holds the ranking of each query, best first, each document once.
type Run[Q cmp.Ordered, D comparable] map[Q][]D

// Qrels hold the judgements of each query: the grade of each judged document.
type Qrels[Q cmp.Ordered, D comparable] map[Q]map[D]float64

// An Evaluation holds the values of some measures over some queries.
type Evaluation[Q cmp.Ordered] struct {
	// Measures names the columns of Values and Means.
	Measures []string
	// Queries holds every query with a relevant document, in order of the id.
	Queries []QueryValues[Q]
	// Means over Queries.
	Means []float64

	// Unanswered are those of Queries that the run lacks or leaves empty.
	Unanswered []Q
	// NoRelevant are judged queries without a relevant document, left out.
	NoRelevant []Q
	// Unjudged are queries of the run without judgements, left out.
	Unjudged []Q
}

// QueryValues are the values of one query, in the order of the measures.
type QueryValues[Q cmp.Ordered] struct {
	Query  Q
	Values []float64
}

// Mean returns the mean of the measure with the name, and whether there is one.
func (e *Evaluation[Q]) Mean(measure string) (float64, bool) {
	i := slices.Index(e.Measures, measure)
	if i < 0 {
		return 0, false
	}
	return e.Means[i], true
}

// Evaluate judges a run.
//
// Errors: those of [Judge] and of [Measure.Of], with the query; [ErrNoRelevant]
// if no query has a relevant document, since a mean over none would be taken
// for a bad result. Queries are visited in order of their ids, and sums are
// taken in that order.
func Evaluate[Q cmp.Ordered, D comparable](run Run[Q, D], qrels Qrels[Q, D], measures ...Measure) (*Evaluation[Q], error) {
	e := &Evaluation[Q]{Measures: make([]string, len(measures)), Means: make([]float64, len(measures))}
	for i, m := range measures {
		if err := m.validate(); err != nil {
			return nil, err
		}
		e.Measures[i] = m.Name()
	}
	for _, q := range slices.Sorted(maps.Keys(qrels)) {
		j, err := Judge(run[q], qrels[q])
		if err != nil {
			return nil, fmt.Errorf("query %v: %w", q, err)
		}
		if len(j.Ideal) == 0 {
			e.NoRelevant = append(e.NoRelevant, q)
			continue
		}
		if len(j.Gains) == 0 {
			e.Unanswered = append(e.Unanswered, q)
		}
		values := make([]float64, len(measures))
		for i, m := range measures {
			values[i] = m.f(j)
			e.Means[i] += values[i]
		}
		e.Queries = append(e.Queries, QueryValues[Q]{Query: q, Values: values})
	}
	for _, q := range slices.Sorted(maps.Keys(run)) {
		if _, judged := qrels[q]; !judged {
			e.Unjudged = append(e.Unjudged, q)
		}
	}
	if len(e.Queries) == 0 {
		return nil, fmt.Errorf("%w in %d judged queries", ErrNoRelevant, len(qrels))
	}
	for i := range e.Means {
		e.Means[i] /= float64(len(e.Queries))
	}
	return e, nil
}
