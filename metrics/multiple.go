package metrics

import (
	"cmp"
	"fmt"
	"slices"
)

// A MultipleComparison is the comparison of one of several systems with the
// same baseline. Its P and Interval are those of the system alone; the other
// p-values are corrected for how many systems there are.
type MultipleComparison struct {
	Comparison
	// Holm is P, corrected by [Holm].
	Holm float64
	// MaxT is the p-value of the step-down maximum test of Westfall and Young:
	// signs of a query are flipped in all systems together, and a system is
	// held against the greatest statistic, |mean| over standard error, among
	// the systems that are no further from the baseline than itself. It knows
	// how alike the systems are and finds more than Holm's where they are
	// variants of one another. It is never below P.
	MaxT float64
}

// CompareAll compares several systems with one baseline, like [Compare]: each
// row of systems holds the values of one. Call a system equal to the baseline
// if the two could have changed places on any query. The chance that any equal
// system gets a Holm of at most x is at most x; that of a MaxT too, if all
// equal ones could have changed places with the baseline together.
//
// Errors are those of Compare, with the number of the system, from 0; no
// system is [ErrNoValues]. Cost: about that of Compare for each.
// Source: Westfall and Young, "Resampling-Based Multiple Testing", 1993,
// algorithm 2.8.
func CompareAll(systems [][]float64, baseline []float64, opts Resampling) ([]MultipleComparison, error) {
	if len(systems) == 0 {
		return nil, fmt.Errorf("%w: no systems", ErrNoValues)
	}
	all := make([]MultipleComparison, len(systems))
	rows := make([][]float64, len(systems))
	for s, system := range systems {
		d, err := differences(system, baseline)
		if err == nil {
			rows[s] = d
			all[s].Comparison, err = describe(d, opts)
		}
		if err != nil {
			return nil, fmt.Errorf("system %d: %w", s, err)
		}
	}
	ps, maxT, exact := signFlips(rows, opts)
	for s, row := range rows {
		all[s].P, all[s].Exact = ps[s], exact
		if !exact && len(differing(row)) <= exactUpTo { // all are too many, but not for this one
			alone, _, _ := signFlips(rows[s:s+1], opts)
			ps[s], all[s].P, all[s].Exact = alone[0], alone[0], true
		}
		all[s].MaxT = max(maxT[s], ps[s]) // an exact P may lie above a drawn MaxT
	}
	for s, p := range Holm(ps) {
		all[s].Holm = p
	}
	return all, nil
}

// Holm corrects p-values for their number, so that the chance of any false
// rejection at a level is at most the level, however the tests depend on each
// other. The results are in the order of ps: for the i-th smallest of m, i
// from 1,
//
//	max_{j ≤ i} min(1, (m − j + 1) · p_j)
//
// Values outside [0, 1], NaN among them, are no p-values and make it panic.
// Source: Holm, "A simple sequentially rejective multiple test procedure",
// Scandinavian Journal of Statistics, 1979.
func Holm(ps []float64) []float64 {
	order := make([]int, len(ps))
	for i, p := range ps {
		if !(p >= 0 && p <= 1) {
			panic(fmt.Sprintf("metrics.Holm: %v is not a p-value", p))
		}
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ps[a], ps[b]) })
	corrected := make([]float64, len(ps))
	least := 0.0
	for j, i := range order {
		least = max(least, min(1, float64(len(ps)-j)*ps[i]))
		corrected[i] = least
	}
	return corrected
}
