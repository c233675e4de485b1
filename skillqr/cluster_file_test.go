package skillqr_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/skillqr"
)

func savedClusters(t testing.TB) []byte {
	t.Helper()
	c, err := skillqr.Cluster(t.Context(), new(shelf).plant("algebra", 0, 5).plant("botany", 1, 4).corpus(t), skillqr.ClusterOptions{K: 2})
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "clusters")
	require.NoError(t, c.Save(path))
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return data
}

func openClusters(t testing.TB, data []byte) (*skillqr.Clusters, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "clusters")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	return skillqr.OpenClusters(path)
}

func TestDamagedClusterFiles(t *testing.T) {
	data := savedClusters(t)
	for n := range data {
		_, err := openClusters(t, data[:n])
		require.Error(t, err, "cut after %d bytes", n)
		require.True(t, isFileError(err), "%v", err)
		flipped := append([]byte(nil), data...)
		flipped[n] ^= 0x40
		_, err = openClusters(t, flipped)
		require.Error(t, err, "byte %d flipped", n)
		require.True(t, isFileError(err), "%v", err)
	}
	_, err := openClusters(t, append(data, 0))
	require.ErrorIs(t, err, prospect.ErrCorrupt)
	_, err = openClusters(t, []byte("version: 1\nskills: []\n"))
	require.ErrorIs(t, err, prospect.ErrFormat)
	_, err = skillqr.OpenClusters(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func isFileError(err error) bool {
	return errors.Is(err, prospect.ErrCorrupt) || errors.Is(err, prospect.ErrFormat) || errors.Is(err, prospect.ErrVersion)
}
