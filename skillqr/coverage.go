package skillqr

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// CoverageOptions of a [Coverage]. The zero value has the defaults.
type CoverageOptions struct {
	// Window is the time that is counted together. Default 1 h.
	Window time.Duration
	// Windows is how many of them, the last ones, are kept. Default 168, a
	// week of hours.
	Windows int
	// Sample is how many queries of each kind to look at are kept. Default 20.
	Sample int
	// LowOverlap is the overlap from which down a query counts as decided by
	// its rewrite. Default 0.2.
	LowOverlap float64
	// Seed of the sample.
	Seed uint64
}

// Coverage counts over time which skills queries get, and keeps a sample of
// queries that a person should look at: a set that no longer fits shows as a
// growing share of the generic skill. It is safe for concurrent use; its
// memory is bounded. Make one with [NewCoverage] and give its Add to
// [Options].Hook.
type Coverage struct {
	opts    CoverageOptions
	generic string
	mu      sync.Mutex
	rng     *rand.Rand
	windows []CoverageWindow // ascending by Start
	sample  map[Notable]*reservoir
}

// A CoverageWindow counts the queries of one span of time.
type CoverageWindow struct {
	Start time.Time `json:"start"`
	// Queries is the number of all.
	Queries int `json:"queries"`
	// BySkill counts those that were rewritten, by the skill's name.
	BySkill map[string]int `json:"by_skill"`
	// Cached of them came from the cache.
	Cached int `json:"cached"`
	// Kept queries stayed as they are by a gate; of KeptHits the rewrite was
	// there, but [SearchOptions].Keep took the original query's hits.
	Kept     int `json:"kept"`
	KeptHits int `json:"kept_hits"`
	// Fell counts queries by the reasons of their fallbacks.
	Fell map[Reason]int `json:"fell"`
	// Elapsed is the time that rewriting took, summed over all.
	Elapsed time.Duration `json:"elapsed_ns"`
}

// A Notable is a kind of query to look at.
type Notable string

const (
	// WasGeneric: the generic skill was chosen. Many of one kind call for a
	// skill of their own.
	WasGeneric Notable = "generic"
	// WasSplit: the votes did not agree, or the second best skill has more
	// than half of the best one's total with one vote and a prior. Such a
	// query may be sensitive to the choice.
	WasSplit Notable = "split"
	// WasDecisive: the rewrite changed most of what is found.
	WasDecisive Notable = "decisive"
	// WasFailed: something fell back.
	WasFailed Notable = "failed"
)

// A NotableQuery is a sampled query and what it got.
type NotableQuery struct {
	Time    time.Time `json:"time"`
	Query   string    `json:"query"`
	Skill   string    `json:"skill"`
	Second  string    `json:"second,omitempty"`
	Overlap float64   `json:"overlap"`
}

// NewCoverage returns an empty Coverage for the queries of a set. Error:
// [prospect.ErrOption].
func NewCoverage(set *Set, opts CoverageOptions) (*Coverage, error) {
	if set == nil {
		return nil, optionError("no skill set")
	}
	if opts.Window < 0 || opts.Windows < 0 || opts.Sample < 0 {
		return nil, optionError("Window is %v, Windows %d and Sample %d, want 0 or more", opts.Window, opts.Windows, opts.Sample)
	}
	if !(opts.LowOverlap >= 0 && opts.LowOverlap <= 1) {
		return nil, optionError("LowOverlap is %v, want 0 to 1", opts.LowOverlap)
	}
	opts.Window = cmp.Or(opts.Window, time.Hour)
	opts.Windows = cmp.Or(opts.Windows, 168)
	opts.Sample = cmp.Or(opts.Sample, 20)
	opts.LowOverlap = cmp.Or(opts.LowOverlap, 0.2)
	return &Coverage{
		opts: opts, generic: set.Generic.Name,
		rng: rand.New(rand.NewPCG(opts.Seed, 0)), sample: map[Notable]*reservoir{},
	}, nil
}

// Add counts an event. One that is older than all windows kept is left out.
func (c *Coverage) Add(e Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w := c.window(e.Time.Truncate(c.opts.Window)); w != nil {
		w.add(e)
	}
	for _, kind := range c.notable(e) {
		if c.sample[kind] == nil {
			c.sample[kind] = &reservoir{max: c.opts.Sample}
		}
		q := NotableQuery{Time: e.Time, Query: e.Rewrite.Query, Skill: e.Rewrite.Skill, Overlap: e.Overlap}
		if r := e.Rewrite.Trace.Route; r != nil {
			q.Second = r.Second
		}
		c.sample[kind].add(c.rng, q)
	}
}

// window finds or makes the window that starts at a time.
func (c *Coverage) window(start time.Time) *CoverageWindow {
	at, found := slices.BinarySearchFunc(c.windows, start, func(w CoverageWindow, t time.Time) int { return w.Start.Compare(t) })
	if !found {
		if at == 0 && len(c.windows) == c.opts.Windows {
			return nil
		}
		c.windows = slices.Insert(c.windows, at, CoverageWindow{Start: start, BySkill: map[string]int{}, Fell: map[Reason]int{}})
		if len(c.windows) > c.opts.Windows {
			c.windows = slices.Delete(c.windows, 0, 1)
			at--
		}
	}
	return &c.windows[at]
}

func (w *CoverageWindow) add(e Event) {
	t := &e.Rewrite.Trace
	w.Queries++
	w.Elapsed += t.Elapsed
	if e.Rewrite.Skill != "" {
		w.BySkill[e.Rewrite.Skill]++
	}
	if t.Cached {
		w.Cached++
	}
	if t.Kept != "" {
		w.Kept++
	}
	if e.Kept != "" {
		w.KeptHits++
	}
	seen := map[Reason]bool{}
	for _, f := range t.Fallbacks {
		if !seen[f.Reason] {
			seen[f.Reason] = true
			w.Fell[f.Reason]++
		}
	}
}

// notable says what makes an event one to look at.
func (c *Coverage) notable(e Event) []Notable {
	var out []Notable
	t := &e.Rewrite.Trace
	if e.Rewrite.Skill == c.generic {
		out = append(out, WasGeneric)
	}
	if t.Route != nil && t.Route.split() {
		out = append(out, WasSplit)
	}
	if e.Overlap >= 0 && e.Overlap <= c.opts.LowOverlap {
		out = append(out, WasDecisive)
	}
	if len(t.Fallbacks) > 0 {
		out = append(out, WasFailed)
	}
	return out
}

// split says whether another skill came near.
func (route *Route) split() bool {
	if route.Agreed < route.Answers {
		return true
	}
	totals := make([]float64, len(route.Shares))
	for i, s := range route.Shares {
		totals[i] = s.Total
	}
	slices.Sort(totals)
	n := len(totals)
	return n > 1 && totals[n-2] > totals[n-1]/2+1e-9
}

// CoverageReport is what a [Coverage] has counted.
type CoverageReport struct {
	// Windows, the oldest first; spans without a query are not listed.
	Windows []CoverageWindow `json:"windows"`
	// Sample of queries to look at, evenly drawn of all of each kind so far.
	Sample map[Notable][]NotableQuery `json:"sample"`
}

// Report returns a copy of what was counted so far.
func (c *Coverage) Report() CoverageReport {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := CoverageReport{Windows: slices.Clone(c.windows), Sample: map[Notable][]NotableQuery{}}
	for i := range out.Windows {
		out.Windows[i].BySkill = maps.Clone(out.Windows[i].BySkill)
		out.Windows[i].Fell = maps.Clone(out.Windows[i].Fell)
	}
	for kind, r := range c.sample {
		out.Sample[kind] = slices.Clone(r.kept)
	}
	return out
}

// A reservoir keeps max of all that was added, each with the same chance
// (Vitter's algorithm R).
type reservoir struct {
	max, seen int
	kept      []NotableQuery
}

func (r *reservoir) add(rng *rand.Rand, q NotableQuery) {
	r.seen++
	if len(r.kept) < r.max {
		r.kept = append(r.kept, q)
	} else if at := rng.IntN(r.seen); at < r.max {
		r.kept[at] = q
	}
}
