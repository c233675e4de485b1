package embed_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/embed"
)

// What is written stands in memory a second time only in part.
func TestCacheOfManyTextsInOneCall(t *testing.T) {
	const n, dim = 12_000, 512 // 25 MB
	vector := make([]float32, dim)
	vector[1] = 1
	e := prospect.NewEmbedder("one vector for all", dim, func(_ context.Context, _ prospect.Role, texts []string) ([][]float32, error) {
		return slices.Repeat([][]float32{vector}, len(texts)), nil
	})
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprint(i)
	}
	c := newCache(t, e, t.TempDir(), embed.CacheOptions{})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	get(t, c, prospect.RoleDocument, texts...)
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(n*dim*4))
	require.Equal(t, n, c.Stats().Vectors)
	require.NoError(t, c.Close())
}

func onDisk(t require.TestingT, dir string) (bytes int64) {
	for _, path := range segments(t, dir) {
		info, err := os.Stat(path)
		require.NoError(t, err)
		bytes += info.Size()
	}
	return bytes
}

// The oldest go first, an eighth at a time.
func TestCacheDropsTheOldest(t *testing.T) {
	dir, inner := t.TempDir(), newSpy(8)
	const perSegment = 10
	c := newCache(t, inner, dir, embed.CacheOptions{MaxBytes: 8 * perSegment * (8*4 + 40)})
	text := func(i int) string { return fmt.Sprintf("text%d", i) }
	for i := range 200 {
		get(t, c, prospect.RoleDocument, text(i))
		n := c.Stats().Vectors
		if i < 8*perSegment {
			require.Equal(t, i+1, n)
		} else {
			require.Greater(t, n, 7*perSegment)
			require.LessOrEqual(t, n, 8*perSegment)
		}
	}
	// 200 vectors have filled 20 segments, of which the last 8 are left.
	require.LessOrEqual(t, filesOpen(t, dir), 8)
	inner.sent = nil
	for i := 120; i < 200; i++ {
		get(t, c, prospect.RoleDocument, text(i))
	}
	require.Empty(t, inner.sent)
	get(t, c, prospect.RoleDocument, text(119))
	require.Len(t, inner.sent, 1)

	// More than there is room for, in one call.
	var many []string
	for i := range 1000 {
		many = append(many, "many"+text(i))
	}
	get(t, c, prospect.RoleDocument, many...)
	require.LessOrEqual(t, onDisk(t, dir), int64(8*perSegment*(8*4+40)))
	inner.sent = nil
	get(t, c, prospect.RoleDocument, many[999], many[930])
	require.Empty(t, inner.sent)

	// One with less room clears up.
	require.NoError(t, c.Close())
	c = newCache(t, inner, dir, embed.CacheOptions{MaxBytes: 30 * (8*4 + 40)})
	require.LessOrEqual(t, onDisk(t, dir), int64(30*(8*4+40)))
	get(t, c, prospect.RoleDocument, many[999], many[980])
	require.Empty(t, inner.sent)
	require.NoError(t, c.Close())
}

// filesOpen counts the files of a folder that this process holds open, the
// deleted among them; 0 where the system does not tell.
func filesOpen(t *testing.T, dir string) (n int) {
	t.Helper()
	const list = "/proc/self/fd"
	entries, err := os.ReadDir(list)
	if err != nil {
		return 0
	}
	for _, e := range entries {
		if path, err := os.Readlink(filepath.Join(list, e.Name())); err == nil && strings.HasPrefix(path, dir) {
			n++
		}
	}
	return n
}
