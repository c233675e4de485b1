package skillqr_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/skillqr"
)

func TestClustersOfAnotherCorpusAreRefused(t *testing.T) {
	s := threeDomains()
	clusters, err := skillqr.Cluster(t.Context(), s.corpus(t), skillqr.ClusterOptions{})
	require.NoError(t, err)
	mineOver := func(s *shelf, embedder string) error {
		corpus, err := skillqr.NewCorpus(s.ids, s.vectors, embedder, s.text)
		require.NoError(t, err)
		_, err = skillqr.Mine(t.Context(), corpus, clusters, skillqr.MineOptions{Proposer: &clerk{}})
		return err
	}
	require.NoError(t, mineOver(s, "planted/1"))
	require.ErrorIs(t, mineOver(s, "other/1"), prospect.ErrIdentity)
	require.ErrorIs(t, mineOver(threeDomains().plant("more", 4, 1), "planted/1"), prospect.ErrIdentity)
	renamed := threeDomains()
	renamed.ids[7] = "another"
	require.ErrorIs(t, mineOver(renamed, "planted/1"), prospect.ErrIdentity)
	moved := threeDomains()
	moved.vectors[7] = moved.vectors[59]
	err = mineOver(moved, "planted/1")
	require.ErrorIs(t, err, prospect.ErrIdentity)
	require.ErrorContains(t, err, moved.ids[7])

	// Vectors made anew elsewhere differ in their last digits, and order is
	// nobody's promise.
	noisy := threeDomains()
	for i, v := range noisy.vectors {
		noisy.vectors[i] = slices.Clone(v)
		noisy.vectors[i][3] += 1e-5
	}
	slices.Reverse(noisy.ids)
	slices.Reverse(noisy.vectors)
	require.NoError(t, mineOver(noisy, "planted/1"))
}

func TestClustersFile(t *testing.T) {
	s := threeDomains()
	corpus := s.corpus(t)
	c, err := skillqr.Cluster(t.Context(), corpus, skillqr.ClusterOptions{})
	require.NoError(t, err)
	path := t.TempDir() + "/clusters"
	require.NoError(t, c.Save(path))
	back, err := skillqr.OpenClusters(path)
	require.NoError(t, err)
	require.Equal(t, c, back)
	require.Equal(t, corpus.Fingerprint(), back.Fingerprint())

	var one, two bytes.Buffer
	for _, clusters := range []*skillqr.Clusters{c, back} {
		m, err := skillqr.Mine(t.Context(), corpus, clusters, skillqr.MineOptions{Proposer: &clerk{}})
		require.NoError(t, err)
		fmt.Fprint(map[*skillqr.Clusters]*bytes.Buffer{c: &one, back: &two}[clusters], yamlOf(t, m.Set))
	}
	require.Equal(t, one.String(), two.String())
}

// The iterations over a sample count as well as those over all.
func TestProgressOfClusteringNeverGoesBack(t *testing.T) {
	s := new(shelf)
	for axis := range 8 {
		s.plant("domain", axis, 17_000/8)
	}
	var seen []int
	c, err := skillqr.Cluster(t.Context(), s.corpus(t), skillqr.ClusterOptions{K: 8, MaxIterations: 4, Progress: func(done, total int) {
		require.Equal(t, 8, total, "four over the sample and four over all, at most")
		seen = append(seen, done)
	}})
	require.NoError(t, err)
	require.Equal(t, 8, c.Len())
	require.Greater(t, len(seen), 2)
	for i, done := range seen {
		require.Equal(t, i+1, done)
		require.LessOrEqual(t, done, 8)
	}

	seen = nil
	_, err = skillqr.Cluster(t.Context(), threeDomains().corpus(t), skillqr.ClusterOptions{MaxIterations: 4, Progress: func(done, total int) {
		require.Equal(t, 4, total)
		seen = append(seen, done)
	}})
	require.NoError(t, err)
	require.Equal(t, 1, seen[0])
}

func TestNoDocumentsAskedForAreNone(t *testing.T) {
	c, err := skillqr.Cluster(t.Context(), threeDomains().corpus(t), skillqr.ClusterOptions{})
	require.NoError(t, err)
	for _, n := range []int{0, -1} {
		require.Empty(t, c.Nearest(0, n))
		require.Empty(t, c.Sample(0, n, 1))
	}
	require.Len(t, c.Nearest(0, 1<<30), c.Size(0))
}
