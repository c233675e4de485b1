package kmeans

import (
	"context"
	"slices"

	"github.com/prospect-go/prospect/internal/kernel"
)

// sameCosine is the cosine from which on rows and centroids count as one
// direction: such a row is given no centroid of its own. It leaves room for
// unitSlack and for what float32 rounds off.
const sameCosine = 1 - 2e-5

// repair fills clusters without rows, up to k clusters in all. One after the
// other becomes the row that its centroid serves worst: of the clusters with
// more than one row, the row of the lowest cosine, the first of equals. That
// row is the new centroid, and every row moves there that is nearer to it than
// to its own. So inertia falls with each of them, and no direction is taken
// twice. It returns how many were filled; where there are no more rows apart
// from their centroids (see sameCosine), clusters stay empty.
func (p *partition) repair(ctx context.Context, k int) (filled int, err error) {
	for filled < k { // a limit for what rounding might do
		cluster := slices.Index(p.sizes, 0)
		if cluster < 0 && p.k() >= k {
			return filled, nil
		}
		row := p.worst()
		if row < 0 {
			return filled, nil
		}
		if cluster < 0 {
			cluster = p.k()
			p.centroids.Data = append(p.centroids.Data, p.rows.Row(row)...)
			p.sizes = append(p.sizes, 0)
		} else {
			copy(p.centroids.Row(cluster), p.rows.Row(row))
		}
		if err := p.attract(ctx, cluster); err != nil {
			return filled, err
		}
		filled++
	}
	return filled, nil
}

// worst is the row with the lowest cosine among those that may found a
// cluster, or -1.
func (p *partition) worst() int {
	worst, lowest := -1, float32(sameCosine)
	for row, s := range p.similarity {
		if s < lowest && p.sizes[p.of[row]] > 1 {
			worst, lowest = row, s
		}
	}
	return worst
}

// attract moves to a cluster all rows that are nearer to its centroid than to
// their own.
func (p *partition) attract(ctx context.Context, cluster int) error {
	n, blocks := p.rows.Len(), ceilDiv(p.rows.Len(), blockRows)
	p.ready(workersFor(blocks))
	centroid := p.centroids.Row(cluster)
	err := each(ctx, blocks, func(worker, b int) {
		lo, hi := b*blockRows, min((b+1)*blockRows, n)
		scores := p.room(worker, hi-lo)
		kernel.Dots(scores, centroid, p.rows.span(lo, hi))
		for i, s := range scores {
			if s > p.similarity[lo+i] {
				p.of[lo+i], p.similarity[lo+i] = int32(cluster), s
			}
		}
	})
	p.count()
	return err
}

// dropEmpty renumbers the clusters that have rows.
func (p *partition) dropEmpty() {
	if !slices.Contains(p.sizes, 0) {
		return
	}
	to := make([]int32, p.k())
	kept := Matrix{Dim: p.centroids.Dim}
	for c, size := range p.sizes {
		to[c] = int32(kept.Len())
		if size > 0 {
			kept.Data = append(kept.Data, p.centroids.Row(c)...)
		}
	}
	for row, c := range p.of {
		p.of[row] = to[c]
	}
	p.centroids = kept
	p.count()
}
