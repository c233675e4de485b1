package skillqr

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
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
	data, err := s.JSON()
	if err != nil {
		return nil, err
	}
	want := s.canonical()
	// Blocks and comments are for people. Texts that they cannot carry, such as
	// lines that begin with a space, stand in quotes; whether a text is one of
	// these is seen by reading what was written.
	for _, style := range []func(*yaml.Node){s.decorate, plainly, func(*yaml.Node) {}} {
		root, err := nodeOfJSON(data)
		if err != nil {
			return nil, fmt.Errorf("skillqr: a set as YAML: %w", err)
		}
		forPeople(root)
		style(root)
		out, err := encodeYAML(root)
		if err != nil {
			continue
		}
		if back, err := Parse(out); err == nil && back.canonical() == want {
			return out, nil
		}
	}
	return nil, errors.New("skillqr: the set holds a text that YAML cannot: save it as JSON")
}

// canonical is the set without the difference between nil and empty lists,
// which files do not keep.
func (s *Set) canonical() string {
	c := *s
	c.Skills = append([]Skill{}, s.Skills...)
	c.Rounds = slices.Clone(s.Rounds)
	for i := range c.Rounds {
		c.Rounds[i].Skills = append([]string{}, c.Rounds[i].Skills...)
	}
	data, err := json.Marshal(&c)
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
	plainly(root)
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

// plainly takes the quotes off texts of one line, as far as they mean the same
// without, also to readers of YAML 1.1, to whom yes is a truth value and 1:30 a
// number. Where quotes are needed to tell a text from a number, or for the
// characters in it, the YAML library adds them again.
func plainly(root *yaml.Node) {
	eachScalar(root, func(_ string, n *yaml.Node) {
		if n.Tag == "!!str" && !strings.Contains(n.Value, "\n") && !otherInYAML11.MatchString(n.Value) {
			n.Style = 0
		}
	})
}

var otherInYAML11 = regexp.MustCompile(`^(?i:y|n|yes|no|on|off)$|^[-+]?[0-9][0-9_:.]*$`)

// forPeople takes the quotes off keys, writes lists of short texts in one line,
// and no list as an empty one.
func forPeople(n *yaml.Node) {
	if n.Tag == "!!null" { // nothing but lists can be missing and still be written
		*n = yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	}
	for i, item := range n.Content {
		forPeople(item)
		switch {
		case n.Kind != yaml.MappingNode:
		case i%2 == 0:
			item.Style = 0
		case n.Content[i-1].Value == "terms" || n.Content[i-1].Value == "documents":
			item.Style |= yaml.FlowStyle
		}
	}
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
