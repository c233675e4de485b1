package skill

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

const (
	defaultMaxFrontMatter = 64 << 10
	// maxNesting bounds how deep mappings and lists may lie in each other. No
	// front matter met so far goes beyond 7.
	maxNesting = 64
	// maxNodes bounds the YAML nodes of a file after its aliases are expanded.
	// Without aliases 64 KiB hold some 30,000 at the utmost, [,,,]; the largest
	// front matter met so far has about 300.
	maxNodes = 20_000
	// maxRepeated bounds the bytes of text that aliases may add to a file's own,
	// which escapes lengthen by half at most.
	maxRepeated = 64 << 10
)

var (
	errNotMapping = errors.New("not a mapping")
	errNesting    = fmt.Errorf("nested deeper than %d", maxNesting)
	errExpansion  = fmt.Errorf("more than %d nodes, or too much text, with aliases expanded", maxNodes)
)

// readYAML parses one document that has to be a mapping; an empty one is a
// mapping without keys. It does not expand aliases, so cost and memory are
// linear in the size of the text.
func readYAML(text string) (root *yaml.Node, err error) {
	// The text is anybody's and the decoder is not ours: a panic in it must
	// cost no more than this file.
	defer func() {
		if r := recover(); r != nil {
			root, err = nil, fmt.Errorf("yaml: %v", r)
		}
	}()
	decoder := yaml.NewDecoder(bytes.NewReader([]byte(text)))
	var doc yaml.Node
	switch err := decoder.Decode(&doc); {
	case err == io.EOF:
		return &yaml.Node{Kind: yaml.MappingNode}, nil
	case err != nil:
		return nil, withoutLine(err)
	}
	var second yaml.Node
	if err := decoder.Decode(&second); err == nil {
		return nil, errors.New("more than one document")
	} else if err != io.EOF {
		return nil, withoutLine(err)
	}
	root = doc.Content[0]
	if isNull(root) {
		return &yaml.Node{Kind: yaml.MappingNode}, nil
	}
	if root.Kind != yaml.MappingNode {
		return nil, errNotMapping
	}
	return root, nil
}

var yamlLine = regexp.MustCompile(`^yaml: line \d+: `)

// withoutLine takes the line off a message of the decoder: it counts from the
// start of the front matter and is often one off. A Problem has the right one.
func withoutLine(err error) error {
	return errors.New(yamlLine.ReplaceAllString(err.Error(), "yaml: "))
}

func isNull(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Tag == "!!null"
}

// A budget is what is left of the bounds on one front matter.
type budget struct {
	nodes int
	bytes int
}

// spend counts the node and everything in it, aliases expanded, and leaves the
// budget alone where that is too much.
func (b *budget) spend(n *yaml.Node) error {
	left := *b
	if err := left.count(n, 0); err != nil {
		return err
	}
	*b = left
	return nil
}

func (b *budget) count(n *yaml.Node, depth int) error {
	if depth > maxNesting {
		return errNesting
	}
	b.nodes--
	b.bytes -= len(n.Value)
	if b.nodes < 0 || b.bytes < 0 {
		return errExpansion
	}
	if n.Kind == yaml.AliasNode {
		// An alias inside its own anchor has no end and runs into a bound.
		return b.count(n.Alias, depth+1)
	}
	for _, c := range n.Content {
		if err := b.count(c, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// dealias follows an alias to what it stands for.
func dealias(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// plainValue converts a node to nil, string, []any or map[string]any. Scalars
// stay the text they are in the file. The node must be within budget. A key that
// occurs twice is reported to twice, with the line; the last one counts.
func plainValue(n *yaml.Node, twice func(line int, key string)) any {
	n = dealias(n)
	switch n.Kind {
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, c := range n.Content {
			list[i] = plainValue(c, twice)
		}
		return list
	case yaml.MappingNode:
		m := make(map[string]any, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := keyText(n.Content[i])
			if _, seen := m[key]; seen {
				twice(n.Content[i].Line, key)
			}
			m[key] = plainValue(n.Content[i+1], twice)
		}
		return m
	}
	if isNull(n) {
		return nil
	}
	return n.Value
}

// keyText is the text of a mapping's key; keys that are no scalars, which YAML
// allows, become JSON.
func keyText(n *yaml.Node) string {
	if n = dealias(n); n.Kind == yaml.ScalarNode {
		return n.Value
	}
	return jsonText(n)
}

// lineText gives any node as one text for a field that should have been a
// string: a list of scalars as "a; b", a mapping of scalars as "k: v; k: v"
// and anything deeper as JSON.
func lineText(n *yaml.Node) string {
	n = dealias(n)
	if n.Kind == yaml.ScalarNode {
		if isNull(n) {
			return ""
		}
		return n.Value
	}
	var parts []string
	for i := 0; i < len(n.Content); i++ {
		c := dealias(n.Content[i])
		if c.Kind != yaml.ScalarNode {
			return jsonText(n)
		}
		text := strings.TrimSpace(lineText(c))
		if n.Kind == yaml.MappingNode {
			i++
			v := dealias(n.Content[i])
			if v.Kind != yaml.ScalarNode {
				return jsonText(n)
			}
			text += ": " + strings.TrimSpace(lineText(v))
		}
		if text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "; ")
}
