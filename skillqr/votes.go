package skillqr

import (
	"context"
	"errors"
	"slices"

	"golang.org/x/sync/errgroup"
)

// A vote is one usable answer: indices in the set's own order, second −1 for
// none.
type vote struct {
	answer         routeAnswer
	choice, second int
}

// votes asks the model, once for each order of the list.
func (r *run) votes(ctx context.Context, all []Skill) []vote {
	orders := orders(len(all)-1, r.rw.opts.Routing.Votes)
	answers := make([]*vote, len(orders))
	var g errgroup.Group
	g.SetLimit(r.rw.opts.Parallel)
	for i, order := range orders {
		g.Go(func() error {
			answers[i] = r.vote(ctx, all, order, i)
			return nil
		})
	}
	g.Wait()
	var out []vote
	for _, v := range answers {
		if v != nil {
			out = append(out, *v)
		}
	}
	return out
}

func (r *run) vote(ctx context.Context, all []Skill, order []int, n int) *vote {
	data := RouteData{Query: head(r.query, r.rw.opts.MaxQuery), Skills: make([]Skill, len(order))}
	names := make([]string, len(order))
	place := make([]int, len(order)) // of a skill of the set in this list
	for i, at := range order {
		data.Skills[i] = all[at]
		data.Skills[i].When = oneLine(all[at].When)
		names[i] = all[at].Name
		place[at] = i
	}
	for _, e := range r.rw.opts.Routing.Examples {
		at := slices.IndexFunc(all, func(s Skill) bool { return fold(s.Name) == fold(e.Skill) })
		data.Examples = append(data.Examples, NumberedExample{head(e.Query, r.rw.opts.MaxQuery), place[at] + 1})
	}
	ask := question{stage: StageRoute, order: n, template: r.rw.prompts.route, data: data, schema: routeSchema}
	a, err := askModel(ctx, r, ask, routeReader(names), func(a *routeAnswer) error { return a.resolve(names) })
	switch {
	case err == nil:
		v := &vote{answer: a, choice: order[a.choice], second: -1}
		if a.second >= 0 {
			v.second = order[a.second]
		}
		return v
	case errors.Is(err, ErrUnknownChoice):
		r.fell(StageRoute, UnknownChoice, err, "an answer names no skill")
	default:
		r.failed(ctx, StageRoute, RouteFailed, err, "a choice could not be had")
	}
	return nil
}

// orders gives the orders in which a list of m skills and the generic one,
// which stays last, is asked about: the set's own, its rotations, and those
// backwards. Each skill stands in each place equally often within m of them.
func orders(m, n int) [][]int {
	var out [][]int
	add := func(order []int) {
		order = append(order, m)
		if len(out) < n && !slices.ContainsFunc(out, func(o []int) bool { return slices.Equal(o, order) }) {
			out = append(out, order)
		}
	}
	for _, backwards := range []bool{false, true} {
		for shift := range m {
			order := make([]int, 0, m+1)
			for i := range m {
				order = append(order, (i+shift)%m)
			}
			if backwards {
				slices.Reverse(order)
			}
			add(order)
		}
	}
	return out
}
