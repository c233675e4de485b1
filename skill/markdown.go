package skill

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// Markdown renders the skill as a SKILL.md in canonical form: front matter with
// the fields in the specification's order, then those of Extra sorted by key, a
// blank line and the body. Empty fields are left out.
//
// Parsing the result of a parsed skill gives an equal one, apart from Hash and
// what only the folder tells, with no more problems than values that break the
// specification: a long description, a bad name.
func (s *Skill) Markdown() []byte {
	root := &yaml.Node{Kind: yaml.MappingNode}
	add := func(key string, value *yaml.Node) {
		root.Content = append(root.Content, textNode(key), value)
	}
	for _, f := range []struct{ key, value string }{
		{"name", s.Name}, {"description", s.Description},
		{"license", s.License}, {"compatibility", s.Compatibility},
	} {
		if f.value != "" {
			add(f.key, textNode(f.value))
		}
	}
	if len(s.Metadata) > 0 {
		m := &yaml.Node{Kind: yaml.MappingNode}
		for _, key := range slices.Sorted(maps.Keys(s.Metadata)) {
			m.Content = append(m.Content, textNode(key), textNode(s.Metadata[key]))
		}
		add("metadata", m)
	}
	if len(s.AllowedTools) > 0 {
		add("allowed-tools", toolsNode(s.AllowedTools))
	}
	for _, key := range slices.Sorted(maps.Keys(s.Extra)) {
		// A known field gets into Extra only as metadata that is no mapping.
		if !knownFields[key] || key == "metadata" && len(s.Metadata) == 0 {
			add(key, valueNode(s.Extra[key]))
		}
	}

	var b strings.Builder
	b.WriteString("---\n")
	if len(root.Content) > 0 {
		encoder := yaml.NewEncoder(&b)
		encoder.SetIndent(2)
		// Nodes of these kinds and a Builder do not fail.
		_ = encoder.Encode(root)
		_ = encoder.Close()
	}
	b.WriteString("---\n")
	if s.Body != "" {
		b.WriteString("\n" + strings.ToValidUTF8(s.Body, "\uFFFD") + "\n")
	}
	return []byte(b.String())
}

// textNode is a scalar that reads back as this text. The tag makes the encoder
// quote what YAML would take for something else, such as null. A text of several
// lines becomes a literal block where that is sure to read back the same, and a
// quoted line otherwise.
func textNode(text string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: strings.ToValidUTF8(text, "\uFFFD")}
	first, last := n.Value, n.Value
	if at := strings.IndexByte(n.Value, '\n'); at >= 0 {
		first, last = n.Value[:at], n.Value[strings.LastIndexByte(n.Value, '\n')+1:]
	}
	odd := strings.ContainsFunc(n.Value, func(r rune) bool {
		return r != '\n' && (unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == '\uFEFF')
	})
	if odd || strings.TrimSpace(first) == "" || strings.TrimSpace(last) == "" || unicode.IsSpace(rune(first[0])) {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// toolsNode is the specification's list separated by spaces, or a YAML list
// where a tool holds a separator itself.
func toolsNode(tools []string) *yaml.Node {
	joined := strings.Join(tools, " ")
	if again, commas := splitTools(joined); !commas && slices.Equal(again, tools) {
		return textNode(joined)
	}
	list := &yaml.Node{Kind: yaml.SequenceNode}
	for _, tool := range tools {
		list.Content = append(list.Content, textNode(tool))
	}
	return list
}

// valueNode is the inverse of plainValue. Values of types that no parsed skill
// has, such as numbers, become the text that fmt gives.
func valueNode(value any) *yaml.Node {
	switch v := value.(type) {
	case nil:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
	case string:
		return textNode(v)
	case []any:
		list := &yaml.Node{Kind: yaml.SequenceNode}
		for _, e := range v {
			list.Content = append(list.Content, valueNode(e))
		}
		return list
	case map[string]any:
		m := &yaml.Node{Kind: yaml.MappingNode}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			m.Content = append(m.Content, textNode(key), valueNode(v[key]))
		}
		return m
	}
	return textNode(fmt.Sprint(value))
}
