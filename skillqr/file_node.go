package skillqr

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/prospect-go/prospect"
)

// JSON and YAML are read into one kind of tree, so that both get the same
// checks and the same errors, with lines.

func nodeOfYAML(data []byte) (*yaml.Node, error) {
	d := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	if err := d.Decode(&doc); err != nil {
		if err == io.EOF {
			return nil, errors.New("the file is empty")
		}
		return nil, mistake(data, err)
	}
	if err := d.Decode(new(yaml.Node)); err != io.EOF {
		return nil, errors.New("the file holds more than one document")
	}
	return doc.Content[0], nil
}

// maxNesting of JSON; a set nests four deep.
const maxNesting = 16

func nodeOfJSON(data []byte) (*yaml.Node, error) {
	r := &jsonReader{data: data, d: json.NewDecoder(bytes.NewReader(data))}
	r.d.UseNumber()
	node, err := r.value(0)
	if err == nil {
		if _, end := r.d.Token(); end != io.EOF {
			err = errors.New("something stands after the end")
		}
	}
	if err != nil {
		syntax, ok := errors.AsType[*json.SyntaxError](err)
		if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) || ok && int(syntax.Offset) >= len(data) {
			err = errors.New("the text ends in the middle")
		}
		return nil, fmt.Errorf("line %d: %w", r.line(), err)
	}
	return node, nil
}

type jsonReader struct {
	data []byte
	d    *json.Decoder
}

func (r *jsonReader) line() int {
	return 1 + bytes.Count(r.data[:min(int(r.d.InputOffset()), len(r.data))], []byte("\n"))
}

func (r *jsonReader) value(depth int) (*yaml.Node, error) {
	if depth > maxNesting {
		return nil, errors.New("nested too deep")
	}
	token, err := r.d.Token()
	if err != nil {
		return nil, err
	}
	node := &yaml.Node{Kind: yaml.ScalarNode, Line: r.line()}
	switch v := token.(type) {
	case string:
		node.Tag, node.Value, node.Style = "!!str", v, yaml.DoubleQuotedStyle
	case bool:
		node.Tag, node.Value = "!!bool", strconv.FormatBool(v)
	case nil:
		node.Tag, node.Value = "!!null", "null"
	case json.Number:
		node.Tag, node.Value = "!!int", v.String()
		if strings.ContainsAny(v.String(), ".eE") {
			node.Tag = "!!float"
		}
	case json.Delim:
		node.Kind, node.Tag = yaml.SequenceNode, "!!seq"
		if v == '{' {
			node.Kind, node.Tag = yaml.MappingNode, "!!map"
		}
		for r.d.More() { // keys of an object are tokens like others
			item, err := r.value(depth + 1)
			if err != nil {
				return nil, err
			}
			node.Content = append(node.Content, item)
		}
		if _, err := r.d.Token(); err != nil {
			return nil, err
		}
	}
	return node, nil
}

func versionOf(root *yaml.Node) (int, error) {
	if root.Kind != yaml.MappingNode {
		return 0, fmt.Errorf("%w: line %d: this is no skill set, for it has no fields", prospect.ErrFormat, root.Line)
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		if key, value := root.Content[i], root.Content[i+1]; key.Value == "version" {
			v, err := strconv.Atoi(value.Value)
			if err != nil || v < 1 {
				return 0, fmt.Errorf("%w: line %d: version %q is no version", prospect.ErrFormat, value.Line, value.Value)
			}
			return v, nil
		}
	}
	return 0, fmt.Errorf("%w: it has no field \"version\": is it a skill set?", prospect.ErrFormat)
}

// unknownFields names the fields that a set does not have, and anchors and
// aliases, which would hide what is shared.
func unknownFields(root *yaml.Node) []string {
	var problems []string
	var walk func(n *yaml.Node, t reflect.Type, where string)
	walk = func(n *yaml.Node, t reflect.Type, where string) {
		if n.Kind == yaml.AliasNode || n.Anchor != "" {
			problems = append(problems, fmt.Sprintf("line %d: anchors and aliases are not read", n.Line))
			return
		}
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		switch {
		case t.Kind() == reflect.Slice && n.Kind == yaml.SequenceNode:
			for _, item := range n.Content {
				walk(item, t.Elem(), where)
			}
		case t.Kind() == reflect.Struct && n.Kind == yaml.MappingNode:
			known := fileFields(t)
			for i := 0; i+1 < len(n.Content); i += 2 {
				key := n.Content[i]
				at := slices.IndexFunc(known, func(f fileField) bool { return f.name == key.Value })
				if at < 0 {
					problems = append(problems, fmt.Sprintf("line %d: unknown field %q in %s%s", key.Line, head(key.Value, 50), where, suggestion(key.Value, known)))
					continue
				}
				walk(n.Content[i+1], known[at].t, known[at].name)
			}
		default: // scalars, and kinds that do not fit, which decoding refuses
			for _, item := range n.Content {
				walk(item, reflect.TypeFor[string](), where)
			}
		}
	}
	walk(root, reflect.TypeFor[setFile](), "the set")
	return problems
}

type fileField struct {
	name string
	t    reflect.Type
}

func fileFields(t reflect.Type) []fileField {
	var out []fileField
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if f.Anonymous {
			out = append(out, fileFields(f.Type)...)
		} else {
			out = append(out, fileField{name, f.Type})
		}
	}
	return out
}

// suggestion names the known field that differs by case or by one or two
// letters, and all of them where there is none.
func suggestion(name string, known []fileField) string {
	var names []string
	for _, f := range known {
		if strings.EqualFold(f.name, name) || len(name) < 50 && distance(f.name, name) <= 2 {
			return fmt.Sprintf(" (is %q meant?)", f.name)
		}
		names = append(names, f.name)
	}
	return " (known are " + strings.Join(names, ", ") + ")"
}

// distance is how many bytes to insert, drop or replace to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			next := before
			if a[i] != b[j] {
				next = 1 + min(before, row[j], row[j+1])
			}
			before, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}
