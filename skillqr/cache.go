package skillqr

import (
	"container/list"
	"context"
	"slices"
	"sync"
)

// A Cache keeps rewrites. Implementations must be safe for concurrent use and
// must not share memory with what they are given or give. Equal queries that
// come at the same time all ask the model, for there is nothing in the cache
// yet; package llm's cache around the model lets them share one call.
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
// Rewrites in which anything fell back are not put, unless all of it is that
// an expansion was shortened. What Get returns is checked: an entry that no
// Rewriter with these options could have put counts as none.
type CacheEntry struct {
	Route      *Route      `json:"route,omitempty"`
	Feedback   []string    `json:"feedback,omitempty"`
	Expansions []Expansion `json:"expansions"`
}

func (e CacheEntry) clone() CacheEntry {
	e.Expansions, e.Feedback = slices.Clone(e.Expansions), slices.Clone(e.Feedback)
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
	if !ok || !r.rw.couldHavePut(e) {
		return CacheEntry{}, false
	}
	r.trace.Cached = true
	return e, true
}

func (rw *Rewriter) couldHavePut(e CacheEntry) bool {
	if e.Route == nil || len(e.Expansions) == 0 || len(e.Expansions) > rw.opts.Top {
		return false
	}
	if _, ok := rw.set.Find(e.Route.Skill); !ok {
		return false
	}
	for _, x := range e.Expansions {
		_, known := rw.set.Find(x.Skill)
		if !known || x.Text == "" || x.Text != tidyText(x.Text) || x.Text != head(x.Text, rw.opts.MaxExpansion) {
			return false
		}
	}
	return true
}

// keep puts a rewrite into the cache unless it fell back.
func (r *run) keep(ctx context.Context, key string, e CacheEntry) {
	if r.rw.opts.Cache == nil || slices.ContainsFunc(r.trace.Fallbacks, func(f Fallback) bool { return f.Reason != Shortened }) {
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
