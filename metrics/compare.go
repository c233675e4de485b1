package metrics

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// ErrUnpaired: what is to be compared query by query is not about the same
// queries.
var ErrUnpaired = errors.New("metrics: values do not pair up")

// Column returns the values of a measure, in order of e.Queries, and whether
// there is one of the name.
func (e *Evaluation[Q]) Column(measure string) ([]float64, bool) {
	at := slices.Index(e.Measures, measure)
	if at < 0 {
		return nil, false
	}
	column := make([]float64, len(e.Queries))
	for i, q := range e.Queries {
		column[i] = q.Values[at]
	}
	return column, true
}

// Paired returns the values of a measure in two evaluations, query by query,
// for [Compare]. Error: [ErrUnpaired] if one of them lacks the measure or they
// are not over the same queries, which two by the same judgements are.
func Paired[Q cmp.Ordered](a, b *Evaluation[Q], measure string) (x, y []float64, err error) {
	x, inA := a.Column(measure)
	y, inB := b.Column(measure)
	if !inA || !inB {
		return nil, nil, fmt.Errorf("%w: not both have %s", ErrUnpaired, measure)
	}
	if !slices.EqualFunc(a.Queries, b.Queries, func(p, q QueryValues[Q]) bool { return p.Query == q.Query }) {
		return nil, nil, fmt.Errorf("%w: other queries", ErrUnpaired)
	}
	return x, y, nil
}

// A Comparison says by how much a system differs from a baseline on the same
// queries, and how sure that is.
type Comparison struct {
	// N is the number of queries.
	N int
	// Difference is the mean of system − baseline over the queries.
	Difference float64
	// Interval of Difference, as by [MeanInterval] of the differences.
	Interval
	// P is the two-sided p-value of a paired randomisation test: the
	// probability of a difference at least as large, up or down, if which of
	// the two values of a query belongs to the system were left to a coin.
	P float64
	// Exact says that all assignments of signs were gone through; else P is
	// (1 + those drawn that reach the difference) / (1 + Resamples).
	Exact bool
	// Wins, Losses and Ties count the queries on which the system is better
	// than the baseline, worse, and equal.
	Wins, Losses, Ties int
}

// Compare compares a system with a baseline, by a value of each for every
// query: those of [Paired], or rewards of tasks, in the same order. High is
// taken to be good in Wins and Losses alone.
//
// The test flips the signs of the differences. With up to 16 queries on which
// the two differ it goes through all 2¹⁶ ways, else it draws Resamples of
// them. Values that differ in their last digits only (by 10⁻¹² of the larger)
// are taken for equal.
//
// Errors: [ErrUnpaired] if there are not as many values of the one as of the
// other; those of [MeanInterval]. Cost: O(Resamples · (n + log Resamples)), or
// O(2¹⁶ · n) if that is more; some milliseconds for a hundred queries.
// Sources: Fisher, "The Design of Experiments", 1935, section 21; Smucker,
// Allan and Carterette, "A comparison of statistical significance tests for
// information retrieval evaluation", CIKM 2007; for the 1 + …: Phipson and
// Smyth, "Permutation p-values should never be zero", 2010.
func Compare(system, baseline []float64, opts Resampling) (Comparison, error) {
	d, err := differences(system, baseline)
	if err != nil {
		return Comparison{}, err
	}
	c, err := describe(d, opts)
	if err != nil {
		return Comparison{}, err
	}
	alone, _, exact := signFlips([][]float64{d}, opts)
	c.P, c.Exact = alone[0], exact
	return c, nil
}

// describe is the comparison less its test.
func describe(d []float64, opts Resampling) (Comparison, error) {
	interval, err := MeanInterval(d, opts)
	if err != nil {
		return Comparison{}, err
	}
	c := Comparison{N: len(d), Interval: interval, Difference: sum(d) / float64(len(d))}
	for _, x := range d {
		switch {
		case x > 0:
			c.Wins++
		case x < 0:
			c.Losses++
		default:
			c.Ties++
		}
	}
	return c, nil
}

// differences returns system − baseline, with 0 for what is rounding.
func differences(system, baseline []float64) ([]float64, error) {
	if len(system) != len(baseline) {
		return nil, fmt.Errorf("%w: %d values and %d", ErrUnpaired, len(system), len(baseline))
	}
	if err := checkValues(system); err != nil {
		return nil, fmt.Errorf("system: %w", err)
	}
	if err := checkValues(baseline); err != nil {
		return nil, fmt.Errorf("baseline: %w", err)
	}
	d := make([]float64, len(system))
	for i, x := range system {
		if y := baseline[i]; math.Abs(x-y) > 1e-12*max(math.Abs(x), math.Abs(y)) {
			d[i] = x - y
		}
	}
	return d, nil
}
