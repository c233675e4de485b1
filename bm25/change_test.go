package bm25_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/bm25"
)

func TestRefusedChangesLeaveTheIndexAsItWas(t *testing.T) {
	ctx := context.Background()
	ix := build(t, bm25.Options{Analyzer: fields}, two)
	before := ix.Snapshot()
	for _, c := range []struct {
		changes bm25.Changes
		id      string
		err     error
	}{
		{bm25.Changes{Add: []bm25.Doc{{ID: "z", Text: "a"}, {ID: "x", Text: "a"}}}, "x", prospect.ErrDuplicateID},
		{bm25.Changes{Add: []bm25.Doc{{ID: "z", Text: "a"}, {ID: "z", Text: "b"}}}, "z", prospect.ErrDuplicateID},
		{bm25.Changes{Add: []bm25.Doc{{ID: "z", Text: "a"}, {ID: "", Text: "b"}}}, "", prospect.ErrEmptyID},
		{bm25.Changes{Update: []bm25.Doc{{ID: "x", Text: "q"}, {ID: "no", Text: "a"}}}, "no", prospect.ErrNotFound},
		{bm25.Changes{Delete: []string{"x", "no"}}, "no", prospect.ErrNotFound},
		{bm25.Changes{Delete: []string{"x"}, Update: []bm25.Doc{{ID: "x", Text: "q"}}}, "x", prospect.ErrDuplicateID},
	} {
		err := ix.Apply(ctx, c.changes)
		require.ErrorIs(t, err, c.err)
		var culprit *prospect.IDError
		require.ErrorAs(t, err, &culprit)
		require.Equal(t, c.id, culprit.ID)
		require.Same(t, before, ix.Snapshot(), "nothing is half done")
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	require.ErrorIs(t, ix.AddBatch(cancelled, []bm25.Doc{{ID: "z", Text: "a"}}), context.Canceled)
	require.Same(t, before, ix.Snapshot())
	require.NoError(t, ix.Apply(ctx, bm25.Changes{}))
	require.Same(t, before, ix.Snapshot(), "no change, no new snapshot")
}

func TestOrderOfInsertionBreaksTies(t *testing.T) {
	ctx := context.Background()
	ix := build(t, bm25.Options{Analyzer: fields}, nil)
	order := func() []string {
		hits, err := ix.Search(ctx, prospect.Query{Text: "a", K: 9})
		require.NoError(t, err)
		return ids(hits)
	}
	for _, id := range []string{"3", "1", "2", "0"} {
		require.NoError(t, ix.Add(ctx, id, "a"))
	}
	require.Equal(t, []string{"3", "1", "2", "0"}, order())
	require.NoError(t, ix.Update(ctx, "3", "a"))
	require.Equal(t, []string{"3", "1", "2", "0"}, order(), "an update keeps the place")
	require.NoError(t, ix.Delete("1"))
	require.NoError(t, ix.Add(ctx, "1", "a"))
	require.Equal(t, []string{"3", "2", "0", "1"}, order(), "added again comes last")
	ix.Compact()
	require.Equal(t, []string{"3", "2", "0", "1"}, order())
	require.True(t, ix.Has("1"))
	require.False(t, ix.Has("9"))
}

// A document that was updated lies behind those added after it, and still goes
// before them where scores are equal and room is short.
func TestUpdatedDocumentsKeepTheirPlaceAmongTies(t *testing.T) {
	var docs []bm25.Doc
	for i := range 50 {
		docs = append(docs, bm25.Doc{ID: fmt.Sprint(i), Text: "a b"})
	}
	ix := build(t, bm25.Options{Analyzer: fields}, docs)
	require.NoError(t, ix.UpdateBatch(t.Context(), []bm25.Doc{{ID: "1", Text: "b a"}, {ID: "0", Text: "b a"}}))
	for range 3 { // kept impacts too
		for k := 1; k < 5; k++ {
			require.Equal(t, []string{"0", "1", "2", "3"}[:k], ids(search(t, ix, "a b", k)))
		}
	}
}

func TestSnapshotsStayAsTheyWere(t *testing.T) {
	ctx := context.Background()
	ix := build(t, bm25.Options{Analyzer: fields}, two)
	old := ix.Snapshot()
	want, err := old.Explain("a b new", "y")
	require.NoError(t, err)
	require.NoError(t, ix.Apply(ctx, bm25.Changes{
		Delete: []string{"y"}, Update: []bm25.Doc{{ID: "x", Text: "b new"}}, Add: []bm25.Doc{{ID: "z", Text: "a b b b"}},
	}))
	ix.Compact()
	got, err := old.Explain("a b new", "y")
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.Equal(t, 2, old.Len())
	require.Equal(t, 0, old.DocFreq("new"))
	require.Equal(t, 1, ix.Snapshot().DocFreq("new"))
	require.Equal(t, 3.0, old.AvgLength())
	require.Equal(t, 3.0, ix.Snapshot().AvgLength())
}

// Many deletions compact the index by themselves: the memory of an index that
// changes forever stays bounded.
func TestChurnIsCompacted(t *testing.T) {
	ctx := context.Background()
	ix := build(t, bm25.Options{Analyzer: fields}, nil)
	for round := range 60 {
		var c bm25.Changes
		for i := range 100 {
			d := bm25.Doc{ID: fmt.Sprint(i), Text: fmt.Sprintf("a r%d d%d", round, i)}
			if round == 0 {
				c.Add = append(c.Add, d)
			} else {
				c.Update = append(c.Update, d)
			}
		}
		require.NoError(t, ix.Apply(ctx, c))
	}
	s := ix.Snapshot()
	require.Equal(t, 100, s.DocFreq("a"))
	require.Equal(t, 100, s.DocFreq("r59"))
	require.Equal(t, 0, s.DocFreq("r58"))
	rows, terms := bm25.Size(s)
	require.Less(t, rows, 100+1024+100)
	require.Less(t, terms, 1+60+100)
}

func TestParallelAnalysisGivesOneResult(t *testing.T) {
	var docs []bm25.Doc
	for i := range 500 {
		docs = append(docs, bm25.Doc{ID: fmt.Sprint(i), Text: fmt.Sprintf("w%d w%d common w%d", i, i%17, i*i%31)})
	}
	var first strings.Builder
	_, err := build(t, bm25.Options{Analyzer: fields}, docs).WriteTo(&first)
	require.NoError(t, err)
	for range 5 {
		var again strings.Builder
		_, err := build(t, bm25.Options{Analyzer: fields}, docs).WriteTo(&again)
		require.NoError(t, err)
		require.Equal(t, first.String(), again.String(), "the same bytes whatever goroutine counted what")
	}
}
