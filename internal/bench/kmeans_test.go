package main

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect/internal/kmeans"
)

// The inertia of embeddings of real texts is within 2 % of that of faiss and
// not above that of mini-batches, where they are there.
func TestInertiaBesidePeers(t *testing.T) {
	c, err := excerptVectors(t.Context(), size{6000, 64})
	if err != nil {
		withoutData(t, err)
	}
	var text, lines bytes.Buffer
	out := &output{area: "kmeans", text: &text, lines: json.NewEncoder(&lines)}
	o := &options{rounds: 2, peers: regexp.MustCompile("")}
	rows := kmeans.Matrix{Dim: c.dim, Data: c.block}
	require.NoError(t, clusterContest(t.Context(), o, out, "case", rows, 50))
	figures := map[string]float64{}
	for d := json.NewDecoder(&lines); d.More(); {
		var l line
		require.NoError(t, d.Decode(&l))
		require.Equal(t, "kmeans", l.Area)
		figures[l.Name+": "+l.Unit] = l.Value
	}
	require.Equal(t, 1.0, figures["prospect: inertia ratio"])
	require.LessOrEqual(t, figures["prospect (25 iterations): inertia ratio"], 1.0)
	require.InDelta(t, 2*6000*(1-figures["prospect: mean cosine"]), figures["prospect: inertia"], 1e-6*6000)
	if ratio, there := figures["faiss: inertia ratio"]; there {
		require.Greater(t, ratio, 0.98)
	}
	if ratio, there := figures["sklearn-minibatch: inertia ratio"]; there {
		require.Greater(t, ratio, 0.99)
	}
	require.Contains(t, text.String(), "## case")
}

func TestCentroidsOf(t *testing.T) {
	m, err := centroidsOf([]byte{0, 0, 0, 0, 0, 0, 0x40, 0x40, 0, 0, 0x80, 0x3f, 0, 0, 0, 0}, 2) // (0, 3), (1, 0)
	require.NoError(t, err)
	require.Equal(t, kmeans.Matrix{Dim: 2, Data: []float32{0, 1, 1, 0}}, m)
	_, err = centroidsOf(bytes.Repeat([]byte{0xff}, 16), 2)
	require.Error(t, err, "NaN")
}

// Of times the shortest counts, of the rest the mean.
func TestTotal(t *testing.T) {
	var sum total
	sum.add(grouped{wall: 3e9, cpu: 4e9, iterations: 4}, &kmeans.Clusters{Inertia: 10, Sizes: []int{0, 1, 0}}, 2)
	sum.add(grouped{wall: 2e9, cpu: 5e9, iterations: 5}, &kmeans.Clusters{Inertia: 20, MeanCosine: 0.5}, 2)
	require.Equal(t, total{seconds: 2, cpu: 4, inertia: 15, cosine: 0.25, iterations: 4.5, empty: 1}, sum)
	var text strings.Builder
	require.NoError(t, showGroups(&output{text: &text}, "x", []grouper{{name: "a"}}, []total{sum}))
	require.Regexp(t, regexp.MustCompile(`a +2\.00 +1\.00 +4\.00 +1\.00 +4\.5 +0\.2500 +15 +1\.0000 +1\.0`), text.String())
}
