package skillqr

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"github.com/prospect-go/prospect"
)

// Options of a [Rewriter]. The zero value is the published method without
// feedback, which needs a searcher and texts: set Feedback for it.
type Options struct {
	// Feedback shows the model the first hits of the original query. Default:
	// the expansion is written without.
	Feedback *Feedback
	// Routing says how a skill is chosen.
	Routing Routing
	// Top is the number of skills to rewrite with: 1, or 2 for the second best
	// too, in one more call; [Rewriter.Search] fuses what they find. Default 1.
	Top int
	// Join weighs the query and its expansion. Default: 1 and 1.
	Join JoinWeights

	// MaxWords is what the model is told to keep to. Default 100.
	MaxWords int
	// MaxExpansion bounds an expansion in code points; what is longer is cut
	// at a word and noted. Default 1,500.
	MaxExpansion int
	// MaxQuery bounds the query in prompts, in code points; its end is left
	// out there, never in the final query. Default 4,000.
	MaxQuery int
	// Timeout bounds the time that a rewrite may take. What is not there by
	// then is done without: see [Rewriter.Rewrite]. Default: none.
	Timeout time.Duration
	// Parallel bounds the model's calls at the same time for one query.
	// Default 4.
	Parallel int
	// MaxTokens bounds each answer; 0 leaves it to the model.
	MaxTokens int
	// Temperature of the model's calls; nil leaves it to the model.
	Temperature *float64
	// Prompts replace the built-in ones. Default: [DefaultRewritePrompts],
	// also for those of its fields that are empty.
	Prompts RewritePrompts

	// Gate says which queries are kept as they are. Default: none.
	Gate Gate
	// Cache keeps rewrites. Default: none are kept.
	Cache Cache
	// Hook is told of each rewrite, in the goroutine that asked for it; it must
	// be safe for concurrent use. Default: nobody is told.
	Hook func(Event)
}

// JoinWeights say how much the original query and its expansion count in the
// final query; only their ratio matters. Retrievers make of them what they
// can: repetitions, weighted terms, weighted vectors. Both 0 means 1 and 1;
// Original alone 0 leaves the expansion alone. (Query2doc, which is written
// for BM25 over expansions of this kind, repeats the query five times.)
type JoinWeights struct {
	Original  float64
	Expansion float64
}

// maxWeight bounds weights, so that no sum leaves float32's range.
const maxWeight = 1e6

func optionError(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{prospect.ErrOption}, args...)...)
}

func (o Options) withDefaults(set *Set) (Options, error) {
	var err error
	if o.Routing, err = o.Routing.withDefaults(set); err != nil {
		return o, err
	}
	for _, c := range []struct {
		name string
		v    int
	}{
		{"Top", o.Top}, {"MaxWords", o.MaxWords}, {"MaxExpansion", o.MaxExpansion}, {"MaxQuery", o.MaxQuery},
		{"Parallel", o.Parallel}, {"MaxTokens", o.MaxTokens},
	} {
		if c.v < 0 {
			return o, optionError("%s is %d, want 0 or more", c.name, c.v)
		}
	}
	if o.Timeout < 0 {
		return o, optionError("Timeout is %v, want 0 or more", o.Timeout)
	}
	if o.Top > 2 {
		return o, optionError("Top is %d, want 1 or 2", o.Top)
	}
	for _, c := range []struct {
		name string
		v    float64
	}{{"Join.Original", o.Join.Original}, {"Join.Expansion", o.Join.Expansion}} {
		if !(c.v >= 0 && c.v <= maxWeight) {
			return o, optionError("%s is %v, want 0 to %g", c.name, c.v, float64(maxWeight))
		}
	}
	if o.Join == (JoinWeights{}) {
		o.Join = JoinWeights{1, 1}
	}
	if o.Join.Expansion == 0 {
		return o, optionError("Join.Expansion is 0, so that nothing would be rewritten")
	}
	if t := o.Temperature; t != nil {
		if math.IsNaN(*t) || math.IsInf(*t, 0) {
			return o, optionError("Temperature is %v", *t)
		}
		o.Temperature = new(*t)
	}
	if f := o.Feedback; f != nil {
		own := *f
		if own.Find == nil || own.Texts == nil {
			return o, optionError("Feedback needs both Find and Texts")
		}
		if own.K < 0 || own.MaxChars < 0 {
			return o, optionError("Feedback.K is %d and MaxChars %d, want 0 or more", own.K, own.MaxChars)
		}
		own.K = cmp.Or(own.K, 5)
		own.MaxChars = cmp.Or(own.MaxChars, 600)
		o.Feedback = &own
	}
	o.Top = cmp.Or(o.Top, 1)
	o.MaxWords = cmp.Or(o.MaxWords, 100)
	o.MaxExpansion = cmp.Or(o.MaxExpansion, 1500)
	o.MaxQuery = cmp.Or(o.MaxQuery, 4000)
	o.Parallel = cmp.Or(o.Parallel, 4)
	return o, nil
}
