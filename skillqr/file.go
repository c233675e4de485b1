package skillqr

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/internal/sectfile"
)

// A skill set is a file for people: YAML with comments, or JSON. Both have the
// fields of [Set], under the names in its tags, and a version before them.
// Without a generic skill, the built-in one is meant.
const (
	setVersion = 1
	maxSetFile = 64 << 20 // bytes
)

// setFile is what a file holds.
type setFile struct {
	Version int `json:"version" yaml:"version"`
	Set     `yaml:",inline"`
}

// Save writes the set to one file, atomically: whoever opens the path finds
// the old file or the whole new one. A name that ends in .json is written as
// JSON, .yaml or .yml as YAML; others are [prospect.ErrOption]. A set with
// problems is not saved; see [Set.Validate].
//
// The file may be edited: names, whens, instructions and coverage changed,
// skills reordered, removed, or added with no more than the three texts.
func (s *Set) Save(path string) error {
	encode := s.YAML
	switch filepath.Ext(path) {
	case ".json":
		encode = s.JSON
	case ".yaml", ".yml":
	default:
		return fmt.Errorf("%w: %s: a skill set is a .yaml, .yml or .json file", prospect.ErrOption, path)
	}
	data, err := encode()
	if err != nil {
		return err
	}
	return sectfile.Save(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Load reads a file that [Set.Save] wrote or a person did. Its name may have
// any ending; see [Parse] for the rest.
func Load(path string) (*Set, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSetFile+1))
	if err != nil {
		return nil, err
	}
	s, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("skillqr: %s: %w", path, err)
	}
	return s, nil
}

// Parse reads a skill set: JSON where the text begins with a brace, else YAML.
//
// Errors, each with the line where there is one: [prospect.ErrFormat] for what
// cannot be read, for unknown fields, which are named, and for a file without a
// version; [prospect.ErrVersion] for one of a newer version; [ErrInvalid] with
// all problems that [Set.Validate] finds.
func Parse(data []byte) (*Set, error) {
	if len(data) > maxSetFile {
		return nil, fmt.Errorf("%w: a skill set has at most %d bytes", prospect.ErrFormat, maxSetFile)
	}
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	read := nodeOfYAML
	if bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{")) {
		read = nodeOfJSON
	}
	node, err := read(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", prospect.ErrFormat, err)
	}
	version, err := versionOf(node)
	if err != nil {
		return nil, err
	}
	if version > setVersion {
		return nil, fmt.Errorf("%w: version %d, this library reads up to %d", prospect.ErrVersion, version, setVersion)
	}
	if problems := unknownFields(node); len(problems) > 0 {
		return nil, fmt.Errorf("%w: %s", prospect.ErrFormat, strings.Join(problems, "; "))
	}
	var file setFile
	if err := node.Decode(&file); err != nil {
		return nil, fmt.Errorf("%w: %w", prospect.ErrFormat, plainYAML(err))
	}
	s := &file.Set
	if s.Generic.blank() {
		s.Generic = Generic()
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	return s, nil
}

func (s Skill) blank() bool { return s.Name == "" && s.When == "" && s.Instruction == "" }

// plainYAML says what the YAML library found without its own name and without
// Go's types.
func plainYAML(err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	text = strings.ReplaceAll(text, "unmarshal errors:\n  ", "")
	for _, r := range []struct{ from, to string }{
		{"cannot unmarshal !!str", "a text, "}, {"cannot unmarshal !!int", "a number, "}, {"cannot unmarshal !!float", "a number, "},
		{"cannot unmarshal !!bool", "a truth value, "}, {"cannot unmarshal !!seq", "a list"}, {"cannot unmarshal !!map", "a mapping"},
		{"cannot unmarshal !!null", "nothing"}, {" into int", ", where a whole number is needed"}, {" into float64", ", where a number is needed"},
		{" into string", ", where a text is needed"}, {" into []int", ", where a list of numbers is needed"}, {" into []string", ", where a list of texts is needed"},
	} {
		text = strings.ReplaceAll(text, r.from, r.to)
	}
	return errors.New(strings.ReplaceAll(text, "\n  ", "; "))
}
