package skillqr_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/llm"
	"github.com/prospect-go/prospect/skillqr"
)

func allNames(s *skillqr.Set) []string {
	var out []string
	for _, skill := range s.All() {
		out = append(out, skill.Name)
	}
	return out
}

// cancelled holds an error to be that of the context.
func (j *job) cancelled(t *testing.T, err error, empty bool) string {
	require.Error(t, j.ended, "%s failed and nobody ended it: %v", j.kind, err)
	require.ErrorIs(t, err, j.ended)
	require.True(t, empty, "a result beside an error")
	return "ended"
}

// isFault says whether an error is of a model that fails, or hangs and is
// given up.
func isFault(err error) bool {
	return errors.Is(err, llm.ErrFault) || errors.Is(err, prospect.ErrTransient)
}

// madeGood says that each call without an answer was for a verdict that a later
// round had.
func (d *diary) madeGood() bool {
	for i, c := range d.calls {
		again := func(o diaryCall) bool { // a second attempt may quote them once more
			return o.answered && o.step == c.step && strings.HasPrefix(c.documents, o.documents)
		}
		if !c.answered && (c.step != string(skillqr.StepJudge) || !slices.ContainsFunc(d.calls[i+1:], again)) {
			return false
		}
	}
	return true
}

// mining holds a set to what it says of itself.
func (j *job) mining(t *testing.T, m *skillqr.Mining, err error, corpus skillqr.Corpus, again func() (*skillqr.Mining, error)) string {
	if err != nil {
		require.Nil(t, m)
		if j.ended != nil && errors.Is(err, j.ended) {
			return "ended"
		}
		require.NotEmpty(t, j.diary.errs, "nothing failed, and still: %v", err)
		require.True(t, isFault(err), "%v", err)
		return "failed"
	}
	set := m.Set
	require.NoError(t, set.Validate())
	text := yamlOf(t, set)
	back, err := skillqr.Parse([]byte(text))
	require.NoError(t, err)
	require.Equal(t, text, yamlOf(t, back))
	require.LessOrEqual(t, len(set.Skills), 5)
	require.Equal(t, skillqr.Generic(), set.Generic)
	require.Equal(t, m.Clusters.Fingerprint(), set.Corpus)
	require.Len(t, set.Clusters, m.Clusters.Len())
	require.Len(t, j.diary.calls, m.Calls)

	// What is missing is noted, and why.
	said := func(kind skillqr.NoteKind, cluster int) bool {
		return slices.ContainsFunc(set.Notes, func(n skillqr.Note) bool {
			return n.Kind == kind && n.Text != "" && (n.Cluster == nil && cluster < 0 || n.Cluster != nil && *n.Cluster == cluster)
		})
	}
	for i, c := range set.Clusters {
		require.Equal(t, m.Clusters.Number(i), c.Cluster)
		require.Equal(t, m.Clusters.Size(i), c.Size)
		if !said(skillqr.NotLabelled, c.Cluster) {
			require.NotEmpty(t, c.Label(), text)
		} else if j.kind == "mine" { // a refresh leaves the old label
			require.Empty(t, c.Label(), text)
		}
		require.Equal(t, len(set.CoveredBy(c.Cluster)) == 0, said(skillqr.Uncovered, c.Cluster), text)
	}
	if len(set.Skills) == 0 {
		require.True(t, said(skillqr.NotDrafted, -1), text)
	}
	if len(j.diary.errs) == 0 {
		require.NoError(t, m.Err)
	} else {
		require.True(t, isFault(m.Err), "%v", m.Err)
		require.True(t, set.Degraded() || j.diary.madeGood(), text)
		for _, e := range j.diary.errs {
			require.ErrorIs(t, m.Err, e)
		}
	}
	if j.kind == "mine" && !set.Degraded() {
		first := slices.IndexFunc(set.Rounds, func(r skillqr.RoundNote) bool { return len(r.Skills) > 0 })
		require.GreaterOrEqual(t, first, 0)
		require.Equal(t, m.Clusters.Len(), set.Rounds[first].Asked, "each cluster was judged")
	}
	switch {
	case j.diary.sincere:
		require.False(t, set.Degraded(), text)
		want, err := again()
		require.NoError(t, err)
		want.Set.Proposer, want.Set.Judge = set.Proposer, set.Judge
		require.Equal(t, yamlOf(t, want.Set), text)
		return "as without faults"
	case set.Degraded():
		done, err := skillqr.Refresh(t.Context(), corpus, set, m.Clusters, skillqr.RefreshOptions{
			MineOptions: skillqr.MineOptions{Proposer: honestModel},
		})
		require.NoError(t, err)
		require.False(t, done.Set.Degraded(), "a refresh with a good model leaves nothing undone: %s", yamlOf(t, done.Set))
		require.Positive(t, done.Calls)
		return "degraded"
	}
	return "complete"
}

// rewriting holds a rewrite to what it says of itself.
func (j *job) rewriting(t *testing.T, out *skillqr.Rewrite, err error, query string, oracle *skillqr.Rewriter) string {
	if err != nil {
		return j.cancelled(t, err, out == nil)
	}
	j.rewritten(t, out, query)
	if verdict := j.traced(t, &out.Trace); verdict != "complete" || !j.diary.sincere || out.Trace.Cached || oracle == nil {
		return verdict
	}
	want, err := oracle.Rewrite(t.Context(), query)
	require.NoError(t, err)
	require.Equal(t, untimed(t, want), untimed(t, out))
	return "as without faults"
}

// rewritten holds a rewrite to its form.
func (j *job) rewritten(t *testing.T, out *skillqr.Rewrite, query string) {
	trace := out.Trace
	require.Equal(t, query, out.Query)
	require.Equal(t, len(out.Expansions) == 0, out.Skill == "")
	if out.Skill == "" {
		require.Equal(t, query, out.Final)
		require.Equal(t, []skillqr.Part{{Text: query, Weight: 1}}, out.Parts)
		require.True(t, trace.Fell(skillqr.NotRewritten) || trace.Kept != "", "%s", untimed(t, out))
		return
	}
	require.False(t, trace.Fell(skillqr.NotRewritten))
	require.Contains(t, allNames(threeSkills()), out.Skill)
	require.Equal(t, skillqr.Join(out.Parts), out.Final)
	require.Contains(t, out.Final, query)
	require.Contains(t, out.Final, out.Expansion())
	for _, e := range out.Expansions {
		require.NotEmpty(t, e.Text)
		require.LessOrEqual(t, len([]rune(e.Text)), 1500)
		require.NotContains(t, e.Text, "\n")
		require.True(t, json.Valid([]byte(asJSON(e.Text))))
	}
}

// traced holds a trace to the diary.
func (j *job) traced(t *testing.T, trace *skillqr.Trace) string {
	short := *trace
	short.Calls = slices.Clone(trace.Calls)
	for i := range short.Calls {
		short.Calls[i].System, short.Calls[i].Prompt = "", ""
	}
	text := asJSON(short)
	require.Len(t, trace.Calls, len(j.diary.calls), "%s", text)
	// The last call of each question either gave what was wanted or is told of.
	last := map[string]skillqr.Call{}
	for _, c := range trace.Calls {
		last[fmt.Sprint(c.Stage, c.Skill, c.Order)] = c
	}
	failed := map[skillqr.Stage]bool{}
	for _, c := range last {
		if c.Err == "" {
			continue
		}
		failed[c.Stage] = true
		told := slices.ContainsFunc(trace.Fallbacks, func(f skillqr.Fallback) bool {
			return f.Stage == c.Stage && f.Err != nil && (strings.Contains(f.Text, c.Err) || f.Reason == skillqr.TimedOut)
		})
		require.True(t, told, "%s failed with %q: %s", c.Stage, c.Err, text)
	}
	for _, f := range trace.Fallbacks {
		require.NotEmpty(t, f.Text)
		switch f.Reason {
		case skillqr.RouteFailed, skillqr.UnknownChoice:
			require.True(t, failed[skillqr.StageRoute], "%s", text)
		case skillqr.RewriteFailed:
			require.True(t, failed[skillqr.StageRewrite], "%s", text)
		case skillqr.NoFeedback, skillqr.PriorFailed, skillqr.SearchFailed:
			require.ErrorIs(t, f.Err, errFlaky)
		case skillqr.TimedOut:
			require.ErrorIs(t, trace.Err(), context.DeadlineExceeded)
			require.GreaterOrEqual(t, trace.Elapsed, 20*time.Second)
		case skillqr.NotRouted, skillqr.NotRewritten:
			require.Greater(t, len(trace.Fallbacks), 1, "%s", text)
		case skillqr.Shortened:
		default:
			require.Fail(t, "unexpected", "%s", text)
		}
	}
	for _, e := range j.diary.errs {
		told := trace.Err() != nil && strings.Contains(trace.Err().Error(), e.Error()) // equal ones count once
		require.True(t, told || trace.Fell(skillqr.TimedOut), "%v is not in %s", e, text)
	}
	if len(trace.Fallbacks) > 0 {
		return "degraded"
	}
	return "complete"
}

// search holds hits to the rewrite that they are of.
func (j *job) search(t *testing.T, found *skillqr.Found, err error, query string, oracle *skillqr.Rewriter) string {
	if errors.Is(err, errFlaky) && j.ended == nil {
		require.Nil(t, found)
		require.True(t, unlucky(query, 0.2), "the original query could be searched for")
		return "not found"
	}
	if err != nil {
		return j.cancelled(t, err, found == nil)
	}
	require.LessOrEqual(t, len(found.Hits), 2)
	require.Len(t, found.ByExpansion, len(found.Rewrite.Expansions))
	ids := hitIDs(found.Hits)
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(ids))), len(ids))
	return j.rewriting(t, found.Rewrite, nil, query, oracleOf(found, oracle))
}

// oracleOf is the oracle of searches in which all forms of the query were
// found; else the trace tells more than its.
func oracleOf(found *skillqr.Found, oracle *skillqr.Rewriter) *skillqr.Rewriter {
	if found.Rewrite.Trace.Fell(skillqr.SearchFailed) {
		return nil
	}
	return oracle
}

// untimed is a value as JSON, without durations.
func untimed(t testing.TB, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	var tree any
	require.NoError(t, json.Unmarshal(text, &tree))
	var strip func(any)
	strip = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, x := range v {
				strip(x)
			}
		case map[string]any:
			for k, x := range v {
				if strings.HasSuffix(k, "_ns") {
					delete(v, k)
				}
				strip(x)
			}
		}
	}
	strip(tree)
	text, err = json.MarshalIndent(tree, "", " ")
	require.NoError(t, err)
	return string(text)
}
