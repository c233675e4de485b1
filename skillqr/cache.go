package skillqr

import (
	"container/list"
	"context"
	"slices"
	"sync"
)

// A Cache keeps rewrites. Implementations must be safe for concurrent use and
// must not share memory with what they are given or give.
type Cache interface {
	// Get returns what was put under the key, and whether there is anything.
	Get(ctx context.Context, key string) (CacheEntry, bool, error)
	Put(ctx context.Context, key string, e CacheEntry) error
}

// A CacheEntry is what a model made of a query. Its JSON form may be stored.
//
// The key is a digest of the query, the set's hash, the ids of the feedback
// documents in their order, the model's identity, the prompts and all options
// that change what is asked. It does not see the texts behind the ids, nor
// into a [Prior], which is a function: with another prior, use another cache.
// Rewrites in which anything fell back are not put.
type CacheEntry struct {
	Route      *Route      `json:"route,omitempty"`
	Expansions []Expansion `json:"expansions"`
}

func (e CacheEntry) clone() CacheEntry {
	e.Expansions = slices.Clone(e.Expansions)
	if e.Route != nil {
		e.Route = new(*e.Route)
		e.Route.Shares = slices.Clone(e.Route.Shares)
	}
	return e
}

func (rw *Rewriter) cacheKey(query string, feedback []string) string {
	return digest(append([]string{rw.version, query}, feedback...)...)
}

// cached asks the cache. What it holds is checked, for it may be a file.
func (r *run) cached(ctx context.Context, key string) (CacheEntry, bool) {
	if r.rw.opts.Cache == nil {
		return CacheEntry{}, false
	}
	e, ok, err := r.rw.opts.Cache.Get(ctx, key)
	if err != nil {
		r.failed(ctx, StageRoute, CacheFailed, err, "the cache could not be read")
		return CacheEntry{}, false
	}
	unusable := func(x Expansion) bool { return isBlank(x.Text) }
	if !ok || e.Route == nil || len(e.Expansions) == 0 || slices.ContainsFunc(e.Expansions, unusable) {
		return CacheEntry{}, false
	}
	r.trace.Cached = true
	return e, true
}

func (r *run) keep(ctx context.Context, key string, e CacheEntry) {
	if r.rw.opts.Cache == nil {
		return
	}
	if err := r.rw.opts.Cache.Put(ctx, key, e); err != nil {
		r.failed(ctx, StageRewrite, CacheFailed, err, "the rewrite could not be kept")
	}
}

// LRU is a [Cache] in memory that holds the entries which were used last. Make
// one with [NewLRU].
type LRU struct {
	mu      sync.Mutex
	max     int
	entries map[string]*list.Element // of lruItem
	order   *list.List               // the last used first
}

type lruItem struct {
	key   string
	entry CacheEntry
}

// NewLRU returns a cache of at most n entries, about 2 KB each. It panics if n
// is not positive, for that is a mistake in the program.
func NewLRU(n int) *LRU {
	if n <= 0 {
		panic("skillqr.NewLRU: needs a positive size")
	}
	return &LRU{max: n, entries: map[string]*list.Element{}, order: list.New()}
}

// Get returns the entry and makes it the last used one. It never fails.
func (c *LRU) Get(_ context.Context, key string) (CacheEntry, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, ok := c.entries[key]
	if !ok {
		return CacheEntry{}, false, nil
	}
	c.order.MoveToFront(at)
	return at.Value.(lruItem).entry.clone(), true, nil
}

// Put keeps the entry, in place of the one used longest ago if there is no
// more room. It never fails.
func (c *LRU) Put(_ context.Context, key string, e CacheEntry) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, ok := c.entries[key]; ok {
		at.Value = lruItem{key, e.clone()}
		c.order.MoveToFront(at)
		return nil
	}
	c.entries[key] = c.order.PushFront(lruItem{key, e.clone()})
	if c.order.Len() > c.max {
		last := c.order.Back()
		c.order.Remove(last)
		delete(c.entries, last.Value.(lruItem).key)
	}
	return nil
}

// Len is the number of entries.
func (c *LRU) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.order.Len()
}
