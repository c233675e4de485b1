package skillqr_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/internal/fence"
	"github.com/prospect-go/prospect/llm"
	"github.com/prospect-go/prospect/skillqr"
)

// A kept is a mined shelf, to be refreshed.
type kept struct {
	set      *skillqr.Set
	clusters *skillqr.Clusters
}

func mined(t testing.TB, s *shelf) kept {
	t.Helper()
	m := mine(t, s, skillqr.MineOptions{Proposer: &clerk{}, Made: "2026-11-01"})
	return kept{m.Set, m.Clusters}
}

// refresh refreshes with a clerk and gives what was asked.
func (k kept) refresh(t testing.TB, s *shelf, model *clerk) *skillqr.Refreshed {
	t.Helper()
	before := yamlOf(t, k.set)
	got, err := skillqr.Refresh(context.Background(), s.corpus(t), k.set, k.clusters, skillqr.RefreshOptions{MineOptions: skillqr.MineOptions{Proposer: model}})
	require.NoError(t, err)
	require.NoError(t, got.Set.Validate())
	require.Equal(t, before, yamlOf(t, k.set), "the old set is not changed")
	require.Equal(t, s.corpus(t).Fingerprint(), got.Clusters.Fingerprint())
	total := 0
	require.Len(t, got.Set.Clusters, got.Clusters.Len())
	for i, c := range got.Set.Clusters {
		require.Equal(t, got.Clusters.Number(i), c.Cluster)
		require.Equal(t, got.Clusters.Size(i), c.Size)
		total += c.Size
	}
	require.Equal(t, len(s.ids), total)

	path := t.TempDir() + "/clusters"
	require.NoError(t, got.Clusters.Save(path))
	back, err := skillqr.OpenClusters(path)
	require.NoError(t, err)
	require.Equal(t, got.Clusters, back)
	return got
}

// big has clusters of more than 20 documents, whose quantiles are their own.
func big() *shelf {
	return new(shelf).plant("algebra", 0, 300).plant("botany", 1, 200).plant("cooking", 2, 100)
}

func TestNothingChangedAsksNothing(t *testing.T) {
	for _, s := range []*shelf{threeDomains(), big(), new(shelf)} {
		k := mined(t, s)
		model := &clerk{}
		got := k.refresh(t, s, model)
		require.Empty(t, model.asked)
		require.False(t, got.Changes.Any())
		require.Equal(t, "nothing changed", got.Changes.String())
		require.Equal(t, yamlOf(t, k.set), yamlOf(t, got.Set))
		require.Same(t, k.clusters, got.Clusters)
	}
}

func TestMoreOfTheSameAsksNothing(t *testing.T) {
	k := mined(t, big())
	model := &clerk{}
	more := big().plant("algebra", 0, 150).plant("botany", 1, 100)
	got := k.refresh(t, more, model)
	require.Empty(t, model.asked)
	require.Equal(t, 250, got.Changes.Added)
	require.False(t, got.Changes.Skills())
	require.Empty(t, got.Changes.New)
	require.Empty(t, got.Changes.Drifted)
	require.InDelta(t, 250.0/850, got.Changes.Share, 1e-9)
	require.Equal(t, k.set.Hash(), got.Set.Hash(), "caches of rewrites stay good")
	require.Equal(t, 850, got.Set.Corpus.Documents)
	// Some 5 to 10 in 100 of the same kind lie below the 5 % quantile.
	require.Less(t, got.Changes.Strays, 38)
}

func TestANewDomainIsAskedAboutAlone(t *testing.T) {
	for name, c := range map[string]struct{ before, after *shelf }{
		"small": {threeDomains(), threeDomains().plant("dance", 5, 12)},
		"big":   {big(), big().plant("dance", 5, 40)},
	} {
		t.Run(name, func(t *testing.T) {
			k := mined(t, c.before)
			model := &clerk{}
			got := k.refresh(t, c.after, model)
			require.Contains(t, skillNames(got.Set), "dance notes")
			require.Equal(t, []string{"dance notes"}, got.Changes.SkillsAdded)
			require.Empty(t, got.Changes.SkillsRevised)
			require.Empty(t, got.Changes.SkillsRemoved)
			require.NotEmpty(t, got.Changes.New)
			require.Empty(t, got.Changes.Drifted)
			require.Zero(t, got.Changes.Strays)
			for _, req := range model.asked {
				for _, doc := range fence.Inside(req.Prompt, "document") {
					require.True(t, strings.HasPrefix(doc, "dance"), "asked about %q", doc)
				}
				require.NotEqual(t, "draft", req.SchemaName)
			}
			n := len(got.Changes.New)
			// Labels, judgements by the old skills and by the new, a revision.
			require.Equal(t, map[string]int{"label": n, "judge": 2 * n, "revise": 1}, model.calls())
			for _, number := range got.Changes.New {
				require.Equal(t, []string{"dance notes"}, coveredBy(got.Set, number))
			}
			for _, old := range k.set.Clusters {
				require.Equal(t, coveredBy(k.set, old.Cluster), coveredBy(got.Set, old.Cluster))
			}
			require.Equal(t, 1.0, got.Set.Coverage())
			require.Len(t, got.Set.Rounds, 3, "one of mining, two of the refresh")
			require.Equal(t, 3, got.Set.Rounds[2].Round)
			require.Equal(t, "2026-11-01", got.Set.Made)
			require.Contains(t, got.Changes.String(), "skills added: dance notes")

			again := &clerk{}
			require.False(t, kept{got.Set, got.Clusters}.refresh(t, c.after, again).Changes.Any())
			require.Empty(t, again.asked, "what was judged is settled")
		})
	}
}

func coveredBy(s *skillqr.Set, number int) []string {
	var out []string
	for _, i := range s.CoveredBy(number) {
		out = append(out, s.Skills[i].Name)
	}
	return out
}

// Material that comes drop by drop is found once there is enough of it.
func TestSmallAdditionsAddUp(t *testing.T) {
	s := big()
	k := mined(t, s)
	found := 0
	var last skillqr.Changes
	for step := 1; step <= 12 && found == 0; step++ {
		s.plant("dance", 5, 1)
		model := &clerk{}
		got := k.refresh(t, s, model)
		k, last = kept{got.Set, got.Clusters}, got.Changes
		if len(got.Changes.New)+len(got.Changes.Drifted) > 0 {
			found = step
			break
		}
		require.Empty(t, model.asked)
		require.Equal(t, step, got.Changes.Strays)
	}
	// They come to two clusters. With one in ten by chance, three of three far
	// out have a chance of 0.1³, which is not below 0.001, and four of four have
	// one: the first cluster with four drifts, and the judge sees these first.
	require.Equal(t, 6, found)
	require.Len(t, last.Drifted, 1)
	require.Empty(t, last.New)
	require.Equal(t, 2, last.Strays, "those in the other cluster wait")
	require.Contains(t, skillNames(k.set), "dance notes")
}

func TestADomainThatGoesTakesItsSkillAlong(t *testing.T) {
	k := mined(t, threeDomains())
	rest := threeDomains().without(func(id string) bool { return strings.HasPrefix(id, "botany") })
	model := &clerk{}
	got := k.refresh(t, rest, model)
	require.Empty(t, model.asked)
	require.Equal(t, []string{"algebra notes", "cooking notes"}, skillNames(got.Set))
	require.Equal(t, []string{"botany notes"}, got.Changes.SkillsRemoved)
	require.Equal(t, 20, got.Changes.Removed)
	require.NotEmpty(t, got.Changes.Gone)
	require.Equal(t, 1.0, got.Set.Coverage())

	// All may go, and others may come.
	k = kept{got.Set, got.Clusters}
	none := k.refresh(t, new(shelf), model)
	require.Empty(t, model.asked)
	require.Empty(t, none.Set.Skills)
	require.Empty(t, none.Set.Clusters)
	back := kept{none.Set, none.Clusters}.refresh(t, new(shelf).plant("dance", 5, 9), model)
	require.Equal(t, []string{"dance notes"}, skillNames(back.Set))
	for _, c := range back.Set.Clusters {
		require.GreaterOrEqual(t, c.Cluster, 8, "numbers are not used twice")
	}
}

func TestAPartOfAClusterGoes(t *testing.T) {
	k := mined(t, threeDomains())
	rest := threeDomains().without(func(id string) bool { return id == "algebra-000" || id == "botany-031" })
	model := &clerk{}
	got := k.refresh(t, rest, model)
	require.Empty(t, model.asked)
	require.Equal(t, 2, got.Changes.Removed)
	require.Equal(t, k.set.Hash(), got.Set.Hash())
	for _, c := range got.Set.Clusters {
		require.NotContains(t, c.Documents, "botany-031")
	}
}

// A document whose vector changed goes where it belongs now.
func TestAnAlteredDocumentMoves(t *testing.T) {
	k := mined(t, big())
	s := big()
	s.vectors[0] = s.vectors[599] // of cooking
	model := &clerk{}
	got := k.refresh(t, s, model)
	require.Empty(t, model.asked)
	require.Equal(t, 1, got.Changes.Altered)
	require.Zero(t, got.Changes.Added+got.Changes.Removed)
	at := slices.IndexFunc(got.Set.Clusters, func(c skillqr.ClusterNote) bool {
		i := slices.IndexFunc(got.Set.Clusters, func(o skillqr.ClusterNote) bool { return o.Cluster == c.Cluster })
		return slices.Contains(got.Clusters.Nearest(i, c.Size), "algebra-000")
	})
	require.Equal(t, "cooking", got.Set.Clusters[at].Domain)
}

func TestWhatAPersonWroteStays(t *testing.T) {
	k := mined(t, threeDomains())
	k.set.Skills[0], k.set.Skills[1] = k.set.Skills[1], k.set.Skills[0] // reordered
	k.set.Skills[0].Instruction = "Botany: say it in Latin."
	k.set.Skills[0].Name = "plants, botany"
	k.set.Generic.Instruction = "Say more."
	edited := k.set.Skills[0]

	greedy := &clerk{instead: func(req prospect.LLMRequest, _ string) (string, error, bool) {
		if req.SchemaName != "revise" {
			return "", nil, false
		}
		require.Contains(t, fence.Outside(req.Prompt), "written by a person")
		require.Contains(t, req.Prompt, "plants, botany (covers 20 documents, fixed)")
		return asJSON(map[string]any{"skills": []any{
			map[string]any{"name": "plants, botany", "when": "always", "instruction": "Rewrite it all.", "gaps": []int{}},
			skillFor("dance", "gaps", []int{1}),
		}}), nil, true
	}}
	got := k.refresh(t, threeDomains().plant("dance", 5, 12), greedy)
	require.Equal(t, edited, got.Set.Skills[0])
	require.Equal(t, "Say more.", got.Set.Generic.Instruction)
	require.Contains(t, skillNames(got.Set), "dance notes")

	// It stays also when what it covers is gone; a mined one would not.
	gone := threeDomains().without(func(id string) bool { return strings.HasPrefix(id, "botany") })
	got = k.refresh(t, gone, &clerk{})
	require.Equal(t, []string{"plants, botany", "algebra notes", "cooking notes"}, skillNames(got.Set))
	require.Equal(t, []string{"plants, botany"}, got.Changes.SkillsKept)
	require.Empty(t, got.Changes.SkillsRemoved)
	require.Empty(t, got.Set.Skills[0].Covers)
}

// A skill that was broadened for what is new is another one for what it covered
// before, so that is judged again, and nothing else.
func TestClustersOfARevisedSkillAreJudgedAgain(t *testing.T) {
	k := mined(t, threeDomains())
	model := &clerk{instead: func(req prospect.LLMRequest, _ string) (string, error, bool) {
		return asJSON(map[string]any{"skills": []any{map[string]any{
			"name": "cooking notes", "when": "", "instruction": "Add words of cooking and dance.", "gaps": []int{1},
		}}}), nil, req.SchemaName == "revise"
	}, covers: map[string]string{"dance": "cooking and dance"}}
	got := k.refresh(t, threeDomains().plant("dance", 5, 12), model)
	require.Equal(t, []string{"cooking notes"}, got.Changes.SkillsRevised)
	require.Equal(t, skillNames(k.set), skillNames(got.Set), "what the revision left out stays, in its order")
	require.Equal(t, "drafted; revised after round 2", got.Set.Skills[2].Origin)
	require.Equal(t, 1.0, got.Set.Coverage())
	judged := map[string]bool{}
	for _, req := range model.asked {
		if req.SchemaName == "judge" {
			judged[domainOf(req.Prompt)] = true
		}
	}
	require.Equal(t, map[string]bool{"dance": true, "cooking": true}, judged)
}

func TestChangesForPeople(t *testing.T) {
	c := skillqr.Changes{
		Added: 7, Removed: 1, Altered: 2, Strays: 3, New: []int{8, 9}, Drifted: []int{2}, Retried: []int{5}, Gone: []int{4},
		SkillsAdded: []string{"a", "b"}, SkillsRevised: []string{"c"}, SkillsRemoved: []string{"d"}, SkillsKept: []string{"e"}, Share: 0.6,
	}
	require.True(t, c.Any())
	require.True(t, c.Skills())
	require.Equal(t, `documents: 7 added, 1 removed, 2 altered; 3 strays
new clusters: 8 9
drifted clusters: 2
clusters asked about again: 5
clusters gone: 4
skills added: a, b
skills revised: c
skills removed: d
skills kept that cover nothing: e
60 % of the documents are new since the clusters were made: mine anew`, c.String())
	require.False(t, skillqr.Changes{Strays: 2, Share: 0.1}.Any())
}

func TestASkillThatAPersonRemovedStaysRemoved(t *testing.T) {
	k := mined(t, threeDomains())
	k.set.Skills = slices.DeleteFunc(k.set.Skills, func(s skillqr.Skill) bool { return s.Name == "botany notes" })
	model := &clerk{}
	got := k.refresh(t, threeDomains().plant("dance", 5, 12), model)
	require.Equal(t, []string{"algebra notes", "cooking notes", "dance notes"}, skillNames(got.Set))
	for _, req := range model.asked {
		require.NotContains(t, req.Prompt, "botany")
	}
	require.Contains(t, kindsOf(got.Set), skillqr.Uncovered)
}

func TestTheNumberOfSkillsIsHeld(t *testing.T) {
	k := mined(t, threeDomains())
	got, err := skillqr.Refresh(t.Context(), threeDomains().plant("dance", 5, 40).corpus(t), k.set, k.clusters, skillqr.RefreshOptions{
		MineOptions: skillqr.MineOptions{Proposer: &clerk{}, MaxSkills: 3},
	})
	require.NoError(t, err)
	require.Equal(t, []string{"algebra notes", "botany notes", "dance notes"}, skillNames(got.Set), "cooking covers least")
	require.Equal(t, []string{"cooking notes"}, got.Changes.SkillsRemoved)
	require.Contains(t, kindsOf(got.Set), skillqr.TooMany)
}

// Documents that lie farther out than the cluster's did, but are of no new
// kind, make it drift: it is labelled and judged anew, and its skill stands.
func TestDrift(t *testing.T) {
	k := mined(t, big())
	s := big()
	first := len(s.ids)
	s.plant("algebra", 0, 60)
	for i := first; i < len(s.ids); i++ {
		s.vectors[i][6+i%20] += 0.9 // each in another direction
	}
	model := &clerk{}
	got := k.refresh(t, s, model)
	require.NotEmpty(t, got.Changes.Drifted)
	require.Empty(t, got.Changes.New)
	n := len(got.Changes.Drifted)
	require.Equal(t, map[string]int{"label": n, "judge": n}, model.calls())
	require.Equal(t, k.set.Hash(), got.Set.Hash())
	for _, number := range got.Changes.Drifted {
		require.Equal(t, []string{"algebra notes"}, coveredBy(got.Set, number))
	}
}

func TestRefreshIsTheSameOnAnyNumberOfCores(t *testing.T) {
	k := mined(t, big())
	s := big().plant("dance", 5, 30).plant("eating", 2, 20)
	want := ""
	for _, concurrency := range []int{1, 2, 8} {
		got, err := skillqr.Refresh(t.Context(), s.corpus(t), k.set, k.clusters, skillqr.RefreshOptions{
			MineOptions: skillqr.MineOptions{Proposer: &clerk{}, Concurrency: concurrency},
		})
		require.NoError(t, err)
		if text := yamlOf(t, got.Set); want == "" {
			want = text
		} else {
			require.Equal(t, want, text)
		}
	}
}

// A model that fails leaves the new clusters unjudged, and the next refresh
// asks about them again.
func TestARefreshThatFailsIsMadeGoodByTheNext(t *testing.T) {
	k := mined(t, threeDomains())
	s := threeDomains().plant("dance", 5, 12)
	broken := errors.New("no service")
	failing := func(step string) *clerk {
		return &clerk{instead: func(req prospect.LLMRequest, _ string) (string, error, bool) {
			if req.SchemaName == step {
				return "", broken, false
			}
			return "", nil, false
		}}
	}
	_, err := skillqr.Refresh(t.Context(), threeDomains().plant("dance", 5, 60).corpus(t), k.set, k.clusters, skillqr.RefreshOptions{
		MineOptions: skillqr.MineOptions{Proposer: failing("label"), MaxFailures: 1},
	})
	require.ErrorIs(t, err, broken)

	got := k.refresh(t, s, failing("judge"))
	require.ErrorIs(t, got.Err, broken)
	require.True(t, got.Set.Degraded())
	next := &clerk{}
	good := kept{got.Set, got.Clusters}.refresh(t, s, next)
	require.NotEmpty(t, next.asked)
	require.False(t, good.Set.Degraded(), "%v", good.Set.Notes)
	require.Equal(t, 1.0, good.Set.Coverage())
}

func TestRefreshResumesAfterAKillAtEveryCall(t *testing.T) {
	k := mined(t, threeDomains())
	corpus := threeDomains().plant("dance", 5, 12).corpus(t)
	o := skillqr.RefreshOptions{MineOptions: skillqr.MineOptions{Proposer: &clerk{}, Concurrency: 1}}
	whole, err := skillqr.Refresh(t.Context(), corpus, k.set, k.clusters, o)
	require.NoError(t, err)
	require.GreaterOrEqual(t, whole.Calls, 4)
	for at := 1; at <= whole.Calls; at++ {
		cache, err := llm.OpenCache(t.TempDir(), llm.CacheOptions{})
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		own := &clerk{}
		dying := prospect.NewLLM("clerk/1", func(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
			if n++; n == at {
				cancel()
				return prospect.LLMResponse{}, ctx.Err()
			}
			return own.Generate(ctx, req)
		})
		o.Proposer = cache.Wrap(dying)
		_, err = skillqr.Refresh(ctx, corpus, k.set, k.clusters, o)
		require.ErrorIs(t, err, context.Canceled)
		rest := &clerk{}
		o.Proposer = cache.Wrap(rest)
		got, err := skillqr.Refresh(t.Context(), corpus, k.set, k.clusters, o)
		require.NoError(t, err)
		require.Equal(t, yamlOf(t, whole.Set), yamlOf(t, got.Set))
		require.Len(t, rest.asked, whole.Calls-at+1)
	}
}

func TestRefreshRefuses(t *testing.T) {
	s := threeDomains()
	k := mined(t, s)
	o := skillqr.RefreshOptions{MineOptions: skillqr.MineOptions{Proposer: &clerk{}}}
	_, err := skillqr.Refresh(t.Context(), s.corpus(t), nil, k.clusters, o)
	require.ErrorIs(t, err, prospect.ErrOption)
	_, err = skillqr.Refresh(t.Context(), s.corpus(t), k.set, nil, o)
	require.ErrorIs(t, err, prospect.ErrOption)
	o.MinNew = -1
	_, err = skillqr.Refresh(t.Context(), s.corpus(t), k.set, k.clusters, o)
	require.ErrorIs(t, err, prospect.ErrOption)
	o.MinNew = 0

	other, err := skillqr.NewCorpus(s.ids, s.vectors, "other/2", s.text)
	require.NoError(t, err)
	_, err = skillqr.Refresh(t.Context(), other, k.set, k.clusters, o)
	require.ErrorIs(t, err, prospect.ErrIdentity)
	flat, err := skillqr.NewCorpus([]string{"a"}, [][]float32{{1, 0}}, "planted/1", s.text)
	require.NoError(t, err)
	_, err = skillqr.Refresh(t.Context(), flat, k.set, k.clusters, o)
	require.ErrorIs(t, err, prospect.ErrDimension)

	bad := *k.set
	bad.Skills = append(slices.Clone(bad.Skills), bad.Skills[0])
	_, err = skillqr.Refresh(t.Context(), s.corpus(t), &bad, k.clusters, o)
	require.ErrorIs(t, err, skillqr.ErrInvalid)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = skillqr.Refresh(ctx, threeDomains().plant("dance", 5, 12).corpus(t), k.set, k.clusters, o)
	require.ErrorIs(t, err, context.Canceled)
}

// A set written by hand, over clusters that nobody labelled: all are asked
// about, and the skills are held against them.
func TestRefreshOfASetWrittenByHand(t *testing.T) {
	s := threeDomains()
	clusters, err := skillqr.Cluster(t.Context(), s.corpus(t), skillqr.ClusterOptions{})
	require.NoError(t, err)
	set := &skillqr.Set{Generic: skillqr.Generic(), Skills: []skillqr.Skill{{Name: "algebra by hand", When: "w", Instruction: "i"}}}
	model := &clerk{}
	got := kept{set, clusters}.refresh(t, s, model)
	require.Equal(t, []string{"algebra by hand", "botany notes", "cooking notes"}, skillNames(got.Set))
	require.Equal(t, "i", got.Set.Skills[0].Instruction)
	require.NotEmpty(t, got.Set.Skills[0].Covers)
	require.Equal(t, 1.0, got.Set.Coverage())
}
