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
// sides of the fraction by L.
//
// With fields c is the sum of weight·tf/L over them, each with its own b, dl
// and avgdl, and the fraction (c + alpha)/(c + beta).
//
// L is above 0 where there is a term: dl is at least 1 then, and at most 2⁶⁴
// terms are in an index.
type formula struct {
	n                        float64 // documents
	alpha, beta, scale, plus float64
	fields                   []fieldNorm
}

// A fieldNorm is the L of a field, fixed + slope·dl, and the field's weight.
type fieldNorm struct{ weight, fixed, slope float64 }

func newFormula(s *settings, docs int, totals []uint64) formula {
	f := formula{n: float64(docs), beta: s.k1, scale: 1}
	for i, field := range s.fields {
		norm := fieldNorm{weight: field.weight, fixed: 1 - field.b}
		if totals[i] > 0 {
			norm.slope = field.b * float64(docs) / float64(totals[i])
		}
		f.fields = append(f.fields, norm)
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

// of is L for a field of so many terms. The conversion keeps compilers from
// fusing the product into the sum, here and below: every path and every
// processor gives the same bits.
func (n *fieldNorm) of(length uint32) float64 {
	return n.fixed + float64(n.slope*float64(length))
}

// frequency is weight·tf/L.
func (n *fieldNorm) frequency(tf uint16, length uint32) float64 {
	return n.weight * float64(tf) / n.of(length)
}

// part is the fraction for a document, given the postings of a term from one
// of its own on, and how many of them it has. It is the only place that says
// what a term is worth in a document.
func (f *formula) part(cells []uint32, tfs []uint16, lengths []uint32) (part float64, postings int) {
	if len(f.fields) == 1 {
		tf, l := float64(tfs[0]), f.fields[0].of(lengths[cells[0]])
		return (tf + float64(f.alpha*l)) / (tf + float64(f.beta*l)), 1
	}
	width := uint32(len(f.fields))
	row := cells[0] / width
	c := 0.0
	for postings < len(cells) && cells[postings]/width == row {
		cell := cells[postings]
		c += f.fields[cell-row*width].frequency(tfs[postings], lengths[cell])
		postings++
	}
	return (c + f.alpha) / (c + f.beta), postings
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
