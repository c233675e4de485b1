package onnx_test

import (
	"errors"
	"testing"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/embed/onnx"
	"github.com/stretchr/testify/require"
)

// dividing divides integers by something that is zero for a text of zeros
// tokens, which makes the runtime panic in the middle of a run. Several
// branches are ready at once, so a runtime that hands nodes to goroutines of its own
// has reason to.
func dividing(zeros int64) *graph {
	g := pooledGraph(rows)
	n := g.op("ReduceSum", "", []string{"attention_mask", g.ints(1)}, attr{name: "keepdims", i: 1})
	by := g.op("Sub", "", []string{n, g.ints(zeros)})
	var sum string
	for range 8 {
		q := g.op("Cast", "", []string{g.op("Div", "", []string{"input_ids", by})}, attr{name: "to", i: float32Type})
		q = g.op("ReduceMean", "", []string{q}, attr{name: "axes", ints: []int64{1}}, attr{name: "keepdims", i: 1})
		if sum == "" {
			sum = q
		} else {
			sum = g.op("Add", "", []string{sum, q})
		}
	}
	zero := g.op("Mul", "", []string{sum, g.floats("nothing", []int{1}, []float32{0})})
	g.op("Add", "disturbed", []string{"sentence_embedding", zero})
	g.output("disturbed", "batch", testDim)
	return g
}

// TestAPanicInTheRuntimeIsAnError: wherever the runtime panics, the process
// lives and the next text is as good as ever.
func TestAPanicInTheRuntimeIsAnError(t *testing.T) {
	opts := onnx.Options{Output: "disturbed"}
	for range 20 {
		_, err := onnx.OpenFS(t.Context(), files(dividing(1)), opts) // the first run, of one token
		require.ErrorIs(t, err, errors.ErrUnsupported)
		require.ErrorContains(t, err, "divide by zero")
	}
	e := mustOpen(t, files(dividing(5)), opts)
	for range 50 {
		_, err := e.Embed(t.Context(), prospect.RoleQuery, []string{"find the skill"}) // five tokens
		require.ErrorContains(t, err, "divide by zero")
		mustEmbed(t, e, prospect.RoleQuery, "find the right skill")
	}
}
