package answer

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

const (
	// MaxBytes is the longest text that is read, in bytes.
	MaxBytes = 1 << 20
	// MaxDepth is the deepest nesting of lists and objects that is read.
	MaxDepth = 64

	// maxUnwrap is how many wrappers, {"result": …}, may be around a value.
	maxUnwrap = 3

	// maxTried is how many candidates are decoded, the likeliest first. It
	// bounds how often validate is called.
	maxTried = 1000
)

// ErrUnusable: the text holds no value of the kind that was asked for, or none
// that passes the check. The error says what came closest and why it failed.
var ErrUnusable = errors.New("answer: no usable value")

// Decode finds the value of type T in a model's text and checks it with
// validate (nil: no check), which may also tidy the value. Of several values it
// takes the best that passes, as the package's comment says.
//
// T is a struct, a slice, a map, or a type with an UnmarshalJSON method. Every
// error wraps [ErrUnusable], and the error of validate where that refused the
// likeliest value; T is its zero value then. Validate should refuse what is
// empty, for "{}" decodes into most types. It may be called several times.
func Decode[T any](text string, validate func(*T) error) (T, error) {
	d := decoder[T]{validate: validate}
	return d.decode(text)
}

// Unmarshal is json.Unmarshal with the leniency of this package: data is JSON
// or nearly so, and is bent to the type of v, a pointer, where that is plain.
// It is meant for UnmarshalJSON methods that accept a second form.
func Unmarshal(data []byte, v any) error {
	t := reflect.TypeOf(v)
	if t == nil || t.Kind() != reflect.Pointer {
		return &json.InvalidUnmarshalError{Type: t}
	}
	p := parser{s: strings.ToValidUTF8(string(data), "\uFFFD")}
	n, err := p.value()
	if err != nil {
		return err
	}
	return unmarshal(n, v, t.Elem())
}

func unmarshal(n node, v any, t reflect.Type) error {
	err := json.Unmarshal(coerce(n, t).json(nil), v)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		// The same without Go's names: a model will read it.
		got, _, _ := strings.Cut(wrong.Value, " ")
		if got == "array" {
			got = "list"
		}
		where := "the value"
		if wrong.Field != "" {
			where = strconv.Quote(wrong.Field)
		}
		return fmt.Errorf("%s is of kind %s where %s was asked", where, got, jsonName(wrong.Type))
	}
	return err
}

// jsonName is what JSON calls a value of type t.
func jsonName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Slice, reflect.Array:
		return "list"
	case reflect.Struct, reflect.Map:
		return "object"
	}
	return "number"
}

// A decoder tries one candidate after another.
type decoder[T any] struct {
	validate func(*T) error
	first    error // about the likeliest candidate
}

func (d *decoder[T]) decode(text string) (T, error) {
	var zero T
	if len(text) > MaxBytes {
		return zero, fmt.Errorf("%w: %d bytes, more than the limit of %d", ErrUnusable, len(text), MaxBytes)
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	if strings.TrimSpace(text) == "" {
		return zero, fmt.Errorf("%w: the answer is empty", ErrUnusable)
	}
	readings := []func(string) (T, bool){d.fromJSON, d.fromEscaped, d.fromMarkdown}
	for _, read := range readings {
		if v, ok := read(text); ok {
			return v, nil
		}
	}
	if d.first == nil {
		d.first = errors.New("it holds no JSON")
	}
	return zero, fmt.Errorf("%w: %w", ErrUnusable, d.first)
}

// fromJSON reads the values that stand in the text.
func (d *decoder[T]) fromJSON(text string) (T, bool) {
	found := scan(text)
	want := object
	if reflect.TypeFor[T]().Kind() == reflect.Slice {
		want = list
		for _, n := range rows(text, found) {
			if v, ok := d.try(n, 0); ok {
				return v, true
			}
		}
	}
	// Of equal standing, a value of the kind that was asked for comes first.
	slices.SortStableFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.standing, b.standing), compareBool(a.kind != want, b.kind != want))
	})
	for _, c := range found[:min(len(found), maxTried)] {
		if v, ok := d.try(c.node, maxUnwrap); ok {
			return v, true
		}
	}
	var zero T
	return zero, false
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// fromEscaped reads JSON that was escaped once more than it should be: as a
// JSON string, with or without its quotes, or as HTML.
func (d *decoder[T]) fromEscaped(text string) (T, bool) {
	text = strings.TrimSpace(text)
	if strings.Contains(text, `\"`) {
		var inner string
		for _, quoted := range []string{text, `"` + text + `"`} {
			if json.Unmarshal([]byte(quoted), &inner) == nil {
				return d.fromJSON(inner)
			}
		}
	}
	if strings.Contains(text, "&quot;") || strings.Contains(text, "&#34;") {
		return d.fromJSON(html.UnescapeString(text))
	}
	var zero T
	return zero, false
}

// fromMarkdown reads headings and bulleted lists. A list alone is offered to
// slices, and to types that may know what to do with one.
func (d *decoder[T]) fromMarkdown(text string) (T, bool) {
	text = withoutReasoning(text)
	t := reflect.TypeFor[T]()
	if t.Kind() != reflect.Slice {
		if n, ok := sections(text); ok {
			if v, ok := d.try(n, 0); ok {
				return v, true
			}
		}
	}
	if t.Kind() == reflect.Slice || hooked(t) {
		if items := bulletItems(text); len(items) > 0 {
			return d.try(listNode(items), 0)
		}
	}
	var zero T
	return zero, false
}

// foreign refuses an object that has members, but none that the struct type t
// knows: encoding/json would make an empty struct of it.
func foreign(n node, t reflect.Type) error {
	if n.kind != object || len(n.keys) == 0 || t.Kind() != reflect.Struct || hooked(t) {
		return nil
	}
	known := fields(t)
	if slices.ContainsFunc(n.keys, func(key string) bool { _, ok := known[canonical(key)]; return ok }) {
		return nil
	}
	names := make([]string, 0, len(known))
	for _, f := range known {
		names = append(names, strconv.Quote(f.name))
	}
	slices.Sort(names)
	return fmt.Errorf("it has none of the keys %s", strings.Join(names, ", "))
}

// try decodes n, or what n wraps, and validates it.
func (d *decoder[T]) try(n node, unwrap int) (T, bool) {
	var v, zero T
	t := reflect.TypeFor[T]()
	err := foreign(n, t)
	if err == nil {
		err = unmarshal(n, &v, t)
	}
	if err == nil && d.validate != nil {
		err = d.validate(&v)
	}
	if err == nil {
		return v, true
	}
	if d.first == nil {
		d.first = err
	}
	if unwrap == 0 || n.kind != object {
		return zero, false
	}
	for _, item := range n.items {
		if inner, ok := nested(item, object); ok && item.kind == text {
			item = inner
		}
		if item.kind == object || item.kind == list {
			if v, ok := d.try(item, unwrap-1); ok {
				return v, true
			}
		}
	}
	return zero, false
}
