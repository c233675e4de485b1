package vecindex

import (
	"fmt"
	"math"
	"slices"

	"github.com/kelindar/bitmap"

	"github.com/prospect-go/prospect"
)

// A Filter restricts the documents that are ranked. The zero Filter keeps
// everything; of several fields a document must pass all. It applies while
// scanning, so that the k best of what it keeps are found.
type Filter struct {
	// Within, where it is not nil, restricts to these ids. Unknown and
	// repeated ids are ignored. Only the vectors of these ids are read, so it is
	// the fast way to search a small part.
	Within []string
	// Without leaves out these ids. Unknown and repeated ids are ignored.
	Without []string
	// Keep, where it is not nil, restricts to the ids for which it returns
	// true. It is asked only about documents whose score would rank, possibly
	// from several goroutines at once, and must give one answer per id. It may
	// search too. A panic in it reaches the caller of the search: what was
	// thrown, or where that was in another goroutine an error that says so, has
	// its stack, and wraps what was thrown if that was an error.
	Keep func(id string) bool
	// MinScore, where it is not nil, restricts to documents of this score or
	// above, in the unit of the method: new(0.3).
	MinScore *float64
}

// A selection is a filter as a snapshot sees it.
type selection struct {
	list   []uint32      // the rows to rank, ascending and live; nil for all rows
	hidden bitmap.Bitmap // rows to pass over when list is nil
	keep   func(id string) bool
	min    float64 // -Inf for none
}

// selects resolves a filter. Error: [prospect.ErrNotFinite] for a MinScore
// that is NaN.
func (s *Snapshot) selects(f Filter) (selection, error) {
	sel := selection{keep: f.Keep, min: math.Inf(-1)}
	if f.MinScore != nil {
		if sel.min = *f.MinScore; math.IsNaN(sel.min) {
			return sel, fmt.Errorf("%w: MinScore", prospect.ErrNotFinite)
		}
	}
	if f.Within == nil {
		sel.hidden = s.docs.Hidden(f.Without)
		return sel, nil
	}
	sel.list = s.rowsOf(f.Within)
	if len(f.Without) > 0 {
		out := s.rowsOf(f.Without)
		sel.list = slices.DeleteFunc(sel.list, func(row uint32) bool {
			_, found := slices.BinarySearch(out, row)
			return found
		})
	}
	return sel, nil
}

// within restricts a selection to some ids.
func (s *Snapshot) within(sel selection, ids []string) selection {
	rows := s.rowsOf(ids)
	sel.list = slices.DeleteFunc(rows, func(row uint32) bool {
		if sel.list != nil {
			_, found := slices.BinarySearch(sel.list, row)
			return !found
		}
		return sel.hidden.Contains(row)
	})
	return sel
}

// rowsOf lists the live rows of ids, each once, ascending; never nil.
func (s *Snapshot) rowsOf(ids []string) []uint32 {
	rows := s.docs.LiveRows(make([]uint32, 0, len(ids)), ids)
	slices.Sort(rows)
	return slices.Compact(rows)
}

// both is a predicate that asks f and then g, either of which may be nil.
func both(f, g func(string) bool) func(string) bool {
	switch {
	case f == nil:
		return g
	case g == nil:
		return f
	}
	return func(id string) bool { return f(id) && g(id) }
}
