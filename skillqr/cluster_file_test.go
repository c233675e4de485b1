package skillqr

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
)

func fewClusters(t testing.TB) *Clusters {
	t.Helper()
	corpus, err := NewCorpus([]string{"a", "b", "c"}, [][]float32{{1, 0}, {1, 0.1}, {0, 1}}, "e",
		func(context.Context, []string) ([]string, error) { return nil, nil })
	require.NoError(t, err)
	c, err := Cluster(t.Context(), corpus, ClusterOptions{K: 2})
	require.NoError(t, err)
	require.Equal(t, 2, c.Len())
	return c
}

func TestDamagedClusterFiles(t *testing.T) {
	var file bytes.Buffer
	require.NoError(t, fewClusters(t).write(&file))
	data := file.Bytes()
	refused := func(data []byte, what string, n int) {
		_, err := readClusters(bytes.NewReader(data))
		require.Error(t, err, what, n)
		require.True(t, errors.Is(err, prospect.ErrCorrupt) || errors.Is(err, prospect.ErrFormat) || errors.Is(err, prospect.ErrVersion), "%v", err)
	}
	for n := range data {
		refused(data[:n], "cut after %d bytes", n)
		for bit := range 8 {
			flipped := bytes.Clone(data)
			flipped[n] ^= 1 << bit
			refused(flipped, "byte %d flipped", n)
		}
	}

	dir := t.TempDir()
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"longer":  {append(bytes.Clone(data), 0), prospect.ErrCorrupt},
		"foreign": {[]byte("version: 1\nskills: []\n"), prospect.ErrFormat},
		"empty":   {nil, prospect.ErrCorrupt},
	} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, c.data, 0o600))
		_, err := OpenClusters(path)
		require.ErrorIs(t, err, c.want)
		require.ErrorContains(t, err, name)
	}
	_, err := OpenClusters(filepath.Join(dir, "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}
