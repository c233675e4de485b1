package docids

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/prospect-go/prospect"
)

// doc is a document of the model: the plain list that a table stands for.
type doc struct {
	id  string
	row uint32
}

// pinned is a view and what it must show for ever.
type pinned struct {
	view View
	docs []doc // in order of first insertion
	rows int
}

func (p pinned) check(t require.TestingT, ids []string) {
	require.Equal(t, len(p.docs), p.view.Len())
	require.Equal(t, p.rows, p.view.Rows())
	require.Equal(t, p.rows == len(p.docs), p.view.AllLive())

	live := map[string]uint32{}
	var order []uint32
	for _, d := range p.docs {
		live[d.id] = d.row
		order = append(order, d.row)
		require.Equal(t, d.id, p.view.ID(d.row))
		require.True(t, p.view.Live(d.row))
	}
	if len(order) == 0 {
		require.Empty(t, p.view.InOrder())
	} else {
		require.Equal(t, order, p.view.InOrder())
	}
	for i := 1; i < len(order); i++ {
		require.Less(t, p.view.Seq(order[i-1]), p.view.Seq(order[i]))
	}
	alive := 0
	for row := range uint32(p.rows) {
		if p.view.Live(row) {
			alive++
		}
	}
	require.Equal(t, len(p.docs), alive)

	var want []uint32
	for _, id := range ids {
		row, ok := p.view.Row(id)
		wantRow, wantOK := live[id]
		require.Equal(t, wantOK, ok, "id %q", id)
		if ok {
			require.Equal(t, wantRow, row, "id %q", id)
			want = append(want, row)
		}
	}
	require.Equal(t, append([]uint32{77}, want...), p.view.LiveRows([]uint32{77}, ids))
}

// TestTableAgainstAList drives a table and a plain list through the same
// changes and holds every view ever taken against the list of its time.
func TestTableAgainstAList(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e", "f", "g"}
	rapid.Check(t, func(t *rapid.T) {
		table := NewTable()
		var docs []doc
		var views []pinned
		rows := 0
		pin := func() {
			views = append(views, pinned{table.View(), slices.Clone(docs), rows})
		}
		pick := func(t *rapid.T, live bool) []string {
			var from []string
			for _, name := range names {
				if slices.ContainsFunc(docs, func(d doc) bool { return d.id == name }) == live {
					from = append(from, name)
				}
			}
			if len(from) == 0 {
				return nil
			}
			return rapid.SliceOfNDistinct(rapid.SampledFrom(from), 0, len(from), rapid.ID[string]).Draw(t, "ids")
		}
		pin()
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				ids := pick(t, false)
				require.NoError(t, table.CheckAdd(ids))
				require.EqualValues(t, rows, table.Add(ids))
				for _, id := range ids {
					docs = append(docs, doc{id, uint32(rows)})
					rows++
				}
				pin()
			},
			"replace": func(t *rapid.T) {
				ids := pick(t, true)
				require.NoError(t, table.CheckLive(ids))
				require.EqualValues(t, rows, table.Replace(ids))
				for _, id := range ids {
					at := slices.IndexFunc(docs, func(d doc) bool { return d.id == id })
					docs[at].row = uint32(rows)
					rows++
				}
				pin()
			},
			"delete": func(t *rapid.T) {
				ids := pick(t, true)
				require.NoError(t, table.CheckLive(ids))
				table.Delete(ids)
				docs = slices.DeleteFunc(docs, func(d doc) bool { return slices.Contains(ids, d.id) })
				pin()
			},
			"compact": func(t *rapid.T) {
				fresh, from := table.Compacted()
				require.Len(t, from, len(docs))
				for i := range docs {
					require.Equal(t, docs[i].row, from[i])
					docs[i].row = uint32(i)
				}
				table, rows = fresh, len(docs)
				require.Zero(t, table.Dead())
				pin()
			},
			"refuse": func(t *rapid.T) {
				id := rapid.SampledFrom(names).Draw(t, "id")
				_, live := table.Row(id)
				if live {
					require.ErrorIs(t, table.CheckAdd([]string{id}), prospect.ErrDuplicateID)
				} else {
					require.ErrorIs(t, table.CheckLive([]string{id}), prospect.ErrNotFound)
				}
			},
			"": func(t *rapid.T) {
				require.Equal(t, rows, table.Rows())
				require.Equal(t, len(docs), table.Len())
				require.Equal(t, rows-len(docs), table.Dead())
				for _, v := range views {
					v.check(t, append(names, "never", ""))
				}
			},
		})
	})
}

func TestCheckNamesTheCulprit(t *testing.T) {
	table := NewTable()
	table.Add([]string{"a", "b", "c"})
	table.Delete([]string{"c"})
	for _, tc := range []struct {
		name              string
		del, replace, add []string
		id                string
		err               error
	}{
		{"nothing", nil, nil, nil, "", nil},
		{"all kinds", []string{"a"}, []string{"b"}, []string{"c", "d"}, "", nil},
		{"add what is there", nil, nil, []string{"d", "a"}, "a", prospect.ErrDuplicateID},
		{"add twice", nil, nil, []string{"d", "e", "d"}, "d", prospect.ErrDuplicateID},
		{"add no id", nil, nil, []string{""}, "", prospect.ErrEmptyID},
		{"replace what never was", nil, []string{"x"}, nil, "x", prospect.ErrNotFound},
		{"replace what is gone", nil, []string{"c"}, nil, "c", prospect.ErrNotFound},
		{"replace twice", nil, []string{"a", "a"}, nil, "a", prospect.ErrDuplicateID},
		{"delete what is gone", []string{"c"}, nil, nil, "c", prospect.ErrNotFound},
		{"delete twice", []string{"a", "a"}, nil, nil, "a", prospect.ErrDuplicateID},
		{"delete no id", []string{""}, nil, nil, "", prospect.ErrEmptyID},
		{"delete and replace", []string{"a"}, []string{"a"}, nil, "a", prospect.ErrDuplicateID},
		{"delete and add", []string{"a"}, nil, []string{"a"}, "a", prospect.ErrDuplicateID},
		{"replace and add", nil, []string{"a"}, []string{"a"}, "a", prospect.ErrDuplicateID},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := table.Check(tc.del, tc.replace, tc.add)
			if tc.err == nil {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, tc.err)
			var named *prospect.IDError
			require.True(t, errors.As(err, &named))
			require.Equal(t, tc.id, named.ID)
		})
	}
	require.Equal(t, 2, table.Len(), "a check changes nothing")
}

func TestAReAddedIDComesLast(t *testing.T) {
	table := NewTable()
	table.Add([]string{"a", "b"})
	before := table.View()
	table.Delete([]string{"a"})
	gone := table.View()
	table.Add([]string{"a"})

	names := func(v View) (ids []string) {
		for _, row := range v.InOrder() {
			ids = append(ids, v.ID(row))
		}
		return ids
	}
	require.Equal(t, []string{"a", "b"}, names(before))
	require.Equal(t, []string{"b"}, names(gone))
	require.Equal(t, []string{"b", "a"}, names(table.View()))
	_, ok := gone.Row("a")
	require.False(t, ok)
	row, ok := before.Row("a")
	require.True(t, ok)
	require.Zero(t, row)
}

func TestZeroViewIsEmpty(t *testing.T) {
	var v View
	require.Zero(t, v.Len())
	require.True(t, v.AllLive())
	require.Empty(t, v.InOrder())
	require.Empty(t, v.LiveRows(nil, []string{"a"}))
	_, ok := v.Row("a")
	require.False(t, ok)
}

// TestViewsHoldWhileTheTableGoesOn is for the race detector. The writer keeps
// an invariant that every published view must show: documents "0" to "n-1"
// for a growing n, each with one row, in order.
func TestViewsHoldWhileTheTableGoesOn(t *testing.T) {
	const n, batch = 2000, 3 * lockedIDs
	var current atomic.Pointer[View]
	publish := func(v View) { current.Store(&v) }
	table := NewTable()
	publish(table.View())

	var wg sync.WaitGroup
	done := make(chan struct{})
	for range 3 {
		wg.Go(func() {
			for {
				v := *current.Load()
				rows := v.InOrder()
				ids := make([]string, len(rows))
				for i, row := range rows {
					ids[i] = v.ID(row)
					if got, ok := v.Row(ids[i]); !ok || got != row || ids[i] != fmt.Sprint(i) {
						t.Errorf("place %d: id %s has row %d, %v; want row %d", i, ids[i], got, ok, row)
						return
					}
				}
				if !slices.Equal(rows, v.LiveRows(nil, ids)) || v.Len() != len(rows) {
					t.Error("LiveRows or Len differs from InOrder")
					return
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for lo := 0; lo < n; lo += batch {
		var ids []string
		for i := lo; i < lo+batch; i++ {
			ids = append(ids, fmt.Sprint(i))
		}
		table.Add(ids)
		publish(table.View())
		table.Replace(ids[:lockedIDs*2])
		publish(table.View())
		// Gone and back, so that a walk passes rows that are dead.
		table.Delete(ids[batch-1:])
		table.Add(ids[batch-1:])
		publish(table.View())
		if lo%2 == 0 {
			table, _ = table.Compacted()
			publish(table.View())
		}
	}
	close(done)
	wg.Wait()
}

// BenchmarkDeleteOne shows the price of a new dead bitmap: one bit a row.
func BenchmarkDeleteOne(b *testing.B) {
	const n = 100_000
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprint(i)
	}
	table := NewTable()
	i := n
	for b.Loop() {
		if i == n {
			table, i = NewTable(), 0
			table.Add(ids)
		}
		table.Delete(ids[i : i+1])
		i++
	}
}
