package skillqr

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/internal/sectfile"
)

var clusterSections = []string{"head", "clusters", "centroids", "documents"}

// FuzzReadClusters reads files whose sections hold anything under good
// checksums: never a panic, and what is read can be written and read again.
func FuzzReadClusters(f *testing.F) {
	c := fewClusters(f)
	var file bytes.Buffer
	require.NoError(f, c.write(&file))
	sr, err := sectfile.NewReader(&file, clustersMagic, clustersVersion)
	require.NoError(f, err)
	seeds := make([][]byte, len(clusterSections))
	for i, name := range clusterSections {
		require.NoError(f, sr.Section(name, func(r io.Reader) (err error) {
			seeds[i], err = io.ReadAll(r)
			return err
		}))
	}
	f.Add(seeds[0], seeds[1], seeds[2], seeds[3])
	f.Add(seeds[0], seeds[1], seeds[2], seeds[3][:len(seeds[3])/2])
	f.Add([]byte{2, 0, 0, 0, 0}, []byte{}, []byte{}, []byte{})
	f.Add([]byte{2, 0xff, 0xff, 0xff, 0xff, 7, 0xff, 0xff, 0xff, 0xff, 7, 0xff, 0xff, 0xff, 0xff, 7, 0}, seeds[1], seeds[2], seeds[3])
	f.Fuzz(func(t *testing.T, head, clusters, centroids, documents []byte) {
		var made bytes.Buffer
		sw, err := sectfile.NewWriter(&made, clustersMagic, clustersVersion)
		require.NoError(t, err)
		for i, content := range [][]byte{head, clusters, centroids, documents} {
			require.NoError(t, sw.Section(clusterSections[i], func(w io.Writer) error {
				_, err := w.Write(content)
				return err
			}))
		}
		require.NoError(t, sw.Close())
		c, err := readClusters(&made)
		if err != nil {
			require.True(t, errors.Is(err, prospect.ErrCorrupt), "%v", err)
			return
		}
		var again bytes.Buffer
		require.NoError(t, c.write(&again))
		back, err := readClusters(&again)
		require.NoError(t, err)
		require.Equal(t, c, back)
		for i := range c.Len() {
			require.NotEmpty(t, c.Nearest(i, 1))
		}
		c.Fingerprint()
	})
}
