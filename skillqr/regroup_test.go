package skillqr_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/skillqr"
)

// unit is a vector of length 1.
func unit(v []float32) []float32 {
	var square float64
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(float64(x) / math.Sqrt(square))
	}
	return out
}

func dot(a, b []float32) float64 {
	var sum float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// A cluster that was judged gets the direction of the mean of its documents as
// its centroid, and they are near or far by that.
func TestAJudgedClusterHasTheMeanAsItsCentroid(t *testing.T) {
	k := mined(t, big())
	s := drifted()
	got := k.refresh(t, s, &clerk{})
	require.NotEmpty(t, got.Changes.Drifted)
	vectors := map[string][]float32{}
	for i, id := range s.ids {
		vectors[id] = unit(s.vectors[i])
	}
	for i := range got.Clusters.Len() {
		number := got.Clusters.Number(i)
		if !slices.Contains(got.Changes.Drifted, number) {
			require.Equal(t, k.clusters.Centroid(number), got.Clusters.Centroid(number))
			continue
		}
		mean := make([]float32, shelfDim)
		ids := got.Clusters.Nearest(i, got.Clusters.Size(i))
		for _, id := range ids {
			for j, x := range vectors[id] {
				mean[j] += x
			}
		}
		mean = unit(mean)
		require.InDeltaSlice(t, mean, got.Clusters.Centroid(number), 1e-5)
		for j := 1; j < len(ids); j++ {
			require.GreaterOrEqual(t, dot(vectors[ids[j-1]], mean), dot(vectors[ids[j]], mean)-1e-5, "nearest first")
		}
	}
}

// scatter plants n documents around an axis, farther apart for more noise.
func (s *shelf) scatter(domain string, axis, n int, noise float64) *shelf {
	random := rand.New(rand.NewPCG(uint64(axis), 99))
	first := len(s.ids)
	s.plant(domain, axis, n)
	for i := first; i < len(s.ids); i++ {
		v := make([]float32, shelfDim)
		for j := range v {
			v[j] = float32(noise * random.NormFloat64())
		}
		v[axis]++
		s.vectors[i] = v
	}
	return s
}

// A document with a cosine of 0.96 lies far out in a cluster whose documents
// have 0.99 and more, but not beside those of the whole corpus, of which many
// have 0.9. Which of the two counts depends on whether the cluster has 20
// documents.
func TestFewDocumentsHaveNoQuantileOfTheirOwn(t *testing.T) {
	for tight, strays := range map[int]int{19: 0, 20: 1} {
		planted := func() *shelf { return new(shelf).scatter("algebra", 0, tight, 0.01).scatter("botany", 1, 200, 0.08) }
		m := mine(t, planted(), skillqr.MineOptions{Proposer: &clerk{}, Clusters: 2})
		sizes := []int{m.Clusters.Size(0), m.Clusters.Size(1)}
		slices.Sort(sizes)
		require.Equal(t, []int{tight, 200}, sizes)
		s := planted().plant("algebra", 0, 1)
		v := make([]float32, shelfDim)
		v[0], v[30] = 1, 0.3 // cosine 1/√1.09 = 0.958 with the axis
		s.vectors[len(s.ids)-1] = v
		got := kept{m.Set, m.Clusters}.refresh(t, s, &clerk{})
		require.Equal(t, strays, got.Changes.Strays, "%d documents", tight)
	}
}

// Clusters of 40 documents: a new one needs a quarter of that, unless the
// options say otherwise.
func TestHowManyDocumentsMakeANewCluster(t *testing.T) {
	planted := func() *shelf {
		s := new(shelf)
		for axis := range 5 {
			s.plant(fmt.Sprint("domain", axis), axis, 40)
		}
		return s
	}
	m := mine(t, planted(), skillqr.MineOptions{Proposer: &clerk{}, Clusters: 5})
	for i := range 5 {
		require.Equal(t, 40, m.Clusters.Size(i))
	}
	for _, c := range []struct{ minNew, came, clusters int }{{0, 9, 0}, {0, 10, 1}, {10, 9, 0}, {9, 9, 1}, {11, 10, 0}} {
		got, err := skillqr.Refresh(t.Context(), planted().plant("dance", 8, c.came).corpus(t), m.Set, m.Clusters,
			skillqr.RefreshOptions{MineOptions: skillqr.MineOptions{Proposer: &clerk{}}, MinNew: c.minNew})
		require.NoError(t, err)
		require.Len(t, got.Changes.New, c.clusters, "%+v", c)
	}
}

// A vector whose cosine with its centroid is another by more than 0.001 is one
// that changed.
func TestFromWhichChangeOnADocumentIsAltered(t *testing.T) {
	k := mined(t, threeDomains())
	for change, altered := range map[float64]int{0.0005: 0, -0.0005: 0, 0.002: 1, -0.002: 1} {
		s := threeDomains()
		var centroid []float32
		for i := range k.clusters.Len() {
			if slices.Contains(k.clusters.Nearest(i, k.clusters.Size(i)), s.ids[0]) {
				centroid = k.clusters.Centroid(k.clusters.Number(i))
			}
		}
		// Turned in the plane of itself and its centroid.
		u := unit(s.vectors[0])
		cos := dot(u, centroid)
		across := make([]float32, len(u))
		for j := range u {
			across[j] = u[j] - float32(cos)*centroid[j]
		}
		across = unit(across)
		turned := make([]float32, len(u))
		for j := range u {
			turned[j] = float32((cos+change)*float64(centroid[j]) + math.Sqrt(1-(cos+change)*(cos+change))*float64(across[j]))
		}
		s.vectors[0] = turned
		got, err := skillqr.Refresh(t.Context(), s.corpus(t), k.set, k.clusters, skillqr.RefreshOptions{MineOptions: skillqr.MineOptions{Proposer: &clerk{}}})
		require.NoError(t, err)
		require.Equal(t, altered, got.Changes.Altered, "%v", change)
		_, err = skillqr.Mine(t.Context(), s.corpus(t), k.clusters, skillqr.MineOptions{Proposer: &clerk{}})
		if altered > 0 {
			require.ErrorIs(t, err, prospect.ErrIdentity)
		} else {
			require.NoError(t, err)
		}
	}
}

// At most half of what a prompt shows of a drifted cluster is what came.
func TestPromptsShowOldDocumentsBesideNewOnes(t *testing.T) {
	k := mined(t, big())
	s := drifted()
	// What came says so, for documents of the same place in a batch read alike.
	for _, id := range s.ids[len(big().ids):] {
		s.texts[id] = "algebra newcomer " + id
	}
	model := &clerk{}
	got := k.refresh(t, s, model)
	require.NotEmpty(t, got.Changes.Drifted)
	require.NotEmpty(t, model.asked)
	for _, req := range model.asked {
		came := strings.Count(req.Prompt, "algebra newcomer")
		shown := came + strings.Count(req.Prompt, "algebra text")
		switch req.SchemaName {
		case "label":
			require.Equal(t, 8, shown)
			require.GreaterOrEqual(t, came, 1)
			require.LessOrEqual(t, came, 4, "of eight")
		case "judge":
			require.Equal(t, 5, shown)
			require.GreaterOrEqual(t, came, 1)
			require.Equal(t, 3, came, "half of five, and all of these came")
		}
	}
}

// Each note occurs once, however often a set is refreshed, and a skill that
// never covered anything is not told of each time.
func TestWhatDidNotChangeIsNotToldAgain(t *testing.T) {
	never := &clerk{instead: func(req prospect.LLMRequest, _ string) (string, error, bool) {
		return `{"covered_by": [], "missing": "something else"}`, nil, req.SchemaName == "judge"
	}}
	m := mine(t, threeDomains(), skillqr.MineOptions{Proposer: never})
	m.Set.Skills = append(m.Set.Skills, skillqr.Skill{Name: "by hand", When: "w", Instruction: "i"})
	k := kept{m.Set, m.Clusters}
	s := threeDomains()
	for range 3 {
		got := k.refresh(t, s.plant("algebra", 0, 1), never)
		require.Empty(t, got.Changes.SkillsKept)
		require.Contains(t, skillNames(got.Set), "by hand")
		seen := map[int]bool{}
		for _, n := range got.Set.Notes {
			require.Equal(t, skillqr.Uncovered, n.Kind)
			require.False(t, seen[*n.Cluster], "%v", got.Set.Notes)
			seen[*n.Cluster] = true
		}
		require.Len(t, seen, got.Clusters.Len())
		k = kept{got.Set, got.Clusters}
	}
}
