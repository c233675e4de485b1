package bm25

import "math"

// A formula is a variant with the statistics of a snapshot put in. With
//
//	L = 1 − b + b·dl/avgdl
//
// a term adds to the score, for each time that the query has it,
//
//	idf·(scale·(tf + alpha·L)/(tf + beta·L) + plus)
//
// in every variant:
//
//	              alpha  beta    scale   plus
//	lucene,
//	robertson     0      k1      1       0
//	atire         0      k1      k1 + 1  0
//	bm25+         0      k1      k1 + 1  δ
//	bm25l         δ      k1 + δ  k1 + 1  0
//
// For bm25l that is (k1+1)·(c+δ)/(k1+c+δ), c = tf/L, after multiplying both
// sides of the fraction by L. Where L is 0 (b is 1 and the average length so
// large that dl vanishes beside it, which cannot be for a document in it) the
// fraction would still be 1: tf is at least 1.
type formula struct {
	n                        float64 // documents
	fixed, slope             float64 // L = fixed + slope·dl
	alpha, beta, scale, plus float64
}

func newFormula(s *settings, docs int, total uint64) formula {
	f := formula{n: float64(docs), fixed: 1 - s.b, beta: s.k1, scale: 1}
	if total > 0 {
		f.slope = s.b * float64(docs) / float64(total)
	}
	switch s.variant {
	case ATIRE:
		f.scale = s.k1 + 1
	case BM25Plus:
		f.scale, f.plus = s.k1+1, s.delta
	case BM25L:
		f.scale, f.alpha, f.beta = s.k1+1, s.delta, s.k1+s.delta
	}
	return f
}

// norm is L for a document of so many terms. The conversion keeps compilers
// from fusing the product into the sum, here and below: every path and every
// processor gives the same bits.
func (f *formula) norm(length uint32) float64 {
	return f.fixed + float64(f.slope*float64(length))
}

// part is the fraction.
func (f *formula) part(tf uint16, length uint32) float64 {
	l := f.norm(length)
	return (float64(tf) + float64(f.alpha*l)) / (float64(tf) + float64(f.beta*l))
}

// idf of a term that df documents have. It is never negative.
func (v Variant) idf(n, df float64) float64 {
	switch v {
	case Robertson:
		return math.Log(max(1, (n-df+0.5)/(df+0.5)))
	case ATIRE:
		return math.Log(n / df)
	case BM25L:
		return math.Log((n + 1) / (df + 0.5))
	case BM25Plus:
		return math.Log((n + 1) / df)
	default:
		return math.Log1p((n - df + 0.5) / (df + 0.5))
	}
}
