package embed_test

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/embed"
)

const damageDim = 8

// filled returns the path and content of the only segment of a folder, with
// vectors of "0", "1", … in it.
func filled(t require.TestingT, dir string, n int) (path string, data []byte, texts []string) {
	for i := range n {
		texts = append(texts, strconv.Itoa(i))
	}
	c, err := embed.NewCache(embed.NewHash(damageDim), dir, embed.CacheOptions{})
	require.NoError(t, err)
	get(t, c, prospect.RoleDocument, texts...)
	require.NoError(t, c.Close())
	paths := segments(t, dir)
	require.Len(t, paths, 1)
	data, err = os.ReadFile(paths[0])
	require.NoError(t, err)
	require.Len(t, data, n*entryLength)
	return paths[0], data, texts
}

const entryLength = 4 + 32 + 4*damageDim + 4

// mended opens the folder and wants all vectors right, twice; afterwards
// everything is there. It returns how many had been there before.
func mended(t require.TestingT, dir string, texts []string) (hits int64) {
	want := get(t, embed.NewHash(damageDim), prospect.RoleDocument, texts...)
	for pass := range 2 {
		c, err := embed.NewCache(embed.NewHash(damageDim), dir, embed.CacheOptions{})
		require.NoError(t, err)
		require.Equal(t, want, get(t, c, prospect.RoleDocument, texts...))
		if pass == 0 {
			hits = c.Stats().Hits
		} else {
			require.Equal(t, int64(len(texts)), c.Stats().Hits, "damaged entries are replaced")
		}
		require.NoError(t, c.Close())
	}
	return hits
}

func TestCacheDamage(t *testing.T) {
	for _, c := range []struct {
		name   string
		damage func(data []byte) []byte
		hits   int64 // of 10
	}{
		{"none", func(d []byte) []byte { return d }, 10},
		{"empty", func(d []byte) []byte { return nil }, 0},
		{"cut at an entry", func(d []byte) []byte { return d[:4*entryLength] }, 4},
		{"cut within one", func(d []byte) []byte { return d[:4*entryLength+9] }, 4},
		{"cut before the last byte", func(d []byte) []byte { return d[:len(d)-1] }, 9},
		{"the first byte", func(d []byte) []byte { d[0]++; return d }, 9},
		{"a key", func(d []byte) []byte { d[3*entryLength+10]++; return d }, 9},
		{"a component", func(d []byte) []byte { d[3*entryLength+50]++; return d }, 9},
		{"a checksum", func(d []byte) []byte { d[4*entryLength-1]++; return d }, 9},
		{"zeros", func(d []byte) []byte { clear(d[2*entryLength+5 : 4*entryLength+5]); return d }, 7},
		{"bytes missing", func(d []byte) []byte { return append(d[:2*entryLength+5], d[2*entryLength+8:]...) }, 9},
		{"bytes too many", func(d []byte) []byte { return append([]byte("pvecpvec"), d...) }, 10},
		{"a writer that died amid two others", func(d []byte) []byte {
			return append(append(bytes.Clone(d[:2*entryLength]), d[5*entryLength:6*entryLength-20]...), d[2*entryLength:]...)
		}, 10},
		{"a mark at the very end", func(d []byte) []byte { return append(d, "pve"...) }, 10},
		{"twice the same", func(d []byte) []byte { return append(d, d...) }, 10},
	} {
		dir := t.TempDir()
		path, data, texts := filled(t, dir, 10)
		require.NoError(t, os.WriteFile(path, c.damage(bytes.Clone(data)), 0o600))
		require.Equal(t, c.hits, mended(t, dir, texts), c.name)
	}
}

// Damage while the cache is open: a flipped bit, a file cut short.
func TestCacheDamageWhileOpen(t *testing.T) {
	dir := t.TempDir()
	path, data, texts := filled(t, dir, 10)
	c := newCache(t, embed.NewHash(damageDim), dir, embed.CacheOptions{})
	want := get(t, c, prospect.RoleDocument, texts...)

	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteAt([]byte{data[3*entryLength+40] + 1}, 3*entryLength+40)
	require.NoError(t, err)
	require.Equal(t, want, get(t, c, prospect.RoleDocument, texts...))
	require.Equal(t, int64(1), c.Stats().Misses)
	require.Equal(t, want, get(t, c, prospect.RoleDocument, texts...))
	require.Equal(t, int64(1), c.Stats().Misses, "the new entry counts")

	require.NoError(t, f.Truncate(2*entryLength+1))
	require.Equal(t, want, get(t, c, prospect.RoleDocument, texts...))
	require.Equal(t, int64(1+8), c.Stats().Misses)
	require.Equal(t, want, get(t, c, prospect.RoleDocument, texts...))
	require.Equal(t, int64(1+8), c.Stats().Misses)
	require.NoError(t, f.Close())
	require.NoError(t, c.Close())
	require.Equal(t, int64(10), mended(t, dir, texts))
}

// A scan reads a megabyte at a time; entries that lie across are whole all the
// same, and so are those behind a long stretch of rubbish.
func TestCacheOfManyPieces(t *testing.T) {
	dir := t.TempDir()
	path, data, texts := filled(t, dir, 40_000) // 2.9 MB
	require.Equal(t, int64(len(texts)), mended(t, dir, texts))
	rubbish := bytes.Repeat([]byte("pvecpve"), 250_000)
	require.NoError(t, os.WriteFile(path, append(append(bytes.Clone(data[:len(data)/2]), rubbish...), data[len(data)/2:]...), 0o600))
	require.Equal(t, int64(len(texts)), mended(t, dir, texts))
}

func TestCacheDamageProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "cache")
		require.NoError(t, err)
		defer os.RemoveAll(dir)
		path, data, texts := filled(t, dir, 6)
		from := rapid.IntRange(0, len(data)).Draw(t, "from")
		to := rapid.IntRange(from, len(data)).Draw(t, "to")
		with := rapid.SliceOf(rapid.Byte()).Draw(t, "with")
		whole := append(append(bytes.Clone(data[:from]), with...), data[to:]...)
		require.NoError(t, os.WriteFile(path, whole, 0o600))
		hits := mended(t, dir, texts)
		// What is before and behind the damage is still there.
		require.GreaterOrEqual(t, hits, int64(from/entryLength+(len(data)-to)/entryLength))
	})
}

// FuzzCacheFile feeds whole files: whatever is in them, the vectors are those
// of the embedder.
func FuzzCacheFile(f *testing.F) {
	_, data, texts := filled(f, f.TempDir(), 3)
	f.Add(data)
	f.Add(data[entryLength-7:])
	f.Add(append(data[:entryLength:entryLength], "pvecpvecpve"...))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		path, _, _ := filled(t, dir, 1)
		require.NoError(t, os.WriteFile(path, data, 0o600))
		mended(t, dir, texts)
	})
}

// A mark may begin in one piece that is read and end in the next.
func TestCacheFindsEntriesBehindDamageOfAnyLength(t *testing.T) {
	inner := embed.NewHash(8)
	dir := t.TempDir()
	get(t, newCache(t, inner, dir, embed.CacheOptions{}), prospect.RoleQuery, "a")
	path := segments(t, dir)[0]
	entry, err := os.ReadFile(path)
	require.NoError(t, err)
	for off := -5; off <= 5; off++ {
		garbage := make([]byte, 1<<20+off)
		require.NoError(t, os.WriteFile(path, append(garbage, entry...), 0o600))
		c, err := embed.NewCache(inner, dir, embed.CacheOptions{})
		require.NoError(t, err)
		require.Equal(t, 1, c.Stats().Vectors, off)
		require.NoError(t, c.Close())
	}
}

// A sound entry in the place of another is no answer for the other.
func TestCacheWhoseFileIsWrittenAnew(t *testing.T) {
	inner := embed.NewHash(8)
	dir, other := t.TempDir(), t.TempDir()
	c := newCache(t, inner, dir, embed.CacheOptions{})
	want := get(t, c, prospect.RoleQuery, "a")
	get(t, newCache(t, inner, other, embed.CacheOptions{}), prospect.RoleQuery, "b")
	data, err := os.ReadFile(segments(t, other)[0])
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(segments(t, dir)[0], data, 0o600)) // in the same file, of the same length
	require.Equal(t, want, get(t, c, prospect.RoleQuery, "a"))
}

// A segment that takes all that is written and keeps nothing ends the attempt.
func TestCacheWithASegmentThatIsNone(t *testing.T) {
	dir, opts := t.TempDir(), embed.CacheOptions{MaxBytes: 8 * (8*4 + 40)} // one a segment
	c := newCache(t, embed.NewHash(8), dir, opts)
	get(t, c, prospect.RoleQuery, "a")
	if err := os.Symlink(os.DevNull, strings.TrimSuffix(segments(t, dir)[0], "1.vectors")+"2.vectors"); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	get(t, c, prospect.RoleQuery, "b")
	require.Equal(t, int64(1), c.Stats().Unsaved)
	require.ErrorContains(t, c.Close(), "is not what was made there")
}
