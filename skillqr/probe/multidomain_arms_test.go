package probe_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/llm"
	"github.com/prospect-go/prospect/skillqr"
	"github.com/prospect-go/prospect/skillqr/probe"
)

// labelled adds the stage to the label under which requests are listed.
type labelled struct{ prospect.LLM }

func (l labelled) Generate(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
	return l.LLM.Generate(llm.WithLabel(ctx, req.SchemaName+" "+llm.Label(ctx)), req)
}

// rewriter makes one on the recorded answers, with feedback or without. The
// documents for feedback come from BM25 for all retrievers, so that one
// recorded answer serves them all.
func (s *study) rewriter(t *testing.T, feedback bool, o skillqr.Options) *skillqr.Rewriter {
	if feedback {
		o.Feedback = &skillqr.Feedback{
			Find: skillqr.ByText(s.words),
			Texts: func(_ context.Context, ids []string) ([]string, error) {
				out := make([]string, len(ids))
				for i, id := range ids {
					out[i] = s.texts[id]
				}
				return out, nil
			},
		}
	}
	rw, err := skillqr.New(s.set, labelled{s.answers}, o)
	require.NoError(t, err)
	return rw
}

// named gives every call of an arm a label.
func named(a probe.Arm, label string) probe.Arm {
	search := a.Search
	a.Search = func(ctx context.Context, q probe.Query, k int) ([]prospect.Hit, *skillqr.Rewrite, error) {
		return search(llm.WithLabel(ctx, q.ID+" "+label), q, k)
	}
	return a
}

func (s *study) hand(q probe.Query) (skillqr.Skill, bool) {
	skill, ok := byHand[s.domain[q.ID]]
	return skill, ok
}

func (s *study) generic(probe.Query) (skillqr.Skill, bool) { return s.set.Generic, true }

// again are rewriters with feedback that give other answers, so many that with
// the first the generic instruction is followed as often as there are skills to
// choose the best of. The limit on tokens is far beyond what is written. It makes
// a request another one, for which the recording has another answer.
func (s *study) again(t *testing.T) (out []*skillqr.Rewriter) {
	for i := range s.set.Skills {
		out = append(out, s.rewriter(t, true, skillqr.Options{MaxTokens: 1001 + i}))
	}
	return out
}

// arms are the ways to rewrite, for one retriever.
func (s *study) arms(t *testing.T, find skillqr.Retriever) []probe.Arm {
	plain := func(o skillqr.Options) *skillqr.Rewriter { return s.rewriter(t, false, o) }
	fed := func(o skillqr.Options) *skillqr.Rewriter { return s.rewriter(t, true, o) }
	var o skillqr.Options
	arms := []probe.Arm{
		probe.Raw("original query", find),
		named(probe.With("generic", plain(o), find, s.generic), "generic"),
		named(probe.With("generic, feedback", fed(o), find, s.generic), "generic +feedback"),
		named(probe.With("by hand", plain(o), find, s.hand), "by hand"),
		named(probe.With("by hand, feedback", fed(o), find, s.hand), "by hand +feedback"),
		named(probe.Mined("skillqr", plain(o), find, skillqr.SearchOptions{}), "mined"),
		named(probe.Mined("skillqr, feedback", fed(o), find, skillqr.SearchOptions{}), "mined +feedback"),
	}
	for i, skill := range s.set.Skills {
		one := func(probe.Query) (skillqr.Skill, bool) { return skill, true }
		arms = append(arms, named(probe.With(fmt.Sprintf("only skill %d, feedback", i+1), fed(o), find, one), fmt.Sprintf("skill %d +feedback", i+1)))
	}
	for i, again := range s.again(t) {
		arms = append(arms, named(probe.With(fmt.Sprintf("generic, try %d", i+2), again, find, s.generic), fmt.Sprintf("generic +feedback try %d", i+2)))
	}
	mined := func(name string, o skillqr.Options, so skillqr.SearchOptions) {
		arms = append(arms, named(probe.Mined(name, fed(o), find, so), "mined +feedback"))
	}
	mined("query x3", skillqr.Options{Join: skillqr.JoinWeights{Original: 3, Expansion: 1}}, skillqr.SearchOptions{})
	mined("query x5", skillqr.Options{Join: skillqr.JoinWeights{Original: 5, Expansion: 1}}, skillqr.SearchOptions{})
	mined("expansion alone", skillqr.Options{Join: skillqr.JoinWeights{Expansion: 1}}, skillqr.SearchOptions{})
	mined("fused with raw, ranks", skillqr.Options{}, skillqr.SearchOptions{Raw: 1})
	mined("fused with raw, scores", skillqr.Options{}, skillqr.SearchOptions{Raw: 1, Fuse: skillqr.FuseScores})
	mined("two skills", skillqr.Options{Top: 2}, skillqr.SearchOptions{})
	mined("two skills, even", skillqr.Options{Top: 2}, skillqr.SearchOptions{Second: 1})
	mined("two skills and raw", skillqr.Options{Top: 2}, skillqr.SearchOptions{Raw: 0.5})
	mined("three orders", skillqr.Options{Routing: skillqr.Routing{Votes: 3}}, skillqr.SearchOptions{})
	mined("examples", skillqr.Options{Routing: skillqr.Routing{Examples: s.examples}}, skillqr.SearchOptions{})
	mined("prior", skillqr.Options{Routing: skillqr.Routing{Prior: s.prior}}, skillqr.SearchOptions{})
	mined("prior alone", skillqr.Options{Routing: skillqr.Routing{Prior: s.prior, PriorOnly: true}}, skillqr.SearchOptions{})
	mined("kept if sure", skillqr.Options{}, skillqr.SearchOptions{Keep: skillqr.KeepSure(2, 0.2)})
	return arms
}
