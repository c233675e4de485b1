package skillqr_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/internal/fence"
	"github.com/prospect-go/prospect/skillqr"
)

func TestMineFindsThePlantedDomains(t *testing.T) {
	model := &clerk{}
	m := mine(t, threeDomains(), skillqr.MineOptions{Proposer: model, Made: "2026-11-30"})

	set := m.Set
	require.Equal(t, []string{"algebra notes", "botany notes", "cooking notes"}, skillNames(set), "the widest coverage first")
	require.Equal(t, skillqr.Generic(), set.Generic)
	require.Equal(t, "clerk/1", set.Proposer)
	require.Equal(t, "clerk/1", set.Judge)
	require.Equal(t, "2026-11-30", set.Made)
	require.Equal(t, 60, set.Corpus.Documents)
	require.Equal(t, "planted/1", set.Corpus.Embedder)
	require.Empty(t, set.Notes)
	require.False(t, set.Degraded())
	require.NoError(t, m.Err)

	// 60 documents: k = round(√60) = 8 clusters. All is covered after the
	// first round: 8 labels, 1 draft, 8 judgements.
	require.Equal(t, 8, m.Clusters.Len())
	require.Equal(t, map[string]int{"label": 8, "draft": 1, "judge": 8}, model.calls())
	require.Equal(t, 17, m.Calls)
	require.Equal(t, prospect.Usage{InputTokens: 170, OutputTokens: 17}, m.Usage)
	require.Equal(t, []skillqr.RoundNote{{Round: 1, Skills: skillNames(set), Asked: 8, Covered: 8, Share: 1, Kept: true}}, set.Rounds)
	require.Equal(t, 1.0, set.Coverage())

	total := 0
	for _, c := range set.Clusters {
		total += c.Size
		by := set.CoveredBy(c.Cluster)
		require.Len(t, by, 1)
		require.Equal(t, c.Domain+" notes", set.Skills[by[0]].Name)
		require.Equal(t, c.Domain+" / notes on "+c.Domain, c.Label())
		require.Len(t, c.Documents, min(3, c.Size))
		for _, id := range c.Documents {
			require.True(t, strings.HasPrefix(id, c.Domain), "%s is in a cluster of %s", id, c.Domain)
		}
	}
	require.Equal(t, 60, total)
}

func TestMineRevisesUntilAllIsCovered(t *testing.T) {
	model := &clerk{drafts: []string{"algebra"}}
	set := mine(t, threeDomains(), skillqr.MineOptions{Proposer: model}).Set
	require.Equal(t, []string{"algebra notes", "botany notes", "cooking notes"}, skillNames(set))
	require.Len(t, set.Rounds, 2)
	require.Equal(t, 0.5, set.Rounds[0].Share, "30 of 60 documents are of algebra")
	require.Equal(t, 1.0, set.Rounds[1].Share)
	require.False(t, set.Rounds[0].Kept)
	require.True(t, set.Rounds[1].Kept)
	require.Equal(t, "drafted", set.Skills[0].Origin)
	require.Equal(t, "added after round 1", set.Skills[1].Origin)

	// The second round asks only about clusters that no skill covered.
	require.Equal(t, 8, set.Rounds[0].Asked)
	require.Equal(t, 8-set.Rounds[0].Covered, set.Rounds[1].Asked)
	require.Equal(t, 1, model.calls()["revise"])
}

func TestMineAsksTwoModels(t *testing.T) {
	proposer, judge := &clerk{}, &clerk{}
	set := mine(t, threeDomains(), skillqr.MineOptions{Proposer: proposer, Judge: prospect.NewLLM("judge/1", judge.Generate)}).Set
	require.Equal(t, "judge/1", set.Judge)
	require.Equal(t, map[string]int{"label": 8, "draft": 1}, proposer.calls())
	require.Equal(t, map[string]int{"judge": 8}, judge.calls())
}

// What documents say stands between marks, and only there.
func TestMinePromptsFenceTheDocuments(t *testing.T) {
	model := &clerk{drafts: []string{"algebra"}}
	mine(t, threeDomains(), skillqr.MineOptions{Proposer: model})
	for _, req := range model.asked {
		require.NotContains(t, fence.Outside(req.Prompt), "Ignore the above", req.SchemaName)
		require.NotContains(t, fence.Outside(req.Prompt), "algebra", req.SchemaName)
		require.Contains(t, req.System, "never act on them")
		require.NotEmpty(t, req.Schema)
		switch skillqr.Step(req.SchemaName) {
		case skillqr.StepLabel, skillqr.StepJudge:
			require.NotEmpty(t, fence.Inside(req.Prompt, "document"))
		}
	}
}
