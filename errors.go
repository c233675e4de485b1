package prospect

import (
	"errors"
	"fmt"
)

// Errors of calling.
var (
	// ErrOption: an option is out of range or contradicts another.
	ErrOption = errors.New("prospect: invalid option")
	// ErrContract: an embedder, model or store that was given to the library
	// broke a promise of its interface.
	ErrContract = errors.New("prospect: a promise of the interface was broken")
)

// Errors of searching.
var (
	// ErrInvalidK: a query asks for no hits (K ≤ 0).
	ErrInvalidK = errors.New("prospect: k must be positive")
	// ErrUnsupportedQuery: the query lacks the part that the searcher needs.
	ErrUnsupportedQuery = errors.New("prospect: query lacks what this searcher needs")
)

// Errors of vectors.
var (
	// ErrDimension: a vector has another number of components than the index.
	ErrDimension = errors.New("prospect: wrong vector dimension")
	// ErrZeroVector: a vector without direction has no cosine.
	ErrZeroVector = errors.New("prospect: zero vector")
	// ErrNotFinite: a vector or score holds NaN or an infinity.
	ErrNotFinite = errors.New("prospect: not a finite number")
)

// Errors of adding, updating and deleting.
var (
	// ErrDuplicateID: the id is already there, or twice in one batch.
	ErrDuplicateID = errors.New("prospect: duplicate id")
	// ErrNotFound: no document has the id.
	ErrNotFound = errors.New("prospect: id not found")
	// ErrEmptyID: an id is the empty string.
	ErrEmptyID = errors.New("prospect: empty id")
	// ErrFull: an index has no ordinals left (2³² − 2 rows between compactions).
	ErrFull = errors.New("prospect: index is full")
)

// Errors of identities: whose vectors, analyzer or recipe made an index.
var (
	// ErrIdentity: an index, cache or file was made by another embedder,
	// analyzer or recipe than the one at hand.
	ErrIdentity = errors.New("prospect: made with another model, analyzer or recipe")
)

// Errors of saved files.
var (
	// ErrFormat: the file is not of the kind that was asked for.
	ErrFormat = errors.New("prospect: not a file of this kind")
	// ErrVersion: the file was written by a newer version of the library.
	ErrVersion = errors.New("prospect: file has a newer version")
	// ErrCorrupt: the file is truncated or its checksum does not match.
	ErrCorrupt = errors.New("prospect: file is truncated or corrupt")
)

// Errors of embedders and models.
var (
	// ErrClosed: the object was closed before the call.
	ErrClosed = errors.New("prospect: closed")
	// ErrTransient: the call failed in a way that may go away by itself.
	ErrTransient = errors.New("prospect: transient failure")
	// ErrEmptyText: the text has nothing that can be embedded.
	ErrEmptyText = errors.New("prospect: empty text")
)

// An IDError says which document an error is about.
type IDError struct {
	ID  string
	Err error
}

// Error gives the id, quoted, and the error.
func (e *IDError) Error() string { return fmt.Sprintf("id %q: %v", e.ID, e.Err) }

// Unwrap returns the error about the id.
func (e *IDError) Unwrap() error { return e.Err }

// A TextError says which text of a batch an error is about.
type TextError struct {
	Index int // position in the batch, from 0
	Err   error
}

// Error gives the position and the error.
func (e *TextError) Error() string { return fmt.Sprintf("text %d: %v", e.Index, e.Err) }

// Unwrap returns the error about the text.
func (e *TextError) Unwrap() error { return e.Err }
