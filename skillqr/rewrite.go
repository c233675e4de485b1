package skillqr

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Rewrite chooses a skill for a query and writes an expansion with it.
//
// It fails only when ctx is done, with ctx.Err(). What else fails makes the
// rewrite plainer and is told in [Trace.Fallbacks]:
//
//	the search for feedback, its texts     the expansion is written without documents
//	the prior                              the choice is the model's alone
//	the choice, or it names no skill       the generic skill
//	one of two expansions (Top 2)          the other one
//	every expansion, or no model           the query as it is
//	[Options].Timeout                      what is missing by then, as above
//	the cache                              the rewrite is made anew
//
// An answer that cannot be used is asked for once more, with the error. Cost:
// one search of the original query with Feedback, one routing call for each
// vote (none with PriorOnly, or where the set has the generic skill alone) and
// then one rewriting call, or two side by side with Top 2. A model's calls
// take seconds where a search takes milliseconds: see [Gate], [Cache] and
// [Rewriter.Warm].
func (rw *Rewriter) Rewrite(ctx context.Context, query string) (*Rewrite, error) {
	out, err := rw.rewrite(ctx, query, nil)
	if err != nil {
		return nil, err
	}
	rw.tell(Event{Rewrite: out, Overlap: -1})
	return out, nil
}

// RewriteWith is Rewrite with a skill that the caller chose, which need not be
// in the set: for instructions written by hand, and to compare skills. Gate,
// cache and hook are left out. An invalid skill is [ErrInvalid].
func (rw *Rewriter) RewriteWith(ctx context.Context, query string, skill Skill) (*Rewrite, error) {
	if p := skill.problems(); len(p) > 0 {
		return nil, fmt.Errorf("%w: skill %q: %s", ErrInvalid, skill.Name, strings.Join(p, "; "))
	}
	return rw.rewrite(ctx, query, &skill)
}

// Route chooses a skill for a query, as Rewrite does, and nothing more. The
// trace holds the model's calls and what did not go as planned. It fails only
// when ctx is done.
func (rw *Rewriter) Route(ctx context.Context, query string) (*Route, *Trace, error) {
	begin := time.Now()
	r := &run{rw: rw, query: query}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	work, cancel := rw.withTimeout(ctx)
	defer cancel()
	switch {
	case isBlank(query):
		r.fell(StageRoute, Blank, nil, blankQuery)
		r.trace.Route = &Route{Skill: rw.set.Generic.Name}
	case rw.model == nil && !rw.opts.Routing.PriorOnly:
		r.fell(StageRoute, NoModel, nil, "no model was given, so the generic skill is used")
		r.trace.Route = &Route{Skill: rw.set.Generic.Name}
	default:
		r.trace.Route = r.route(work)
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	r.settle()
	r.trace.Elapsed = time.Since(begin)
	return r.trace.Route, &r.trace, nil
}

const blankQuery = "the query is blank, so nothing was asked"

func (rw *Rewriter) withTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	if rw.opts.Timeout > 0 {
		return context.WithTimeout(ctx, rw.opts.Timeout)
	}
	return ctx, func() {}
}

// rewrite is Rewrite, or RewriteWith where a skill is given.
func (rw *Rewriter) rewrite(ctx context.Context, query string, with *Skill) (*Rewrite, error) {
	begin := time.Now()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	work, cancel := rw.withTimeout(ctx)
	defer cancel()
	r := &run{rw: rw, query: query}
	expansions := r.expansions(work, with)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r.settle()
	out := &Rewrite{Query: query, Expansions: expansions}
	if len(expansions) > 0 {
		out.Skill = expansions[0].Skill
	}
	out.Parts = rw.parts(out, 0)
	out.Final = Join(out.Parts)
	if len(expansions) == 0 {
		out.Final = query // to the byte
	}
	r.trace.Elapsed = time.Since(begin)
	out.Trace = r.trace
	return out, nil
}

// parts are those of the final query with the expansion at i.
func (rw *Rewriter) parts(out *Rewrite, i int) []Part {
	if len(out.Expansions) == 0 {
		return []Part{{out.Query, 1}}
	}
	var parts []Part
	if w := rw.opts.Join.Original; w > 0 {
		parts = append(parts, Part{out.Query, w})
	}
	return append(parts, Part{out.Expansions[i].Text, rw.opts.Join.Expansion})
}

// expansions takes a query through all stages; none are returned where it is
// to stay as it is.
func (r *run) expansions(ctx context.Context, with *Skill) []Expansion {
	o := r.rw.opts
	if isBlank(r.query) {
		r.fell(StageFeedback, Blank, nil, blankQuery)
		return nil
	}
	if r.rw.model == nil {
		r.fell(StageRoute, NoModel, nil, "no model was given, so the query stays as it is")
		return nil
	}
	hits := r.feedback(ctx)
	if o.Gate != nil && with == nil {
		if r.trace.Kept = o.Gate(r.query, hits); r.trace.Kept != "" {
			return nil
		}
	}
	key := r.rw.cacheKey(r.query, ids(hits))
	if with == nil {
		if entry, ok := r.cached(ctx, key); ok {
			r.trace.Route, r.trace.Feedback = entry.Route, entry.Feedback
			return entry.Expansions
		}
	}
	var documents []string
	if len(hits) > 0 {
		documents = r.excerpts(ctx, ids(hits))
	}
	skills := []Skill{}
	if with != nil {
		skills = append(skills, *with)
	} else {
		r.trace.Route = r.route(ctx)
		names := []string{r.trace.Route.Skill, r.trace.Route.Second}
		for _, name := range names[:o.Top] {
			if skill, ok := r.rw.set.Find(name); ok {
				skills = append(skills, skill)
			}
		}
	}
	expansions := r.write(ctx, skills, documents)
	if with == nil {
		r.keep(ctx, key, CacheEntry{Route: r.trace.Route, Feedback: r.trace.Feedback, Expansions: expansions})
	}
	return expansions
}
