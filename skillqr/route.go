package skillqr

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// Routing says how a skill is chosen for a query. The zero value is the
// published method: one question to the model, over the set's own list.
type Routing struct {
	// Examples of queries and the right skill, for the prompt. Default: none.
	Examples []RouteExample
	// Votes is how often the model is asked, each time over the list in
	// another order, so that a skill does not win by its place: the choices
	// are counted, see [Route]. At most 2m orders of m skills differ enough
	// (1 of one, 2 of two), more votes are not asked for. Default 1.
	Votes int
	// Prior gives the skills a share before the model is asked, for example by
	// [ClusterPrior]. Default: none.
	Prior Prior
	// PriorWeight is how much the prior counts beside the model's votes.
	// Default 1; see [Route] for what that does.
	PriorWeight float64
	// PriorOnly leaves the choice to the prior and saves the model's call.
	PriorOnly bool
}

// A RouteExample is a query and the name of the skill that is right for it.
type RouteExample struct {
	Query string
	Skill string
}

// A NumberedExample is a [RouteExample] as a prompt shows it, with the number
// of its skill in the prompt's list.
type NumberedExample struct {
	Query  string
	Choice int
}

// A Prior gives each skill, by name, a share in [0, 1] of a query, before any
// model is asked. Skills that it leaves out have 0. It must be safe for
// concurrent use.
type Prior func(ctx context.Context, query string) (map[string]float64, error)

// A Route is the choice of a skill for a query.
//
// Of v usable answers, a skill's Votes are the share of those that chose it,
// plus half the share of those that named it second best. Its Total is Votes +
// PriorWeight·Prior, and the skill with the highest Total is chosen; among
// equal ones that with more Votes, then the first of the set. With one vote
// and PriorWeight 1 a prior thus turns the model's choice over only where it
// prefers the second best by more than ½.
type Route struct {
	// Skill is the name of the chosen one; Second that of the next best which
	// has any Total, "" for none.
	Skill  string `json:"skill"`
	Second string `json:"second,omitempty"`
	// Genre, Knowledge and Reasoning are what the model thought, in its first
	// answer that chose Skill.
	Genre     string `json:"genre,omitempty"`
	Knowledge string `json:"knowledge,omitempty"`
	Reasoning string `json:"reasoning,omitempty"`
	// Answers is the number of usable answers, Agreed of those that chose
	// Skill.
	Answers int `json:"answers"`
	Agreed  int `json:"agreed"`
	// Shares of all skills, in the set's order, the generic one last.
	Shares []Share `json:"shares,omitempty"`
}

// A Share is the part of a skill in a [Route].
type Share struct {
	Skill string  `json:"skill"`
	Votes float64 `json:"votes"`
	Prior float64 `json:"prior"`
	Total float64 `json:"total"`
}

func (o Routing) withDefaults(set *Set) (Routing, error) {
	if o.Votes < 0 {
		return o, optionError("Routing.Votes is %d, want 0 or more", o.Votes)
	}
	if !(o.PriorWeight >= 0 && o.PriorWeight <= maxWeight) {
		return o, optionError("Routing.PriorWeight is %v, want 0 to %g", o.PriorWeight, float64(maxWeight))
	}
	if o.PriorOnly && o.Prior == nil {
		return o, optionError("Routing.PriorOnly without a Prior")
	}
	for i, e := range o.Examples {
		if isBlank(e.Query) {
			return o, optionError("Routing.Examples: the query of example %d is blank", i+1)
		}
		if _, ok := set.Find(e.Skill); !ok {
			return o, optionError("Routing.Examples: example %d is for %q, which is no skill of the set", i+1, e.Skill)
		}
	}
	o.Examples = slices.Clone(o.Examples)
	o.Votes = cmp.Or(o.Votes, 1)
	o.PriorWeight = cmp.Or(o.PriorWeight, 1)
	return o, nil
}

// route chooses a skill. What goes wrong is noted in the run, and the generic
// skill is chosen where nothing speaks for another.
func (r *run) route(ctx context.Context) *Route {
	all := r.rw.set.All()
	route := &Route{Skill: r.rw.set.Generic.Name}
	if len(all) == 1 {
		return route // nothing to choose from
	}
	o := r.rw.opts.Routing
	prior := r.prior(ctx, all)
	var votes []vote
	if !o.PriorOnly {
		votes = r.votes(ctx, all)
	}
	if len(votes) == 0 && prior == nil {
		r.fell(StageRoute, NotRouted, nil, "nothing spoke for any skill, so the generic one is used")
		return route
	}
	route.weigh(all, votes, prior, o.PriorWeight)
	return route
}

// prior asks the prior, nil where there is none or it fails.
func (r *run) prior(ctx context.Context, all []Skill) []float64 {
	if r.rw.opts.Routing.Prior == nil {
		return nil
	}
	shares, err := r.rw.opts.Routing.Prior(ctx, r.query)
	if err != nil {
		r.failed(ctx, StageRoute, PriorFailed, err, "the choice is without the prior")
		return nil
	}
	out := make([]float64, len(all))
	found := false
	for i, s := range all {
		share := shares[s.Name]
		if !(share >= 0 && share <= 1) {
			r.fell(StageRoute, PriorFailed, nil, fmt.Sprintf("the prior gave skill %q the share %v, so the choice is without it", s.Name, share))
			return nil
		}
		out[i] = share
		found = found || share > 0
	}
	if !found {
		return nil
	}
	return out
}

// weigh puts votes and prior together. There is at least one of them.
func (route *Route) weigh(all []Skill, votes []vote, prior []float64, weight float64) {
	route.Answers = len(votes)
	route.Shares = make([]Share, len(all))
	for i, s := range all {
		route.Shares[i].Skill = s.Name
	}
	for _, v := range votes {
		route.Shares[v.choice].Votes += 1 / float64(len(votes))
		if v.second >= 0 {
			route.Shares[v.second].Votes += 0.5 / float64(len(votes))
		}
	}
	order := make([]int, len(all))
	for i := range all {
		s := &route.Shares[i]
		if prior != nil {
			s.Prior = prior[i]
		}
		s.Total = s.Votes + weight*s.Prior
		order[i] = i
	}
	// A skill's Votes are sums of few equal terms: they tie exactly or, by
	// rounding, nearly.
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(compareShares(route.Shares[b].Total, route.Shares[a].Total), compareShares(route.Shares[b].Votes, route.Shares[a].Votes))
	})
	best := order[0]
	route.Skill = all[best].Name
	if route.Shares[order[1]].Total > 0 {
		route.Second = all[order[1]].Name
	}
	for _, v := range votes {
		if v.choice == best {
			if route.Agreed == 0 {
				route.Genre, route.Knowledge, route.Reasoning = string(v.answer.Genre), string(v.answer.Knowledge), string(v.answer.Reasoning)
			}
			route.Agreed++
		}
	}
}

// compareShares is cmp.Compare, but sums that differ by rounding are equal.
func compareShares(a, b float64) int {
	if d := a - b; d > -1e-9 && d < 1e-9 {
		return 0
	}
	return cmp.Compare(a, b)
}
