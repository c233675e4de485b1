package main

import (
	"fmt"
	"io"

	"github.com/prospect-go/prospect/skilldreamer"
)

// A system is a way to rank that has a name.
type system struct {
	name  string
	about string
	make  func(*plan)
}

// systems, in the order in which they are shown. What make leaves alone is as
// in defaults.
var systems = []system{
	{"bm25", "the query's words", func(p *plan) { p.kind = lexical }},
	{"dense", "the query's vector: the plain query", func(p *plan) { p.kind = dense }},
	{"hybrid-rrf", "both, merged by rank", func(p *plan) { p.kind = hybridRRF }},
	{"hybrid-weighted", "both, merged by normalised scores", func(p *plan) { p.kind, p.norm = hybridWeighted, "minmax" }},
	{"capabilities", "the vectors of the capabilities alone, merged by turns", func(p *plan) {
		p.kind, p.thought = dreaming, capabilityTexts
		p.options.Weights.Task, p.options.Weights.Anchors = 0, 0
	}},
	{"pseudo-skills", "the vectors of the imagined skills alone, merged by turns", func(p *plan) {
		p.kind = dreaming
		p.options.Weights.Task, p.options.Weights.Anchors = 0, 0
	}},
	{"skilldreamer", "the method with the paper's defaults", func(p *plan) { p.kind = dreaming }},

	{"skilldreamer-hybrid", "the library's other preset: capabilities are looked for by words, too", func(p *plan) {
		p.kind, p.options = dreaming, sized(skilldreamer.Hybrid(), p.options.K)
	}},

	{"no-ci", "without capabilities: the task is the only one", func(p *plan) { p.kind, p.thought = dreaming, taskAlone }},
	{"no-psg", "without imagined skills: capabilities stand for them", func(p *plan) { p.kind, p.thought = dreaming, capabilityTexts }},
	{"no-anchors", "without anchors: γ is 0", func(p *plan) { p.kind, p.options.Weights.Anchors = dreaming, 0 }},
	{"no-query", "without the task's own vector: α is 0", func(p *plan) { p.kind, p.options.Weights.Task = dreaming, 0 }},
	{"no-imagined", "without what capabilities and imagined skills score: β is 0", func(p *plan) { p.kind, p.options.Weights.Imagined = dreaming, 0 }},
	{"no-normalize", "raw scores are added", func(p *plan) { p.kind, p.norm = dreaming, "raw" }},
	{"no-rerank", "candidates in the order in which they were chosen, by d", func(p *plan) {
		p.kind, p.norm, p.options.Weights.Anchors = dreaming, "raw", 0
	}},
	{"no-round-robin", "lists merged by the best score", func(p *plan) { p.kind, p.merge = dreaming, byScore }},

	{"bm25-capabilities", "the words of the capabilities, merged by turns", func(p *plan) { p.kind, p.thought = lexicalDreams, capabilityTexts }},
	{"bm25-pseudo-skills", "the words of the imagined skills, merged by turns", func(p *plan) { p.kind = lexicalDreams }},

	{"original", "the query as it was asked, by words: what rewriting starts from", func(p *plan) { p.kind, p.rewriter = rewriting, asAsked }},
	{"generic", "rewritten with the generic instruction", func(p *plan) { p.kind, p.rewriter = rewriting, byGeneric }},
	{"hand-written", "rewritten with the instruction of -hand-written", func(p *plan) { p.kind, p.rewriter = rewriting, byHand }},
	{"skillqr", "rewritten with the skill that fits, of those of -skillqr-set", func(p *plan) { p.kind, p.rewriter = rewriting, bySet }},
}

// A group is several systems by one name.
type group struct {
	name    string
	about   string
	members []string
}

var groups = []group{
	{"main", "what the method is measured against, and the method", []string{"bm25", "dense", "hybrid-rrf", "hybrid-weighted", "capabilities", "pseudo-skills", "skilldreamer", "skilldreamer-hybrid"}},
	{"ablations", "the method without one of its parts", []string{"skilldreamer", "no-ci", "no-psg", "no-anchors", "no-query", "no-imagined", "no-normalize", "no-rerank", "no-round-robin"}},
	{"words", "retrieval by words alone", []string{"bm25", "bm25-capabilities", "bm25-pseudo-skills"}},
	{"rewrites", "the query as it is and rewritten in three ways", []string{"original", "generic", "hand-written", "skillqr"}},
	sweep("alpha", "0", "0.25", "0.5", "1", "2", "4", "8"),
	sweep("beta", "0", "0.25", "0.5", "1", "2", "4"),
	sweep("gamma", "0", "0.25", "0.5", "1", "2", "4"),
	sweep("delta", "0", "0.25", "0.5", "1", "2", "4"),
	sweep("kc", "15", "20", "30", "50", "100", "200"),
	{"sweeps", "all of them", []string{"sweep:alpha", "sweep:beta", "sweep:gamma", "sweep:delta", "sweep:kc"}},
	{all, "everything that can run with what is given", nil},
}

// all as a group leaves out what cannot run instead of refusing it.
const all = "all"

func sweep(parameter string, values ...string) group {
	g := group{name: "sweep:" + parameter, about: "the method with values of " + parameter}
	for _, v := range values {
		g.members = append(g.members, "skilldreamer@"+parameter+"="+v)
	}
	return g
}

// listSystems prints what -systems takes.
func listSystems(w io.Writer) {
	fmt.Fprintln(w, "Systems:")
	for _, s := range systems {
		fmt.Fprintf(w, "  %-20s %s\n", s.name, s.about)
	}
	fmt.Fprintln(w, "\nGroups:")
	for _, g := range groups {
		fmt.Fprintf(w, "  %-20s %s\n", g.name, g.about)
	}
	fmt.Fprintln(w, "\nParameters, as in skilldreamer@alpha=0.5,kc=40:")
	for _, p := range parameters {
		fmt.Fprintf(w, "  %-20s %s\n", p.name, p.about)
	}
}
