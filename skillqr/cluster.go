package skillqr

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/internal/kmeans"
)

// ClusterOptions for [Cluster]. The zero value has the defaults.
type ClusterOptions struct {
	// K is the number of clusters. Default √N, rounded; more than there are
	// documents is as many as there are.
	K int
	// Seed of all random choices. Default 0, a seed like any other.
	Seed uint64
	// MaxIterations over all documents. Default 25.
	MaxIterations int
	// Progress, where it is not nil, is called after each iteration with how
	// many there were and how many there may be. Of many documents a sample is
	// clustered first; its iterations count too.
	Progress func(done, total int)
}

// Clusters are the parts of a corpus: groups of documents whose vectors point
// the same way. Each has a number, which it keeps when the clusters are
// refreshed, and a position from 0 to Len() − 1, which it may not keep.
//
// They are immutable and safe for concurrent use. They hold no vectors but the
// centroids, and no texts: about 60 bytes and the id for each document.
type Clusters struct {
	embedder  string
	centroids kmeans.Matrix // a unit row for each part
	parts     []part
	next      int // number of the next new cluster

	ids     []string // of the documents
	docs    []document
	members [][]int32 // by part: its documents, ascending
	pooled  spread    // of all settled documents
}

// A part is one cluster.
type part struct {
	number int
	spread spread
}

// A document is what is known of one.
type document struct {
	digest     vectorHash
	part       int32   // position of its cluster
	similarity float32 // cosine with its centroid
	// arrived says that it came by a refresh and that its cluster was not
	// judged since. Other documents are settled.
	arrived bool
}

// A spread tells how near the settled documents of a cluster are to the others:
// quantiles of their cosines with the centroid of all settled documents but
// themselves, which is what a document has that comes later.
type spread struct {
	settled  int     // how many there are
	low      float32 // the 5 % quantile
	quartile float32 // the 25 % quantile
}

// Cluster partitions a corpus by spherical k-means: the cosines of documents
// with the centroid of their cluster are high on average. The same corpus and
// seed give the same clusters on any number of cores; on another kind of CPU,
// whose last digits differ, documents between two clusters may fall the other
// way, so keep the clusters ([Clusters.Save]) where that matters. An empty corpus has no
// clusters; a corpus with fewer different vectors than K has fewer clusters.
//
// Errors: [prospect.ErrOption]; ctx's error soon after it is done. Cost:
// O(N·K·dim) an iteration.
func Cluster(ctx context.Context, corpus Corpus, o ClusterOptions) (*Clusters, error) {
	if err := corpus.usable(); err != nil {
		return nil, err
	}
	ko := kmeans.Options{K: o.K, Seed: o.Seed, MaxIterations: cmp.Or(o.MaxIterations, 25)}
	if o.Progress != nil {
		done, total := 0, ko.MaxIterations
		ko.Progress = func(p kmeans.Progress) {
			if done == 0 && p.Rows < corpus.Len() {
				total *= 2
			}
			done++
			o.Progress(done, total)
		}
	}
	found, err := kmeans.Cluster(ctx, corpus.rows, ko)
	if err != nil {
		return nil, fmt.Errorf("skillqr: clustering: %w", err)
	}
	c := &Clusters{embedder: corpus.embedder, centroids: found.Centroids, ids: corpus.ids, next: found.K()}
	for i := range found.K() {
		c.parts = append(c.parts, part{number: i})
	}
	c.docs = make([]document, len(c.ids))
	for i, d := range corpus.digests() {
		c.docs[i] = document{digest: d, part: found.Of[i], similarity: found.Similarity[i]}
	}
	c.index()
	c.measure(func(int) bool { return true })
	return c, nil
}

// usable refuses the zero Corpus.
func (c Corpus) usable() error {
	if c.text == nil {
		return fmt.Errorf("%w: the corpus was not made by NewCorpus or CorpusOf", prospect.ErrOption)
	}
	return nil
}

// index makes members.
func (c *Clusters) index() {
	c.members = make([][]int32, len(c.parts))
	for i, d := range c.docs {
		c.members[d.part] = append(c.members[d.part], int32(i))
	}
}

// measure sets the spreads of those parts, and the one of all documents.
func (c *Clusters) measure(which func(part int) bool) {
	var all []float32
	for p := range c.parts {
		own := c.leftOut(p)
		all = append(all, own...)
		if which(p) {
			c.parts[p].spread = spreadOf(own)
		}
	}
	c.pooled = spreadOf(all)
}

// leftOut returns, for the settled documents of a part, the cosine of each with
// the direction of the sum of the others; one alone has none. For a sum s of
// unit vectors, of length ℓ = Σ cos(x, s), that of x with s − x is
//
//	(ℓ·cos(x, s) − 1) / √(ℓ² − 2ℓ·cos(x, s) + 1)
//
// where the centroid has the direction of s, as it has but for the documents
// that moved in the last iteration of k-means and those that left since.
func (c *Clusters) leftOut(p int) []float32 {
	var own []float32
	var length float64
	for _, i := range c.members[p] {
		if d := c.docs[i]; !d.arrived {
			own = append(own, d.similarity)
			length += float64(d.similarity)
		}
	}
	if len(own) < 2 {
		return nil
	}
	for i, cos := range own {
		along := length * float64(cos)
		rest := math.Sqrt(max(length*length-2*along+1, 0))
		if rest < 1e-3 { // the others cancel out
			own[i] = 0
			continue
		}
		own[i] = float32(min(max((along-1)/rest, -1), 1))
	}
	return own
}

// spreadOf sorts the cosines.
func spreadOf(cosines []float32) spread {
	s := spread{settled: len(cosines)}
	if len(cosines) == 0 {
		return s
	}
	slices.Sort(cosines)
	s.low, s.quartile = quantile(cosines, 0.05), quantile(cosines, 0.25)
	return s
}

// quantile interpolates between the two values around p·(n − 1).
func quantile(sorted []float32, p float64) float32 {
	at := p * float64(len(sorted)-1)
	lo := int(math.Floor(at))
	hi := min(lo+1, len(sorted)-1)
	return sorted[lo] + float32(at-float64(lo))*(sorted[hi]-sorted[lo])
}

// Len is the number of clusters.
func (c *Clusters) Len() int { return len(c.parts) }

// Documents is the number of documents.
func (c *Clusters) Documents() int { return len(c.docs) }

// Number is the number of the i-th cluster, as in [ClusterNote.Cluster] and
// [Skill.Covers].
func (c *Clusters) Number(i int) int { return c.parts[i].number }

// Size is the number of documents in the i-th cluster.
func (c *Clusters) Size(i int) int { return len(c.members[i]) }

// Centroid returns the centroid, a unit vector, of the cluster with a number;
// nil where there is none. It is shared: do not change it.
func (c *Clusters) Centroid(number int) []float32 {
	i, ok := slices.BinarySearchFunc(c.parts, number, func(p part, n int) int { return cmp.Compare(p.number, n) })
	if !ok {
		return nil
	}
	return c.centroids.Row(i)
}

// Embedder is the identity of what made the vectors.
func (c *Clusters) Embedder() string { return c.embedder }

// Fingerprint is that of the corpus which the clusters are of.
func (c *Clusters) Fingerprint() Fingerprint {
	digests := make([]vectorHash, len(c.docs))
	for i, d := range c.docs {
		digests[i] = d.digest
	}
	return fingerprint(c.ids, digests, c.embedder)
}

// sameCosine is how far the cosine of a document with the centroid of its
// cluster may be from what it was, for the document to count as unchanged. It
// is far above what other CPUs or runtimes make of the same text, and a
// document that changed by less lies as well in its cluster as before.
const sameCosine = 1e-3

// of reports, as [prospect.ErrIdentity], that the clusters are not those of
// the corpus. Vectors may differ by what is lost when they are made anew on
// another machine.
func (c *Clusters) of(corpus Corpus) error {
	if err := c.sameSpace(corpus); err != nil {
		return err
	}
	if len(c.ids) != corpus.Len() {
		return fmt.Errorf("%w: the clusters are of %d documents, the corpus has %d", prospect.ErrIdentity, len(c.ids), corpus.Len())
	}
	known := make(map[string]document, len(c.ids))
	for i, id := range c.ids {
		known[id] = c.docs[i]
	}
	for row, id := range corpus.ids {
		d, ok := known[id]
		if !ok {
			return fmt.Errorf("%w: %w", prospect.ErrIdentity, &prospect.IDError{ID: id, Err: errors.New("not in the clusters")})
		}
		if !c.unchanged(d, corpus.rows.Row(row)) {
			return fmt.Errorf("%w: %w", prospect.ErrIdentity, &prospect.IDError{ID: id, Err: errors.New("its vector changed since the clusters were made")})
		}
	}
	return nil
}

// sameSpace refuses a corpus whose vectors cannot be compared with the
// centroids.
func (c *Clusters) sameSpace(corpus Corpus) error {
	if c.embedder != "" && corpus.embedder != "" && c.embedder != corpus.embedder {
		return fmt.Errorf("%w: the clusters are of vectors by %q, the corpus has some by %q", prospect.ErrIdentity, c.embedder, corpus.embedder)
	}
	if len(c.docs) > 0 && corpus.Len() > 0 && c.centroids.Dim != corpus.rows.Dim {
		return fmt.Errorf("%w: the clusters have %d, the corpus %d", prospect.ErrDimension, c.centroids.Dim, corpus.rows.Dim)
	}
	return nil
}

// unchanged says whether a vector lies in the document's cluster as before.
func (c *Clusters) unchanged(d document, row []float32) bool {
	return math.Abs(cosine(c.centroids.Row(int(d.part)), row)-float64(d.similarity)) <= sameCosine
}

// cosine of unit vectors.
func cosine(a, b []float32) float64 {
	var sum float64
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}

// Nearest returns the ids of the n documents of the i-th cluster nearest to
// its centroid, nearest first; all where there are fewer, none for n < 1.
func (c *Clusters) Nearest(i, n int) []string {
	near := slices.Clone(c.members[i])
	slices.SortStableFunc(near, func(a, b int32) int {
		return prospect.CompareScores(float64(c.docs[a].similarity), float64(c.docs[b].similarity))
	})
	return c.idsOf(near, n)
}

// Sample returns the ids of n documents of the i-th cluster, chosen by a hash
// of the seed and their ids: the same whatever the order of the documents.
func (c *Clusters) Sample(i, n int, seed uint64) []string {
	return c.sample(c.members[i], n, seed)
}

func (c *Clusters) sample(from []int32, n int, seed uint64) []string {
	key := func(doc int32) uint64 {
		sum := sha256.Sum256(append(binary.LittleEndian.AppendUint64(nil, seed), c.ids[doc]...))
		return binary.LittleEndian.Uint64(sum[:])
	}
	type keyed struct {
		doc int32
		key uint64
	}
	all := make([]keyed, len(from))
	for j, doc := range from {
		all[j] = keyed{doc, key(doc)}
	}
	slices.SortStableFunc(all, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
	chosen := make([]int32, len(all))
	for j, k := range all {
		chosen[j] = k.doc
	}
	return c.idsOf(chosen, n)
}

func (c *Clusters) idsOf(docs []int32, n int) []string {
	n = max(min(n, len(docs)), 0)
	out := make([]string, 0, n)
	for _, i := range docs[:n] {
		out = append(out, c.ids[i])
	}
	return out
}
