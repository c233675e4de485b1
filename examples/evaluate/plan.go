package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/prospect-go/prospect/fusion"
	"github.com/prospect-go/prospect/skilldreamer"
)

// A kind is a way to rank.
type kind string

const (
	lexical        kind = "bm25"            // by the words of the query
	dense          kind = "dense"           // by the query's vector
	hybridRRF      kind = "hybrid-rrf"      // both, merged by rank
	hybridWeighted kind = "hybrid-weighted" // both, merged by normalised score
	dreaming       kind = "skilldreamer"    // by a Dreamer
	lexicalDreams  kind = "bm25-dreams"     // by the words of what was imagined
	rewriting      kind = "rewriting"       // by the query as a model rewrites it
)

// A plan says in full how one system ranks.
type plan struct {
	name   string // as it was asked for
	base   string // the name without parameters
	kind   kind
	params []setting // what was asked for beside the base, in that order

	dense, lexical skilldreamer.Recipe

	// Of hybrids.
	fused    int     // how many hits of each list are merged
	weight   float64 // of the dense list; the other has 1 − weight
	constant float64 // of RRF

	// Of what dreams.
	options skilldreamer.Options
	norm    string // names options.Normalize
	thought thought
	merge   merge

	// Of what rewrites.
	rewriter rewriterKind
	by       retrieval
	feedback int     // how many of the query's own hits the model is shown
	original float64 // weight of the query in the final one, beside the expansion's 1
	raw      float64 // weight of the query's own hits beside those of the final one
	votes    int     // how often the model is asked for the skill
}

// A setting is a parameter with its value, as it was asked for.
type setting struct{ Name, Value string }

// A thought says how much of what was imagined is used.
type thought string

const (
	allOfIt         thought = ""                   // everything
	capabilityTexts thought = "capability texts"   // no imagined skills: capabilities stand for them
	taskAlone       thought = "task as capability" // no capabilities: the task is the only one
)

// A merge says how the lists of the capabilities become one.
type merge string

const (
	byTurns merge = ""     // round-robin, the method's own
	byScore merge = "best" // by the highest h that a skill has in any list
)

// uses says which of a run's parts a plan needs.
func (p plan) needsVectors() bool {
	switch p.kind {
	case lexical, lexicalDreams:
		return false
	case rewriting:
		return p.by != byWords
	}
	return true
}

// dreams says that a plan needs what a model imagined.
func (p plan) dreams() bool { return p.kind == dreaming || p.kind == lexicalDreams }

// rewrites says that a plan needs a model that rewrites queries.
func (p plan) rewrites() bool { return p.kind == rewriting && p.rewriter != asAsked }

// defaults is the plan that systems are made from: the published method over
// the collection's recipes.
func defaults(o options, depth int) plan {
	p := plan{
		dense: skilldreamer.DefaultDense(), lexical: skilldreamer.DefaultLexical(),
		fused: max(100, depth), weight: 0.5, constant: fusion.DefaultRankConstant,
		options: sized(skilldreamer.Paper(), depth),
		norm:    "minmax",
		by:      byWords, feedback: 5, original: 1, votes: 1,
	}
	switch o.skillText {
	case nameAndDescription:
		p.dense, p.lexical = skilldreamer.Recipe{}, skilldreamer.Recipe{}
	case fullText:
		p.dense, p.lexical = skilldreamer.Recipe{Body: -1}, skilldreamer.Recipe{Body: -1}
	}
	return p
}

// sized is a preset for lists of a depth. Candidate lists are not made shorter
// than what is asked for.
func sized(o skilldreamer.Options, depth int) skilldreamer.Options {
	o.K = depth
	o.Candidates, o.Keep = max(20, o.Candidates, depth), max(20, o.Keep, depth)
	return o
}

// The values of -skill-text.
const (
	nameAndDescription = "name+description"
	fullText           = "full"
)

// A parameter changes one thing of a plan: name@parameter=value.
type parameter struct {
	name  string
	about string
	kinds []kind
	set   func(p *plan, value string) error
}

var parameters = []parameter{
	{"alpha", "α, the weight of the task's cosine", []kind{dreaming}, number(func(p *plan) *float64 { return &p.options.Weights.Task })},
	{"beta", "β, the weight of the imagined skill's cosine", []kind{dreaming}, number(func(p *plan) *float64 { return &p.options.Weights.Imagined })},
	{"gamma", "γ, the weight of the anchors' BM25", []kind{dreaming}, number(func(p *plan) *float64 { return &p.options.Weights.Anchors })},
	{"delta", "δ, the weight of the BM25 of what was imagined", []kind{dreaming}, number(func(p *plan) *float64 { return &p.options.Weights.Words })},
	{"kc", "K_c, how many candidates a capability has", []kind{dreaming}, count(1, func(p *plan) *int { return &p.options.Candidates })},
	{"kr", "K_r, how many of them take part in the merge", []kind{dreaming}, count(1, func(p *plan) *int { return &p.options.Keep })},
	{"norm", "minmax, max, zscore, rank or raw: how scores are brought to one scale", []kind{dreaming, hybridWeighted}, setNorm},
	{"merge", "turns or best: how the lists of capabilities become one", []kind{dreaming}, setMerge},
	{"fused", "how many hits of each list are merged", []kind{hybridRRF, hybridWeighted}, count(1, func(p *plan) *int { return &p.fused })},
	{"weight", "of the dense list, from 0 to 1; the other has the rest", []kind{hybridRRF, hybridWeighted}, setWeight},
	{"constant", "the rank constant of RRF", []kind{hybridRRF}, setConstant},
	{"by", "words, vectors or sum: how the rewritten query is searched for", []kind{rewriting}, setBy},
	{"feedback", "how many of the query's own hits (BM25) the model is shown", []kind{rewriting}, count(0, func(p *plan) *int { return &p.feedback })},
	{"original", "the weight of the query itself in the rewritten one", []kind{rewriting}, number(func(p *plan) *float64 { return &p.original })},
	{"raw", "the weight of the query's own hits beside those of the rewritten one", []kind{rewriting}, number(func(p *plan) *float64 { return &p.raw })},
	{"votes", "how often the model is asked which skill fits", []kind{rewriting}, count(1, func(p *plan) *int { return &p.votes })},
	{"body", "characters of the body whose vector stands for a skill, or all", []kind{dense, hybridRRF, hybridWeighted, dreaming, rewriting}, body(func(p *plan) *skilldreamer.Recipe { return &p.dense })},
	{"piece", "characters of each further piece of the body with a vector of its own", []kind{dense, hybridRRF, hybridWeighted, dreaming, rewriting}, count(0, func(p *plan) *int { return &p.dense.Piece })},
	{"words", "characters of the body in the lexical index, or all", []kind{lexical, hybridRRF, hybridWeighted, dreaming, lexicalDreams, rewriting}, body(func(p *plan) *skilldreamer.Recipe { return &p.lexical })},
}

// with applies a setting.
func (p plan) with(s setting) (plan, error) {
	i := slices.IndexFunc(parameters, func(q parameter) bool { return q.name == s.Name })
	switch {
	case i < 0 || !slices.Contains(parameters[i].kinds, p.kind):
		return p, fmt.Errorf("%q has no parameter %q, only %s", p.base, s.Name, strings.Join(parametersOf(p.kind), ", "))
	case slices.ContainsFunc(p.params, func(q setting) bool { return q.Name == s.Name }):
		return p, fmt.Errorf("%q sets %q twice", p.base, s.Name)
	}
	if err := parameters[i].set(&p, s.Value); err != nil {
		return p, fmt.Errorf("%q: %s is %q, %w", p.base, s.Name, s.Value, err)
	}
	p.params = append(slices.Clone(p.params), s)
	return p, nil
}

func parametersOf(k kind) (names []string) {
	for _, p := range parameters {
		if slices.Contains(p.kinds, k) {
			names = append(names, p.name)
		}
	}
	return names
}

func number(field func(*plan) *float64) func(*plan, string) error {
	return func(p *plan, value string) error {
		x, err := strconv.ParseFloat(value, 64)
		if err != nil || !(x >= 0 && x <= 1e6) {
			return errors.New("want a number from 0 to a million")
		}
		*field(p) = x
		return nil
	}
}

func count(least int, field func(*plan) *int) func(*plan, string) error {
	return func(p *plan, value string) error {
		n, err := strconv.Atoi(value)
		if err != nil || n < least || n > 1e6 {
			return fmt.Errorf("want a whole number from %d to a million", least)
		}
		*field(p) = n
		return nil
	}
}

func body(field func(*plan) *skilldreamer.Recipe) func(*plan, string) error {
	return func(p *plan, value string) error {
		n := -1
		if value != "all" {
			if err := count(0, func(*plan) *int { return &n })(p, value); err != nil {
				return fmt.Errorf(`%w, or "all"`, err)
			}
		}
		field(p).Body = n
		return nil
	}
}

var normalizers = map[string]fusion.Normalizer{
	"minmax": fusion.MinMax, "max": fusion.Max, "zscore": fusion.ZScore, "rank": fusion.Rank, "raw": fusion.Raw,
}

func setNorm(p *plan, value string) error {
	if normalizers[value] == nil {
		return fmt.Errorf("want one of %q", sortedKeys(normalizers))
	}
	p.norm = value
	return nil
}

func setMerge(p *plan, value string) error {
	switch value {
	case "turns":
		p.merge = byTurns
	case "best":
		p.merge = byScore
	default:
		return errors.New(`want "turns" or "best"`)
	}
	return nil
}

func setBy(p *plan, value string) error {
	if !slices.Contains(retrievals, retrieval(value)) {
		return fmt.Errorf("want one of %q", retrievals)
	}
	p.by = retrieval(value)
	return nil
}

func setWeight(p *plan, value string) error {
	x, err := strconv.ParseFloat(value, 64)
	if err != nil || !(x >= 0 && x <= 1) {
		return errors.New("want a number from 0 to 1")
	}
	p.weight = x
	return nil
}

func setConstant(p *plan, value string) error {
	x, err := strconv.ParseFloat(value, 64)
	if err != nil || !(x > 0 && x <= 1e6) {
		return errors.New("want a number above 0, up to a million")
	}
	p.constant = x
	return nil
}
