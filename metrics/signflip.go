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
// together in all rows, so that the relation between systems stays.
//
// The statistic of a row is |Σ d| / √Σd², of which Student's |t| is a growing
// function, the same for all rows, and in which no flip changes the divisor. A
// row of zeros has 0, which every flip reaches.
//
// alone are the p-values of each row by itself. together are corrected for the
// number of rows by the step-down maximum of Westfall and Young: with rows in
// order of their statistics, the largest first, row j reaches its statistic
// under a flip if the greatest of rows j, j+1, … does; and no row's p-value is
// below that of one before it.
func signFlips(d [][]float64, opts Resampling) (alone, together []float64, exact bool) {
	n := len(d[0])
	scaled := make([][]float64, len(d))
	observed := make([]float64, len(d))
	order := make([]int, len(d))
	for s, row := range d {
		scaled[s] = toLength1(row)
		observed[s] = math.Abs(sum(scaled[s]))
		order[s] = s
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(observed[b], observed[a]) })

	// Sums of the same numbers in other signs may miss each other by rounding:
	// the numbers have at most √n in sum.
	tolerance := 1e-12 * math.Sqrt(float64(n))
	reached := make([]int, len(d))
	reachedBelow := make([]int, len(d))
	flips, exact := eachSigns(d, opts, func(signs []float64) {
		greatest := 0.0
		for _, s := range slices.Backward(order) {
			t := math.Abs(product(scaled[s], signs))
			greatest = max(greatest, t)
			if t >= observed[s]-tolerance {
				reached[s]++
			}
			if greatest >= observed[s]-tolerance {
				reachedBelow[s]++
			}
		}
	})
	p := func(reached int) float64 {
		if exact {
			return float64(reached) / float64(flips)
		}
		return float64(1+reached) / float64(1+flips)
	}
	alone = make([]float64, len(d))
	together = make([]float64, len(d))
	least := 0.0
	for _, s := range order {
		alone[s] = p(reached[s])
		least = max(least, p(reachedBelow[s]))
		together[s] = least
	}
	return alone, together, exact
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

func sum(row []float64) (sum float64) {
	for _, x := range row {
		sum += x
	}
	return sum
}

// product is Σ sign·x, in four sums that do not wait for each other. With signs
// of ±1 the products are exact.
func product(row, signs []float64) float64 {
	var a, b, c, d float64
	signs = signs[:len(row)]
	i := 0
	for ; i+4 <= len(row); i += 4 {
		a += row[i] * signs[i]
		b += row[i+1] * signs[i+1]
		c += row[i+2] * signs[i+2]
		d += row[i+3] * signs[i+3]
	}
	for ; i < len(row); i++ {
		a += row[i] * signs[i]
	}
	return (a + b) + (c + d)
}

// eachSigns calls f with assignments of +1 and −1 to the queries and returns
// how many there were and whether they were all that matter: queries without
// any difference do not, nor does turning all signs round. The slice is only
// valid during a call.
func eachSigns(d [][]float64, opts Resampling, f func(signs []float64)) (flips int, exact bool) {
	n := len(d[0])
	signs := make([]float64, n)
	for i := range signs {
		signs[i] = 1
	}
	if differ := differing(d...); len(differ) <= exactUpTo {
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

// differing returns the numbers of the queries on which any row is not 0.
func differing(d ...[]float64) (queries []int) {
	for i := range d[0] {
		if slices.ContainsFunc(d, func(row []float64) bool { return row[i] != 0 }) {
			queries = append(queries, i)
		}
	}
	return queries
}

// sign is −1 for a lowest bit of 1.
func sign(b uint64) float64 { return 1 - 2*float64(b&1) }
