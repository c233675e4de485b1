package vecindex

import "github.com/prospect-go/prospect/internal/peek"

func init() {
	peek.VectorBlocks = func(index any) [][]float32 {
		v := &index.(*Index).Snapshot().vecs
		var out [][]float32
		for at := 0; at < v.n; {
			span := v.unit.span(uint32(at), uint32(v.n))
			out = append(out, span)
			at += len(span) / v.unit.dim
		}
		return out
	}
}
