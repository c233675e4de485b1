package embed_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/embed"
)

func ExampleNewCache() {
	dir, err := os.MkdirTemp("", "vectors")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	texts := []string{"merge PDF files", "tune a violin", "merge PDF files"}
	for range 2 { // two runs of a program
		cache, err := embed.NewCache(embed.NewHash(64), dir, embed.CacheOptions{})
		if err != nil {
			panic(err)
		}
		if _, err := cache.Embed(context.Background(), prospect.RoleDocument, texts); err != nil {
			panic(err)
		}
		s := cache.Stats()
		fmt.Printf("%d hits, %d misses, %d vectors\n", s.Hits, s.Misses, s.Vectors)
		if err := cache.Close(); err != nil {
			panic(err)
		}
	}
	// Output:
	// 1 hits, 2 misses, 2 vectors
	// 3 hits, 0 misses, 2 vectors
}

// spy is an embedder that writes down what it is asked.
type spy struct {
	prospect.Embedder
	mu   sync.Mutex
	sent [][]string
}

func newSpy(dim int) *spy { return &spy{Embedder: embed.NewHash(dim)} }

func (s *spy) Embed(ctx context.Context, role prospect.Role, texts []string) ([][]float32, error) {
	s.mu.Lock()
	s.sent = append(s.sent, slices.Clone(texts))
	s.mu.Unlock()
	return s.Embedder.Embed(ctx, role, texts)
}

func newCache(t testing.TB, e prospect.Embedder, dir string, opts embed.CacheOptions) *embed.Cache {
	t.Helper()
	c, err := embed.NewCache(e, dir, opts)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

func get(t require.TestingT, e prospect.Embedder, role prospect.Role, texts ...string) [][]float32 {
	v, err := e.Embed(context.Background(), role, texts)
	require.NoError(t, err)
	return v
}

func TestCacheKeepsThePromises(t *testing.T) {
	dir := t.TempDir()
	for _, state := range []string{"empty", "full"} {
		require.NoError(t, embed.TestEmbedder(t.Context(), newCache(t, embed.NewHash(64), dir, embed.CacheOptions{})), state)
	}
	// With room for a handful of vectors everything goes all the time.
	require.NoError(t, embed.TestEmbedder(t.Context(), newCache(t, embed.NewHash(64), t.TempDir(), embed.CacheOptions{MaxBytes: 8 * 2 * (64*4 + 40 + 4)})))
}

func TestCacheEmbedsWhatIsMissing(t *testing.T) {
	dir, inner := t.TempDir(), newSpy(16)
	c := newCache(t, inner, dir, embed.CacheOptions{})
	require.Equal(t, inner.Identity(), c.Identity())
	require.Equal(t, 16, c.Dim())

	get(t, c, prospect.RoleDocument, "b", "a", "b", "c", "a")
	require.Equal(t, [][]string{{"b", "a", "c"}}, inner.sent, "each text once, in order, in one call")
	require.Equal(t, int64(2), c.Stats().Hits)
	require.Equal(t, int64(3), c.Stats().Misses)

	got := get(t, c, prospect.RoleDocument, "c", "x", "a", "x")
	require.Equal(t, []string{"x"}, inner.sent[1])
	require.Equal(t, get(t, inner.Embedder, prospect.RoleDocument, "c", "x", "a", "x"), got)
	got[1][0] = 7
	require.NotEqual(t, float32(7), got[3][0], "equal texts share no memory")

	get(t, c, prospect.RoleQuery, "a")
	require.Equal(t, []string{"a"}, inner.sent[2], "a query is no document")

	got = get(t, c, prospect.RoleDocument)
	require.Empty(t, got)
	require.Len(t, inner.sent, 3, "nothing to embed")

	// The next one finds it all.
	require.NoError(t, c.Close())
	inner.sent = nil
	c = newCache(t, inner, dir, embed.CacheOptions{})
	require.Equal(t, 5, c.Stats().Vectors)
	require.Equal(t, get(t, inner.Embedder, prospect.RoleDocument, "a", "b", "c", "x"), get(t, c, prospect.RoleDocument, "a", "b", "c", "x"))
	require.Equal(t, get(t, inner.Embedder, prospect.RoleQuery, "a"), get(t, c, prospect.RoleQuery, "a"))
	require.Empty(t, inner.sent)
	require.Equal(t, embed.CacheStats{Hits: 5, Vectors: 5, Bytes: 5 * (16*4 + 40)}, c.Stats())
}

// One folder for several embedders, whose vectors never mix.
func TestCacheByIdentity(t *testing.T) {
	dir := t.TempDir()
	one := newCache(t, embed.NewHash(8), dir, embed.CacheOptions{})
	other := newCache(t, embed.NewHash(16), dir, embed.CacheOptions{})
	require.Len(t, get(t, one, prospect.RoleQuery, "a")[0], 8)
	require.Len(t, get(t, other, prospect.RoleQuery, "a")[0], 16)
	require.Equal(t, 1, one.Stats().Vectors)
	require.Equal(t, 1, other.Stats().Vectors)
	require.Len(t, segments(t, dir), 2)

	// The file of the one under the name of the other holds nothing for it.
	paths := segments(t, dir)
	data, err := os.ReadFile(paths[0])
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(paths[1], data, 0o600))
	for _, e := range []prospect.Embedder{embed.NewHash(8), embed.NewHash(16)} {
		require.Equal(t, get(t, e, prospect.RoleQuery, "a"), get(t, newCache(t, e, dir, embed.CacheOptions{}), prospect.RoleQuery, "a"))
	}
}

// segments lists the files of a folder.
func segments(t require.TestingT, dir string) []string {
	paths, err := filepath.Glob(filepath.Join(dir, "*.vectors"))
	require.NoError(t, err)
	return paths
}

func TestCacheStoresNoTexts(t *testing.T) {
	dir := t.TempDir()
	secret := "the password is swordfish"
	get(t, newCache(t, embed.NewHash(8), dir, embed.CacheOptions{}), prospect.RoleDocument, secret, "swordfish")
	for _, path := range segments(t, dir) {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NotContains(t, string(data), "sword")
		require.NotContains(t, path, "hash", "nor the identity in the clear")
		info, err := os.Stat(path)
		require.NoError(t, err)
		if runtime.GOOS != "windows" {
			require.Zero(t, info.Mode().Perm()&0o077, "private")
		}
	}
}

func TestCacheErrorsOfTheEmbedder(t *testing.T) {
	dir := t.TempDir()
	c := newCache(t, broken(refuse(func(i int) error { return &prospect.TextError{Index: i, Err: prospect.ErrEmptyText} })), dir, embed.CacheOptions{})
	get(t, c, prospect.RoleDocument, "a", "b")
	got, err := c.Embed(t.Context(), prospect.RoleDocument, []string{"a", "x", "b", "x", "d\x00", "y"})
	require.Nil(t, got)
	require.ErrorIs(t, err, prospect.ErrEmptyText)
	var te *prospect.TextError
	require.ErrorAs(t, err, &te)
	require.Equal(t, 4, te.Index, "the place in texts, not among the missing")
	require.Equal(t, embed.CacheStats{Misses: 2, Vectors: 2, Bytes: c.Stats().Bytes}, c.Stats(), "all or nothing")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = c.Embed(ctx, prospect.RoleDocument, []string{"a"})
	require.ErrorIs(t, err, context.Canceled, "even for what is there")
}

func TestCacheChecksTheEmbedder(t *testing.T) {
	edit := func(f func([][]float32) [][]float32) *embed.Cache {
		return newCache(t, broken(func(ctx context.Context, r prospect.Role, texts []string, good prospect.EmbedFunc) ([][]float32, error) {
			v, err := good(ctx, r, texts)
			return f(v), err
		}), t.TempDir(), embed.CacheOptions{})
	}
	_, err := edit(func(v [][]float32) [][]float32 { return v[1:] }).Embed(t.Context(), prospect.RoleQuery, []string{"a", "b"})
	require.ErrorIs(t, err, prospect.ErrContract)
	c := edit(func(v [][]float32) [][]float32 { v[1] = v[1][:3]; return v })
	_, err = c.Embed(t.Context(), prospect.RoleQuery, []string{"a", "a", "b"})
	require.ErrorIs(t, err, prospect.ErrContract)
	require.ErrorIs(t, err, prospect.ErrDimension)
	var te *prospect.TextError
	require.ErrorAs(t, err, &te)
	require.Equal(t, 2, te.Index)
	require.Zero(t, c.Stats().Vectors)

	// What is not finite is passed on and not kept.
	c = edit(func(v [][]float32) [][]float32 { v[0][2] = float32(math.NaN()); return v })
	for range 2 {
		v := get(t, c, prospect.RoleQuery, "a", "b")
		require.True(t, math.IsNaN(float64(v[0][2])))
		require.Equal(t, 1, c.Stats().Vectors)
		require.Zero(t, c.Stats().Unsaved)
		c = newCache(t, c, t.TempDir(), embed.CacheOptions{}) // a cache of a cache is one
	}
}

func TestCacheOptions(t *testing.T) {
	for _, bad := range []int64{-1, 1, 8*(64*4+40) - 1} {
		_, err := embed.NewCache(embed.NewHash(64), t.TempDir(), embed.CacheOptions{MaxBytes: bad})
		require.ErrorIs(t, err, prospect.ErrOption)
	}
	newCache(t, embed.NewHash(64), t.TempDir(), embed.CacheOptions{MaxBytes: 8 * (64*4 + 40)})

	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := embed.NewCache(embed.NewHash(64), file, embed.CacheOptions{})
	require.Error(t, err)
	newCache(t, embed.NewHash(64), filepath.Join(t.TempDir(), "a", "b"), embed.CacheOptions{})
}

func TestCacheClosed(t *testing.T) {
	// Closed while the embedder is at work: the call finishes, and says to
	// whom closes again what was lost.
	var c *embed.Cache
	inner := broken(func(ctx context.Context, r prospect.Role, texts []string, good prospect.EmbedFunc) ([][]float32, error) {
		require.NoError(t, c.Close())
		return good(ctx, r, texts)
	})
	c = newCache(t, inner, t.TempDir(), embed.CacheOptions{})
	require.Equal(t, get(t, embed.NewHash(64), prospect.RoleQuery, "a"), get(t, c, prospect.RoleQuery, "a"))
	require.Equal(t, int64(1), c.Stats().Unsaved)
	require.ErrorIs(t, c.Close(), prospect.ErrClosed)

	for _, texts := range [][]string{{"a"}, {}} {
		_, err := c.Embed(t.Context(), prospect.RoleQuery, texts)
		require.ErrorIs(t, err, prospect.ErrClosed)
	}
	require.Zero(t, c.Stats().Bytes)

	c = newCache(t, embed.NewHash(64), t.TempDir(), embed.CacheOptions{})
	get(t, c, prospect.RoleQuery, "a")
	require.NoError(t, c.Close())
	require.Equal(t, embed.CacheStats{Misses: 1}, c.Stats(), "it holds nothing any more")
}

func TestCacheThatCannotWrite(t *testing.T) {
	dir := t.TempDir()
	c := newCache(t, embed.NewHash(64), dir, embed.CacheOptions{})
	get(t, c, prospect.RoleQuery, "a")
	// A folder that is a file now: for whatever reason, there is no writing.
	require.NoError(t, os.RemoveAll(dir))
	require.NoError(t, os.WriteFile(dir, nil, 0o600))
	want := get(t, embed.NewHash(64), prospect.RoleQuery, "a", "b")
	require.Equal(t, want, get(t, c, prospect.RoleQuery, "a", "b"))
	require.Equal(t, want, get(t, c, prospect.RoleQuery, "a", "b"))
	require.Equal(t, int64(2), c.Stats().Unsaved)
	err := c.Close()
	require.ErrorContains(t, err, dir)
	require.Equal(t, err, c.Close())
}

// Of several errors of writing the first is told, for others may follow from it.
func TestCacheTellsTheFirstError(t *testing.T) {
	dir := t.TempDir()
	var c *embed.Cache
	calls := 0
	inner := broken(func(ctx context.Context, r prospect.Role, texts []string, good prospect.EmbedFunc) ([][]float32, error) {
		if calls++; calls == 2 {
			require.Error(t, c.Close())
		}
		return good(ctx, r, texts)
	})
	c = newCache(t, inner, dir, embed.CacheOptions{})
	if err := os.RemoveAll(dir); err != nil {
		t.Skip("files that are open stay here")
	}
	require.NoError(t, os.WriteFile(dir, nil, 0o600))
	get(t, c, prospect.RoleQuery, "a")
	get(t, c, prospect.RoleQuery, "b")
	require.Equal(t, int64(2), c.Stats().Unsaved)
	require.NotErrorIs(t, c.Close(), prospect.ErrClosed)
}

// A folder that is removed, by somebody who wants the room, is made again.
func TestCacheFolderRemoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vectors")
	c := newCache(t, embed.NewHash(64), dir, embed.CacheOptions{})
	get(t, c, prospect.RoleQuery, "a")
	if err := os.RemoveAll(dir); err != nil {
		t.Skip("files that are open stay here")
	}
	get(t, c, prospect.RoleQuery, "b")
	require.Equal(t, 1, c.Stats().Vectors, "what was in the folder is gone")
	require.Equal(t, 1, newCache(t, embed.NewHash(64), dir, embed.CacheOptions{}).Stats().Vectors)

	// And made again by another process, with a file of the same name.
	require.NoError(t, os.RemoveAll(dir))
	get(t, newCache(t, embed.NewHash(64), dir, embed.CacheOptions{}), prospect.RoleQuery, "c", "d", "e")
	get(t, c, prospect.RoleQuery, "f")
	require.Equal(t, 4, c.Stats().Vectors)
	require.NoError(t, c.Close())
}

func TestCachesShareAFolder(t *testing.T) {
	dir := t.TempDir()
	a, b := newSpy(32), newSpy(32)
	one, other := newCache(t, a, dir, embed.CacheOptions{}), newCache(t, b, dir, embed.CacheOptions{})
	get(t, one, prospect.RoleDocument, "x", "y")
	get(t, other, prospect.RoleDocument, "y", "z")
	require.Equal(t, [][]string{{"z"}}, b.sent, "what another has written is found")
	get(t, one, prospect.RoleDocument, "z", "x")
	require.Len(t, a.sent, 1)
}

// Many goroutines and several caches of one folder: all get the right vectors,
// and each cache in the end finds every one.
func TestCacheConcurrently(t *testing.T) {
	dir := t.TempDir()
	inner := embed.NewHash(32)
	var calls atomic.Int64
	e := prospect.NewEmbedder(inner.Identity(), 32, func(ctx context.Context, role prospect.Role, texts []string) ([][]float32, error) {
		calls.Add(int64(len(texts)))
		return inner.Embed(ctx, role, texts)
	})
	const texts, perCall = 300, 7
	caches := []*embed.Cache{newCache(t, e, dir, embed.CacheOptions{}), newCache(t, e, dir, embed.CacheOptions{}), newCache(t, e, dir, embed.CacheOptions{})}
	text := func(i int) string { return fmt.Sprintf("word%d and word%d", i%texts, i%texts/3) }
	var wg sync.WaitGroup
	for g := range 9 {
		c := caches[g%len(caches)]
		wg.Go(func() {
			for i := range texts / perCall {
				var batch []string
				for j := range perCall {
					batch = append(batch, text(i*perCall+j+g*50))
				}
				got, err := c.Embed(context.Background(), prospect.RoleDocument, batch)
				want, _ := inner.Embed(context.Background(), prospect.RoleDocument, batch)
				if err != nil || !slices.EqualFunc(got, want, slices.Equal[[]float32]) {
					t.Errorf("wrong vectors, error %v", err)
				}
				c.Stats()
			}
		})
	}
	wg.Wait()
	calls.Store(0)
	for _, c := range append(caches, newCache(t, e, dir, embed.CacheOptions{})) {
		for i := range texts / perCall * perCall {
			get(t, c, prospect.RoleDocument, text(i))
		}
		require.Zero(t, c.Stats().Damaged)
		require.Zero(t, c.Stats().Unsaved)
	}
	require.Zero(t, calls.Load())
}

// Whatever is asked in whatever order, by whichever cache of the folder, with
// whatever room: the vectors are those of the embedder.
func TestCacheIsTransparent(t *testing.T) {
	inner := embed.NewHash(8)
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "cache")
		require.NoError(t, err)
		defer os.RemoveAll(dir)
		opts := embed.CacheOptions{MaxBytes: (8*4 + 40) * rapid.Int64Range(8, 40).Draw(t, "room")}
		var caches []*embed.Cache
		defer func() {
			for _, c := range caches {
				require.NoError(t, c.Close())
			}
		}()
		for range rapid.IntRange(1, 20).Draw(t, "calls") {
			if len(caches) == 0 || rapid.IntRange(0, 5).Draw(t, "new") == 0 {
				c, err := embed.NewCache(inner, dir, opts)
				require.NoError(t, err)
				caches = append(caches, c)
			}
			c := rapid.SampledFrom(caches).Draw(t, "cache")
			role := rapid.SampledFrom([]prospect.Role{prospect.RoleDocument, prospect.RoleQuery}).Draw(t, "role")
			texts := rapid.SliceOfN(rapid.StringMatching(`[a-e]{1,2}`), 0, 30).Draw(t, "texts")
			require.Equal(t, get(t, inner, role, texts...), get(t, c, role, texts...))
			require.LessOrEqual(t, onDisk(t, dir), opts.MaxBytes)
			require.LessOrEqual(t, c.Stats().Bytes, opts.MaxBytes)
			require.Zero(t, c.Stats().Damaged)
			require.Zero(t, c.Stats().Unsaved)
		}
	})
}

// What lies in the folder and was not made by a cache.
func TestCacheAmongOtherFiles(t *testing.T) {
	dir := t.TempDir()
	get(t, newCache(t, embed.NewHash(8), dir, embed.CacheOptions{}), prospect.RoleQuery, "a")
	prefix := strings.TrimSuffix(segments(t, dir)[0], "1.vectors")
	for _, name := range []string{"01.vectors", "+2.vectors", ".vectors", "x.vectors", "3.vectors.old", "99999999999999999999.vectors"} {
		require.NoError(t, os.WriteFile(prefix+name, []byte("x"), 0o600))
	}
	require.NoError(t, os.MkdirAll(prefix+"7.vectors", 0o700))
	c := newCache(t, embed.NewHash(8), dir, embed.CacheOptions{})
	get(t, c, prospect.RoleQuery, "a", "b")
	require.Equal(t, 2, c.Stats().Vectors)
	require.Equal(t, int64(1), c.Stats().Hits)
	require.NoError(t, c.Close())

	// A segment that can't be begun ends the attempt, not the call.
	require.NoError(t, os.MkdirAll(prefix+"2.vectors", 0o700))
	c = newCache(t, embed.NewHash(8), dir, embed.CacheOptions{MaxBytes: 16 * (8*4 + 40)})
	get(t, c, prospect.RoleQuery, "c", "d", "e")
	require.Equal(t, int64(3), c.Stats().Unsaved)
	require.Error(t, c.Close())
}

// Of what is to be written, a part may find its place.
func TestCacheThatSavesAPart(t *testing.T) {
	dir, opts := t.TempDir(), embed.CacheOptions{MaxBytes: 16 * (8*4 + 40)} // two a segment
	c := newCache(t, embed.NewHash(8), dir, opts)
	get(t, c, prospect.RoleQuery, "a")
	first := segments(t, dir)[0]
	require.NoError(t, os.MkdirAll(strings.TrimSuffix(first, "1.vectors")+"2.vectors", 0o700))
	get(t, c, prospect.RoleQuery, "b", "c", "d")
	s := c.Stats()
	require.Equal(t, int64(2), s.Unsaved)
	require.Equal(t, 2, s.Vectors)
	require.Error(t, c.Close())
}

var errInner = errors.New("no route to the model")

func TestCacheAnswersWhileTheEmbedderIsDown(t *testing.T) {
	down := false
	e := broken(func(ctx context.Context, r prospect.Role, texts []string, good prospect.EmbedFunc) ([][]float32, error) {
		if down {
			return nil, errInner
		}
		return good(ctx, r, texts)
	})
	c := newCache(t, e, t.TempDir(), embed.CacheOptions{})
	want := get(t, c, prospect.RoleQuery, "a")
	down = true
	require.Equal(t, want, get(t, c, prospect.RoleQuery, "a"))
	_, err := c.Embed(t.Context(), prospect.RoleQuery, []string{"a", "b"})
	require.ErrorIs(t, err, errInner)
}
