package onnx_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/embed/onnx"
	"github.com/stretchr/testify/require"
)

// minilm opens all-MiniLM-L6-v2 as testdata/export_bert.py writes it. Its
// weights are not part of the repository.
func minilm(tb testing.TB) *onnx.Embedder {
	tb.Helper()
	dir := os.Getenv("PROSPECT_MINILM_ONNX")
	if dir == "" {
		tb.Skip("PROSPECT_MINILM_ONNX does not name a folder with all-MiniLM-L6-v2; testdata/export_bert.py makes one")
	}
	e, err := onnx.Open(tb.Context(), dir, onnx.Options{})
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, e.Close()) })
	return e
}

// TestMiniLM compares with vectors that PyTorch computed of the same weights
// (testdata/minilm.json: float32, mean pooling, unit length, cut at 256
// tokens). Without GOEXPERIMENT=simd it takes some minutes.
func TestMiniLM(t *testing.T) {
	e := minilm(t)
	require.Equal(t, 384, e.Dim())
	require.Equal(t, 256, e.MaxTokens(), "max_seq_length, not the 512 positions")
	data, err := os.ReadFile("testdata/minilm.json")
	require.NoError(t, err)
	var want []struct {
		Text   string
		Vector []float32
	}
	require.NoError(t, json.Unmarshal(data, &want))
	require.NotEmpty(t, want)
	texts := make([]string, len(want))
	for i := range want {
		texts[i] = want[i].Text
	}
	got := mustEmbed(t, e, prospect.RoleDocument, texts...)
	var worst float64
	for i := range want {
		for c, x := range want[i].Vector {
			worst = max(worst, math.Abs(float64(x)-float64(got[i][c])))
		}
	}
	t.Logf("largest difference of a component: %.2g", worst)
	require.Less(t, worst, 1e-4)
}
