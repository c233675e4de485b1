package main

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect/embed"
)

func TestVectorsAreKeptWhereThatIsPossible(t *testing.T) {
	var errs bytes.Buffer
	std := streams{nil, &errs}
	e := embed.NewHash(8)
	open := func(dir string) (kept bool, err error) {
		cache, err := withCache(e, dir, std)
		if cache != nil {
			require.NoError(t, cache.Close())
		}
		return cache != nil, err
	}
	kept, err := open(t.TempDir())
	require.NoError(t, err)
	require.True(t, kept)
	kept, err = open(off)
	require.NoError(t, err)
	require.False(t, kept)

	underFile := filepath.Join(writeLines(t, "file", ""), "folder")
	_, err = open(underFile)
	require.ErrorContains(t, err, "-cache", "a folder that was asked for")
	require.Empty(t, errs.String())

	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} { // whichever the platform looks at
		t.Setenv(name, underFile)
	}
	kept, err = open("")
	require.NoError(t, err, "a folder that nobody asked for")
	require.False(t, kept)
	require.Contains(t, errs.String(), "vectors are not kept")
}
