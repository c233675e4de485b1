package answer

import (
	"encoding/json"
	"strings"
)

type kind int

const (
	null kind = iota
	boolean
	number
	text
	list
	object
)

// A node is a value as it was read, before the Go type is known. Objects keep
// the order and the repetitions of their keys.
type node struct {
	kind  kind
	text  string   // of a text; the JSON literal of a number or boolean
	items []node   // of a list or object
	keys  []string // of an object, beside items
}

func textNode(s string) node     { return node{kind: text, text: s} }
func listNode(items []node) node { return node{kind: list, items: items} }

// scalar says if n is a text, number or boolean.
func (n node) scalar() bool { return n.kind == text || n.kind == number || n.kind == boolean }

// empty says if n holds nothing: of a value that broke off so early nothing is
// kept.
func (n node) empty() bool {
	switch n.kind {
	case list, object:
		return len(n.items) == 0
	case text:
		return strings.TrimSpace(n.text) == ""
	}
	return false
}

// json appends the node as JSON.
func (n node) json(dst []byte) []byte {
	switch n.kind {
	case boolean, number:
		return append(dst, n.text...)
	case text:
		return appendText(dst, n.text)
	case list:
		dst = append(dst, '[')
		for i, item := range n.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.json(dst)
		}
		return append(dst, ']')
	case object:
		dst = append(dst, '{')
		for i, item := range n.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendText(dst, n.keys[i]), ':')
			dst = item.json(dst)
		}
		return append(dst, '}')
	default:
		return append(dst, "null"...)
	}
}

func appendText(dst []byte, s string) []byte {
	quoted, err := json.Marshal(s)
	if err != nil { // a string always marshals
		return append(dst, `""`...)
	}
	return append(dst, quoted...)
}
