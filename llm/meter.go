package llm

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/prospect-go/prospect"
)

// A Count is what calls cost.
type Count struct {
	// Calls that have ended, and how many of them with an error or a truncated
	// answer.
	Calls, Errors, Truncated int
	// Usage is the tokens, as the model reports them.
	Usage prospect.Usage
	// Time is the time of the calls, one after the other: of calls at the same
	// time, each counts.
	Time time.Duration
}

func (c Count) add(resp prospect.LLMResponse, err error, d time.Duration) Count {
	c.Calls++
	c.Time += d
	c.Usage = c.Usage.Add(resp.Usage)
	if err != nil {
		c.Errors++
	} else if resp.Truncated {
		c.Truncated++
	}
	return c
}

// A Meter counts the calls of the models that it wraps, all together and by the
// label of their context ([WithLabel]). Outside a [Cache] it counts what is
// asked, inside what is paid for. It keeps a count for each label for good. The
// zero value is ready. It is safe for concurrent use.
type Meter struct {
	mu      sync.Mutex
	total   Count            // guarded by mu
	byLabel map[string]Count // guarded by mu
}

// Wrap returns m with the meter before it.
func (c *Meter) Wrap(m prospect.LLM) prospect.LLM { return &metered{m, c} }

type metered struct {
	prospect.LLM
	meter *Meter
}

func (m *metered) Generate(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
	begin := time.Now()
	resp, err := m.LLM.Generate(ctx, req)
	m.meter.count(Label(ctx), resp, err, time.Since(begin))
	return resp, err
}

func (c *Meter) count(label string, resp prospect.LLMResponse, err error, d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.total = c.total.add(resp, err, d)
	if c.byLabel == nil {
		c.byLabel = make(map[string]Count)
	}
	c.byLabel[label] = c.byLabel[label].add(resp, err, d)
}

// Total is the count of all calls.
func (c *Meter) Total() Count {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.total
}

// ByLabel is the count by label; "" is the one of calls without.
func (c *Meter) ByLabel() map[string]Count {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.byLabel)
}

type labelKey struct{}

// WithLabel returns a context whose calls are counted by [Meter] and logged by
// [Log] under the label, such as the name of a user or of a step.
func WithLabel(ctx context.Context, label string) context.Context {
	return context.WithValue(ctx, labelKey{}, label)
}

// Label is the label of a context, "" without one.
func Label(ctx context.Context) string {
	label, _ := ctx.Value(labelKey{}).(string)
	return label
}
