package skillqr_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/skillqr"
)

type recording struct{ asked []prospect.Query }

func (r *recording) Search(_ context.Context, q prospect.Query) ([]prospect.Hit, error) {
	r.asked = append(r.asked, q)
	return []prospect.Hit{{ID: "x", Score: 1}}, nil
}

// planeEmbedder knows east (2, 0), north (0, 1), west (−1, 0); other texts are
// (1, 1). Not of unit length, as an embedder should, to see that they are made
// so.
func planeEmbedder() prospect.Embedder {
	return prospect.NewEmbedder("plane/1", 2, func(_ context.Context, role prospect.Role, texts []string) ([][]float32, error) {
		out := make([][]float32, len(texts))
		for i, text := range texts {
			switch text {
			case "east":
				out[i] = []float32{2, 0}
			case "north":
				out[i] = []float32{0, 1}
			case "west":
				out[i] = []float32{-1, 0}
			case "zero":
				out[i] = []float32{0, 0}
			case "flat":
				out[i] = []float32{1}
			case "fails":
				return nil, errBroken
			default:
				out[i] = []float32{1, 1}
			}
		}
		if role != prospect.RoleQuery {
			return nil, errBroken
		}
		if texts[0] == "lost" {
			return nil, nil
		}
		return out, nil
	})
}

func TestByText(t *testing.T) {
	s := &recording{}
	hits, err := skillqr.ByText(s)(t.Context(), []skillqr.Part{{"east", 2}, {"north", 1}, {"", 3}, {"gone", 0}}, 7)
	require.NoError(t, err)
	require.Equal(t, []string{"x"}, hitIDs(hits))
	require.Equal(t, []prospect.Query{{Text: "east\neast\nnorth", K: 7}}, s.asked)
}

func TestJoinIsBounded(t *testing.T) {
	text := skillqr.Join([]skillqr.Part{{"a", 1e6}, {"b", 1e-6}})
	require.Equal(t, strings.Repeat("a\n", 20)+"b", text)
	require.Empty(t, skillqr.Join(nil))
	require.Empty(t, skillqr.Join([]skillqr.Part{{"a", nan()}, {"b", -1}, {"c", math.Inf(1)}, {"d", math.Inf(1)}}))
	require.Equal(t, strings.Repeat("a\n", 20)+"b", skillqr.Join([]skillqr.Part{{"a", math.MaxFloat64}, {"b", 5e-324}}))
}

func TestByVector(t *testing.T) {
	s := &recording{}
	find := skillqr.ByVector(s, planeEmbedder())
	_, err := find(t.Context(), []skillqr.Part{{"east", 1}, {"north", 1}}, 7)
	require.NoError(t, err)
	_, err = find(t.Context(), []skillqr.Part{{"north", 1}}, 7)
	require.NoError(t, err)
	require.Equal(t, []prospect.Query{
		{Text: "east\nnorth", Vector: []float32{1, 1}, K: 7}, {Text: "north", Vector: []float32{0, 1}, K: 7},
	}, s.asked)
}

func TestByVectorSum(t *testing.T) {
	s := &recording{}
	find := skillqr.ByVectorSum(s, planeEmbedder())
	// 1·(1, 0) + ½·(0, 1), scaled to a largest component of 1.
	_, err := find(t.Context(), []skillqr.Part{{"east", 4}, {" ", 9}, {"north", 2}}, 7)
	require.NoError(t, err)
	require.Equal(t, []float32{1, 0.5}, s.asked[0].Vector)
	_, err = find(t.Context(), []skillqr.Part{{"east", 1e300}, {"north", 1e300}}, 7)
	require.NoError(t, err)
	require.Equal(t, []float32{1, 1}, s.asked[1].Vector)
	_, err = find(t.Context(), []skillqr.Part{{"east", 1}, {"west", 1}}, 7)
	require.ErrorIs(t, err, prospect.ErrZeroVector)
}

func TestVectorRetrieversAndBadInput(t *testing.T) {
	for name, make := range map[string]func(prospect.Searcher, prospect.Embedder) skillqr.Retriever{"joined": skillqr.ByVector, "sum": skillqr.ByVectorSum} {
		s := &recording{}
		find := make(s, planeEmbedder())
		for _, blank := range [][]skillqr.Part{nil, {{" \n", 1}}, {{"east", 0}}, {{"east", math.Inf(1)}}} {
			hits, err := find(t.Context(), blank, 3)
			require.NoError(t, err, name)
			require.Empty(t, hits)
		}
		_, err := find(t.Context(), nil, 0)
		require.ErrorIs(t, err, prospect.ErrInvalidK)
		for text, want := range map[string]error{"zero": prospect.ErrZeroVector, "flat": prospect.ErrContract, "lost": prospect.ErrContract, "fails": errBroken} {
			_, err := find(t.Context(), []skillqr.Part{{text, 1}}, 3)
			require.ErrorIs(t, err, want, "%s of %s", name, text)
		}
		require.Empty(t, s.asked)
	}
}
