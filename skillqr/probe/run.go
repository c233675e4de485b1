package probe

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/metrics"
	"github.com/prospect-go/prospect/skillqr"
)

// An Arm is one way to answer queries.
type Arm struct {
	// Name of the arm, unique within a probe.
	Name string
	// Search answers a query with at most k hits. The rewrite says what became
	// of the query, nil where none was asked for.
	Search func(ctx context.Context, q Query, k int) ([]prospect.Hit, *skillqr.Rewrite, error)
}

// The names of the arms that [Run] makes itself.
const (
	RawArm     = "raw"
	GenericArm = "generic"
	HandArm    = "by hand"
	MinedArm   = "mined"
)

// Raw searches for the query as it is.
func Raw(name string, find skillqr.Retriever) Arm {
	return Arm{name, func(ctx context.Context, q Query, k int) ([]prospect.Hit, *skillqr.Rewrite, error) {
		hits, err := find(ctx, []skillqr.Part{{Text: q.Text, Weight: 1}}, k)
		return hits, nil, err
	}}
}

// With searches for the query rewritten with the skill that the function
// gives; a query for which it says false stays as it is.
func With(name string, rw *skillqr.Rewriter, find skillqr.Retriever, skill func(Query) (skillqr.Skill, bool)) Arm {
	return Arm{name, func(ctx context.Context, q Query, k int) ([]prospect.Hit, *skillqr.Rewrite, error) {
		s, ok := skill(q)
		if !ok {
			return Raw(name, find).Search(ctx, q, k)
		}
		out, err := rw.RewriteWith(ctx, q.Text, s)
		if err != nil {
			return nil, nil, err
		}
		hits, err := find(ctx, out.Parts, k)
		return hits, out, err
	}}
}

// Mined searches as [skillqr.Rewriter.Search] does.
func Mined(name string, rw *skillqr.Rewriter, find skillqr.Retriever, opts skillqr.SearchOptions) Arm {
	return Arm{name, func(ctx context.Context, q Query, k int) ([]prospect.Hit, *skillqr.Rewrite, error) {
		opts := opts
		opts.K = k
		found, err := rw.Search(ctx, find, q.Text, opts)
		if err != nil {
			return nil, nil, err
		}
		return found.Hits, found.Rewrite, nil
	}}
}

// Options of [Run]. The zero value has the defaults.
type Options struct {
	// ByHand gives a query an instruction written by hand; false keeps the
	// query as it is. Default: no such arm.
	ByHand func(Query) (skillqr.Skill, bool)
	// Search says how the mined arm searches: its guards.
	Search skillqr.SearchOptions
	// Arms are further ones to compare with the original query.
	Arms []Arm

	// Measure that decides. Default NDCG@10.
	Measure *metrics.Measure
	// Depth is how many hits are judged. Default 100.
	Depth int
	// Resampling of intervals and p-values.
	Resampling metrics.Resampling
	// Parallel bounds the queries at the same time. Default 1, for latencies
	// of calls that wait for each other say little.
	Parallel int
	// Progress is told after each query of an arm how many of how many are
	// done; calls do not overlap.
	Progress func(arm string, done, of int)

	// MinGain is the least gain of the measure that is worth a call of the
	// model. Default 0.01.
	MinGain float64
	// MaxLatency is the longest median time that a rewrite may add to a query.
	// Default 0: any.
	MaxLatency time.Duration
}

// A Report compares arms.
type Report struct {
	// Measure is its name.
	Measure string `json:"measure"`
	// IDs of the queries, in the order given.
	IDs []string `json:"ids"`
	// Arms in the order raw, generic, by hand, mined, further ones.
	Arms []ArmReport `json:"arms"`
	// Verdict on the mined arm.
	Verdict Verdict `json:"verdict"`
}

// Arm returns the report of the arm with the name, nil where there is none.
func (r *Report) Arm(name string) *ArmReport {
	for i := range r.Arms {
		if r.Arms[i].Name == name {
			return &r.Arms[i]
		}
	}
	return nil
}

// An ArmReport says how one arm did.
type ArmReport struct {
	Name string `json:"name"`
	Mean Mean   `json:"mean"`
	// Values of the measure by query, in the order of the report's IDs.
	Values []float64 `json:"values"`
	// AgainstRaw is the paired comparison with the raw arm, corrected for the
	// number of arms; nil for the raw arm itself.
	AgainstRaw *metrics.MultipleComparison `json:"against_raw,omitempty"`
	// Rewritten counts queries that got an expansion, Fell those with any
	// fallback.
	Rewritten int `json:"rewritten"`
	Fell      int `json:"fell"`
	// Skills counts the queries by the skill that they were rewritten with.
	Skills map[string]int `json:"skills,omitempty"`
	// Calls of the model and their tokens.
	Calls int            `json:"calls"`
	Usage prospect.Usage `json:"usage"`
	// Rewriting is what the rewrites took, Total what queries took from
	// beginning to end: the median and the 95 % quantile.
	Rewriting Latency `json:"rewriting"`
	Total     Latency `json:"total"`
}

// Latency of a query.
type Latency struct {
	Median time.Duration `json:"median_ns"`
	P95    time.Duration `json:"p95_ns"`
}

func latency(d []time.Duration) Latency { return Latency{quantile(d, 0.5), quantile(d, 0.95)} }

func (o Options) withDefaults() (Options, error) {
	if o.Depth < 0 || o.Parallel < 0 {
		return o, optionError("Depth is %d and Parallel %d, want 0 or more", o.Depth, o.Parallel)
	}
	if !(o.MinGain >= 0) || o.MaxLatency < 0 {
		return o, optionError("MinGain is %v and MaxLatency %v, want 0 or more", o.MinGain, o.MaxLatency)
	}
	if err := o.Resampling.Validate(); err != nil {
		return o, err
	}
	if o.Measure == nil {
		o.Measure = new(metrics.NDCG(10))
	}
	o.Depth = cmp.Or(o.Depth, 100)
	o.Parallel = cmp.Or(o.Parallel, 1)
	o.MinGain = cmp.Or(o.MinGain, 0.01)
	return o, nil
}

// Run answers the queries in each arm and compares the arms. The rewriter
// should have no cache, or latencies are those of the cache; a gate holds in
// the mined arm.
//
// Errors: [prospect.ErrOption]; within a [*prospect.IDError] for a query, that
// of an id, of its judgements ([metrics.ErrNoRelevant]) or of a search;
// ctx's. A rewrite that fails is none: it counts, with what was done instead.
func Run(ctx context.Context, rw *skillqr.Rewriter, find skillqr.Retriever, queries []Query, opts Options) (*Report, error) {
	if rw == nil || find == nil {
		return nil, optionError("a rewriter and a retriever are needed")
	}
	generic := func(Query) (skillqr.Skill, bool) { return rw.Skills()[len(rw.Skills())-1], true }
	arms := []Arm{Raw(RawArm, find), With(GenericArm, rw, find, generic)}
	if opts.ByHand != nil {
		arms = append(arms, With(HandArm, rw, find, opts.ByHand))
	}
	arms = append(arms, Mined(MinedArm, rw, find, opts.Search))
	report, err := Compare(ctx, queries, append(arms, opts.Arms...), opts)
	if err != nil {
		return nil, err
	}
	if report.Verdict, err = judge(report, opts); err != nil {
		return nil, err
	}
	return report, nil
}

// Compare is Run for arms of the caller's alone: the first of them is the one
// that the others are compared with, and there is no verdict.
func Compare(ctx context.Context, queries []Query, arms []Arm, opts Options) (*Report, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := check(queries); err != nil {
		return nil, err
	}
	if len(arms) == 0 {
		return nil, optionError("no arms")
	}
	r := &Report{Measure: opts.Measure.Name()}
	for _, q := range queries {
		r.IDs = append(r.IDs, q.ID)
	}
	var others [][]float64
	for i, a := range arms {
		if a.Name == "" || a.Search == nil || r.Arm(a.Name) != nil {
			return nil, optionError("arm %d (%q) lacks a name of its own or a search", i+1, a.Name)
		}
		one, err := a.run(ctx, queries, opts)
		if err != nil {
			return nil, err
		}
		r.Arms = append(r.Arms, one)
		if i > 0 {
			others = append(others, one.Values)
		}
	}
	if len(others) > 0 {
		compared, err := metrics.CompareAll(others, r.Arms[0].Values, opts.Resampling)
		if err != nil {
			return nil, err
		}
		for i := range compared {
			r.Arms[i+1].AgainstRaw = &compared[i]
		}
	}
	return r, nil
}

func (a Arm) run(ctx context.Context, queries []Query, opts Options) (ArmReport, error) {
	out := ArmReport{Name: a.Name, Values: make([]float64, len(queries)), Skills: map[string]int{}}
	rewrites := make([]*skillqr.Rewrite, len(queries))
	total := make([]time.Duration, len(queries))
	var progress func(done, of int)
	if opts.Progress != nil {
		progress = func(done, of int) { opts.Progress(a.Name, done, of) }
	}
	err := each(ctx, len(queries), opts.Parallel, progress, func(ctx context.Context, i int) error {
		begin := time.Now()
		hits, rewrite, err := a.Search(ctx, queries[i], opts.Depth)
		total[i] = time.Since(begin)
		if err == nil {
			rewrites[i] = rewrite
			out.Values[i], err = valueOf(*opts.Measure, hits, queries[i])
		}
		if err != nil {
			return fmt.Errorf("arm %q: %w", a.Name, &prospect.IDError{ID: queries[i].ID, Err: err})
		}
		return nil
	})
	if err != nil {
		return out, err
	}
	if out.Mean, err = mean(out.Values, opts.Resampling); err != nil {
		return out, err
	}
	var rewriting []time.Duration
	for _, rewrite := range rewrites {
		if rewrite == nil {
			rewriting = append(rewriting, 0)
			continue
		}
		t := &rewrite.Trace
		rewriting = append(rewriting, t.Elapsed)
		out.Calls += len(t.Calls)
		out.Usage = out.Usage.Add(t.Usage())
		if len(rewrite.Expansions) > 0 {
			out.Rewritten++
			out.Skills[rewrite.Skill]++
		}
		if len(t.Fallbacks) > 0 {
			out.Fell++
		}
	}
	out.Rewriting, out.Total = latency(rewriting), latency(total)
	return out, nil
}

// Worse returns the ids of the queries on which an arm is worse than the raw
// arm, the worst first: those to look at. It is nil for an unknown arm.
func (r *Report) Worse(arm string) []string {
	x := r.Arm(arm)
	if x == nil {
		return nil
	}
	raw := r.Arms[0]
	var at []int
	for i := range x.Values {
		if x.Values[i] < raw.Values[i] {
			at = append(at, i)
		}
	}
	slices.SortStableFunc(at, func(i, j int) int {
		return cmp.Compare(x.Values[i]-raw.Values[i], x.Values[j]-raw.Values[j])
	})
	out := make([]string, len(at))
	for i, k := range at {
		out[i] = r.IDs[k]
	}
	return out
}
