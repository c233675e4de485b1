package skillqr

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

const fileComment = `A skill set: how queries are rewritten before a collection is searched.

Read it over and change what you like in "skills" and "generic":
  name         one line; other parts of the file do not refer to it
  when         which queries the skill is for; a model chooses by it
  instruction  what to add to such a query; a model follows it
  covers       numbers of clusters, listed below
Skills may be reordered, removed, and added: a new one needs name, when and
instruction. Leave "digest" as it is: by it, skills that a person changed are
known and left alone when the set is refreshed.`

// JSON returns the set as Save writes it to a .json file.
func (s *Set) JSON() ([]byte, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(setFile{setVersion, *s})
	return b.Bytes(), err
}

// YAML returns the set as Save writes it to a .yaml file.
func (s *Set) YAML() ([]byte, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	var root yaml.Node
	if err := root.Encode(setFile{setVersion, *s}); err != nil {
		return nil, err
	}
	s.decorate(&root)
	data, err := encodeYAML(&root)
	if err != nil {
		return nil, err
	}
	// Blocks are for people; texts that blocks cannot carry, such as lines that
	// begin with a space, are left to the library's own choice of quotes.
	if back, err := Parse(data); err == nil && back.canonical() == s.canonical() {
		return data, nil
	}
	eachScalar(&root, func(_ string, n *yaml.Node) {
		if n.Style == yaml.LiteralStyle || n.Style == yaml.FoldedStyle {
			n.Style = yaml.DoubleQuotedStyle
		}
	})
	return encodeYAML(&root)
}

// canonical is the set without the difference between nil and empty lists,
// which files do not keep.
func (s *Set) canonical() string {
	data, err := json.Marshal(s)
	if err != nil {
		panic(err) // a set holds nothing that JSON cannot
	}
	return string(data)
}

func encodeYAML(n *yaml.Node) ([]byte, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(n); err != nil {
		return nil, err
	}
	if err := e.Close(); err != nil {
		return nil, err
	}
	return wrapFolded(b.Bytes()), nil
}

// width of the lines of folded blocks, as far as words allow.
const width = 88

// wrapFolded breaks the one long line of each folded block, which reads the
// same. The YAML library leaves it whole.
func wrapFolded(data []byte) []byte {
	var out []byte
	folded := false
	for line := range bytes.Lines(data) {
		if text := strings.TrimRight(string(line), "\n"); folded && len(text) > width {
			body := strings.TrimLeft(text, " ")
			line = []byte(wrap(body, text[:len(text)-len(body)]))
		}
		folded = bytes.HasSuffix(line, []byte(": >-\n"))
		out = append(out, line...)
	}
	return out
}

// wrap breaks a text at spaces that stand alone.
func wrap(text, indent string) string {
	var b strings.Builder
	b.WriteString(indent)
	used := len(indent)
	for i, word := range strings.Split(text, " ") {
		switch {
		case i == 0:
		case word == "" || strings.HasSuffix(b.String(), " ") || used+1+len(word) <= width:
			b.WriteString(" ")
			used++
		default:
			b.WriteString("\n" + indent)
			used = len(indent)
		}
		b.WriteString(word)
		used += len(word)
	}
	return b.String() + "\n"
}

// decorate makes long texts blocks and adds comments.
func (s *Set) decorate(root *yaml.Node) {
	root.HeadComment = comment(fileComment)
	labels := make(map[string]string, len(s.Clusters))
	for _, c := range s.Clusters {
		labels[strconv.Itoa(c.Cluster)] = fmt.Sprintf("%s (%s)", c.Label(), count(c.Size, "document"))
	}
	eachScalar(root, func(key string, n *yaml.Node) {
		switch {
		case key == "covers":
			n.LineComment = comment(tidyText(labels[n.Value]))
		case n.Tag != "!!str" || !blockable(n.Value):
		case strings.Contains(n.Value, "\n"):
			n.Style = yaml.LiteralStyle
		case key == "instruction" || key == "when" || key == "text":
			n.Style = yaml.FoldedStyle
		}
	})
}

func comment(text string) string {
	return strings.ReplaceAll("# "+strings.ReplaceAll(text, "\n", "\n# "), "# \n", "#\n")
}

// blockable says whether a text may stand in a block, as far as a look tells.
func blockable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return isControl(r) || r == '\t' || r == '\u0085' || r == '\u2028' || r == '\u2029'
	}) && !strings.HasPrefix(s, " ") && !strings.Contains(s, "\n ") && !strings.HasSuffix(s, "\n")
}

// eachScalar calls f for the scalars that are values, with the key that they
// stand under, also in a list.
func eachScalar(n *yaml.Node, f func(key string, n *yaml.Node)) {
	var walk func(key string, n *yaml.Node)
	walk = func(key string, n *yaml.Node) {
		switch n.Kind {
		case yaml.ScalarNode:
			f(key, n)
		case yaml.MappingNode:
			for i := 0; i+1 < len(n.Content); i += 2 {
				walk(n.Content[i].Value, n.Content[i+1])
			}
		default:
			for _, item := range n.Content {
				walk(key, item)
			}
		}
	}
	walk("", n)
}
