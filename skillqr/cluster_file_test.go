package skillqr

import (
	"bytes"
	"context"
	"errors"
	"math"
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

// Files whose checksums are right and whose content is not.
func TestClusterFilesThatContradictThemselves(t *testing.T) {
	for name, spoil := range map[string]func(c *Clusters){
		"numbers descend":          func(c *Clusters) { c.parts[0].number, c.parts[1].number = 1, 0 },
		"a number twice":           func(c *Clusters) { c.parts[1].number = c.parts[0].number },
		"a number not yet given":   func(c *Clusters) { c.parts[1].number = c.next },
		"a long centroid":          func(c *Clusters) { c.centroids.Data[0] *= 1.1 },
		"a centroid that is none":  func(c *Clusters) { c.centroids.Row(0)[0] = float32(math.NaN()) },
		"no centroid":              func(c *Clusters) { clear(c.centroids.Row(1)) },
		"a document twice":         func(c *Clusters) { c.ids[1] = c.ids[0] },
		"a document without an id": func(c *Clusters) { c.ids[1] = "" },
		"a cluster without any": func(c *Clusters) {
			for i := range c.docs {
				c.docs[i].part = 0
			}
		},
		"a cluster that is none": func(c *Clusters) { c.docs[0].part = 2 },
		"a cosine of 2":          func(c *Clusters) { c.docs[0].similarity = 2 },
		"a quantile of 2":        func(c *Clusters) { c.parts[0].spread.low = 2 },
	} {
		c := fewClusters(t)
		var file bytes.Buffer
		require.NoError(t, c.write(&file))
		_, err := readClusters(&file)
		require.NoError(t, err)
		spoil(c)
		file.Reset()
		require.NoError(t, c.write(&file))
		_, err = readClusters(&file)
		require.ErrorIs(t, err, prospect.ErrCorrupt, name)
	}
}
