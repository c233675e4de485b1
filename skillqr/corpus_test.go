package skillqr_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/skillqr"
	"github.com/prospect-go/prospect/vecindex"
)

func noText(_ context.Context, ids []string) ([]string, error) { return make([]string, len(ids)), nil }

func TestCorpusOfNothing(t *testing.T) {
	_, err := skillqr.CorpusOf(nil, new(shelf).text)
	require.ErrorIs(t, err, prospect.ErrOption)
}

func TestNewCorpusRefuses(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for name, c := range map[string]struct {
		ids     []string
		vectors [][]float32
		want    error
		id      string
	}{
		"no id":         {[]string{"a", ""}, [][]float32{{1, 0}, {0, 1}}, prospect.ErrEmptyID, ""},
		"twice":         {[]string{"a", "b", "a"}, [][]float32{{1, 0}, {0, 1}, {1, 1}}, prospect.ErrDuplicateID, "a"},
		"dimension":     {[]string{"a", "b"}, [][]float32{{1, 0}, {1}}, prospect.ErrDimension, "b"},
		"no dimension":  {[]string{"a"}, [][]float32{{}}, prospect.ErrDimension, "a"},
		"zero":          {[]string{"a", "b"}, [][]float32{{1, 0}, {0, 0}}, prospect.ErrZeroVector, "b"},
		"not a number":  {[]string{"a"}, [][]float32{{nan, 0}}, prospect.ErrNotFinite, "a"},
		"infinite":      {[]string{"a"}, [][]float32{{inf, 0}}, prospect.ErrNotFinite, "a"},
		"other lengths": {[]string{"a"}, nil, prospect.ErrOption, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := skillqr.NewCorpus(c.ids, c.vectors, "", noText)
			require.ErrorIs(t, err, c.want)
			var which *prospect.IDError
			if c.want != prospect.ErrOption {
				require.ErrorAs(t, err, &which)
				require.Equal(t, c.id, which.ID)
			}
		})
	}
	_, err := skillqr.NewCorpus([]string{"a"}, [][]float32{{1}}, "", nil)
	require.ErrorIs(t, err, prospect.ErrOption)
}

func TestFingerprint(t *testing.T) {
	of := func(ids []string, embedder string, vectors ...[]float32) skillqr.Fingerprint {
		c, err := skillqr.NewCorpus(ids, vectors, embedder, noText)
		require.NoError(t, err)
		require.Equal(t, len(ids), c.Len())
		return c.Fingerprint()
	}
	x, y := []float32{1, 0}, []float32{0, 1}
	base := of([]string{"a", "b"}, "e", x, y)
	require.Equal(t, 2, base.Documents)
	require.Equal(t, "e", base.Embedder)
	require.Equal(t, base, of([]string{"b", "a"}, "e", y, x), "order does not matter")
	require.Equal(t, base, of([]string{"a", "b"}, "e", []float32{3, 0}, []float32{0, 0.5}), "length does not matter")
	require.NotEqual(t, base.Hash, of([]string{"a", "b"}, "e", y, x).Hash, "which vector is whose does")
	require.NotEqual(t, base.Hash, of([]string{"a", "c"}, "e", x, y).Hash)
	require.NotEqual(t, of([]string{"ab", "c"}, "e", x, y).Hash, of([]string{"a", "bc"}, "e", x, y).Hash)
}

// Documents of an index come as they are there; of several vectors it is the
// direction of the mean: (1, 0) and (0, 1) give (1, 1)/√2.
func TestCorpusOfAnIndex(t *testing.T) {
	ix, err := vecindex.New(2, vecindex.Options{Identity: "e/1"})
	require.NoError(t, err)
	require.NoError(t, ix.Apply(vecindex.Changes{Add: []vecindex.Doc{
		{ID: "one", Vector: []float32{2, 0}},
		{ID: "two", Vector: []float32{1, 0}, More: [][]float32{{0, 3}}},
		{ID: "opposite", Vector: []float32{0, 1}, More: [][]float32{{0, -1}}},
		{ID: "last", Vector: []float32{-1, 0}},
	}}))
	got, err := skillqr.CorpusOf(ix, noText)
	require.NoError(t, err)
	h := float32(math.Sqrt(0.5))
	want, err := skillqr.NewCorpus([]string{"one", "two", "opposite", "last"}, [][]float32{{1, 0}, {h, h}, {0, 1}, {-1, 0}}, "e/1", noText)
	require.NoError(t, err)
	require.Equal(t, want.Fingerprint(), got.Fingerprint())

	// Nothing of the index was changed by taking means.
	vectors, err := ix.Vectors("two")
	require.NoError(t, err)
	require.Equal(t, [][]float32{{1, 0}, {0, 1}}, vectors)

	empty, err := vecindex.New(2, vecindex.Options{})
	require.NoError(t, err)
	none, err := skillqr.CorpusOf(empty, noText)
	require.NoError(t, err)
	require.Zero(t, none.Len())
}

func TestNearestAndSample(t *testing.T) {
	s := threeDomains()
	c, err := skillqr.Cluster(t.Context(), s.corpus(t), skillqr.ClusterOptions{K: 3})
	require.NoError(t, err)
	require.Equal(t, "planted/1", c.Embedder())
	require.Equal(t, 60, c.Documents())
	total := 0
	for i := range c.Len() {
		total += c.Size(i)
		all := c.Nearest(i, 1000)
		require.Len(t, all, c.Size(i))
		centroid := c.Centroid(c.Number(i))
		require.Len(t, centroid, shelfDim)
		cos := func(id string) float64 {
			v := s.vectors[slices.Index(s.ids, id)]
			var dot, norm float64
			for j, x := range v {
				dot += float64(x) * float64(centroid[j])
				norm += float64(x) * float64(x)
			}
			return dot / math.Sqrt(norm)
		}
		for j := 1; j < len(all); j++ {
			require.GreaterOrEqual(t, cos(all[j-1]), cos(all[j])-1e-6)
		}
		require.Equal(t, all[:2], c.Nearest(i, 2))
		require.Empty(t, c.Nearest(i, 0))

		one := c.Sample(i, 5, 1)
		require.Len(t, one, 5)
		require.Subset(t, all, one)
		require.Equal(t, one, c.Sample(i, 5, 1))
		require.Equal(t, one, c.Sample(i, 1000, 1)[:5], "a larger sample begins with the smaller one")
		require.ElementsMatch(t, all, c.Sample(i, 1000, 1))
		require.NotEqual(t, c.Sample(i, 1000, 1), c.Sample(i, 1000, 2))
	}
	require.Equal(t, 60, total)
	require.Nil(t, c.Centroid(3))
	require.Nil(t, c.Centroid(-1))
}

// Samples by a hash of the id do not depend on how documents are ordered.
func TestSamplesDoNotDependOnTheOrder(t *testing.T) {
	s := new(shelf).plant("algebra", 0, 40)
	one, err := skillqr.Cluster(t.Context(), s.corpus(t), skillqr.ClusterOptions{K: 1})
	require.NoError(t, err)
	slices.Reverse(s.ids)
	slices.Reverse(s.vectors)
	two, err := skillqr.Cluster(t.Context(), s.corpus(t), skillqr.ClusterOptions{K: 1})
	require.NoError(t, err)
	require.Equal(t, one.Sample(0, 7, 3), two.Sample(0, 7, 3))
}
