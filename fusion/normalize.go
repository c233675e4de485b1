package fusion

import (
	"math"
	"slices"
)

// A Normalizer rewrites the scores of one list in place, so that they can be
// added to those of another. It keeps the order of the scores, does nothing to
// an empty list, and refuses a score that is not finite with a [*ScoreError]
// around [prospect.ErrNotFinite], leaving dst as it was.
//
// A list is flat when all its scores are equal, as a single score is. What a
// flat list becomes is said at each normaliser and can be changed with
// [WhenFlat].
type Normalizer func(dst []float64) error

// Raw leaves the scores as they are: a sum of it is a sum of the scores.
func Raw(dst []float64) error { return checkScores(dst) }

// MinMax maps the lowest score to 0 and the highest to 1, linearly:
//
//	dst[i] = (dst[i] − min) / (max − min)
//
// A flat list has no information about the order of its documents and becomes
// all 0.
func MinMax(dst []float64) error {
	if err := checkScores(dst); err != nil || len(dst) == 0 {
		return err
	}
	lo, hi := slices.Min(dst), slices.Max(dst)
	if lo == hi {
		clear(dst)
		return nil
	}
	// The difference of two huge scores may overflow; halves cannot.
	scale := 1.0
	if math.IsInf(hi-lo, 0) {
		scale = 0.5
	}
	span := scale*hi - scale*lo
	for i, x := range dst {
		dst[i] = (scale*x - scale*lo) / span
	}
	return nil
}

// Max divides by the largest magnitude, so that scores keep their sign and
// their ratios and lie in [−1, 1]. A flat list becomes all 1 (or −1); a list of
// zeros stays as it is.
func Max(dst []float64) error {
	if err := checkScores(dst); err != nil {
		return err
	}
	top := maxAbs(dst)
	if top == 0 {
		return nil
	}
	for i, x := range dst {
		dst[i] = x / top
	}
	return nil
}

// ZScore subtracts the mean and divides by the population's standard
// deviation (the divisor is n, not n − 1). Scores get mean 0 and variance 1;
// they are not bounded by 1, and bad scores are negative: in a weighted sum,
// use it with [MissingWorst] rather than let an absent document count as an
// average one. A flat list becomes all 0.
func ZScore(dst []float64) error {
	if err := checkScores(dst); err != nil || len(dst) == 0 {
		return err
	}
	// Rounding can give equal scores a variance, hence the direct test. Others
	// have one: divided by the largest magnitude they still differ.
	if slices.Min(dst) == slices.Max(dst) {
		clear(dst)
		return nil
	}
	// Relative to the largest magnitude neither the sum nor a square can
	// overflow.
	top, n := maxAbs(dst), float64(len(dst))
	var mean float64
	for _, x := range dst {
		mean += x / top / n
	}
	var variance float64
	for _, x := range dst {
		d := x/top - mean
		variance += d * d / n
	}
	sd := math.Sqrt(variance)
	for i, x := range dst {
		dst[i] = (x/top - mean) / sd
	}
	return nil
}

// Rank replaces scores by their place: the best gets 1, the worst 0, the
// others lie evenly between, and equal scores share the mean of their places.
//
//	dst[i] = (number below + ½·number equal, itself aside) / (n − 1)
//
// A flat list becomes all 0. Cost: O(n log n) and one copy.
func Rank(dst []float64) error {
	if err := checkScores(dst); err != nil || len(dst) == 0 {
		return err
	}
	sorted := slices.Sorted(slices.Values(dst))
	if sorted[0] == sorted[len(sorted)-1] {
		clear(dst)
		return nil
	}
	for i, x := range dst {
		below, _ := slices.BinarySearch(sorted, x)
		above, _ := slices.BinarySearch(sorted, math.Nextafter(x, math.Inf(1)))
		dst[i] = (float64(below) + float64(above-below-1)/2) / float64(len(dst)-1)
	}
	return nil
}

// WhenFlat is n, but a flat list (all scores equal, or a single one) becomes
// all value: 0 for "no information", 1 for "each is as good as the best",
// ½ for between. It panics if value is not finite, for that is a mistake in
// the program.
func WhenFlat(n Normalizer, value float64) Normalizer {
	if !finite(value) {
		panic("fusion.WhenFlat: value must be finite")
	}
	return func(dst []float64) error {
		if err := checkScores(dst); err != nil {
			return err
		}
		if len(dst) == 0 || slices.Min(dst) != slices.Max(dst) {
			return n(dst)
		}
		for i := range dst {
			dst[i] = value
		}
		return nil
	}
}

func maxAbs(s []float64) float64 {
	var top float64
	for _, x := range s {
		top = max(top, math.Abs(x))
	}
	return top
}
