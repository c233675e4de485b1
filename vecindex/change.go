package vecindex

import (
	"fmt"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/internal/docids"
)

// A Doc is a document to add, or one to update with its new vectors. Vectors
// have the index's dimension, are finite, not zero, and of any length.
type Doc struct {
	ID     string
	Vector []float32
	// More are further vectors of the document, such as those of the pieces of
	// a long text. The best of all its vectors counts.
	More [][]float32
}

// each calls f for every vector of the document, in order, until an error.
func (d *Doc) each(f func([]float32) error) error {
	err := f(d.Vector)
	for i := 0; err == nil && i < len(d.More); i++ {
		err = f(d.More[i])
	}
	return err
}

// Changes are made by [Index.Apply] in one step. No id may come twice.
type Changes struct {
	Delete []string // documents that are there
	Update []Doc    // documents that are there; they keep their place in the order
	Add    []Doc    // documents that are not there; they come last, in this order
}

// Add adds a document. Errors are those of [Index.Apply].
func (ix *Index) Add(id string, vector []float32) error {
	return ix.Apply(Changes{Add: []Doc{{ID: id, Vector: vector}}})
}

// AddBatch adds documents in the given order, in one step. ids and vectors
// have equal lengths. Errors are those of [Index.Apply].
func (ix *Index) AddBatch(ids []string, vectors [][]float32) error {
	docs, err := pair(ids, vectors)
	if err != nil {
		return err
	}
	return ix.Apply(Changes{Add: docs})
}

// Update replaces all vectors of a document by one; it keeps its place in the
// order. Errors are those of [Index.Apply].
func (ix *Index) Update(id string, vector []float32) error {
	return ix.Apply(Changes{Update: []Doc{{ID: id, Vector: vector}}})
}

// UpdateBatch is Update of several documents in one step. ids and vectors
// have equal lengths. Errors are those of [Index.Apply].
func (ix *Index) UpdateBatch(ids []string, vectors [][]float32) error {
	docs, err := pair(ids, vectors)
	if err != nil {
		return err
	}
	return ix.Apply(Changes{Update: docs})
}

// Delete removes documents in one step. An id that is added again later comes
// last in the order. Errors are those of [Index.Apply].
func (ix *Index) Delete(ids ...string) error { return ix.Apply(Changes{Delete: ids}) }

func pair(ids []string, vectors [][]float32) ([]Doc, error) {
	if len(ids) != len(vectors) {
		return nil, fmt.Errorf("vecindex: %d ids for %d vectors", len(ids), len(vectors))
	}
	docs := make([]Doc, len(ids))
	for i := range docs {
		docs[i] = Doc{ID: ids[i], Vector: vectors[i]}
	}
	return docs, nil
}

// Apply makes all changes or, on error, none; every search sees them all or
// none. The vectors are copied. Errors come in a [*prospect.IDError] that
// names the document: [prospect.ErrEmptyID], [prospect.ErrDuplicateID] (to
// add what is there, or an id twice in the changes), [prospect.ErrNotFound] (to
// update or delete what is not there), [prospect.ErrDimension],
// [prospect.ErrZeroVector], [prospect.ErrNotFinite]; plus
// [prospect.ErrFull] (2³² − 2 vectors or documents, dead ones included).
//
// Cost: O(dim) a vector, and for changes with deletes or updates one bit for
// every row; now and then a compaction (see [Options]).
func (ix *Index) Apply(c Changes) error {
	if len(c.Delete)+len(c.Update)+len(c.Add) == 0 {
		return nil
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()

	update, add := idsOf(c.Update), idsOf(c.Add)
	if err := ix.docs.Check(c.Delete, update, add); err != nil {
		return err
	}
	norms := make([]float64, 0, len(c.Update)+len(c.Add))
	for _, docs := range [][]Doc{c.Update, c.Add} {
		for _, d := range docs {
			err := d.each(func(v []float32) error {
				norm, err := normOf(v, ix.vecs.unit.dim)
				norms = append(norms, norm)
				return err
			})
			if err != nil {
				return &prospect.IDError{ID: d.ID, Err: err}
			}
		}
	}
	if err := ix.vecs.room(len(norms)); err != nil {
		return err
	}

	// Nothing fails from here on. Vectors that no snapshot has are filled
	// first, in the order in which docs numbers their rows.
	row := ix.docs.Rows()
	for _, docs := range [][]Doc{c.Update, c.Add} {
		for _, d := range docs {
			ix.vecs.append(row, 1+len(d.More), func(i int, dst []float32) {
				v := d.Vector
				if i > 0 {
					v = d.More[i-1]
				}
				scale(dst, v, norms[0])
				norms = norms[1:]
			})
			row++
		}
	}
	ix.docs.Delete(c.Delete)
	ix.docs.Replace(update)
	ix.docs.Add(add)

	if dead := ix.docs.Dead(); dead >= minDead && float64(dead) > ix.maxDead*float64(ix.docs.Rows()) {
		ix.compact()
	}
	ix.publish()
	return nil
}

func idsOf(docs []Doc) []string {
	ids := make([]string, len(docs))
	for i, d := range docs {
		ids[i] = d.ID
	}
	return ids
}

// minDead is the number of dead rows below which compacting by itself is not
// worth a copy of the index.
const minDead = 1024

// Compact frees the rows of deleted and updated documents. Searches go on;
// snapshots taken before keep the old rows until they are let go. Cost: one
// copy of the live rows.
func (ix *Index) Compact() {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.docs.Dead() > 0 {
		ix.compact()
		ix.publish()
	}
}

// compact replaces docs and vecs by new ones; the caller holds mu and
// publishes.
func (ix *Index) compact() {
	var from []uint32
	var docs *docids.Table
	docs, from = ix.docs.Compacted()
	ix.docs, ix.vecs = docs, ix.vecs.compacted(from)
}
