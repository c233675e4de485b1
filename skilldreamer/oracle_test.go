package skilldreamer_test

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/skill"
	"github.com/prospect-go/prospect/skilldreamer"
)

// formulas are those of the package comment, computed one by one in float64
// for a gallery with one vector a skill.
type formulas struct {
	gallery *skilldreamer.Gallery
	ids     []string
	skills  [][]float64 // f(s_i)
}

func newFormulas(t require.TestingT, g *skilldreamer.Gallery) *formulas {
	f := &formulas{gallery: g}
	var texts []string
	for id, s := range g.All() {
		f.ids = append(f.ids, id)
		texts = append(texts, g.Recipe().Text(s))
	}
	f.skills = f.embed(t, prospect.RoleDocument, texts...)
	return f
}

func (f *formulas) embed(t require.TestingT, role prospect.Role, texts ...string) [][]float64 {
	vectors, err := f.gallery.Embedder().Embed(context.Background(), role, texts)
	require.NoError(t, err)
	out := make([][]float64, len(vectors))
	for i, v := range vectors {
		for _, x := range v {
			out[i] = append(out[i], float64(x))
		}
	}
	return out
}

// cosines are sim(v, f(s_i)) of all skills.
func (f *formulas) cosines(v []float64) []float64 {
	out := make([]float64, len(f.skills))
	for i, s := range f.skills {
		for k, x := range s {
			out[i] += x * v[k]
		}
	}
	return out
}

// bm25 of all skills.
func (f *formulas) bm25(t require.TestingT, query string) []float64 {
	scores, err := f.gallery.Lexicon().Scores(context.Background(), query, f.ids)
	require.NoError(t, err)
	return scores
}

// written is the text of an imagined skill with so much of its body, by hand.
func written(s *skilldreamer.ImaginedSkill, body int) string {
	text := strings.ReplaceAll(s.Name, "-", " ") + "\n" + s.Description
	if b := []rune(s.Body); body > 0 && len(b) > 0 {
		text += "\n" + string(b[:min(body, len(b))])
	}
	return text
}

// check holds a result to the formulas, near-ties within 1e-6 aside. The
// options have every number set that matters, and the capabilities have
// imagined skills.
func (f *formulas) check(t require.TestingT, o skilldreamer.Options, task string, im *skilldreamer.Imagined, r *skilldreamer.Result) {
	w := o.Weights
	rq := f.cosines(f.embed(t, prospect.RoleQuery, task)[0])
	ra := f.bm25(t, strings.Join(im.Anchors, " "))
	require.Len(t, r.Trace.Lists, len(im.Capabilities))
	for j, c := range im.Capabilities {
		rp := f.cosines(f.embed(t, prospect.RoleDocument, written(c.Skill, f.gallery.Recipe().Body))[0])
		d := make([]float64, len(rq))
		for i := range d {
			d[i] = w.Task*rq[i] + w.Imagined*rp[i]
		}
		cut := kthHighest(d, o.Candidates)
		rw := make([]float64, len(rq))
		byWords := map[int]bool{}
		if w.Words > 0 {
			rw = f.bm25(t, written(c.Skill, 1<<30))
			byWords = highest(rw, o.Candidates)
		}

		list := r.Trace.Lists[j].Candidates
		listed := map[int]bool{}
		var raw, seen [4][]float64 // by the formulas, by the library
		byCosine := 0
		for _, s := range list {
			i := slices.Index(f.ids, s.ID)
			listed[i] = true
			require.InDelta(t, d[i], s.Combined, 1e-5)
			if !byWords[i] {
				byCosine++
				require.GreaterOrEqual(t, d[i], cut-1e-6, "%s does not belong to the candidates", s.ID)
			}
			for n, x := range []float64{rq[i], rp[i], ra[i], rw[i]} {
				raw[n] = append(raw[n], x)
			}
			for n, x := range []float64{s.Task, s.Imagined, s.Anchors, s.Words} {
				seen[n] = append(seen[n], x)
			}
			require.InDeltaSlice(t, []float64{rq[i], rp[i], ra[i], rw[i]}, []float64{s.Task, s.Imagined, s.Anchors, s.Words}, 1e-6)
		}
		require.LessOrEqual(t, byCosine, o.Candidates)
		for i := range d {
			if !listed[i] {
				require.LessOrEqual(t, d[i], cut+1e-6, "%s is missing", f.ids[i])
				require.False(t, byWords[i], "%s is missing", f.ids[i])
			}
		}
		if w.Words == 0 {
			require.Len(t, list, min(o.Candidates, len(d)))
		}

		last := math.Inf(1)
		norm := [4][]float64{minMax(raw[0]), minMax(raw[1]), minMax(raw[2]), minMax(raw[3])}
		for k, s := range list {
			h := w.Task*norm[0][k] + w.Imagined*norm[1][k] + w.Anchors*norm[2][k] + w.Words*norm[3][k]
			// float32 products are off by up to 1e-6, which the normaliser divides
			// by the spread. Where raw scores differ only by rounding, either side
			// may see a spread that the other takes for none.
			if least := min(least(raw, w), least(seen, w)); least > 1e-4 {
				require.InDelta(t, h, s.Total, 1e-5/least)
			}
			require.LessOrEqual(t, s.Total, last)
			require.Equal(t, k+1, s.Rank)
			last = s.Total
		}
	}
	var want []string // the merge, from the lists
	for row := 0; row < o.Keep && len(want) < o.K; row++ {
		for _, l := range r.Trace.Lists {
			if row < l.Kept && len(want) < o.K && !slices.Contains(want, l.Candidates[row].ID) {
				want = append(want, l.Candidates[row].ID)
			}
		}
	}
	require.Equal(t, want, ids(r))
}

func kthHighest(x []float64, k int) float64 {
	sorted := slices.Clone(x)
	slices.SortFunc(sorted, prospect.CompareScores)
	return sorted[min(k, len(x))-1]
}

// highest are the places of the k highest scores above 0, ties by place.
func highest(x []float64, k int) map[int]bool {
	places := make([]int, len(x))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int { return prospect.CompareScores(x[a], x[b]) })
	out := map[int]bool{}
	for _, i := range places[:min(k, len(places))] {
		if x[i] > 0 {
			out[i] = true
		}
	}
	return out
}

func minMax(x []float64) []float64 {
	lo, hi := slices.Min(x), slices.Max(x)
	out := make([]float64, len(x))
	for i := range x {
		if hi-lo > 1e-6 {
			out[i] = (x[i] - lo) / (hi - lo)
		}
	}
	return out
}

// least is the smallest spread of the scores that count.
func least(raw [4][]float64, w skilldreamer.Weights) float64 {
	out := math.Inf(1)
	for n, weight := range []float64{w.Task, w.Imagined, w.Anchors, w.Words} {
		if weight > 0 {
			out = min(out, spread(raw[n]))
		}
	}
	return out
}

func spread(x []float64) float64 {
	if s := slices.Max(x) - slices.Min(x); s > 0 {
		return s
	}
	return math.Inf(1) // exactly equal
}

// demoSkills are the skills of the repository's testdata.
func demoSkills(t require.TestingT) []*skill.Skill {
	loaded, err := skill.LoadDir(context.Background(), "../testdata/skills", skill.LoadOptions{})
	require.NoError(t, err)
	require.Len(t, loaded.Skills, 48)
	return loaded.Skills
}
