package skillqr

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
)

func TestClusterPriorByHand(t *testing.T) {
	broken := errors.New("broken")
	skill := func(name string, covers ...int) Skill { return Skill{Name: name, Covers: covers} }
	set := &Set{
		Skills:   []Skill{skill("math", 0, 1), skill("code", 1, 7), skill("medicine")},
		Generic:  skill("generic"),
		Clusters: []ClusterNote{{Cluster: 0}, {Cluster: 1}, {Cluster: 7}, {Cluster: 9}, {Cluster: 11}},
	}
	centroids := map[int][]float32{0: {1, 0}, 1: {0.6, 0.8}, 7: {0, 1}, 9: {-1, 0}} // 11 has none
	centroid := func(c int) []float32 { return centroids[c] }
	e := prospect.NewEmbedder("axes/1", 2, func(_ context.Context, role prospect.Role, texts []string) ([][]float32, error) {
		require.Equal(t, prospect.RoleQuery, role)
		if texts[0] == "broken" {
			return nil, broken
		}
		return [][]float32{{0.8, 0.6}}, nil
	})
	prior, err := clusterPrior(set, centroid, e, ClusterPriorOptions{Temperature: 0.5})
	require.NoError(t, err)
	// Cosines: math max(0.8, 0.96), code max(0.96, 0.6), generic −0.8 by cluster
	// 9, which no skill covers; medicine covers none. e^(0.96/½) = 6.821,
	// e^(−0.8/½) = 0.2019.
	shares, err := prior(t.Context(), "q")
	require.NoError(t, err)
	require.Len(t, shares, 3)
	require.InDelta(t, 6.821/13.844, shares["math"], 1e-4)
	require.InDelta(t, 6.821/13.844, shares["code"], 1e-4)
	require.InDelta(t, 0.2019/13.844, shares["generic"], 1e-4)
	_, err = prior(t.Context(), "broken")
	require.ErrorIs(t, err, broken)

	for _, temperature := range []float64{-1, math.NaN(), math.Inf(1)} {
		_, err = clusterPrior(set, centroid, e, ClusterPriorOptions{Temperature: temperature})
		require.ErrorIs(t, err, prospect.ErrOption)
	}
	_, err = clusterPrior(&Set{Generic: Generic()}, centroid, e, ClusterPriorOptions{})
	require.ErrorIs(t, err, prospect.ErrOption, "no clusters")
	_, err = clusterPrior(set, func(int) []float32 { return make([]float32, 3) }, e, ClusterPriorOptions{})
	require.ErrorIs(t, err, prospect.ErrDimension)
}
