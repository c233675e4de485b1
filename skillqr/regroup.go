package skillqr

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/prospect-go/prospect/internal/kmeans"
)

// fewSettled is how many settled documents a cluster needs for a 5 % quantile
// of its own.
const fewSettled = 20

// A document that comes lies below the 5 % quantile of its cluster in one of
// twenty cases at best, and more often as a rule, since clusters fit the
// documents that they were made of: 5 to 9 % was measured on mixed text. So one
// in ten is what chance is held to give.
const (
	chanceFar = 0.1
	rare      = 0.001
)

// A regrouping is clusters brought up to date with a corpus.
type regrouping struct {
	clusters *Clusters
	changes  Changes
	// first are the documents of a cluster, by position, that a prompt shows
	// before others: those for whose sake it is asked about.
	first map[int][]int32
}

// regroup assigns the documents of the corpus, as it is now, to clusters.
func regroup(ctx context.Context, corpus Corpus, old *Clusters, o RefreshOptions) (*regrouping, error) {
	r := &regrouping{clusters: &Clusters{
		embedder: corpus.embedder, ids: corpus.ids, next: old.next, pooled: old.pooled,
		parts: slices.Clone(old.parts), docs: make([]document, corpus.Len()),
		centroids: kmeans.Matrix{Dim: corpus.rows.Dim, Data: slices.Clone(old.centroids.Data)},
	}, first: map[int][]int32{}}
	arrivals := r.compare(corpus, old)
	if len(old.parts) == 0 {
		return r.afresh(ctx, corpus, o)
	}
	if len(arrivals) > 0 {
		found, err := kmeans.Assign(ctx, rowsOf(corpus.rows, arrivals), r.clusters.centroids)
		if err != nil {
			return nil, fmt.Errorf("skillqr: refreshing: %w", err)
		}
		for j, row := range arrivals {
			d := &r.clusters.docs[row]
			d.part, d.similarity, d.arrived = found.Of[j], found.Similarity[j], true
		}
	}
	r.clusters.index()
	minNew := o.MinNew
	if minNew == 0 {
		minNew = max(3, r.median()/4)
	}
	if err := r.split(ctx, corpus, minNew, o.Seed); err != nil {
		return nil, err
	}
	r.drift()
	r.dropEmpty()
	return r, nil
}

// compare takes over the documents that are as they were, counts the others,
// and returns the rows of those to assign.
func (r *regrouping) compare(corpus Corpus, old *Clusters) (arrivals []int) {
	known := make(map[string]int, len(old.ids))
	for i, id := range old.ids {
		known[id] = i
	}
	stayed := 0
	for row, hash := range corpus.digests() {
		i, ok := known[corpus.ids[row]]
		switch {
		case !ok:
			r.changes.Added++
		case hash == old.docs[i].digest || old.unchanged(old.docs[i], corpus.rows.Row(row)):
			stayed++
			r.clusters.docs[row] = old.docs[i]
			r.clusters.docs[row].digest = hash
			continue
		default:
			stayed++
			r.changes.Altered++
		}
		r.clusters.docs[row].digest = hash
		arrivals = append(arrivals, row)
	}
	r.changes.Removed = len(old.ids) - stayed
	return arrivals
}

// afresh is the regrouping of a corpus that had no documents before.
func (r *regrouping) afresh(ctx context.Context, corpus Corpus, o RefreshOptions) (*regrouping, error) {
	c, err := Cluster(ctx, corpus, ClusterOptions{Seed: o.Seed})
	if err != nil {
		return nil, err
	}
	for i := range c.parts {
		c.parts[i].number += r.clusters.next
		r.changes.New = append(r.changes.New, c.parts[i].number)
	}
	c.next += r.clusters.next
	r.clusters = c
	return r, nil
}

// isFar says whether a document that came lies far out in its cluster.
func (c *Clusters) isFar(d document) bool {
	if !d.arrived {
		return false
	}
	s := c.parts[d.part].spread
	if s.settled < fewSettled {
		s = c.pooled
	}
	return d.similarity < s.low
}

// split makes new clusters of documents that lie far out but near each other.
func (r *regrouping) split(ctx context.Context, corpus Corpus, minNew int, seed uint64) error {
	c := r.clusters
	var far []int
	for i, d := range c.docs {
		if c.isFar(d) {
			far = append(far, i)
		}
	}
	if len(far) < minNew {
		return nil
	}
	rows := rowsOf(corpus.rows, far)
	// Not more groups than could all be large enough.
	k := min(int(math.Round(math.Sqrt(float64(len(far))))), len(far)/minNew)
	groups, err := kmeans.Cluster(ctx, rows, kmeans.Options{K: k, Seed: seed})
	if err != nil {
		return fmt.Errorf("skillqr: refreshing: %w", err)
	}
	oldParts := len(c.parts)
	for g := range groups.K() {
		members := groups.Members(g)
		if len(members) < minNew || meanLeftOut(rows, members) < float64(c.pooled.quartile) {
			continue
		}
		c.parts = append(c.parts, part{number: c.next})
		c.next++
		c.centroids.Data = append(c.centroids.Data, groups.Centroids.Row(g)...)
	}
	if len(c.parts) == oldParts {
		return nil
	}
	// What is left over joins a new cluster where that is nearer.
	found, err := kmeans.Assign(ctx, rows, c.centroids)
	if err != nil {
		return fmt.Errorf("skillqr: refreshing: %w", err)
	}
	for j, i := range far {
		c.docs[i].part, c.docs[i].similarity = found.Of[j], found.Similarity[j]
	}
	c.index()
	for p := oldParts; p < len(c.parts); p++ {
		r.changes.New = append(r.changes.New, c.parts[p].number)
	}
	return nil
}

// drift finds clusters to which too many documents came that lie far out.
func (r *regrouping) drift() {
	c := r.clusters
	for p := range c.parts {
		if slices.Contains(r.changes.New, c.parts[p].number) {
			continue
		}
		arrived := 0
		var far []int32
		for _, i := range c.members[p] {
			if c.docs[i].arrived {
				arrived++
			}
			if c.isFar(c.docs[i]) {
				far = append(far, i)
			}
		}
		if len(far) > 0 && upperTail(arrived, len(far), chanceFar) < rare {
			r.changes.Drifted = append(r.changes.Drifted, c.parts[p].number)
			r.first[p] = far
		} else {
			r.changes.Strays += len(far)
		}
	}
}

// upperTail is the chance of at least k successes in n trials of chance p.
func upperTail(n, k int, p float64) float64 {
	logChoose := func(k int) float64 {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(k + 1))
		c, _ := math.Lgamma(float64(n - k + 1))
		return a - b - c
	}
	var sum float64
	for i := k; i <= n; i++ {
		sum += math.Exp(logChoose(i) + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return min(sum, 1)
}

// dropEmpty removes clusters without documents.
func (r *regrouping) dropEmpty() {
	c := r.clusters
	to := make([]int32, len(c.parts)) // new position by old
	var parts []part
	centroids := kmeans.Matrix{Dim: c.centroids.Dim}
	first := map[int][]int32{}
	for p := range c.parts {
		if len(c.members[p]) == 0 {
			r.changes.Gone = append(r.changes.Gone, c.parts[p].number)
			continue
		}
		to[p] = int32(len(parts))
		if docs, ok := r.first[p]; ok {
			first[len(parts)] = docs
		}
		parts = append(parts, c.parts[p])
		centroids.Data = append(centroids.Data, c.centroids.Row(p)...)
	}
	// A number that was given and lost at once is nobody's.
	r.changes.New = slices.DeleteFunc(r.changes.New, func(n int) bool { return slices.Contains(r.changes.Gone, n) })
	for i := range c.docs {
		c.docs[i].part = to[c.docs[i].part]
	}
	c.parts, c.centroids, r.first = parts, centroids, first
	c.index()
}

// changed are the positions of the clusters to ask about: new and drifted
// ones, those that an earlier refresh could not have judged, and those that the
// set does not list.
func (r *regrouping) changed(set *Set) []int {
	var out []int
	for p, one := range r.clusters.parts {
		settled := slices.ContainsFunc(r.clusters.members[p], func(i int32) bool { return !r.clusters.docs[i].arrived })
		listed := slices.ContainsFunc(set.Clusters, func(n ClusterNote) bool { return n.Cluster == one.number })
		if !settled || !listed || slices.Contains(r.changes.New, one.number) || slices.Contains(r.changes.Drifted, one.number) {
			out = append(out, p)
		}
	}
	return out
}

// median is the size of the cluster in the middle, documents that came
// included.
func (r *regrouping) median() int {
	var sizes []int
	for _, m := range r.clusters.members {
		sizes = append(sizes, len(m))
	}
	slices.Sort(sizes)
	return sizes[len(sizes)/2]
}

// settle makes the documents of those of these clusters that were judged
// settled, with the direction of their mean as the centroid.
func (c *Clusters) settle(corpus Corpus, positions []int, judged func(position int) bool) {
	for _, p := range positions {
		if !judged(p) {
			continue
		}
		centroid := c.centroids.Row(p)
		if mean, ok := direction(corpus.rows, c.members[p]); ok {
			copy(centroid, mean)
		}
		for _, i := range c.members[p] {
			c.docs[i].arrived = false
			c.docs[i].similarity = float32(cosine(centroid, corpus.rows.Row(int(i))))
		}
	}
	c.measure(func(p int) bool { return slices.Contains(positions, p) && judged(p) })
}

// share of the documents that came and are not settled.
func (c *Clusters) share() float64 {
	n := 0
	for _, d := range c.docs {
		if d.arrived {
			n++
		}
	}
	return float64(n) / float64(max(len(c.docs), 1))
}

// direction of the sum of rows; there is none where they cancel out.
func direction[I int | int32](rows kmeans.Matrix, members []I) ([]float32, bool) {
	sum, length := sumOf(rows, members)
	if length < 1e-3 {
		return nil, false
	}
	out := make([]float32, len(sum))
	for j, x := range sum {
		out[j] = float32(x / length)
	}
	return out, true
}

func sumOf[I int | int32](rows kmeans.Matrix, members []I) (sum []float64, length float64) {
	sum = make([]float64, rows.Dim)
	for _, i := range members {
		for j, x := range rows.Row(int(i)) {
			sum[j] += float64(x)
		}
	}
	for _, x := range sum {
		length += x * x
	}
	return sum, math.Sqrt(length)
}

// meanLeftOut is the mean cosine of rows with the direction of the sum of the
// others among them.
func meanLeftOut(rows kmeans.Matrix, members []int) float64 {
	sum, _ := sumOf(rows, members)
	var total float64
	for _, i := range members {
		var along, rest float64
		for j, x := range rows.Row(i) {
			other := sum[j] - float64(x)
			along += float64(x) * other
			rest += other * other
		}
		if rest > 1e-6 {
			total += along / math.Sqrt(rest)
		}
	}
	return total / float64(len(members))
}

// rowsOf copies some rows.
func rowsOf(m kmeans.Matrix, which []int) kmeans.Matrix {
	out := kmeans.Matrix{Dim: m.Dim, Data: make([]float32, 0, len(which)*m.Dim)}
	for _, i := range which {
		out.Data = append(out.Data, m.Row(i)...)
	}
	return out
}
