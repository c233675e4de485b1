package probe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/metrics"
	"github.com/prospect-go/prospect/skillqr"
)

// OracleOptions of [Oracle]. The zero value has the defaults.
type OracleOptions struct {
	// Measure that decides. Default NDCG@10.
	Measure *metrics.Measure
	// Depth is how many hits are judged. Default 100.
	Depth int
	// Threshold above which the spread of a query's values over the skills,
	// highest less lowest, makes it sensitive to the choice. Default 0.1.
	Threshold float64
	// Again are rewriters that give other answers to the same queries: of a model
	// that samples at a temperature above 0 and has no cache before it, with
	// another seed or under another name. Each rewrites every query once more
	// with its generic skill. Give it as many as there are mined skills: then
	// [OracleReport].Luck is the best of as many tries as Best. Where a model
	// answers the same each time, Luck is no more than Generic and tells nothing;
	// [OracleQuery].Tries shows it. Default none.
	Again []*skillqr.Rewriter
	// Resampling of intervals and p-values.
	Resampling metrics.Resampling
	// Parallel bounds the queries at the same time. Default 4.
	Parallel int
	// Progress is told after each query how many of how many are done; calls
	// do not overlap.
	Progress func(done, of int)
}

// An OracleReport tells what the choice of a skill decides.
type OracleReport struct {
	// Measure is its name.
	Measure string `json:"measure"`
	// Skills are the names that a query was rewritten with, the generic one
	// last.
	Skills []string `json:"skills"`
	// Queries in the order given.
	Queries []OracleQuery `json:"queries"`

	// Raw, Generic, Routed and Best are means over all queries: of the query
	// as it is, with the generic skill, with the chosen one, and with whichever
	// of Skills was best for the query, which no router can beat.
	Raw     Mean `json:"raw"`
	Generic Mean `json:"generic"`
	Routed  Mean `json:"routed"`
	Best    Mean `json:"best"`
	// BySkill are the means with one skill for all queries, in order of Skills.
	BySkill []Mean `json:"by_skill"`
	// RoutedGain is Routed against Generic: what the choice is worth. Gap is
	// Best against Routed: what a better one could gain at most.
	RoutedGain metrics.Comparison `json:"routed_gain"`
	Gap        metrics.Comparison `json:"gap"`
	// Luck is the mean of the best of the tries with the generic skill, Tries in
	// all, the first of which is that of Generic. A model words the same rewrite
	// now so, now so; Best takes the highest of several such values and lies
	// above Routed even where the skills do not differ. BestOverLuck is Best
	// against Luck: what is left of it. They are nil without
	// [OracleOptions].Again.
	Tries        int                 `json:"tries,omitempty"`
	Luck         *Mean               `json:"luck,omitempty"`
	BestOverLuck *metrics.Comparison `json:"best_over_luck,omitempty"`
	// BestRouted is the share of the sensitive queries that got a skill whose
	// value is the best one's; 1 where there are none.
	BestRouted float64 `json:"best_routed"`
	// Sensitive are the ids of the queries that are sensitive to the choice,
	// those with the largest spread first.
	Sensitive []string `json:"sensitive"`
	// Failed counts rewrites that fell back to the original query, those of
	// [OracleOptions].Again with them.
	Failed int `json:"failed"`
}

// An OracleQuery tells what each skill does for one query.
type OracleQuery struct {
	ID string `json:"id"`
	// Routed and Second are the names of the chosen and the next best skill,
	// Best that of the one with the highest value, the chosen one and then the
	// first where several have it.
	Routed string `json:"routed"`
	Second string `json:"second,omitempty"`
	Best   string `json:"best"`
	// Raw is the value of the query as it is, Values those with each skill, in
	// order of the report's Skills. A rewrite that failed has the raw value.
	Raw    float64   `json:"raw"`
	Values []float64 `json:"values"`
	// Tries are the values of the generic skill with each of
	// [OracleOptions].Again, as Values.
	Tries []float64 `json:"tries,omitempty"`
	// Sensitive says that max Values − min Values > Threshold.
	Sensitive bool `json:"sensitive"`

	failed int
}

// spread is the highest value less the lowest.
func (q OracleQuery) spread() float64 { return slices.Max(q.Values) - slices.Min(q.Values) }

// Oracle rewrites every query with every skill, the generic one included, and
// searches with each. Errors: as those of [Run]. Cost: for each query the
// routing calls, and a rewriting call and a search for each skill and each of
// [OracleOptions].Again.
func Oracle(ctx context.Context, rw *skillqr.Rewriter, find skillqr.Retriever, queries []Query, opts OracleOptions) (*OracleReport, error) {
	if rw == nil || find == nil {
		return nil, optionError("a rewriter and a retriever are needed")
	}
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := check(queries); err != nil {
		return nil, err
	}
	r := &OracleReport{Measure: opts.Measure.Name(), Queries: make([]OracleQuery, len(queries))}
	for _, s := range rw.Skills() {
		r.Skills = append(r.Skills, s.Name)
	}
	err = each(ctx, len(queries), opts.Parallel, opts.Progress, func(ctx context.Context, i int) error {
		one, err := oracleQuery(ctx, rw, find, queries[i], opts)
		if err != nil {
			return &prospect.IDError{ID: queries[i].ID, Err: err}
		}
		r.Queries[i] = one
		return nil
	})
	if err != nil {
		return nil, err
	}
	return r, r.sum(opts)
}

func (o OracleOptions) withDefaults() (OracleOptions, error) {
	if o.Depth < 0 || o.Parallel < 0 {
		return o, optionError("Depth is %d and Parallel %d, want 0 or more", o.Depth, o.Parallel)
	}
	if !(o.Threshold >= 0) || math.IsInf(o.Threshold, 0) {
		return o, optionError("Threshold is %v, want 0 or more", o.Threshold)
	}
	if i := slices.Index(o.Again, nil); i >= 0 {
		return o, optionError("Again[%d] is nil", i)
	}
	if err := o.Resampling.Validate(); err != nil {
		return o, err
	}
	if o.Measure == nil {
		o.Measure = new(metrics.NDCG(10))
	}
	o.Depth = cmp.Or(o.Depth, 100)
	o.Threshold = cmp.Or(o.Threshold, 0.1)
	o.Parallel = cmp.Or(o.Parallel, 4)
	return o, nil
}

func oracleQuery(ctx context.Context, rw *skillqr.Rewriter, find skillqr.Retriever, q Query, o OracleOptions) (OracleQuery, error) {
	out := OracleQuery{ID: q.ID}
	route, _, err := rw.Route(ctx, q.Text)
	if err != nil {
		return out, err
	}
	out.Routed, out.Second = route.Skill, route.Second
	value := func(parts []skillqr.Part) (float64, error) {
		hits, err := find(ctx, parts, o.Depth)
		if err != nil {
			return 0, err
		}
		return valueOf(*o.Measure, hits, q)
	}
	if out.Raw, err = value([]skillqr.Part{{Text: q.Text, Weight: 1}}); err != nil {
		return out, err
	}
	with := func(rw *skillqr.Rewriter, s skillqr.Skill) (float64, error) {
		rewrite, err := rw.RewriteWith(ctx, q.Text, s)
		if err != nil {
			return 0, err
		}
		if len(rewrite.Expansions) == 0 {
			out.failed++
			return out.Raw, nil
		}
		v, err := value(rewrite.Parts)
		if err != nil {
			return 0, fmt.Errorf("with skill %q: %w", s.Name, err)
		}
		return v, nil
	}
	for _, s := range rw.Skills() {
		v, err := with(rw, s)
		if err != nil {
			return out, err
		}
		out.Values = append(out.Values, v)
	}
	for _, again := range o.Again {
		all := again.Skills()
		v, err := with(again, all[len(all)-1])
		if err != nil {
			return out, err
		}
		out.Tries = append(out.Tries, v)
	}
	best := slices.Max(out.Values)
	for i, s := range rw.Skills() {
		if out.Values[i] == best && (out.Best == "" || s.Name == out.Routed) {
			out.Best = s.Name
		}
	}
	out.Sensitive = out.spread() > o.Threshold
	return out, nil
}

// sum makes the means.
func (r *OracleReport) sum(o OracleOptions) error {
	column := func(f func(OracleQuery) float64) []float64 {
		out := make([]float64, len(r.Queries))
		for i, q := range r.Queries {
			out[i] = f(q)
		}
		return out
	}
	of := func(q OracleQuery, name string) float64 { return q.Values[slices.Index(r.Skills, name)] }
	generic := column(func(q OracleQuery) float64 { return q.Values[len(q.Values)-1] })
	routed := column(func(q OracleQuery) float64 { return of(q, q.Routed) })
	best := column(func(q OracleQuery) float64 { return of(q, q.Best) })

	var errs []error
	take := func(values []float64) Mean {
		m, err := mean(values, o.Resampling)
		errs = append(errs, err)
		return m
	}
	r.Raw, r.Generic = take(column(func(q OracleQuery) float64 { return q.Raw })), take(generic)
	r.Routed, r.Best = take(routed), take(best)
	for i := range r.Skills {
		r.BySkill = append(r.BySkill, take(column(func(q OracleQuery) float64 { return q.Values[i] })))
	}
	compare := func(a, b []float64) metrics.Comparison {
		c, err := metrics.Compare(a, b, o.Resampling)
		errs = append(errs, err)
		return c
	}
	r.RoutedGain, r.Gap = compare(routed, generic), compare(best, routed)
	if len(o.Again) > 0 {
		luck := column(func(q OracleQuery) float64 { return max(q.Values[len(q.Values)-1], slices.Max(q.Tries)) })
		r.Tries, r.Luck, r.BestOverLuck = 1+len(o.Again), new(take(luck)), new(compare(best, luck))
	}

	var sensitive []OracleQuery
	hit := 0
	for _, q := range r.Queries {
		r.Failed += q.failed
		if q.Sensitive {
			sensitive = append(sensitive, q)
			if q.Routed == q.Best { // which it is where their values are equal
				hit++
			}
		}
	}
	r.BestRouted = 1
	if len(sensitive) > 0 {
		r.BestRouted = float64(hit) / float64(len(sensitive))
	}
	slices.SortStableFunc(sensitive, func(a, b OracleQuery) int { return cmp.Compare(b.spread(), a.spread()) })
	for _, q := range sensitive {
		r.Sensitive = append(r.Sensitive, q.ID)
	}
	return errors.Join(errs...)
}
