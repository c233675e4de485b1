// Package docids maps the string ids of documents to the dense rows of an
// index, with what every index of the library needs around that: rows that
// are dead, the order of first insertion, and immutable views for readers
// while one writer goes on.
//
// A row is written once and never reused. Updating an id gives it a new row
// that keeps the old one's place in the order; the old row dies. A [Table] is
// one generation: compaction makes a new one, and views of the old one stay
// valid.
package docids

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/kelindar/bitmap"

	"github.com/prospect-go/prospect"
)

const none = math.MaxUint32 // no row

// A Table is the writer's side. Its methods, View among them, are for one
// goroutine at a time; views may be read by any number meanwhile.
type Table struct {
	ids  []string // by row
	seq  []uint32 // by row: order of first insertion, larger is later
	prev []uint32 // by row: the row of the same id before it, or none

	dead    bitmap.Bitmap // by row; replaced, never changed, so views can share it
	numDead int
	nextSeq uint32

	mu     sync.RWMutex      // guards newest, which views read too
	newest map[string]uint32 // the last row of every id ever added, dead or alive
}

// NewTable returns an empty table.
func NewTable() *Table { return &Table{newest: make(map[string]uint32)} }

// Rows is the number of rows, dead ones included; the next row has this number.
func (t *Table) Rows() int { return len(t.ids) }

// Len is the number of live documents.
func (t *Table) Len() int { return len(t.ids) - t.numDead }

// Dead is the number of rows that compaction would free.
func (t *Table) Dead() int { return t.numDead }

// Row returns the live row of an id.
func (t *Table) Row(id string) (uint32, bool) { return t.View().Row(id) }

// CheckAdd says whether Add would take the ids: [prospect.ErrEmptyID],
// [prospect.ErrDuplicateID] (in the table or within ids) or
// [prospect.ErrFull], the first two wrapped in a [*prospect.IDError].
func (t *Table) CheckAdd(ids []string) error { return t.Check(nil, nil, ids) }

// CheckLive says whether all ids have live rows and none comes twice, which
// Replace and Delete ask for: [prospect.ErrEmptyID], [prospect.ErrNotFound] or
// [prospect.ErrDuplicateID] in a [*prospect.IDError]; [prospect.ErrFull].
func (t *Table) CheckLive(ids []string) error { return t.Check(nil, ids, nil) }

// Check says whether one change of all three kinds would be taken: Delete,
// then Replace, then Add. No id may come twice in the whole of it. Errors are
// those of CheckLive for the first two and of CheckAdd for the last.
func (t *Table) Check(del, replace, add []string) error {
	room := none - uint64(len(t.ids)) // nextSeq is never larger than that
	if uint64(len(replace))+uint64(len(add)) >= room {
		return prospect.ErrFull
	}
	var seen map[string]struct{}
	if n := len(del) + len(replace) + len(add); n > 1 {
		seen = make(map[string]struct{}, n)
	}
	for kind, ids := range [][]string{del, replace, add} {
		for _, id := range ids {
			_, live := t.Row(id)
			_, twice := seen[id]
			var err error
			switch {
			case id == "":
				err = prospect.ErrEmptyID
			case twice || live && kind == 2:
				err = prospect.ErrDuplicateID
			case !live && kind < 2:
				err = prospect.ErrNotFound
			}
			if err != nil {
				return &prospect.IDError{ID: id, Err: err}
			}
			if seen != nil {
				seen[id] = struct{}{}
			}
		}
	}
	return nil
}

// Add gives each id the next row, in order, and returns the first. The ids
// must have passed CheckAdd or Check.
func (t *Table) Add(ids []string) (first uint32) {
	first = uint32(len(t.ids))
	for piece := range slices.Chunk(ids, lockedIDs) {
		t.mu.Lock()
		for _, id := range piece {
			t.append(id, t.nextSeq)
			t.nextSeq++
		}
		t.mu.Unlock()
	}
	return first
}

// Replace gives each id a new row that keeps its place in the order, kills
// the old row, and returns the first new row. The ids must have passed
// CheckLive or Check.
func (t *Table) Replace(ids []string) (first uint32) {
	first = uint32(len(t.ids))
	old := make([]uint32, 0, len(ids))
	for piece := range slices.Chunk(ids, lockedIDs) {
		t.mu.Lock()
		for _, id := range piece {
			row := t.newest[id]
			old = append(old, row)
			t.append(id, t.seq[row])
		}
		t.mu.Unlock()
	}
	t.kill(old)
	return first
}

// lockedIDs is how many ids are handled under one lock: enough to forget its
// price, few enough that nobody waits for more than some microseconds, however
// large the batch. Rows appended before the batch is done are beyond every
// view, so that no reader can see half of it.
const lockedIDs = 64

// Delete kills the rows of the ids. The ids must have passed CheckLive or
// Check.
func (t *Table) Delete(ids []string) {
	rows := make([]uint32, len(ids))
	for i, id := range ids {
		rows[i] = t.newest[id]
	}
	t.kill(rows)
}

// append adds a row; the caller holds mu.
func (t *Table) append(id string, seq uint32) {
	before, ok := t.newest[id]
	if !ok {
		before = none
	}
	t.newest[id] = uint32(len(t.ids))
	t.ids = append(t.ids, id)
	t.seq = append(t.seq, seq)
	t.prev = append(t.prev, before)
}

func (t *Table) kill(rows []uint32) {
	if len(rows) == 0 {
		return
	}
	// One copy for the whole call: rows/8 bytes, 125 kB for a million rows.
	dead := make(bitmap.Bitmap, (len(t.ids)+63)/64)
	copy(dead, t.dead)
	for _, row := range rows {
		dead.Set(row)
	}
	t.dead = dead
	t.numDead += len(rows)
}

// View returns the table as it is now. Cost: O(1).
func (t *Table) View() View {
	n := len(t.ids)
	return View{table: t, ids: t.ids[:n:n], seq: t.seq[:n:n], dead: t.dead, numDead: t.numDead}
}

// Compacted returns a new table with the live documents alone, in order of
// first insertion, and for each of its rows the row in t. t stays as it is.
func (t *Table) Compacted() (c *Table, from []uint32) {
	from = t.View().InOrder()
	ids := make([]string, len(from))
	for i, row := range from {
		ids[i] = t.ids[row]
	}
	c = &Table{newest: make(map[string]uint32, len(ids))}
	c.Add(ids)
	return c, from
}

// A View is the state of a table at one moment: immutable, cheap to copy and
// safe for any number of goroutines while the table goes on. The zero View is
// empty.
type View struct {
	table   *Table
	ids     []string
	seq     []uint32
	dead    bitmap.Bitmap
	numDead int
}

// Rows is the number of rows, dead ones included.
func (v View) Rows() int { return len(v.ids) }

// Len is the number of live documents.
func (v View) Len() int { return len(v.ids) - v.numDead }

// AllLive says that no row is dead, so that a scan need not ask.
func (v View) AllLive() bool { return v.numDead == 0 }

// Live says whether a row is not dead. Rows of the view only.
func (v View) Live(row uint32) bool { return !v.dead.Contains(row) }

// Hidden is the set of the rows that are dead or belong to one of the ids, of
// which unknown ones are ignored. It must not be changed. Cost: O(1) without
// ids, else one bit a row.
func (v View) Hidden(ids []string) bitmap.Bitmap {
	if len(ids) == 0 {
		return v.dead
	}
	hidden := make(bitmap.Bitmap, (len(v.ids)+63)/64)
	copy(hidden, v.dead)
	for _, row := range v.LiveRows(make([]uint32, 0, len(ids)), ids) {
		hidden.Set(row)
	}
	return hidden
}

// ID is the id of a row.
func (v View) ID(row uint32) string { return v.ids[row] }

// Seq is a row's place in the order of first insertion: larger is later, with
// gaps.
func (v View) Seq(row uint32) uint32 { return v.seq[row] }

// Row returns the live row of an id in this view. Cost: O(1), and one step for
// every time that the id was updated or added again after the view was taken.
func (v View) Row(id string) (uint32, bool) {
	if v.table == nil {
		return 0, false
	}
	v.table.mu.RLock()
	defer v.table.mu.RUnlock()
	return v.find(id)
}

// LiveRows appends to dst the live rows of those ids that have one, in the
// order of ids, and returns the extended slice.
func (v View) LiveRows(dst []uint32, ids []string) []uint32 {
	if v.table == nil {
		return dst
	}
	for piece := range slices.Chunk(ids, lockedIDs) {
		v.table.mu.RLock()
		for _, id := range piece {
			if row, ok := v.find(id); ok {
				dst = append(dst, row)
			}
		}
		v.table.mu.RUnlock()
	}
	return dst
}

// find is Row for a caller who holds the table's mu.
func (v View) find(id string) (uint32, bool) {
	row, ok := v.table.newest[id]
	// Rows that came later lie beyond the view: walk back to the one it has.
	for ok && int(row) >= len(v.ids) {
		row = v.table.prev[row]
		ok = row != none
	}
	// Of an id's rows within the view only the last can be live.
	if !ok || !v.Live(row) {
		return 0, false
	}
	return row, true
}

// InOrder lists the live rows in order of first insertion. Cost: O(n), or
// O(n log n) where updates have moved rows out of order.
func (v View) InOrder() []uint32 {
	rows := make([]uint32, 0, v.Len())
	for row := range uint32(len(v.ids)) {
		if v.Live(row) {
			rows = append(rows, row)
		}
	}
	bySeq := func(a, b uint32) int { return cmp.Compare(v.seq[a], v.seq[b]) }
	if !slices.IsSortedFunc(rows, bySeq) {
		slices.SortFunc(rows, bySeq)
	}
	return rows
}
