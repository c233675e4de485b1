package embed

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/prospect-go/prospect"
)

// How exact the promises of [prospect.Embedder] are.
const (
	lengthTolerance = 1e-4 // of a vector's length from 1
	vectorTolerance = 1e-5 // of a component between two runs of one text
)

// TestEmbedder checks an embedder against the promises of [prospect.Embedder]
// and returns every one that it breaks, joined, or nil:
//
//	func TestMine(t *testing.T) {
//		if err := embed.TestEmbedder(t.Context(), mine); err != nil {
//			t.Fatal(err)
//		}
//	}
//
// It embeds about a hundred texts, one of them of 100 kB, some of them at the
// same time from several goroutines: run it under the race detector too. A panic in a
// call of Embed counts as a broken promise. An error that the embedder gives
// for ordinary text is reported and ends the check.
func TestEmbedder(ctx context.Context, e prospect.Embedder) error {
	c := &check{ctx: ctx, e: e, dim: e.Dim(), identity: e.Identity()}
	if c.dim <= 0 {
		c.fail("dimension", "Dim is %d", c.dim)
	}
	if c.identity == "" {
		c.fail("identity", "Identity is empty")
	}
	for _, role := range []prospect.Role{prospect.RoleDocument, prospect.RoleQuery} {
		c.role = role
		if !c.ordinary() {
			continue
		}
		c.emptyBatch()
		c.order()
		c.mates()
		c.ownership()
		c.concurrency()
		c.cancelled()
		c.awkward()
	}
	if e.Dim() != c.dim || e.Identity() != c.identity {
		c.fail("identity", "Dim or Identity changed from (%d, %q) to (%d, %q)", c.dim, c.identity, e.Dim(), e.Identity())
	}
	return errors.Join(c.errs...)
}

type check struct {
	ctx      context.Context
	e        prospect.Embedder
	dim      int
	identity string
	role     prospect.Role
	alone    [][]float32 // the vector of each of plain, embedded alone

	mu   sync.Mutex
	errs []error
}

func (c *check) fail(promise, format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.errs = append(c.errs, fmt.Errorf("%s (%v): %w", promise, c.role, fmt.Errorf(format, args...)))
}

// plain are texts that any embedder of text can embed, of very different
// lengths and of different meaning.
var plain = []string{
	"Merge several PDF files into one document.",
	"cat",
	"Find peaks in a noisy spectrum and fit each of them with a Gaussian.",
	strings.Repeat("The committee met again to discuss the harbour, the tides and the price of rope. ", 12),
	"An invoice lists what was bought, what it costs and when it is due.",
}

// odd are texts that have broken tokenizers.
var odd = []struct{ name, text string }{
	{"empty text", ""},
	{"white space", " \t\r\n\u3000"},
	{"invalid UTF-8", "caf\xe9 \xff\xfe and \xc3("},
	{"NUL", "a\x00b"},
	{"only NUL", "\x00"},
	{"control characters", "\x1b[31mred\x1b[0m\a"},
	{"dotted capital I", "İstanbul İ"},
	{"full-width comma", "红,绿，蓝"},
	{"CRLF", "first\r\nsecond\r\n"},
	{"byte order mark", "\ufeffbom"},
	{"combining marks", "a" + strings.Repeat("\u0301", 200)},
	{"emoji", "👩‍👩‍👧‍👦 🇩🇪"},
	{"special tokens", "[CLS] [SEP] [PAD] <s> </s> <|endoftext|>"},
	{"one long word", strings.Repeat("x", 5000)},
	{"lone surrogate in bytes", "\xed\xa0\x80"},
	{"noncharacter", "\U0010ffff\ufffe"},
	{"100 kB", strings.Repeat("all work and no play ", 5000)},
}

// embed calls Embed and turns a panic into an error.
func (c *check) embed(ctx context.Context, texts ...string) (vectors [][]float32, err error) {
	defer func() {
		if r := recover(); r != nil {
			vectors, err = nil, fmt.Errorf("panic: %v", r)
		}
	}()
	return c.e.Embed(ctx, c.role, texts)
}

// sound reports what is wrong with a vector by itself.
func (c *check) sound(v []float32) error {
	if len(v) != c.dim {
		return fmt.Errorf("%d components, Dim is %d", len(v), c.dim)
	}
	var sum float64
	for i, x := range v {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return fmt.Errorf("component %d is %v", i, x)
		}
		sum += float64(x) * float64(x)
	}
	if n := math.Sqrt(sum); math.Abs(n-1) > lengthTolerance {
		return fmt.Errorf("length %v, not 1", n)
	}
	return nil
}

// ordinary embeds each plain text alone; the other checks compare with that.
func (c *check) ordinary() bool {
	c.alone = nil
	for i, text := range plain {
		got, err := c.embed(c.ctx, text)
		if err == nil && len(got) != 1 {
			err = fmt.Errorf("%d vectors for one text", len(got))
		}
		if err == nil {
			err = c.sound(got[0])
		}
		if err != nil {
			c.fail("ordinary text", "text %d: %w", i, err)
			return false
		}
		c.alone = append(c.alone, slices.Clone(got[0]))
	}
	// If all vectors were one, nothing below could tell them apart.
	if !slices.ContainsFunc(c.alone, func(v []float32) bool { return difference(v, c.alone[0]) > 10*vectorTolerance }) {
		c.fail("ordinary text", "texts of different meaning have the same vector")
		return false
	}
	return true
}

func difference(a, b []float32) float64 {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	var d float64
	for i := range a {
		d = max(d, math.Abs(float64(a[i])-float64(b[i])))
	}
	return d
}

// same embeds the plain texts of the given numbers and compares them with
// what they were alone.
func (c *check) same(promise string, numbers ...int) [][]float32 {
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		texts[i] = plain[n]
	}
	before := slices.Clone(texts)
	got, err := c.embed(c.ctx, texts...)
	if err != nil {
		c.fail(promise, "%w", err)
		return nil
	}
	if !slices.Equal(before, texts) {
		c.fail("ownership", "Embed changed the slice of texts")
	}
	if len(got) != len(texts) {
		c.fail(promise, "%d vectors for %d texts", len(got), len(texts))
		return nil
	}
	for i, n := range numbers {
		if err := c.sound(got[i]); err != nil {
			c.fail(promise, "text %d of %v: %w", i, numbers, err)
		} else if d := difference(got[i], c.alone[n]); d > vectorTolerance {
			c.fail(promise, "text %d of %v differs by %.2g from itself alone", i, numbers, d)
		}
	}
	return got
}

func (c *check) emptyBatch() {
	for _, texts := range [][]string{nil, {}} {
		if got, err := c.embed(c.ctx, texts...); err != nil || len(got) != 0 {
			c.fail("empty batch", "%d vectors and error %v", len(got), err)
		}
	}
}

func (c *check) order() {
	c.same("order", 0, 1, 2, 3, 4)
	c.same("order", 4, 2, 0, 3, 1)
	c.same("earlier calls", 2)
}

func (c *check) mates() {
	c.same("batch mates", 1, 3) // the shortest and the longest
	c.same("batch mates", 3, 1, 1, 1, 1, 0, 1)
}

func (c *check) ownership() {
	got := c.same("ownership", 0, 0, 1)
	if len(got) != 3 {
		return
	}
	clear(got[0])
	if difference(got[1], c.alone[0]) > vectorTolerance || difference(got[2], c.alone[1]) > vectorTolerance {
		c.fail("ownership", "vectors of one result share memory")
	}
	if cap(got[1]) > len(got[1]) {
		_ = append(got[1], 2, 2)
		if difference(got[2], c.alone[1]) > vectorTolerance {
			c.fail("ownership", "appending to one vector changes the next")
		}
	}
	c.same("ownership", 0, 1) // what the caller did to the last result is its own affair
}

func (c *check) concurrency() {
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			c.same("concurrency", g%len(plain), (g+1)%len(plain))
		})
	}
	wg.Wait()
}

func (c *check) cancelled() {
	ctx, cancel := context.WithCancel(c.ctx)
	cancel()
	got, err := c.embed(ctx, plain...)
	if !errors.Is(err, context.Canceled) {
		c.fail("cancelled context", "error %v does not wrap context.Canceled", err)
	}
	if got != nil {
		c.fail("cancelled context", "vectors beside an error")
	}
}

func (c *check) awkward() {
	for _, o := range odd {
		got, err := c.embed(c.ctx, o.text)
		if err != nil {
			c.refused(o.name, o.text, 0, got, err)
			// All or nothing, and the error names the text.
			got, err = c.embed(c.ctx, plain[1], o.text, plain[0])
			if err == nil {
				c.fail(o.name, "an error alone, but none beside others")
			} else {
				c.refused(o.name, o.text, 1, got, err)
			}
			continue
		}
		if len(got) != 1 {
			c.fail(o.name, "%d vectors for one text", len(got))
			continue
		}
		if err := c.sound(got[0]); err != nil {
			c.fail(o.name, "%w", err)
			continue
		}
		alone := got[0]
		got, err = c.embed(c.ctx, plain[1], o.text)
		switch {
		case err != nil:
			c.fail(o.name, "a vector alone, but beside another text: %w", err)
		case len(got) != 2:
			c.fail(o.name, "%d vectors for two texts", len(got))
		case difference(got[0], c.alone[1]) > vectorTolerance:
			c.fail(o.name, "it changes the vector of the text before it")
		case difference(got[1], alone) > vectorTolerance:
			c.fail(o.name, "the text before it changes its vector")
		}
	}
}

// refused checks the form of an error about the text at index.
func (c *check) refused(name, text string, index int, got [][]float32, err error) {
	if got != nil {
		c.fail(name, "vectors beside an error")
	}
	var te *prospect.TextError
	switch {
	case !errors.As(err, &te):
		c.fail(name, "the error is no *prospect.TextError: %w", err)
	case te.Index != index:
		c.fail(name, "the error names text %d, not %d: %w", te.Index, index, err)
	}
}
