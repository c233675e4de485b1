package llm

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/prospect-go/prospect"
)

// An entry of a [Cache] is the file DIR/kk/KEY.json, where KEY is the request's
// key of 32 hexadecimal digits and kk its first two. It holds
//
//	{"format":"prospect llm cache","version":1,"key":"KEY","sum":"89abcdef","response":{…}}
//
// with the response as in a recording and sum the Castagnoli CRC-32 of its
// bytes. It is written under another name and renamed, so that a reader sees
// all or nothing of it; it is not synced, for the sum tells what a crash left.
const (
	cacheFormat  = "prospect llm cache"
	cacheVersion = 1

	// maxEntry bounds, in bytes, the file that is read as an entry.
	maxEntry = 64 << 20
	// temporary begins the names of files that are being written.
	temporary = ".new-"
)

type cacheEntry struct {
	Format   string          `json:"format"`
	Version  int             `json:"version"`
	Key      string          `json:"key"`
	Sum      string          `json:"sum"`
	Response json.RawMessage `json:"response"`
}

func sumOf(b []byte) string {
	c := crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))
	return hex.EncodeToString([]byte{byte(c >> 24), byte(c >> 16), byte(c >> 8), byte(c)})
}

func encodeCacheEntry(key string, resp prospect.LLMResponse) ([]byte, error) {
	b, err := marshal(toWire(resp))
	if err != nil {
		return nil, err
	}
	return line(cacheEntry{cacheFormat, cacheVersion, key, sumOf(b), b})
}

// decodeCacheEntry reads the entry of key.
func decodeCacheEntry(data []byte, key string) (prospect.LLMResponse, error) {
	var e cacheEntry
	var w wireResponse
	if err := json.Unmarshal(data, &e); err != nil {
		return prospect.LLMResponse{}, fmt.Errorf("%w: %w", prospect.ErrCorrupt, err)
	}
	switch {
	case e.Format != cacheFormat:
		return prospect.LLMResponse{}, fmt.Errorf("%w: format %q", prospect.ErrFormat, e.Format)
	case e.Version != cacheVersion:
		return prospect.LLMResponse{}, fmt.Errorf("%w: version %d", prospect.ErrVersion, e.Version)
	case e.Key != key:
		return prospect.LLMResponse{}, fmt.Errorf("%w: it is of the key %q", prospect.ErrFormat, e.Key)
	case e.Sum != sumOf(e.Response):
		return prospect.LLMResponse{}, fmt.Errorf("%w: the sum does not match", prospect.ErrCorrupt)
	}
	if err := strict(e.Response, &w); err != nil {
		return prospect.LLMResponse{}, fmt.Errorf("%w: %w", prospect.ErrCorrupt, err)
	}
	return w.response(), nil
}

func (c *Cache) path(key string) string { return filepath.Join(c.dir, key[:2], key+".json") }

// load gives the answer for a key, without its usage.
func (c *Cache) load(key string) (prospect.LLMResponse, bool) {
	resp, err := c.read(key)
	if err != nil {
		c.report(key, err)
		return prospect.LLMResponse{}, false
	}
	if resp == nil || resp.Truncated && !c.opts.Truncated { // of other options
		return prospect.LLMResponse{}, false
	}
	resp.Usage = prospect.Usage{}
	return *resp, true
}

// read gives nil where there is no entry, or one that is too old.
func (c *Cache) read(key string) (*prospect.LLMResponse, error) {
	f, err := os.Open(c.path(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if c.expired(info) {
		return nil, nil
	}
	data, err := io.ReadAll(io.LimitReader(f, maxEntry))
	if err != nil {
		return nil, err
	}
	resp, err := decodeCacheEntry(data, key)
	return &resp, err
}

func (c *Cache) expired(info fs.FileInfo) bool {
	return c.opts.MaxAge > 0 && time.Since(info.ModTime()) > c.opts.MaxAge
}

func (c *Cache) store(key string, resp prospect.LLMResponse) {
	if err := c.write(key, resp); err != nil {
		c.report(key, err)
	}
}

func (c *Cache) write(key string, resp prospect.LLMResponse) (err error) {
	data, err := encodeCacheEntry(key, resp)
	if err != nil {
		return err
	}
	path := c.path(key)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), temporary+"*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

func (c *Cache) report(key string, err error) {
	if c.opts.OnError != nil {
		c.opts.OnError(fmt.Errorf("llm: cache entry %s: %w", c.path(key), err))
	}
}
