package metrics

import "math"

// NDCG is the discounted gain of the first k ranks, relative to the best
// there could be:
//
//	DCG@k = Σ_{i=1..k} gain_i / log2(i + 1)      NDCG@k = DCG@k / ideal DCG@k
//
// with the grade as gain. The ideal ranks all relevant documents by grade and
// sums over the first min(k, |G|) of them, however short the ranking is.
// Source: Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR
// techniques", TOIS 2002; the discount is trec_eval's.
func NDCG(k int) Measure {
	return atK("ndcg", k, func(j Judged) float64 {
		// Only ratios matter; relative to the highest no sum overflows.
		top := j.Ideal[0]
		return normalized(j, k, func(grade float64) float64 { return grade / top })
	})
}

// NDCGExp is [NDCG] with gains 2^grade − 1, which set high grades further
// apart: Burges et al., "Learning to rank using gradient descent", ICML 2005.
// For grades of 0 and 1 both are the same.
func NDCGExp(k int) Measure {
	return atK("ndcg_exp", k, func(j Judged) float64 {
		// (2^g − 1) / (2^top − 1), without the overflow of either.
		top := j.Ideal[0]
		return normalized(j, k, func(grade float64) float64 {
			return math.Exp2(grade-top) * math.Expm1(-grade*math.Ln2) / math.Expm1(-top*math.Ln2)
		})
	})
}

// normalized is DCG@k over the ideal's, for a gain that is 1 for the highest
// grade.
func normalized(j Judged, k int, gain func(float64) float64) float64 {
	ideal := dcg(j.Ideal[:min(k, len(j.Ideal))], gain)
	// Equal sums, added up in another order, may differ in the last digit.
	return min(1, dcg(j.top(k), gain)/ideal)
}

func dcg(grades []float64, gain func(float64) float64) float64 {
	var sum float64
	for i, g := range grades {
		if g > 0 {
			sum += gain(g) / math.Log2(float64(i)+2)
		}
	}
	return sum
}
