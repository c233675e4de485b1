package vecindex

import (
	"context"
	"math"
	"slices"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/internal/kernel"
	"github.com/prospect-go/prospect/internal/topk"
)

// A search by codes has two steps. The first reads all codes, which tell for
// each row an interval in which its score lies, and keeps the candidates: rows
// whose upper end is not below the k best lower ends. The second computes the
// scores of those as a search without codes does. What is left out scores
// strictly less than k others, so hits and scores are the same as without.
//
// # The interval
//
// Let x be a unit vector, x = s·c + e with codes c, and q a query,
// q = t·g + f with codes g. Then
//
//	⟨q,x⟩ = ⟨t·g, s·c⟩ + ⟨f, s·c⟩ + ⟨q, e⟩
//
// and by Cauchy and Schwarz, as ‖s·c‖ = ‖x - e‖ ≤ ‖x‖ + ‖e‖,
//
//	|⟨q,x⟩ - s·t·⟨g,c⟩| ≤ ‖f‖·(‖x‖ + ‖e‖) + ‖q‖·‖e‖
//	                    = ‖e‖·(‖f‖ + ‖q‖) + ‖f‖·‖x‖
//
// with ⟨g,c⟩ exact in integers. It scales with ‖q‖, and is as good for a
// combined vector as for a unit one. Two roundings are added to it. With
// u = 2⁻²⁴:
//
//   - The score is no exact product but a float32 sum of d products. In any
//     order of summation, with or without fusing, the two differ by at most
//     γ·Σ|q_i·x_i| ≤ γ·‖q‖·‖x‖, γ = d·u/(1 - d·u) (Higham, Accuracy and
//     Stability of Numerical Algorithms, section 3.1), as long as nothing leaves
//     the range of normal numbers.
//   - The interval's ends are computed in float32 from ⟨g,c⟩, s·t and ‖e‖. No
//     component of e or f exceeds that of x or q, so ‖s·c‖ ≤ 2‖x‖,
//     ‖t·g‖ ≤ 2‖q‖, and everything added up is at most 4‖q‖·‖x‖ + 3‖q‖·‖x‖.
//     Fewer than 8 operations of relative error u err by less than 64·u·‖q‖·‖x‖.
//
// ‖x‖ ≤ 1.001 holds for rows that Apply makes and for those that Read lets
// pass. Norms of q outside of [1e-10, 1e10] would bring numbers near the ends
// of float32's range into play; such queries are answered without codes.

// A coded is a query in codes.
type coded struct {
	values []int8
	scale  float32 // t
	slope  float32 // ‖f‖ + ‖q‖
	offset float32 // the rest of the bound
}

const (
	maxRowNorm     = 1.001
	minFactorNorm  = 1e-10
	maxFactorNorm  = 1e10
	unitRoundoff   = 1.0 / (1 << 24)
	codedRoundings = 64 * unitRoundoff
)

// codedOf returns false for a query that is to be answered without codes.
func codedOf(q []float32) (coded, bool) {
	norm, err := normOf(q, len(q))
	if err != nil || norm < minFactorNorm || norm > maxFactorNorm {
		return coded{}, false
	}
	c := coded{values: make([]int8, len(q))}
	scale, f := quantise(c.values, q)
	du := float64(len(q)) * unitRoundoff
	bound := maxRowNorm * (f + norm*(du/(1-du)+codedRoundings))
	const up = 1 + 1e-6 // above the rounding to float32 and that of the norms
	c.scale = scale
	c.slope = float32((f + norm) * up)
	c.offset = float32(bound * up)
	return c, true
}

// A candidate is a row that may be among the best.
type candidate struct {
	row   uint32
	upper float32 // its score is not above
}

// maxCandidates bounds what a worker keeps, as a share of the rows: with more,
// reading all vectors in order is as fast.
const maxCandidates = 1.0 / 32

// rankByCodes is rank where the snapshot has codes and it pays to use them;
// done is false where not.
func (s *Snapshot) rankByCodes(ctx context.Context, r *ranking) (lists [][]prospect.Hit, done bool, err error) {
	if s.vecs.codes == nil || r.list != nil || len(r.probes) != 1 || r.probes[0].terms != nil {
		return nil, false, nil
	}
	q, ok := codedOf(r.factors)
	if !ok {
		return nil, false, nil
	}
	first := s.newScan(r)
	first.task *= 4 // a code is read in a quarter of the time
	most := max(int(float64(first.n)*maxCandidates), 4*r.probes[0].k, 1024)
	var rows func(*scan, *worker, int, int)
	if s.vecs.starts == nil {
		rows = func(c *scan, w *worker, lo, hi int) { c.codeRows(w, &q, most, lo, hi) }
	} else {
		rows = func(c *scan, w *worker, lo, hi int) { c.codeGroups(w, &q, most, lo, hi) }
	}
	workers, err := first.run(ctx, rows)
	if err != nil {
		return nil, false, err
	}
	defer release(workers)
	list, ok, err := first.survivors(ctx, workers, most)
	if !ok || err != nil {
		return nil, false, err
	}
	second := *r
	second.keep = nil // it was asked
	second.list = list
	lists, err = s.rankExactly(ctx, &second)
	return lists, true, err
}

// codeRows collects the candidates among rows lo to hi (excluded) of an index
// with one vector a row.
func (c *scan) codeRows(w *worker, q *coded, most, lo, hi int) {
	h, p := &w.heaps[0], &c.probes[0]
	for lo < hi && len(w.found) <= most {
		params := c.codeSpan(w, q, lo, hi)
		limit := below(c.limit(h, p))
		for i, dot := range w.dots {
			v := params[i]
			middle := float32(dot) * (v.scale * q.scale)
			half := v.err*q.slope + q.offset
			if middle+half < limit {
				continue
			}
			if c.found(w, uint32(lo+i), middle-half, middle+half) {
				limit = below(c.limit(h, p))
			}
		}
		lo += len(params)
	}
}

// codeGroups is codeRows where rows have several vectors: the ends of a row's
// interval are the highest of its vectors' ends.
func (c *scan) codeGroups(w *worker, q *coded, most, lo, hi int) {
	v, h, p := &c.s.vecs, &w.heaps[0], &c.probes[0]
	at, last := int(v.first(uint32(lo))), int(v.first(uint32(hi)))
	row, end := uint32(lo), int(v.first(uint32(lo+1)))
	none := float32(math.Inf(-1))
	lower, upper := none, none
	for at < last && len(w.found) <= most {
		params := c.codeSpan(w, q, at, last)
		limit := below(c.limit(h, p))
		for i, dot := range w.dots {
			v := params[i]
			middle := float32(dot) * (v.scale * q.scale)
			half := v.err*q.slope + q.offset
			lower, upper = max(lower, middle-half), max(upper, middle+half)
			if at+i+1 < end {
				continue
			}
			if upper >= limit && c.found(w, row, lower, upper) {
				limit = below(c.limit(h, p))
			}
			lower, upper = none, none
			if row++; int(row) < hi {
				end = int(c.s.vecs.first(row + 1))
			}
		}
		at += len(params)
	}
}

// codeSpan multiplies the codes of some vectors from lo on, up to hi, into
// w.dots, and returns what they mean.
func (c *scan) codeSpan(w *worker, q *coded, lo, hi int) []param {
	codes := c.s.vecs.codes
	params := codes.params.span(uint32(lo), uint32(min(hi, lo+4*c.product.tile)))
	values := codes.values.span(uint32(lo), uint32(lo+len(params)))
	n := len(values) / len(q.values)
	w.dots = sized(w.dots, n)
	kernel.DotsInt8(w.dots, q.values, values)
	return params[:n]
}

// below is a float32 that is not above x.
func below(x float64) float32 {
	f := float32(x)
	if float64(f) > x {
		f = math.Nextafter32(f, float32(math.Inf(-1)))
	}
	return f
}

// found adds a candidate, unless it is hidden or a filter does not keep it.
func (c *scan) found(w *worker, row uint32, lower, upper float32) bool {
	if c.hidden.Contains(row) || !c.keeps(w, &c.probes[0], 0, row) {
		return false
	}
	w.found = append(w.found, candidate{row, upper})
	it := topk.Item[float64]{Score: float64(lower), Seq: c.s.docs.Seq(row), Row: row}
	if c.probes[0].cosine {
		it.Score = min(max(it.Score, -1), 1)
	}
	w.heaps[0].Push(it)
	return true
}

// survivors lists, ascending, the candidates that may still be among the best
// once the scores of the most promising are known; false where there are too
// many to be worth it.
func (c *scan) survivors(ctx context.Context, workers []*worker, most int) ([]uint32, bool, error) {
	p, best := &c.probes[0], &workers[0].heaps[0]
	for i, w := range workers {
		if len(w.found) > most {
			return nil, false, nil
		}
		if i > 0 {
			best.Merge(&w.heaps[0])
		}
	}
	limit := c.min
	if best.Full() {
		rows := make([]uint32, 0, best.Len())
		for _, it := range best.Sorted() {
			rows = append(rows, it.Row)
		}
		scores, err := c.s.products(ctx, [][]float32{c.factors}, rows)
		if err != nil {
			return nil, false, err
		}
		kth := slices.Min(scores[0])
		if p.cosine {
			kth = min(kth, 1)
		}
		limit = max(limit, kth)
	}
	if p.cosine && limit <= -1 {
		limit = math.Inf(-1)
	}
	total := 0
	for _, w := range workers {
		total += len(w.found)
	}
	list := make([]uint32, 0, total)
	for _, w := range workers {
		for _, x := range w.found {
			if float64(x.upper) >= limit {
				list = append(list, x.row)
			}
		}
	}
	slices.Sort(list)
	return list, true, nil
}
