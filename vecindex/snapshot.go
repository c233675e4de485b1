package vecindex

import (
	"iter"
	"slices"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/internal/docids"
)

// A Snapshot is the state of an [Index] at one moment. It never changes and
// is safe for any number of goroutines.
type Snapshot struct {
	identity string
	docs     docids.View
	vecs     vectors
}

// Len is the number of documents.
func (s *Snapshot) Len() int { return s.docs.Len() }

// Dim is the number of components of a vector.
func (s *Snapshot) Dim() int { return s.vecs.unit.dim }

// Identity is the identity of the embedder that makes the vectors, as given
// in [Options] or read from a file.
func (s *Snapshot) Identity() string { return s.identity }

// Has says whether a document with the id is there.
func (s *Snapshot) Has(id string) bool {
	_, ok := s.docs.Row(id)
	return ok
}

// Get returns a copy of a document's unit vector, the first where it has
// several. Error: [prospect.ErrNotFound] in a [*prospect.IDError].
func (s *Snapshot) Get(id string) ([]float32, error) {
	row, ok := s.docs.Row(id)
	if !ok {
		return nil, &prospect.IDError{ID: id, Err: prospect.ErrNotFound}
	}
	return slices.Clone(s.vecs.unit.at(s.vecs.first(row))), nil
}

// Vectors returns copies of all unit vectors of a document, in the order given
// when it was added. Error: [prospect.ErrNotFound] in a [*prospect.IDError].
func (s *Snapshot) Vectors(id string) ([][]float32, error) {
	row, ok := s.docs.Row(id)
	if !ok {
		return nil, &prospect.IDError{ID: id, Err: prospect.ErrNotFound}
	}
	var all [][]float32
	for i := s.vecs.first(row); i < s.vecs.first(row+1); i++ {
		all = append(all, slices.Clone(s.vecs.unit.at(i)))
	}
	return all, nil
}

// All iterates over the vectors in the order in which their documents were
// first added: id and a copy of the unit vector. A document with several
// vectors comes several times in a row. Cost: one copy of the vectors in all,
// allocated piece by piece.
func (s *Snapshot) All() iter.Seq2[string, []float32] {
	return func(yield func(string, []float32) bool) {
		const piece = 16
		dim := s.vecs.unit.dim
		var copies []float32
		for _, row := range s.docs.InOrder() {
			for i := s.vecs.first(row); i < s.vecs.first(row+1); i++ {
				if len(copies) == 0 {
					copies = make([]float32, piece*dim)
				}
				v := copies[:dim:dim]
				copies = copies[dim:]
				copy(v, s.vecs.unit.at(i))
				if !yield(s.docs.ID(row), v) {
					return
				}
			}
		}
	}
}

// Len is the number of documents.
func (ix *Index) Len() int { return ix.Snapshot().Len() }

// Dim is the number of components of a vector.
func (ix *Index) Dim() int { return ix.Snapshot().Dim() }

// Identity is [Snapshot.Identity].
func (ix *Index) Identity() string { return ix.Snapshot().Identity() }

// Has is [Snapshot.Has] of the current state.
func (ix *Index) Has(id string) bool { return ix.Snapshot().Has(id) }

// Get is [Snapshot.Get] of the current state.
func (ix *Index) Get(id string) ([]float32, error) { return ix.Snapshot().Get(id) }

// Vectors is [Snapshot.Vectors] of the current state.
func (ix *Index) Vectors(id string) ([][]float32, error) { return ix.Snapshot().Vectors(id) }

// All is [Snapshot.All] of the state at the time of the call.
func (ix *Index) All() iter.Seq2[string, []float32] { return ix.Snapshot().All() }
