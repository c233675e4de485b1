package answer

import (
	"encoding"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// coerce bends n to the Go type t where one reading is plain, and leaves it as
// it is otherwise: encoding/json then says what is wrong.
func coerce(n node, t reflect.Type) node {
	for t.Kind() == reflect.Pointer {
		if hooked(t) {
			return n
		}
		t = t.Elem()
	}
	if hooked(t) || n.kind == null {
		return n
	}
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return toObject(n, t)
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			return n
		}
		return toList(n, t.Elem())
	case reflect.String:
		return toText(n)
	case reflect.Bool:
		return toBool(n)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return toNumber(n, true)
	case reflect.Float32, reflect.Float64:
		return toNumber(n, false)
	}
	return n
}

var (
	jsonHook = reflect.TypeFor[json.Unmarshaler]()
	textHook = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// hooked says if t decodes itself.
func hooked(t reflect.Type) bool {
	if t.Kind() != reflect.Pointer {
		t = reflect.PointerTo(t)
	}
	return t.Implements(jsonHook) || t.Implements(textHook)
}

func toObject(n node, t reflect.Type) node {
	switch n.kind {
	case list:
		if len(n.items) == 1 {
			return coerce(n.items[0], t)
		}
		return n
	case text:
		if inner, ok := nested(n, object); ok {
			return coerce(inner, t)
		}
		return n
	case object:
	default:
		return n
	}
	out := node{kind: object}
	said := make(map[string]bool, len(n.keys))
	var known map[string]field
	if t.Kind() == reflect.Struct {
		known = fields(t)
	}
	for i, key := range n.keys {
		item := n.items[i]
		if known == nil {
			item = coerce(item, t.Elem())
		} else if f, ok := known[canonical(key)]; ok {
			key, item = f.name, coerce(item, f.typ)
		} else {
			continue
		}
		// Under one name a null does not undo what was said before.
		if item.kind == null && said[key] {
			continue
		}
		said[key] = true
		out.keys, out.items = append(out.keys, key), append(out.items, item)
	}
	return out
}

func toList(n node, elem reflect.Type) node {
	var items []node
	switch n.kind {
	case list:
		items = n.items
	case text:
		if inner, ok := nested(n, list); ok {
			items = inner.items
		} else if bullets := bulletItems(n.text); len(bullets) > 0 {
			items = bullets
		} else if strings.TrimSpace(n.text) != "" {
			items = []node{n}
		}
	case object:
		items = membersOrSelf(n, elem)
	default:
		items = []node{n}
	}
	out := node{kind: list, items: make([]node, 0, len(items))}
	for _, item := range items {
		if item.kind == null && elem.Kind() != reflect.Pointer && elem.Kind() != reflect.Interface {
			continue
		}
		out.items = append(out.items, coerce(item, elem))
	}
	return out
}

// membersOrSelf reads an object where a list was asked: the list that it wraps,
// the members that it numbers or names, or a list of one.
func membersOrSelf(n node, elem reflect.Type) []node {
	if len(n.items) == 1 && n.items[0].kind == list {
		return n.items[0].items
	}
	for elem.Kind() == reflect.Pointer {
		elem = elem.Elem()
	}
	if elem.Kind() == reflect.Struct && !hooked(elem) {
		known := fields(elem)
		if slices.ContainsFunc(n.keys, func(key string) bool { _, ok := known[canonical(key)]; return ok }) {
			return []node{n}
		}
	}
	numbered := !slices.ContainsFunc(n.keys, func(key string) bool { _, err := strconv.Atoi(key); return err != nil })
	named := elem.Kind() == reflect.Struct && !slices.ContainsFunc(n.items, func(item node) bool { return item.kind != object })
	if numbered || named || elem.Kind() == reflect.String && !slices.ContainsFunc(n.items, func(item node) bool { return !item.scalar() }) {
		return n.items
	}
	return []node{n}
}

func toText(n node) node {
	switch n.kind {
	case number, boolean:
		return textNode(n.text)
	case list: // lines
		lines := make([]string, 0, len(n.items))
		for _, item := range n.items {
			if !item.scalar() {
				return n
			}
			lines = append(lines, item.text)
		}
		return textNode(strings.Join(lines, "\n"))
	case object: // {"anchor": "x"} for "x"
		if len(n.items) == 1 && n.items[0].scalar() {
			return textNode(n.items[0].text)
		}
	}
	return n
}

func toBool(n node) node {
	switch strings.ToLower(strings.TrimSpace(n.text)) {
	case "true", "yes", "1":
		return node{kind: boolean, text: "true"}
	case "false", "no", "0":
		return node{kind: boolean, text: "false"}
	}
	return n
}

func toNumber(n node, integer bool) node {
	if n.kind != text && n.kind != number {
		return n
	}
	lit, ok := numberLiteral(strings.TrimSpace(n.text))
	if !ok {
		return n
	}
	if f, err := strconv.ParseFloat(lit, 64); integer && err == nil && f == math.Trunc(f) && strings.ContainsAny(lit, ".eE") {
		lit = strconv.FormatFloat(f, 'f', 0, 64) // 3.0 is 3, 1e3 is 1000
	}
	return node{kind: number, text: lit}
}

// nested reads a text that is itself JSON of the kind.
func nested(n node, k kind) (node, bool) {
	s := strings.TrimSpace(n.text)
	if s == "" || s[0] != '{' && s[0] != '[' {
		return node{}, false
	}
	p := parser{s: s}
	inner, err := p.value()
	if err != nil || p.broken || p.guessed || p.pos != len(s) || inner.kind != k {
		return node{}, false
	}
	return inner, true
}

type field struct {
	name string // as encoding/json knows it
	typ  reflect.Type
}

// fields returns the fields that encoding/json decodes, by canonical name.
func fields(t reflect.Type) map[string]field {
	known := make(map[string]field)
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || f.Tag.Get("json") == "-" || f.Anonymous && name == "" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		if _, dup := known[canonical(name)]; !dup {
			known[canonical(name)] = field{name, f.Type}
		}
	}
	return known
}

// canonical drops what people and models vary in names: case, underscores,
// hyphens, spaces.
func canonical(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}
