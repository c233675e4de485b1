package bm25

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/prospect-go/prospect"
)

// ErrUnknownField: a document has a field that [Options].Fields lacks.
var ErrUnknownField = errors.New("bm25: unknown field")

// A Field is a part of documents beside their Text, such as a name or a
// title, that counts differently. See the package comment for how fields make
// one score.
type Field struct {
	// Name of the field in [Doc].Fields. Not empty.
	Name string
	// Weight of an occurrence of a term in the field, where one in the Text
	// weighs 1. Positive, finite. Default 1.
	Weight float64
	// B is how much long fields are held back, from 0 to 1. Default: B of the
	// [Options].
	B *float64
}

// A field in use. The first one of an index is the Text, without a name.
type field struct {
	name      string
	weight, b float64
}

// unknownField returns the name of a field that the index does not have, the
// first in alphabetical order.
func (s *settings) unknownField(d Doc) (name string, found bool) {
	for n := range d.Fields {
		if s.fieldIndex(n) < 1 && (!found || n < name) {
			name, found = n, true
		}
	}
	return name, found
}

func (s *settings) fieldIndex(name string) int {
	return slices.IndexFunc(s.fields, func(f field) bool { return f.name == name })
}

func validateFields(fields []Field) error {
	for i, f := range fields {
		if f.Name == "" {
			return fmt.Errorf("%w: bm25: field %d has no name", prospect.ErrOption, i)
		}
		if slices.ContainsFunc(fields[:i], func(g Field) bool { return g.Name == f.Name }) {
			return fmt.Errorf("%w: bm25: two fields with the name %q", prospect.ErrOption, f.Name)
		}
		if f.Weight != 0 && !(f.Weight >= math.SmallestNonzeroFloat32 && f.Weight <= math.MaxFloat32) {
			return fmt.Errorf("%w: bm25: weight of field %q is %v, want a positive float32", prospect.ErrOption, f.Name, f.Weight)
		}
		if f.B != nil && !(*f.B >= 0 && *f.B <= 1) {
			return fmt.Errorf("%w: bm25: B of field %q is %v, want 0 to 1", prospect.ErrOption, f.Name, *f.B)
		}
	}
	if len(fields) > maxFields {
		return fmt.Errorf("%w: bm25: %d fields, want at most %d", prospect.ErrOption, len(fields), maxFields)
	}
	return nil
}

// maxFields is what an entry has room for, less one for the Text; far more
// than anyone needs.
const maxFields = math.MaxUint16 - 1
