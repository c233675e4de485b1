package kmeans

import (
	"context"
	"math"
)

// chunkRows is how many members of a cluster are summed at a time. It is fixed,
// and so is the order in which sums are made and merged, whatever the number of
// processors.
const chunkRows = 1024

// A chunk is some members of a cluster and their sum.
type chunk struct {
	rows []uint32
	sum  []float64
}

// update moves each centroid to the direction of the sum of its rows, which is
// where the sum of their cosines with it is highest:
//
//	Σ x·c = ‖Σ x‖·cos(Σ x, c)
//
// Where there are no rows, or they cancel out, the centroid stays.
func (p *partition) update(ctx context.Context) error {
	g := groupRows(p.of, p.k())
	first := make([]int, p.k()+1) // by cluster: its first chunk
	var chunks []chunk
	for c := range p.k() {
		first[c] = len(chunks)
		for rows := g.of(c); len(rows) > 0; {
			n := min(chunkRows, len(rows))
			chunks = append(chunks, chunk{rows: rows[:n]})
			rows = rows[n:]
		}
	}
	first[p.k()] = len(chunks)
	dim := p.rows.Dim
	sums := make([]float64, len(chunks)*dim)
	for i := range chunks {
		chunks[i].sum = sums[i*dim : (i+1)*dim : (i+1)*dim]
	}
	err := each(ctx, len(chunks), func(_, i int) {
		for _, row := range chunks[i].rows {
			add(chunks[i].sum, p.rows.Row(int(row)))
		}
	})
	if err != nil {
		return err
	}
	for c := range p.k() {
		of := chunks[first[c]:first[c+1]]
		if len(of) == 0 {
			continue
		}
		sum := of[0].sum
		for _, more := range of[1:] {
			for j, x := range more.sum {
				sum[j] += x
			}
		}
		direct(p.centroids.Row(c), sum)
	}
	return nil
}

// add adds a row to a sum.
func add(sum []float64, row []float32) {
	row = row[:len(sum)]
	for j, x := range row {
		sum[j] += float64(x)
	}
}

// direct sets dst to the direction of a sum, where it has one.
func direct(dst []float32, sum []float64) {
	var square float64
	for _, x := range sum {
		square += x * x
	}
	if square == 0 {
		return
	}
	norm := math.Sqrt(square)
	for j, x := range sum {
		dst[j] = float32(x / norm)
	}
}

// A grouping is rows by cluster, ascending.
type grouping struct {
	starts []int // by cluster: where its rows begin; one more at the end
	rows   []uint32
}

// groupRows sorts rows by their cluster, below k.
func groupRows(of []int32, k int) grouping {
	g := grouping{starts: make([]int, k+1), rows: make([]uint32, len(of))}
	for _, c := range of {
		g.starts[c+1]++
	}
	for c := range k {
		g.starts[c+1] += g.starts[c]
	}
	next := append([]int(nil), g.starts[:k]...)
	for row, c := range of {
		g.rows[next[c]] = uint32(row)
		next[c]++
	}
	return g
}

func (g *grouping) of(cluster int) []uint32 {
	return g.rows[g.starts[cluster]:g.starts[cluster+1]]
}
