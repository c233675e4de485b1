package skill

// FileName is the name the specification gives to the file of a skill.
const FileName = "SKILL.md"

// A Skill is one parsed SKILL.md together with what is known about the folder
// it came from. All text is valid UTF-8 with line feeds as line ends, whatever
// the file held.
//
// Skills are plain data. The functions of this package never change a Skill
// after handing it out, so one value can be read from many goroutines.
type Skill struct {
	// ID tells the skill from every other of its source: the folder's path from
	// the root of the source, slash-separated, or "." for a SKILL.md in the root
	// itself. Parse, which sees no folder tree, leaves it empty.
	ID string
	// Source names where the skill came from; see [Source]. Empty if unnamed.
	Source string

	// Name is the name field, or the folder's name where the field is missing or
	// of no use. Lenient parsing keeps a name that breaks the naming rule.
	Name string
	// Description says what the skill does and when to use it. Never empty.
	Description string
	// License is the license field, a name or a file's name; "" if absent.
	License string
	// Compatibility states what the skill needs around it; "" if absent.
	Compatibility string
	// Metadata is the metadata field. Values of other YAML types are kept as they
	// are written in the file (version: 1.10 is "1.10"); nil if absent.
	Metadata map[string]string
	// AllowedTools lists the allowed-tools field in its order; nil if absent.
	AllowedTools []string
	// Extra holds the top-level fields that the specification does not know, by
	// key. A value is a string, nil (YAML null), []any or map[string]any of the
	// same. Scalars are text as written: yes stays "yes".
	Extra map[string]any

	// Body is the Markdown after the front matter, without blank lines at its
	// start and white space at its end. May be empty.
	Body string

	// Dir is the folder in the source, slash-separated, "." for the root. Where
	// the folder was reached through a link, it is the path through the link.
	Dir string
	// File is the path of the SKILL.md in the source.
	File string
	// Resources lists the other files of the folder and its subfolders, relative
	// to Dir, slash-separated and sorted. Files of a skill nested inside belong
	// to that skill alone.
	Resources []string

	// Hash is the SHA-256 of the bytes of the SKILL.md, before any decoding, in
	// lower-case hexadecimal. A sync compares it to tell what has changed.
	Hash string
}

// Key is unique among all skills of one [LoadSources]: the source's name, a
// colon and the ID; the ID alone if the source has no name.
func (s *Skill) Key() string {
	if s.Source == "" {
		return s.ID
	}
	return s.Source + ":" + s.ID
}
