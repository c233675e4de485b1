package llm

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/prospect-go/prospect"
)

// CacheOptions say what a [Cache] keeps, and how long.
type CacheOptions struct {
	// Truncated keeps answers too that broke off at a limit. Default: they
	// are asked for again.
	Truncated bool
	// MaxAge is how long after it was written an entry is used. Default: for
	// ever.
	MaxAge time.Duration
	// MaxBytes is how much [Cache.Prune] leaves, in bytes of files. Default:
	// all.
	MaxBytes int64
	// OnError, where it is not nil, is told of every entry that could not be
	// read or written and why. It may be called by several goroutines at once.
	// Such an entry is a miss; no call fails for it.
	OnError func(error)
}

// A Cache keeps the answers of models in a folder, one file each, and gives
// them again to the same request to a model with the same identity: work that
// was interrupted goes on without paying twice. The prompts are not stored;
// the answers are, readable for the user alone.
//
// Several goroutines and processes may use one folder at once. Calls with the
// same request at the same time, within one Cache, make one call of the model;
// the others share its outcome, be it an error, unless it is about the context
// or [Budget] of the one that called. An entry that is broken or not of this
// library is ignored and replaced.
//
// Errors are not kept, nor answers that are blank or not UTF-8. Where a model
// should answer differently each time (a high temperature, several votes),
// leave the cache out or let the requests differ.
type Cache struct {
	dir     string
	opts    CacheOptions
	flights flights
}

// OpenCache makes a cache in a folder, which is made if it is not there. Errors:
// [prospect.ErrOption], and those of making the folder.
func OpenCache(dir string, o CacheOptions) (*Cache, error) {
	switch {
	case dir == "":
		return nil, fmt.Errorf("%w: the cache needs a folder", prospect.ErrOption)
	case o.MaxAge < 0:
		return nil, fmt.Errorf("%w: MaxAge is %v, want 0 or more", prospect.ErrOption, o.MaxAge)
	case o.MaxBytes < 0:
		return nil, fmt.Errorf("%w: MaxBytes is %d, want 0 or more", prospect.ErrOption, o.MaxBytes)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("llm: cache: %w", err)
	}
	return &Cache{dir: dir, opts: o}, nil
}

// Wrap returns m with the cache before it. An answer from the cache has no
// Usage, for it cost nothing.
func (c *Cache) Wrap(m prospect.LLM) prospect.LLM { return &cached{c, m} }

type cached struct {
	c *Cache
	m prospect.LLM
}

func (m *cached) Identity() string { return m.m.Identity() }

func (m *cached) Generate(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
	if err := ctx.Err(); err != nil {
		return prospect.LLMResponse{}, err
	}
	key := requestKey(m.m.Identity(), req)
	if resp, ok := m.c.load(key); ok {
		return resp, nil
	}
	resp, shared, err := m.c.flights.do(ctx, key, func() (prospect.LLMResponse, error) {
		if resp, ok := m.c.load(key); ok { // stored meanwhile
			return resp, nil
		}
		resp, err := m.m.Generate(ctx, req)
		if err == nil && m.c.keeps(resp) {
			m.c.store(key, resp)
		}
		return resp, err
	})
	if shared {
		resp.Usage = prospect.Usage{}
	}
	return resp, err
}

// keeps says that an answer is worth keeping, and comes out of a file as it
// went in.
func (c *Cache) keeps(resp prospect.LLMResponse) bool {
	return (c.opts.Truncated || !resp.Truncated) && strings.TrimSpace(resp.Text) != "" && utf8.ValidString(resp.Text)
}
