package skill

import "errors"

// ParseOptions says how [Parse] reads a file. The zero value is lenient and
// knows nothing of the file's place.
type ParseOptions struct {
	// Strict refuses whatever the specification does not allow: every warning
	// becomes an error. Default: lenient.
	Strict bool
	// DescriptionFromBody takes the first paragraph of the body where the front
	// matter or its description is missing, with a warning; headings and rules are
	// passed over. Default: such a file is skipped, for the specification requires
	// a description. Without effect when Strict.
	DescriptionFromBody bool
	// Folder is the name of the folder that holds the file, which the skill's name
	// has to equal and which stands in for a missing name. Default: not known, so
	// neither is done.
	Folder string
	// Path is the path of the file, for the problems. Default: none.
	Path string
	// MaxFrontMatterBytes bounds the front matter. Default 64 KiB.
	MaxFrontMatterBytes int
}

// Parse reads one SKILL.md.
//
// The Skill is nil exactly when the error is not. The problems are in the order
// they were met and include those that the error joins: with a nil error they
// are notes and warnings, otherwise one or more have severity [Error].
//
// The data is not kept or changed. Parse is safe for concurrent use.
func Parse(data []byte, opts ParseOptions) (*Skill, []Problem, error) {
	return nil, nil, errors.New("not yet")
}

// Markdown renders the skill as a SKILL.md in canonical form: front matter in
// the specification's order, unknown fields after it sorted by key, a blank line
// and the body. Fields that are empty are left out.
//
// Parsing the result gives an equal skill, apart from Hash and what only the
// folder tells.
func (s *Skill) Markdown() []byte { return nil }
