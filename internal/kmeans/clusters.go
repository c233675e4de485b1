package kmeans

import (
	"math/rand/v2"

	"github.com/prospect-go/prospect/internal/topk"
)

// Clusters are rows by their nearest centroid. Every row is in the cluster
// whose centroid has the highest cosine with it. Methods may be called from
// many goroutines, and a cluster is a number from 0 to K() - 1.
type Clusters struct {
	Centroids  Matrix    // by cluster, of unit length
	Of         []int32   // by row: its cluster
	Similarity []float32 // by row: its cosine with the centroid of its cluster
	Sizes      []int     // by cluster: how many rows
	Cohesion   []float64 // by cluster: the mean cosine of its rows with its centroid; 0 without rows
	MeanCosine float64   // of all rows with their centroids
	Inertia    float64   // Σ ‖row − centroid‖² = 2·Σ (1 − cosine)

	// Of Cluster alone.
	Iterations int  // how often all rows were assigned
	Converged  bool // stopped for Tolerance, not for MaxIterations
	Repaired   int  // how often an empty cluster was given a row, the sample aside

	members grouping
}

// clusters is the result. It takes over what the partition has.
func (p *partition) clusters() *Clusters {
	n, k := p.rows.Len(), p.k()
	c := &Clusters{
		Centroids: p.centroids, Of: p.of, Similarity: p.similarity, Sizes: p.sizes,
		Cohesion: make([]float64, k),
		members:  groupRows(p.of, k),
	}
	for row, s := range p.similarity {
		c.Cohesion[p.of[row]] += float64(s)
	}
	for i, size := range p.sizes {
		if size > 0 {
			c.Cohesion[i] /= float64(size)
		}
	}
	if n > 0 {
		c.MeanCosine = p.mean()
		c.Inertia = 2 * float64(n) * (1 - c.MeanCosine)
	}
	return c
}

// K is the number of clusters.
func (c *Clusters) K() int { return len(c.Sizes) }

// Members returns the rows of a cluster, ascending.
func (c *Clusters) Members(cluster int) []int {
	of := c.members.of(cluster)
	rows := make([]int, len(of))
	for i, row := range of {
		rows[i] = int(row)
	}
	return rows
}

// Nearest returns the n rows of a cluster that are nearest to its centroid,
// nearest first, equals by row; all where it has no more.
//
// Cost: O(size·log n).
func (c *Clusters) Nearest(cluster, n int) []int {
	var h topk.Heap[float32]
	h.Reset(n)
	for _, row := range c.members.of(cluster) {
		h.Push(topk.Item[float32]{Score: c.Similarity[row], Seq: row, Row: row})
	}
	best := h.Sorted()
	rows := make([]int, len(best))
	for i, it := range best {
		rows[i] = int(it.Row)
	}
	return rows
}

// Sample returns n rows of a cluster, drawn at random without replacement,
// ascending; all where it has no more. The same seed draws the same rows; draws
// from different clusters are independent.
//
// Cost: O(size).
func (c *Clusters) Sample(cluster, n int, seed uint64) []int {
	of := c.members.of(cluster)
	drawn := draw(len(of), n, rand.New(rand.NewPCG(seed, uint64(cluster))))
	for i, at := range drawn {
		drawn[i] = int(of[at])
	}
	return drawn
}
