package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// chooseSystems reads -systems, -baseline and -focus.
func (o *options) chooseSystems() error {
	var err error
	if o.plans, o.leftOut, err = choose(o.systems, defaults(*o, depthOf(o.ks)), o.can); err != nil {
		return fmt.Errorf("-systems: %w", err)
	}
	at := func(name string) int { return slices.IndexFunc(o.plans, func(p plan) bool { return p.name == name }) }
	if o.focus != "" && at(o.focus) < 0 {
		return fmt.Errorf("-focus: %q is not among the systems", o.focus)
	}
	switch {
	case o.baseline != "":
		if o.versus = at(o.baseline); o.versus < 0 {
			return fmt.Errorf("-baseline: %q is not among the systems", o.baseline)
		}
	case at("dense") >= 0:
		o.versus = at("dense")
	default:
		o.versus = at("bm25")
	}
	return nil
}

// can says why a plan cannot run with the options.
func (o *options) can(p plan) error {
	switch {
	case p.needsVectors() && o.embedder == none:
		return errors.New("needs vectors, which -embedder none rules out")
	case p.dreams() && o.outputs == "" && !o.hasModel():
		return errors.New("needs what a model imagined: give -llm-outputs FILE or -llm URL")
	case p.rewrites() && !o.hasModel():
		return errors.New("needs a model that rewrites: give -llm URL or -llm-recording FILE")
	case p.rewriter == bySet && o.set == "":
		return errors.New("needs -skillqr-set FILE")
	case p.rewriter == byHand && o.byHand == "":
		return errors.New("needs -hand-written FILE")
	}
	return nil
}

// choose reads a list of systems and groups; an empty one is that of the main
// ones that can run. leftOut says what of it cannot, and why.
func choose(list string, start plan, can func(plan) error) (plans []plan, leftOut []string, err error) {
	lenient := list == ""
	if lenient {
		list = "main"
	}
	items, err := splitSystems(list)
	if err != nil {
		return nil, nil, err
	}
	var reasons []string
	cannot := map[string][]string{} // systems by the reason
	seen := map[string]bool{}
	for _, item := range items {
		for _, name := range expand(item) {
			if seen[name] {
				continue // groups overlap
			}
			seen[name] = true
			p, err := newPlan(name, start)
			if err != nil {
				return nil, nil, err
			}
			err = can(p)
			switch {
			case err == nil:
				plans = append(plans, p)
			case lenient || item == all:
				why := err.Error()
				if cannot[why] == nil {
					reasons = append(reasons, why)
				}
				cannot[why] = append(cannot[why], name)
			default:
				return nil, nil, fmt.Errorf("%q %w", name, err)
			}
		}
	}
	for _, why := range reasons {
		leftOut = append(leftOut, fmt.Sprintf("Not run: %s (%s).", listed(cannot[why]), why))
	}
	return plans, leftOut, nil
}

// splitSystems splits at the commas that separate systems. A part with an
// equals sign and no name before it is a further parameter of the system
// before it: "skilldreamer@alpha=0.5,kc=40".
func splitSystems(list string) ([]string, error) {
	var items []string
	for part := range strings.SplitSeq(list, ",") {
		part = strings.TrimSpace(part)
		switch {
		case part == "":
			return nil, fmt.Errorf("%q names an empty system", list)
		case strings.Contains(part, "=") && !strings.Contains(part, "@"):
			if len(items) == 0 || !strings.Contains(items[len(items)-1], "@") {
				return nil, fmt.Errorf("%q follows no system with parameters", part)
			}
			items[len(items)-1] += "," + part
		default:
			items = append(items, part)
		}
	}
	return items, nil
}

// expand is the systems of a group, or the system itself.
func expand(name string) []string {
	i := slices.IndexFunc(groups, func(g group) bool { return g.name == name })
	if i < 0 {
		return []string{name}
	}
	var names []string
	members := groups[i].members
	if name == all {
		for _, s := range systems {
			members = append(members, s.name)
		}
		members = append(members, "sweeps")
	}
	for _, m := range members {
		names = append(names, expand(m)...)
	}
	return names
}

// newPlan makes the plan of "name" or "name@parameter=value,…".
func newPlan(name string, start plan) (plan, error) {
	base, params, parametrised := strings.Cut(name, "@")
	i := slices.IndexFunc(systems, func(s system) bool { return s.name == base })
	if i < 0 {
		return plan{}, fmt.Errorf("there is no system or group %q%s", base, suggestion(base))
	}
	p := start
	p.name, p.base = name, base
	systems[i].make(&p)
	if !parametrised {
		return p, nil
	}
	for part := range strings.SplitSeq(params, ",") {
		key, value, ok := strings.Cut(part, "=")
		if !ok {
			return p, fmt.Errorf("%q is no parameter with a value, such as alpha=0.5", part)
		}
		var err error
		if p, err = p.with(setting{strings.TrimSpace(key), strings.TrimSpace(value)}); err != nil {
			return p, err
		}
	}
	return p, nil
}

// suggestion names what may have been meant.
func suggestion(name string) string {
	var near []string
	for _, s := range systems {
		if len(name) > 1 && (strings.Contains(s.name, name) || strings.Contains(name, s.name)) {
			near = append(near, s.name)
		}
	}
	if len(near) == 0 {
		return "; -list shows them"
	}
	return fmt.Sprintf("; did you mean %s?", strings.Join(near, " or "))
}
