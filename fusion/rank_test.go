package fusion_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/fusion"
)

func TestRRFByHand(t *testing.T) {
	lists := []hits{{{ID: "a", Score: 9}, {ID: "b", Score: 8}, {ID: "c", Score: 7}}, {{ID: "c", Score: 1}, {ID: "a", Score: 0.5}}}
	got, err := fusion.RRF(lists, fusion.RRFOptions{})
	require.NoError(t, err)
	requireHits(t, hits{{ID: "a", Score: 1.0/61 + 1.0/62}, {ID: "c", Score: 1.0/63 + 1.0/61}, {ID: "b", Score: 1.0 / 62}}, got)

	got, err = fusion.RRF(lists, fusion.RRFOptions{RankConstant: 1, Weights: []float64{1, 3}, K: 2})
	require.NoError(t, err)
	requireHits(t, hits{{ID: "c", Score: 1.0/4 + 3.0/2}, {ID: "a", Score: 1.0/2 + 3.0/3}}, got)

	// Equal scores: first sight.
	got, err = fusion.RRF([]hits{{{ID: "x", Score: 0}, {ID: "y", Score: 0}}, {{ID: "y", Score: 0}, {ID: "x", Score: 0}}}, fusion.RRFOptions{})
	require.NoError(t, err)
	require.Equal(t, []string{"x", "y"}, ids(got))
	require.Equal(t, got[0].Score, got[1].Score)
}

// Each fused score from its definition.
func TestRRFAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lists := drawLists(t)
		got, err := fusion.RRF(lists, fusion.RRFOptions{RankConstant: 3})
		require.NoError(t, err)
		var order []string
		want := map[string]float64{}
		for _, list := range lists {
			var distinct []string
			for _, h := range list {
				if !slices.Contains(distinct, h.ID) {
					distinct = append(distinct, h.ID)
					want[h.ID] += 1 / (3 + float64(len(distinct)))
				}
				if !slices.Contains(order, h.ID) {
					order = append(order, h.ID)
				}
			}
		}
		require.Len(t, got, len(want))
		for _, g := range got {
			require.InDelta(t, want[g.ID], g.Score, 1e-12)
		}
		requireOrdered(t, got, order)
	})
}

// lists of one-letter items, one word a list.
func roundRobin(words string, k int) string {
	var lists [][]string
	for _, word := range strings.Split(words, " ") {
		lists = append(lists, strings.Split(word, ""))
	}
	var b strings.Builder
	for _, p := range fusion.RoundRobin(lists, func(s string) string { return s }, k) {
		fmt.Fprintf(&b, "%s%d%d ", p.Item, p.List, p.Rank)
	}
	return strings.TrimSpace(b.String())
}

func TestRoundRobinByHand(t *testing.T) {
	for _, c := range []struct {
		lists string
		k     int
		want  string // item, list, rank
	}{
		{"abc ade", 4, "a00 b01 d11 c02"}, // row 0 of the second list is taken
		{"abc ade", 9, "a00 b01 d11 c02 e12"},
		{"ab cd ef", 4, "a00 c10 e20 b01"}, // ends within a row
		{"a bcd", 9, "a00 b10 c11 d12"},    // lists of unequal length
		{"aab bbc", 9, "a00 b10 c12"},      // repetitions within a list
		{"aaaz", 2, "a00 z03"},
		{" ab", 1, "a10"}, // an empty list is passed over
		{"ab cd", 0, ""},
		{"ab cd", -3, ""},
		{"", 5, ""},
	} {
		require.Equal(t, c.want, roundRobin(c.lists, c.k), "%q, k = %d", c.lists, c.k)
	}
	require.Empty(t, fusion.RoundRobin[int, int](nil, func(i int) int { return i }, 5))
}

// By rows means: sort all items by (rank, list), keep the first of each key,
// cut at k.
func TestRoundRobinAgainstSorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lists := drawLists(t)
		k := rapid.IntRange(0, 12).Draw(t, "k")
		got := fusion.RoundRobin(lists, func(h prospect.Hit) string { return h.ID }, k)
		var all []fusion.Pick[prospect.Hit]
		for l, list := range lists {
			for r, h := range list {
				all = append(all, fusion.Pick[prospect.Hit]{Item: h, List: l, Rank: r})
			}
		}
		slices.SortFunc(all, func(a, b fusion.Pick[prospect.Hit]) int {
			return (a.Rank-b.Rank)*100 + a.List - b.List
		})
		var want []fusion.Pick[prospect.Hit]
		for _, p := range all {
			same := func(q fusion.Pick[prospect.Hit]) bool { return q.Item.ID == p.Item.ID }
			if len(want) < k && !slices.ContainsFunc(want, same) {
				want = append(want, p)
			}
		}
		require.Len(t, got, len(want))
		for i := range want {
			require.Equal(t, want[i], got[i])
		}
	})
}

func TestRoundRobinWithHugeK(t *testing.T) {
	require.Equal(t, "a00 b10", roundRobin("a b", 1<<62))
}

func ExampleRoundRobin() {
	byCapability := [][]string{
		{"pdf-tables", "ocr", "spreadsheets"},
		{"charts", "pdf-tables", "slides"},
	}
	for _, p := range fusion.RoundRobin(byCapability, func(id string) string { return id }, 4) {
		fmt.Printf("%s: list %d, rank %d\n", p.Item, p.List, p.Rank)
	}
	// Output:
	// pdf-tables: list 0, rank 0
	// charts: list 1, rank 0
	// ocr: list 0, rank 1
	// spreadsheets: list 0, rank 2
}

func ExampleRRF() {
	dense := []prospect.Hit{{ID: "pdf-tables", Score: 0.62}, {ID: "charts", Score: 0.41}}
	lexical := []prospect.Hit{{ID: "charts", Score: 11.3}, {ID: "spreadsheets", Score: 4.1}}
	fused, err := fusion.RRF([][]prospect.Hit{dense, lexical}, fusion.RRFOptions{})
	fmt.Println(fused[0].ID, err)
	// Output: charts <nil>
}
