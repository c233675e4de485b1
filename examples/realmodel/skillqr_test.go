package realmodel

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/bm25"
	"github.com/prospect-go/prospect/embed"
	"github.com/prospect-go/prospect/internal/fence"
	"github.com/prospect-go/prospect/llm"
	"github.com/prospect-go/prospect/skill"
	"github.com/prospect-go/prospect/skillqr"
)

// shelf is the corpus of the bundled skills' descriptions.
type shelf struct {
	ids     []string
	texts   map[string]string
	vectors [][]float32
	index   *bm25.Index
}

func newShelf(t *testing.T) *shelf {
	t.Helper()
	loaded, err := skill.LoadDir(t.Context(), "../../testdata/skills", skill.LoadOptions{})
	require.NoError(t, err)
	s := &shelf{texts: map[string]string{}}
	s.index, err = bm25.New(bm25.Options{})
	require.NoError(t, err)
	var texts []string
	for _, one := range loaded.Skills {
		s.ids, texts = append(s.ids, one.ID), append(texts, one.Description)
		s.texts[one.ID] = one.Description
		require.NoError(t, s.index.Add(t.Context(), one.ID, one.Description))
	}
	s.vectors, err = embed.NewHash(256).Embed(t.Context(), prospect.RoleDocument, texts)
	require.NoError(t, err)
	return s
}

func (s *shelf) textsOf(_ context.Context, ids []string) ([]string, error) {
	var texts []string
	for _, id := range ids {
		texts = append(texts, s.texts[id])
	}
	return texts, nil
}

// mine mines a small set with the model.
func (s *shelf) mine(t *testing.T, m prospect.LLM) *skillqr.Mining {
	t.Helper()
	corpus, err := skillqr.NewCorpus(s.ids, s.vectors, "hash", s.textsOf)
	require.NoError(t, err)
	mined, err := skillqr.Mine(t.Context(), corpus, nil, skillqr.MineOptions{
		Proposer: m, Clusters: 3, MaxSkills: 3, MaxRounds: 1, Nearest: 3, Sampled: 2, DocumentLength: 200,
		MaxTokens: *maxTokens, Temperature: new(0.0),
	})
	require.NoError(t, err)
	require.NoError(t, mined.Set.Validate())
	return mined
}

func (s *shelf) rewriter(t *testing.T, m prospect.LLM, set *skillqr.Set) *skillqr.Rewriter {
	t.Helper()
	r, err := skillqr.New(set, m, skillqr.Options{
		Feedback:  &skillqr.Feedback{Find: skillqr.ByText(s.index), Texts: s.textsOf, K: 3},
		MaxTokens: *maxTokens, Temperature: new(0.0), Timeout: *patience,
	})
	require.NoError(t, err)
	return r
}

// written is a set by hand, for models whose own may be empty.
func written() *skillqr.Set {
	return &skillqr.Set{
		Skills:  []skillqr.Skill{{Name: "procedures", When: "Tasks for which there is a written procedure.", Instruction: "Name the method, the tools and the file formats of the trade."}},
		Generic: skillqr.Generic(),
	}
}

func TestSkillQR(t *testing.T) {
	m := realModel(t)
	shelf := newShelf(t)
	for _, form := range forms(m) {
		t.Run(form.name, func(t *testing.T) {
			model, g := guarded(t, form.m, llm.Limits{})
			mined := shelf.mine(t, model)
			t.Logf("mining: %d skills, %d calls, degraded: %v, notes: %v", len(mined.Set.Skills), mined.Calls, mined.Set.Degraded(), mined.Set.Notes)

			set := mined.Set
			if len(set.Skills) == 0 {
				set = written()
			}
			rewriter := shelf.rewriter(t, model, set)
			count := newTally()
			for _, query := range tasks(t) {
				begin := time.Now()
				rw, err := rewriter.Rewrite(t.Context(), query)
				require.NoError(t, err)
				checkRewrite(t, query, set, rw)
				var calls []attempt
				for _, c := range rw.Trace.Calls {
					calls = append(calls, attempt{string(c.Stage), c.Answer, c.Err, c.Attempt, c.Truncated})
				}
				count.add(calls, rw.Trace.Usage(), time.Since(begin), rw.Skill == "", rw.Trace.Fell(skillqr.TimedOut))
				trace(t, form.name, rw.Trace.Calls)
			}
			require.LessOrEqual(t, g.top, callsAtOnce)
			require.Zero(t, g.now)
			t.Logf("%s, %s:\n%s", m.Identity(), form.name, count)
		})
	}
}

// checkRewrite is what holds for any rewrite, whatever the model wrote.
func checkRewrite(t *testing.T, query string, set *skillqr.Set, rw *skillqr.Rewrite) {
	t.Helper()
	require.Equal(t, query, rw.Query)
	require.Contains(t, rw.Final, strings.TrimSpace(query), "the query is never lost")
	require.Equal(t, rw.Skill == "", len(rw.Expansions) == 0)
	if rw.Skill != "" {
		_, known := set.Find(rw.Skill)
		require.True(t, known, "%q", rw.Skill)
		require.NotEmpty(t, strings.TrimSpace(rw.Expansion()))
	} else {
		require.NotEmpty(t, rw.Trace.Fallbacks, "the trace tells why the query stays as it is")
	}
	for i, c := range rw.Trace.Calls {
		require.LessOrEqual(t, c.Attempt, 2)
		// A second prompt quotes the answer before it, which may be the prompt.
		require.Equal(t, []string{strings.TrimSpace(query)}, fence.Inside(c.Prompt, "query"))
		again := i+1 < len(rw.Trace.Calls) && rw.Trace.Calls[i+1].Attempt == 2
		noted := slices.ContainsFunc(rw.Trace.Fallbacks, func(f skillqr.Fallback) bool { return f.Stage == c.Stage || f.Reason == skillqr.TimedOut })
		require.True(t, c.Err == "" || again || noted, "call %d: %s\n%v", i, c.Err, rw.Trace.Fallbacks)
	}
}

func TestSkillQRKeepsABudget(t *testing.T) {
	shelf := newShelf(t)
	model, g := guarded(t, realModel(t), llm.Limits{Calls: 1})
	rewriter := shelf.rewriter(t, model, written())
	for range 2 {
		rw, err := rewriter.Rewrite(t.Context(), "sum up the tables of a PDF file")
		require.NoError(t, err)
		checkRewrite(t, "sum up the tables of a PDF file", written(), rw)
		require.Equal(t, 1, g.calls)
		require.True(t, errors.Is(rw.Trace.Err(), llm.ErrBudget), "%v", rw.Trace.Fallbacks)
	}
}

func TestSkillQRTakesQueriesForMaterial(t *testing.T) {
	shelf := newShelf(t)
	model, _ := guarded(t, realModel(t), llm.Limits{})
	rewriter := shelf.rewriter(t, model, written())
	for name, query := range hostile {
		t.Run(name, func(t *testing.T) {
			rw, err := rewriter.Rewrite(t.Context(), query)
			require.NoError(t, err)
			checkRewrite(t, query, written(), rw)
			trace(t, name, rw.Trace.Calls)
		})
	}
}
