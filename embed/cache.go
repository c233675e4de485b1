package embed

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/prospect-go/prospect"
)

// CacheOptions say how much a [Cache] keeps.
type CacheOptions struct {
	// MaxBytes bounds the files of one identity; a vector takes its components,
	// at four bytes each, and 40 bytes more. When they are full, the oldest
	// eighth of what they hold is dropped, whether or not it was used. Several
	// processes that write at once may exceed the bound by what each of them
	// writes for one call. Default: 1 GiB.
	MaxBytes int64
}

// A Cache is an embedder that keeps the vectors of another one on disk, by the
// identity of the embedder, the role and a hash (SHA-256) of the text, and
// embeds only what it has not. Texts themselves are not stored; mind that
// vectors tell something of them all the same. New files are readable for the
// user alone.
//
// A folder may hold the caches of several embedders, and several caches and
// processes may share one: each finds what others have written. A damaged or
// half-written entry is taken for absent and replaced. It is safe for
// concurrent use; two calls at once that miss the same text both embed it.
//
// In memory it keeps about 100 bytes a vector. A hit costs the hash of the text
// and a read of the file.
type Cache struct {
	e            prospect.Embedder
	identity     string
	dim          int
	hits, misses atomic.Int64

	mu      sync.RWMutex // guards what follows: reading vectors needs it for reading
	log     *vectorLog   // nil once closed
	index   map[textKey]place
	unsaved int64
	err     error // the first of writing
}

// CacheStats say what a [Cache] has done since it was made, and what it holds.
type CacheStats struct {
	// Hits counts texts whose vector was found, or embedded already for an
	// equal text of the same call; Misses those that went to the embedder. Calls
	// that failed are not counted.
	Hits, Misses int64
	// Vectors is how many vectors there are to be found, and Bytes the size of
	// the files that hold them.
	Vectors int
	Bytes   int64
	// Damaged counts places in the files that held no entry of this identity
	// where one was expected.
	Damaged int64
	// Unsaved counts vectors that could not be written: see [Cache.Close].
	Unsaved int64
}

// NewCache makes a cache of e in a folder, which is created if it is absent.
//
// Errors: [prospect.ErrOption] for a MaxBytes that is negative or too small
// for eight vectors; those of reading and making files. Cost: reads all that
// is there for the identity, under 0.1 s for 100,000 vectors of 512
// components in the system's cache.
func NewCache(e prospect.Embedder, dir string, opts CacheOptions) (*Cache, error) {
	c := &Cache{e: e, identity: e.Identity(), dim: e.Dim(), index: map[textKey]place{}}
	log, err := openVectorLog(dir, c.identity, c.dim, cmp.Or(opts.MaxBytes, 1<<30))
	if err != nil {
		return nil, err
	}
	c.log = log
	if err := c.refresh(); err != nil {
		log.close()
		return nil, err
	}
	return c, nil
}

// Identity is that of the embedder.
func (c *Cache) Identity() string { return c.identity }

// Dim is that of the embedder.
func (c *Cache) Dim() int { return c.dim }

// Embed returns the vectors of the texts, bit by bit as the embedder gave them
// when each was first met. What is missing goes to the embedder in one call,
// each text once, in the order of texts, and is saved before Embed returns; to
// work in smaller steps, give the cache to [Batched].
//
// Errors are those of the embedder, with the place in texts in a
// [*prospect.TextError]; [prospect.ErrContract] if it gives another number of
// vectors or components than it should; [prospect.ErrClosed]. Trouble with the
// files is no error here: see [Cache.Close].
func (c *Cache) Embed(ctx context.Context, role prospect.Role, texts []string) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	keys := make([]textKey, len(texts))
	for i, text := range texts {
		keys[i] = keyOf(role, text)
	}
	vectors := make([][]float32, len(texts))
	missing, err := c.find(ctx, keys, vectors)
	if err != nil {
		return nil, err
	}
	if len(missing) > 0 {
		if missing, err = c.embed(ctx, role, texts, keys, missing, vectors); err != nil {
			return nil, err
		}
	}
	c.hits.Add(int64(len(texts) - len(missing)))
	c.misses.Add(int64(len(missing)))
	return vectors, nil
}

// find fills in the vectors that there are and returns the numbers of the
// others. If some are missing, it looks once more at what others have written.
func (c *Cache) find(ctx context.Context, keys []textKey, vectors [][]float32) (missing []int, err error) {
	all := make([]int, len(keys))
	for i := range all {
		all[i] = i
	}
	missing, err = c.read(ctx, keys, all, vectors)
	if err != nil || len(missing) == 0 {
		return nil, err
	}
	c.mu.Lock()
	if c.log != nil {
		err = c.refresh()
	}
	c.mu.Unlock()
	if err != nil {
		return missing, nil // as if nobody had written
	}
	return c.read(ctx, keys, missing, vectors)
}

// read fills in those of the wanted vectors that the index knows, and returns
// the rest of wanted.
func (c *Cache) read(ctx context.Context, keys []textKey, wanted []int, vectors [][]float32) (missing []int, err error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.log == nil {
		return nil, fmt.Errorf("embed: cache: %w", prospect.ErrClosed)
	}
	buf := make([]byte, c.log.entrySize())
	for n, i := range wanted {
		if n%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if at, known := c.index[keys[i]]; known {
			vectors[i] = c.log.read(buf, at, keys[i]) // nil if it is no longer sound
		}
		if vectors[i] == nil {
			missing = append(missing, i)
		}
	}
	return missing, nil
}

// embed fills in the missing vectors and saves them. It returns the number of
// each text that went to the embedder.
func (c *Cache) embed(ctx context.Context, role prospect.Role, texts []string, keys []textKey, missing []int, vectors [][]float32) (sent []int, err error) {
	first := make(map[textKey]int, len(missing)) // the place in sent
	var batch []string
	for _, i := range missing {
		if _, again := first[keys[i]]; !again {
			first[keys[i]] = len(sent)
			sent = append(sent, i)
			batch = append(batch, texts[i])
		}
	}
	out, err := c.e.Embed(ctx, role, batch)
	if err != nil {
		return nil, renumber(err, sent)
	}
	if err := checkVectors(out, sent, c.dim); err != nil {
		return nil, err
	}
	for _, i := range missing {
		if at := first[keys[i]]; sent[at] == i {
			vectors[i] = out[at]
		} else {
			vectors[i] = slices.Clone(out[at])
		}
	}
	c.save(keys, sent, vectors)
	return sent, nil
}

// save writes the vectors of the given numbers.
func (c *Cache) save(keys []textKey, numbers []int, vectors [][]float32) {
	var entries []entry
	for _, i := range numbers {
		if allFinite(vectors[i]) { // a fault of the embedder is not to last
			entries = append(entries, entry{keys[i], vectors[i]})
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	err := fmt.Errorf("embed: cache: %w", prospect.ErrClosed)
	written := 0
	if c.log != nil {
		written, err = c.log.append(entries, c.refresh)
	}
	if err != nil {
		c.unsaved += int64(len(entries) - written)
		c.err = cmp.Or(c.err, err)
	}
}

// refresh brings the index up to what the files hold now. The lock is held.
func (c *Cache) refresh() error {
	return c.log.refresh(func(k textKey, at place) { c.index[k] = at }, c.drop)
}

// drop forgets what a file held.
func (c *Cache) drop(s *segment) {
	for k, at := range c.index {
		if at.segment == s {
			delete(c.index, k)
		}
	}
}

// Stats returns the figures of now.
func (c *Cache) Stats() CacheStats {
	c.mu.RLock()
	defer c.mu.RUnlock()
	s := CacheStats{Hits: c.hits.Load(), Misses: c.misses.Load(), Vectors: len(c.index), Unsaved: c.unsaved}
	if c.log != nil {
		s.Bytes, s.Damaged = c.log.size(), c.log.damaged
	}
	return s
}

// Close closes the files, not the embedder. It returns the first error of
// writing that there was: vectors that could not be saved cost time later and
// are no reason for a call of Embed to fail. A call of Embed that runs
// meanwhile finishes, without saving what it embeds. To close twice is
// harmless.
func (c *Cache) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.log != nil {
		c.log.close()
		c.log = nil
		clear(c.index)
	}
	return c.err
}

// textKey stands for a role and a text.
type textKey [sha256.Size]byte

func keyOf(role prospect.Role, text string) textKey {
	return sha256.Sum256(append([]byte{byte(role)}, text...))
}

// checkVectors wants a vector of dim components for each of the texts, whose
// numbers are given.
func checkVectors(vectors [][]float32, numbers []int, dim int) error {
	if len(vectors) != len(numbers) {
		return fmt.Errorf("%w: the embedder gave %d vectors for %d texts", prospect.ErrContract, len(vectors), len(numbers))
	}
	for i, v := range vectors {
		if len(v) != dim {
			return &prospect.TextError{Index: numbers[i], Err: fmt.Errorf("%w: %w: %d, not %d", prospect.ErrContract, prospect.ErrDimension, len(v), dim)}
		}
	}
	return nil
}

func allFinite(v []float32) bool {
	return !slices.ContainsFunc(v, func(x float32) bool { return x-x != 0 })
}
