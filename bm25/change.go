package bm25

import (
	"context"
	"fmt"

	"github.com/prospect-go/prospect"
)

// A Doc is a document to add or the new texts of one to update.
type Doc struct {
	ID   string
	Text string
	// Fields are the texts of [Options].Fields by name. One that is missing is
	// empty.
	Fields map[string]string
}

// Changes are made by [Index.Apply] in one step. No id may come twice.
type Changes struct {
	Delete []string // documents that are there
	Update []Doc    // documents that are there; they keep their place in the order
	Add    []Doc    // documents that are not there; they come last, in this order
}

// Add adds a document without fields. Errors are those of [Index.Apply].
func (ix *Index) Add(ctx context.Context, id, text string) error {
	return ix.Apply(ctx, Changes{Add: []Doc{{ID: id, Text: text}}})
}

// AddBatch adds documents in the given order, in one step. Errors are those
// of [Index.Apply].
func (ix *Index) AddBatch(ctx context.Context, docs []Doc) error {
	return ix.Apply(ctx, Changes{Add: docs})
}

// Update replaces the text of a document, which keeps its place in the order
// and has no fields any more. Errors are those of [Index.Apply].
func (ix *Index) Update(ctx context.Context, id, text string) error {
	return ix.Apply(ctx, Changes{Update: []Doc{{ID: id, Text: text}}})
}

// UpdateBatch replaces the texts of documents in one step. Errors are those
// of [Index.Apply].
func (ix *Index) UpdateBatch(ctx context.Context, docs []Doc) error {
	return ix.Apply(ctx, Changes{Update: docs})
}

// Delete removes documents in one step. An id that is added again later comes
// last in the order. Errors are those of [Index.Apply].
func (ix *Index) Delete(ids ...string) error {
	return ix.Apply(context.Background(), Changes{Delete: ids})
}

// Apply makes all changes or, on error, none; every search sees them all or
// none. Errors come in a [*prospect.IDError] that names the document:
// [prospect.ErrEmptyID], [prospect.ErrDuplicateID] (to add what is there, or
// an id twice in the changes), [prospect.ErrNotFound] (to update or delete
// what is not there), [ErrUnknownField]; plus [prospect.ErrFull], and ctx's
// error when it is done before the texts are analyzed.
//
// Cost: the analysis of the texts, which runs on all cores and before other
// writers are kept waiting; O(1) for each posting; for changes with deletes
// or updates one bit for every row; now and then a compaction (see
// [Options]).
func (ix *Index) Apply(ctx context.Context, c Changes) error {
	if len(c.Delete)+len(c.Update)+len(c.Add) == 0 {
		return nil
	}
	update, add := idsOf(c.Update), idsOf(c.Add)
	for _, docs := range [][]Doc{c.Update, c.Add} {
		for _, d := range docs {
			if name, found := ix.settings.unknownField(d); found {
				return &prospect.IDError{ID: d.ID, Err: fmt.Errorf("%w %q", ErrUnknownField, name)}
			}
		}
	}
	if err := ix.check(c.Delete, update, add); err != nil {
		return err // before the analysis, which is the long part
	}
	counted, err := count(ctx, &ix.settings, c.Update, c.Add)
	if err != nil {
		return err
	}

	ix.mu.Lock()
	defer ix.mu.Unlock()
	g := ix.gen
	if err := g.check(c.Delete, update, add); err != nil {
		return err // another writer came first
	}
	// Nothing fails from here on.
	for _, ids := range [][]string{c.Delete, update} {
		for _, id := range ids {
			row, _ := g.docs.Row(id)
			for f := range g.totals {
				g.totals[f] -= uint64(g.lengths[int(row)*len(g.totals)+f])
			}
		}
	}
	g.append(counted)
	g.docs.Delete(c.Delete)
	g.docs.Replace(update)
	g.docs.Add(add)
	if len(c.Delete)+len(update) > 0 {
		g.counts = &docCounts{}
	}
	if dead := g.docs.Dead(); dead >= minDead && float64(dead) > ix.settings.maxDead*float64(g.docs.Rows()) {
		ix.compact()
	}
	ix.publish()
	return nil
}

func (ix *Index) check(del, update, add []string) error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	return ix.gen.check(del, update, add)
}

// check is that of the ids, and that there are cells for the new rows.
func (g *generation) check(del, update, add []string) error {
	if err := g.docs.Check(del, update, add); err != nil {
		return err
	}
	if uint64(g.docs.Rows()+len(update)+len(add))*uint64(len(g.totals)) > gone-1 {
		return prospect.ErrFull
	}
	return nil
}

func idsOf(docs []Doc) []string {
	ids := make([]string, len(docs))
	for i, d := range docs {
		ids[i] = d.ID
	}
	return ids
}

// append writes the documents into the rows after the last one, which no
// snapshot has yet.
func (g *generation) append(c *counted) {
	// Terms are numbered in the order of the documents, so that the result
	// does not depend on which goroutine counted what.
	numbers := make([][]uint32, len(c.workers)) // by worker and its number; ours + 1
	for i, w := range c.workers {
		numbers[i] = make([]uint32, len(w.terms.terms))
	}
	var touched []uint32
	for _, d := range c.docs {
		w := c.workers[d.worker]
		for _, e := range w.entries[d.from:d.to] {
			n := numbers[d.worker][e.term]
			if n == 0 {
				n = g.terms.number(w.terms.terms[e.term]) + 1
				numbers[d.worker][e.term] = n
				if int(n) > len(g.fresh) {
					g.fresh = append(g.fresh, 0)
				}
			}
			if g.fresh[n-1] == 0 {
				touched = append(touched, n-1)
			}
			g.fresh[n-1]++
		}
	}
	g.lists.extend(len(g.terms.terms))
	for _, n := range touched {
		g.lists.of(n).reserve(int(g.fresh[n]), &g.store)
		g.fresh[n] = 0
	}
	cell := uint32(len(g.lengths)) // the first of the row
	for _, d := range c.docs {
		for _, e := range c.workers[d.worker].entries[d.from:d.to] {
			g.lists.of(numbers[d.worker][e.term]-1).append(cell+uint32(e.field), e.tf)
		}
		cell += uint32(len(g.totals))
	}
	g.lengths = append(g.lengths, c.lengths...)
	for i, length := range c.lengths {
		g.totals[i%len(g.totals)] += uint64(length)
	}
}
