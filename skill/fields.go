package skill

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Bounds of the specification.
const (
	maxName          = 64   // characters
	maxDescription   = 1024 // code points
	maxCompatibility = 500  // code points
)

var namePattern = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// ValidName reports whether a name keeps the specification's rule: 1 to 64 of
// a–z, 0–9 and hyphens, with no hyphen at either end and no two in a row.
func ValidName(name string) bool {
	return len(name) <= maxName && namePattern.MatchString(name)
}

// knownFields are the fields of the specification.
var knownFields = map[string]bool{
	"name": true, "description": true, "license": true,
	"compatibility": true, "metadata": true, "allowed-tools": true,
}

// A frontReader fills a Skill from front matter.
type frontReader struct {
	skill  *Skill
	report *reporter
	before int // lines of the file above the front matter
	left   budget
	// namedAt and describedAt are lines of the file; 0 if the field is missing.
	namedAt, describedAt int
}

// An entry is one field as it stands in the front matter.
type entry struct {
	key   string
	line  int // of the file
	value *yaml.Node
}

// read takes over the fields in the order of the file.
func (f *frontReader) read(root *yaml.Node) {
	entries, has := f.entries(root)
	for _, e := range entries {
		field := e.key
		if other := strings.ToLower(strings.ReplaceAll(e.key, "_", "-")); other != field && knownFields[other] && !has[other] {
			// From here on the field is there: a third spelling is an unknown field.
			has[other] = true
			f.report.warn(FieldName, e.line, fmt.Sprintf("%s taken for %s", e.key, other))
			field = other
		}
		if knownFields[field] {
			f.take(field, e.line, e.value)
			continue
		}
		f.keep(e.key, e.value)
	}
}

// entries lists the fields that keep the bounds, each key once and with its last
// value, and the set of their keys.
func (f *frontReader) entries(root *yaml.Node) (list []entry, has map[string]bool) {
	has = make(map[string]bool)
	at := make(map[string]int) // position in list
	for i := 0; i+1 < len(root.Content); i += 2 {
		k, v := root.Content[i], root.Content[i+1]
		err := f.left.spend(k)
		key := "with a long key"
		if err == nil {
			key = keyText(k)
			err = f.left.spend(v)
		}
		if err != nil {
			f.report.warnBecause(LimitExceeded, f.before+k.Line, "left out the field "+shorten(key), err)
			continue
		}
		e := entry{key: key, line: f.before + k.Line, value: dealias(v)}
		if has[key] {
			f.twice(k.Line, key)
			list[at[key]] = e
			continue
		}
		has[key], at[key] = true, len(list)
		list = append(list, e)
	}
	return list, has
}

func (f *frontReader) twice(line int, key string) {
	f.report.warn(DuplicateKey, f.before+line, shorten(key)+" occurs again; this value counts")
}

// keep puts a field into Extra.
func (f *frontReader) keep(key string, value *yaml.Node) {
	if f.skill.Extra == nil {
		f.skill.Extra = make(map[string]any)
	}
	f.skill.Extra[key] = plainValue(value, f.twice)
}

// take reads a field of the specification.
func (f *frontReader) take(field string, line int, value *yaml.Node) {
	s := f.skill
	switch field {
	case "name":
		f.namedAt = line
		if value.Kind != yaml.ScalarNode {
			// No name worth having comes out of a list, though it is often a
			// placeholder in brackets.
			f.report.warn(FieldType, line, "name is no text: "+shorten(jsonText(value)))
			return
		}
		s.Name = strings.Join(strings.Fields(lineText(value)), " ")
	case "description":
		f.describedAt = line
		s.Description = f.text(field, line, value)
	case "license":
		s.License = f.text(field, line, value)
	case "compatibility":
		s.Compatibility = f.text(field, line, value)
		if n := utf8.RuneCountInString(s.Compatibility); n > maxCompatibility {
			f.report.warn(CompatibilityTooLong, line, fmt.Sprintf("%d code points, at most %d allowed", n, maxCompatibility))
		}
	case "metadata":
		f.takeMetadata(line, value)
	case "allowed-tools":
		f.takeTools(line, value)
	}
}

// text reads a field that should be a string.
func (f *frontReader) text(field string, line int, value *yaml.Node) string {
	text := strings.TrimSpace(lineText(value))
	if value.Kind != yaml.ScalarNode && text != "" {
		f.report.warn(FieldType, line, field+" should be a string; its parts were joined")
	}
	return text
}

// takeMetadata reads the metadata field. One that is no mapping has no place in
// Metadata and is kept in Extra.
func (f *frontReader) takeMetadata(line int, value *yaml.Node) {
	if value.Kind != yaml.MappingNode {
		if !isNull(value) {
			f.report.warn(FieldType, line, "metadata should be a mapping; kept among the unknown fields")
			f.keep("metadata", value)
		}
		return
	}
	if len(value.Content) == 0 {
		return
	}
	m := make(map[string]string, len(value.Content)/2)
	for i := 0; i+1 < len(value.Content); i += 2 {
		k, v := value.Content[i], dealias(value.Content[i+1])
		key := keyText(k)
		if _, seen := m[key]; seen {
			f.twice(k.Line, key)
		}
		if v.Kind == yaml.ScalarNode {
			m[key] = lineText(v)
			continue
		}
		f.report.warn(FieldType, f.before+k.Line, "metadata "+shorten(key)+" should be a string; kept as JSON")
		m[key] = jsonText(v)
	}
	f.skill.Metadata = m
}

// takeTools reads the allowed-tools field.
func (f *frontReader) takeTools(line int, value *yaml.Node) {
	var tools []string
	switch value.Kind {
	case yaml.ScalarNode:
		var commas bool
		tools, commas = splitTools(lineText(value))
		if commas {
			f.report.warn(FieldType, line, "allowed-tools should be separated by spaces, not commas")
		}
	case yaml.SequenceNode:
		f.report.warn(FieldType, line, "allowed-tools should be a string, not a list")
		for _, c := range value.Content {
			if tool := strings.TrimSpace(lineText(c)); tool != "" {
				tools = append(tools, tool)
			}
		}
	default:
		f.report.warn(FieldType, line, "allowed-tools should be a string, not a mapping")
		if text := lineText(value); text != "" {
			tools = []string{text}
		}
	}
	f.skill.AllowedTools = tools
}

// splitTools divides at white space and commas outside of parentheses, so that
// "Bash(git add *) Read" gives two tools, and tells whether commas divided.
func splitTools(text string) (tools []string, commas bool) {
	depth, start := 0, 0
	flush := func(end int) {
		if start < end {
			tools = append(tools, text[start:end])
		}
	}
	for i, r := range text {
		switch {
		case r == '(':
			depth++
		case r == ')' && depth > 0:
			depth--
		case depth == 0 && (r == ',' || unicode.IsSpace(r)):
			commas = commas || r == ','
			flush(i)
			start = i + utf8.RuneLen(r)
		}
	}
	flush(len(text))
	return tools, commas
}
