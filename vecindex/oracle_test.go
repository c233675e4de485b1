package vecindex_test

import (
	"cmp"
	"math"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/vecindex"
)

// tolerance between float32 sums in any order and float64 ones, for unit
// vectors of up to 1,537 components. It also bounds how far below its rightful
// score a hit may be that took a near-tie's place.
const tolerance = 1e-5

// oracle is what an index stands for: a list of documents, searched by
// computing every score in float64 and sorting.
type oracle struct {
	dim  int
	docs []oracleDoc // in order of first insertion
}

type oracleDoc struct {
	id    string
	units [][]float64
}

// best is the highest inner product with one of the document's vectors.
func (d oracleDoc) best(v []float64) float64 {
	best := math.Inf(-1)
	for _, u := range d.units {
		best = max(best, dot64(v, u))
	}
	return best
}

func units64(vs [][]float32) (us [][]float64) {
	for _, v := range vs {
		us = append(us, unit64(v))
	}
	return us
}

func unit64(v []float32) []float64 {
	u := make([]float64, len(v))
	var sum float64
	for i, x := range v {
		u[i] = float64(x)
		sum += u[i] * u[i]
	}
	for i := range u {
		u[i] /= math.Sqrt(sum)
	}
	return u
}

func dot64(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

func (o *oracle) at(id string) int {
	return slices.IndexFunc(o.docs, func(d oracleDoc) bool { return d.id == id })
}

func (o *oracle) ids() []string {
	ids := make([]string, len(o.docs))
	for i, d := range o.docs {
		ids[i] = d.id
	}
	return ids
}

func (o *oracle) add(id string, vs ...[]float32) {
	o.docs = append(o.docs, oracleDoc{id, units64(vs)})
}

func (o *oracle) update(id string, vs ...[]float32) { o.docs[o.at(id)].units = units64(vs) }

func (o *oracle) delete(id string) { o.docs = slices.Delete(o.docs, o.at(id), o.at(id)+1) }

func (o *oracle) clone() *oracle { return &oracle{o.dim, slices.Clone(o.docs)} }

// keeps says whether a filter lets an id pass.
func keeps(f vecindex.Filter, id string) bool {
	return (f.Within == nil || slices.Contains(f.Within, id)) && !slices.Contains(f.Without, id) &&
		(f.Keep == nil || f.Keep(id))
}

// rank scores all documents that the filter keeps, best first. It does not
// know MinScore, which may fall between an exact score and a rounded one.
func (o *oracle) rank(v []float64, f vecindex.Filter) []prospect.Hit {
	return o.rankBy(func(d oracleDoc) float64 { return d.best(v) }, f)
}

func (o *oracle) rankBy(score func(oracleDoc) float64, f vecindex.Filter) []prospect.Hit {
	var hits []prospect.Hit
	for _, d := range o.docs {
		if keeps(f, d.id) {
			hits = append(hits, prospect.Hit{ID: d.id, Score: score(d)})
		}
	}
	slices.SortStableFunc(hits, func(a, b prospect.Hit) int { return cmp.Compare(b.Score, a.Score) })
	return hits
}

// requireTopK holds got against the ranking of all documents. Scores agree
// within scale·tolerance, order is by score and among equal scores by order of
// insertion, and no document was passed over for one that is worse by more
// than the tolerance.
func (o *oracle) requireTopK(t require.TestingT, got, want []prospect.Hit, k int, scale float64) {
	eps := scale * tolerance
	require.Len(t, got, min(k, len(want)))
	exact := make(map[string]float64, len(want))
	for _, h := range want {
		exact[h.ID] = h.Score
	}
	place := make(map[string]int, len(o.docs))
	for i, d := range o.docs {
		place[d.id] = i
	}
	seen := make(map[string]bool, len(got))
	for i, h := range got {
		score, ok := exact[h.ID]
		require.True(t, ok, "%q is not there or filtered out", h.ID)
		require.False(t, seen[h.ID], "%q twice", h.ID)
		seen[h.ID] = true
		require.InDelta(t, score, h.Score, eps)
		require.InDelta(t, want[i].Score, h.Score, eps, "rank %d", i)
		if i > 0 {
			require.GreaterOrEqual(t, got[i-1].Score, h.Score)
			if got[i-1].Score == h.Score {
				require.Less(t, place[got[i-1].ID], place[h.ID], "a tie is in order of insertion")
			}
		}
	}
	// Documents that tie with the last hit bit for bit and came earlier would
	// have to be in: identical unit vectors score identically.
	if len(got) == 0 || len(got) == len(want) {
		return
	}
	last := got[len(got)-1].ID
	for _, d := range o.docs[:place[last]] {
		_, kept := exact[d.id]
		if kept && !seen[d.id] && slices.EqualFunc(d.units, o.docs[place[last]].units, slices.Equal) {
			require.Fail(t, "tie broken against the order", "%q before %q", last, d.id)
		}
	}
}
