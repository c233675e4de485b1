package metrics

import (
	"cmp"
	"math"
	"slices"
)

// exactUpTo is the number of queries with a difference up to which a test goes
// through all assignments of signs, 2¹⁵ of them by symmetry.
const exactUpTo = 16

// signFlips is a two-sided sign-flip test of several systems at once, whose
// differences on the same queries are the rows of d. A query's signs flip
// together in all rows, so that the relation between systems stays. The
// p-values are corrected for their number by the step-down maximum of Westfall
// and Young; of a single row they are the plain ones.
//
// The statistic of a row is |Σ d| / √Σd², of which Student's |t| is a growing
// function, the same for all rows, and in which no flip changes the divisor. A
// row of zeros has 0, which every flip reaches.
//
// With rows in order of their statistics, the largest first, row j reaches its
// statistic under a flip if the greatest of rows j, j+1, … does; and no row's
// p-value is below that of one before it.
func signFlips(d [][]float64, opts Resampling) (p []float64, exact bool) {
	n := len(d[0])
	scaled := make([][]float64, len(d))
	observed := make([]float64, len(d))
	order := make([]int, len(d))
	for s, row := range d {
		scaled[s] = toLength1(row)
		observed[s] = statistic(scaled[s], nil)
		order[s] = s
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(observed[b], observed[a]) })

	// Sums of the same numbers in other signs may miss each other by rounding:
	// the numbers have at most √n in sum.
	tolerance := 1e-12 * math.Sqrt(float64(n))
	reached := make([]int, len(d))
	flips, exact := eachSigns(d, opts, func(signs []float64) {
		greatest := 0.0
		for _, s := range slices.Backward(order) {
			greatest = max(greatest, statistic(scaled[s], signs))
			if greatest >= observed[s]-tolerance {
				reached[s]++
			}
		}
	})
	p = make([]float64, len(d))
	least := 0.0
	for _, s := range order {
		if exact {
			p[s] = float64(reached[s]) / float64(flips)
		} else {
			p[s] = float64(1+reached[s]) / float64(1+flips)
		}
		least = max(least, p[s])
		p[s] = least
	}
	return p, exact
}

// toLength1 returns row / √Σ row², without overflow on the way; zeros stay.
func toLength1(row []float64) []float64 {
	var largest, squares float64
	for _, x := range row {
		largest = max(largest, math.Abs(x))
	}
	out := make([]float64, len(row))
	if largest == 0 {
		return out
	}
	for i, x := range row {
		out[i] = x / largest
		squares += float64(out[i] * out[i]) // not fused, on any machine
	}
	for i := range out {
		out[i] /= math.Sqrt(squares)
	}
	return out
}

// statistic is |Σ sign·d|; no signs are all plus.
func statistic(row, signs []float64) float64 {
	var sum float64
	if signs == nil {
		for _, x := range row {
			sum += x
		}
		return math.Abs(sum)
	}
	for i, x := range row {
		sum += signs[i] * x
	}
	return math.Abs(sum)
}

// eachSigns calls f with assignments of +1 and −1 to the queries and returns
// how many there were and whether they were all that matter: queries without
// any difference do not, nor does turning all signs round. The slice is only
// valid during a call.
func eachSigns(d [][]float64, opts Resampling, f func(signs []float64)) (flips int, exact bool) {
	n := len(d[0])
	signs := make([]float64, n)
	var differ []int
	for i := range n {
		signs[i] = 1
		if slices.ContainsFunc(d, func(row []float64) bool { return row[i] != 0 }) {
			differ = append(differ, i)
		}
	}
	if len(differ) <= exactUpTo {
		flips = 1 << max(0, len(differ)-1) // the first keeps its sign
		for pattern := range flips {
			for bit, i := range differ {
				signs[i] = sign(uint64(pattern) >> bit)
			}
			f(signs)
		}
		return flips, true
	}
	// A bit for every query, whether or not it matters, keeps the signs of a
	// query the same for all systems.
	src := opts.random(signStream)
	for range opts.resamples() {
		var random uint64
		for i := range signs {
			if i%64 == 0 {
				random = src.Uint64()
			}
			signs[i] = sign(random)
			random >>= 1
		}
		f(signs)
	}
	return opts.resamples(), false
}

// sign is −1 for a lowest bit of 1.
func sign(b uint64) float64 { return 1 - 2*float64(b&1) }
