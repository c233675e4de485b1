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
// strictly less than k others, so hits and scores are the same as without. For the
// interval see interval.go.

// A candidate is a row that may be among the best.
type candidate struct {
	row   uint32
	upper float32 // its score is not above
}

// maxCandidates bounds what a worker keeps for a query, as a share of the rows:
// with more, reading all vectors in order is as fast.
const maxCandidates = 1.0 / 32

// A codeScan is the first step, for some of the probes of a ranking.
type codeScan struct {
	*scan
	at     []int   // by query: the probe in the ranking that was asked for
	coded  []coded // by query
	values []int8  // of all queries, one after the other
	most   int     // candidates that a worker keeps for a query

	// Of the query whose survivors are looked for.
	first  []uint32 // rows with the best lower ends
	scores []float64
	kept   []uint32
}

// bytes is the memory kept.
func (c *codeScan) bytes() int {
	return 8*cap(c.at) + 16*cap(c.coded) + cap(c.values) + 4*cap(c.first) + 8*cap(c.scores) + 4*cap(c.kept)
}

// rankByCodes is rank where the snapshot has codes and it pays to use them;
// done is false where not.
func (s *Snapshot) rankByCodes(ctx context.Context, r *ranking, lists [][]prospect.Hit) (done bool, err error) {
	dim := s.Dim()
	if s.vecs.codes == nil || r.list != nil || len(r.factors) != dim*len(r.probes) ||
		slices.ContainsFunc(r.probes, func(p probe) bool { return p.terms != nil }) {
		return false, nil
	}
	quick, rest := takeRanking(r.selection), takeRanking(r.selection)
	defer quick.release()
	defer rest.release()
	c := &quick.byCodes
	c.most = max(int(float64(s.docs.Rows())*maxCandidates), 1024)
	c.at, c.coded, c.values = c.at[:0], c.coded[:0], slices.Grow(c.values[:0], len(r.factors))
	var restAt []int
	leave := func(i int) {
		rest.add(r.factors[i*dim:(i+1)*dim], r.probes[i])
		restAt = append(restAt, i)
	}
	for i, p := range r.probes {
		q := r.factors[i*dim : (i+1)*dim]
		n := len(c.values)
		coded, ok := codedOf(c.values[n:n+dim], q)
		if !ok || p.k > c.most {
			leave(i)
			continue
		}
		quick.add(q, p)
		c.at = append(c.at, i)
		c.coded = append(c.coded, coded)
		c.values = c.values[:n+dim]
	}
	if len(c.at) == 0 {
		return false, nil
	}
	c.scan = s.newScan(quick)
	c.codesOnly = true
	c.task *= 4 // a code is read in a quarter of the time
	if err := c.run(ctx); err != nil {
		return false, err
	}
	for i, at := range c.at {
		ok, err := c.survivors(ctx, i)
		if err != nil {
			return false, err
		}
		if !ok {
			leave(at)
			continue
		}
		if err := s.rankSurvivors(ctx, quick, i, lists[at:at+1]); err != nil {
			return false, err
		}
	}
	switch len(restAt) {
	case 0:
		return true, nil
	case len(r.probes):
		return false, nil
	}
	others := make([][]prospect.Hit, len(restAt))
	if err := s.rankExactly(ctx, rest, others); err != nil {
		return false, err
	}
	for j, list := range others {
		lists[restAt[j]] = list
	}
	return true, nil
}

// rankSurvivors is the second step, for a query of the first.
func (s *Snapshot) rankSurvivors(ctx context.Context, quick *ranking, query int, list [][]prospect.Hit) error {
	sel := quick.selection
	sel.keep, sel.list = nil, quick.byCodes.kept // the filters were asked
	second := takeRanking(sel)
	defer second.release()
	p, dim := quick.probes[query], s.Dim()
	second.add(quick.factors[query*dim:(query+1)*dim], probe{k: p.k, cosine: p.cosine})
	return s.rankExactly(ctx, second, list)
}

// rows collects the candidates among rows lo to hi (excluded).
func (c *codeScan) rows(w *worker, lo, hi int) {
	v := &c.s.vecs
	at, last := int(v.first(uint32(lo))), int(v.first(uint32(hi)))
	if v.starts != nil {
		w.ends = sized(w.ends, len(c.at))
		for i := range w.ends {
			w.ends[i] = nothing
		}
	}
	row := lo // that of the vector at
	for at < last && c.useful(w) {
		params := c.multiply(w, at, last)
		n := len(params)
		if v.starts == nil {
			row = at
			c.forget(w, n)
			for i := range c.coded {
				c.vectors(w, i, row, w.dots[i*n:(i+1)*n], params)
			}
		} else {
			next := row
			for next < hi && int(v.first(uint32(next+1))) <= at+n {
				next++
			}
			c.forget(w, next-row)
			for i := range c.coded {
				c.groups(w, i, row, at, w.dots[i*n:(i+1)*n], params)
			}
			row = next
		}
		at += n
	}
}

// useful says whether there is a query that has not too many candidates yet.
func (c *codeScan) useful(w *worker) bool {
	for i := range c.coded {
		if len(w.found[i]) <= c.most {
			return true
		}
	}
	return false
}

// multiply multiplies the codes of some vectors from at on, up to last, into
// w.dots, and returns what they mean.
func (c *codeScan) multiply(w *worker, at, last int) []param {
	codes, dim := c.s.vecs.codes, c.s.Dim()
	params := codes.params.span(uint32(at), uint32(min(last, at+4*c.product.tile)))
	values := codes.values.span(uint32(at), uint32(at+len(params)))
	n := len(values) / dim
	w.dots = sized(w.dots, n*len(c.coded))
	if len(c.coded) == 1 {
		kernel.DotsInt8(w.dots, c.values, values)
	} else {
		kernel.DotMatrixInt8(w.dots, c.values, values, dim)
	}
	return params[:n]
}

// forget makes room for what the filter says about the next n rows.
func (c *codeScan) forget(w *worker, n int) {
	if c.keep != nil && len(c.probes) > 1 {
		w.asked = sized(w.asked, n)
		clear(w.asked)
	}
}

// vectors collects the candidates of a query among rows of one vector each, from
// first on.
func (c *codeScan) vectors(w *worker, query, first int, dots []int32, params []param) {
	q := c.coded[query]
	params = params[:len(dots)]
	limit := below(c.limit(&w.heaps[query], &c.probes[query]))
	for i, dot := range dots {
		v := params[i]
		middle := float32(dot) * (v.scale * q.scale)
		half := v.err*q.slope + q.offset
		if middle+half >= limit && c.found(w, query, first, i, middle-half, middle+half) {
			limit = below(c.limit(&w.heaps[query], &c.probes[query]))
		}
	}
}

// An ends is an interval that grows with every vector of a row: its ends are the
// highest of theirs.
type ends struct{ lower, upper float32 }

var nothing = ends{float32(math.Inf(-1)), float32(math.Inf(-1))}

// groups is vectors where rows have several: those of first go on with the
// vector at. Rows that end in the span are done; of the last one w keeps what is
// known.
func (c *codeScan) groups(w *worker, query, first, at int, dots []int32, params []param) {
	q, e := &c.coded[query], w.ends[query]
	limit := below(c.limit(&w.heaps[query], &c.probes[query]))
	row := first
	end := int(c.s.vecs.first(uint32(row + 1)))
	for i, dot := range dots {
		v := params[i]
		middle := float32(dot) * (v.scale * q.scale)
		half := v.err*q.slope + q.offset
		e = ends{max(e.lower, middle-half), max(e.upper, middle+half)}
		if at+i+1 < end {
			continue
		}
		if e.upper >= limit && c.found(w, query, first, row-first, e.lower, e.upper) {
			limit = below(c.limit(&w.heaps[query], &c.probes[query]))
		}
		e = nothing
		row++
		if i+1 < len(dots) {
			end = int(c.s.vecs.first(uint32(row + 1)))
		}
	}
	w.ends[query] = e
}

// found adds the i-th row from first on to the candidates of a query, unless it
// is hidden, a filter does not keep it, or there are too many already.
func (c *codeScan) found(w *worker, query, first, i int, lower, upper float32) bool {
	row, p := uint32(first+i), &c.probes[query]
	if len(w.found[query]) > c.most || c.hidden.Contains(row) || !c.keeps(w, p, i, row) {
		return false
	}
	w.found[query] = append(w.found[query], candidate{row, upper})
	it := topk.Item[float64]{Score: float64(lower), Seq: c.s.docs.Seq(row), Row: row}
	if p.cosine {
		it.Score = min(max(it.Score, -1), 1)
	}
	w.heaps[query].Push(it)
	return true
}

// survivors sets c.kept to the candidates of a query, ascending, that may still
// be among the best once the scores of the most promising are known; false where
// there are too many to be worth it.
func (c *codeScan) survivors(ctx context.Context, query int) (bool, error) {
	p, best := &c.probes[query], &c.workers[0].heaps[query]
	for i, w := range c.workers {
		if len(w.found[query]) > c.most {
			return false, nil
		}
		if i > 0 {
			best.Merge(&w.heaps[query])
		}
	}
	limit := c.min
	if best.Full() {
		c.first = c.first[:0]
		for _, it := range best.Sorted() {
			c.first = append(c.first, it.Row)
		}
		dim := c.s.Dim()
		c.scores = sized(c.scores, len(c.first))
		if err := c.s.products(ctx, c.scores, c.factors[query*dim:(query+1)*dim], c.first); err != nil {
			return false, err
		}
		kth := slices.Min(c.scores)
		if p.cosine {
			kth = min(kth, 1)
		}
		limit = max(limit, kth)
	}
	if p.cosine && limit <= -1 {
		limit = math.Inf(-1)
	}
	c.kept = slices.Grow(c.kept, 1)[:0] // not nil, which would mean all rows
	for _, w := range c.workers {
		for _, x := range w.found[query] {
			if float64(x.upper) >= limit {
				c.kept = append(c.kept, x.row)
			}
		}
	}
	slices.Sort(c.kept)
	return true, nil
}
