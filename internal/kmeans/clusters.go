package kmeans

// Clusters are rows by their nearest centroid. Every row is in the cluster
// whose centroid has the highest cosine with it. Methods may be called from
// many goroutines, and a cluster is a number from 0 to K() - 1.
type Clusters struct {
	Centroids  Matrix    // by cluster, of unit length
	Of         []int32   // by row: its cluster
	Similarity []float32 // by row: its cosine with the centroid of its cluster
	Sizes      []int     // by cluster: how many rows
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
		members: groupRows(p.of, k),
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
