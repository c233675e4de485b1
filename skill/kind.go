package skill

import "strconv"

// Kind classifies a [Problem]. A Kind is itself an error, so that
//
//	errors.Is(err, skill.MissingDescription)
//
// finds out whether any problem inside err is of that kind.
type Kind int

// Kinds of the reading of one file. The severity in brackets is that of lenient
// parsing; strict parsing makes every warning an error.
const (
	// ByteOrderMark: the file starts with the UTF-8 mark. [note]
	ByteOrderMark Kind = iota + 1
	// LineEndings: the file has CRLF or CR line ends; they became LF. [note]
	LineEndings
	// Encoding: the file is not UTF-8 and was decoded from another encoding. [warning]
	Encoding
	// InvalidBytes: bytes that fit no encoding became U+FFFD. [warning]
	InvalidBytes
	// ControlCharacters: NUL, invisible characters at the start or, in the front
	// matter, other control characters were removed or read as Windows-1252.
	// [warning]
	ControlCharacters
	// NoFrontMatter: the file has none. [error; warning with
	// ParseOptions.DescriptionFromBody]
	NoFrontMatter
	// MisplacedFrontMatter: the front matter does not start the file, or lacks its
	// opening fence. [warning]
	MisplacedFrontMatter
	// UnclosedFrontMatter: the closing fence is missing, indented or of another
	// length than the opening one. [warning]
	UnclosedFrontMatter
	// RepairedYAML: the front matter was not valid YAML, a repair made it so. [warning]
	RepairedYAML
	// InvalidYAML: the front matter is not a YAML mapping, and no repair helped. [error]
	InvalidYAML
	// LimitExceeded: the front matter is beyond the bound on its size [error], or a
	// field of it beyond those on nesting and alias expansion, and left out
	// [warning].
	LimitExceeded
	// DuplicateKey: a key occurs twice; the last value counts. [warning]
	DuplicateKey
	// FieldName: a field is spelled in other case than the specification's, for
	// example Description; it was taken for it. [warning]
	FieldName
	// FieldType: a field has the wrong YAML type; it was converted, or dropped
	// where it has no text. [warning]
	FieldType
	// MissingName: no usable name; one was found, see ParseOptions.Folder. [warning]
	MissingName
	// InvalidName: the name breaks the naming rule. [warning]
	InvalidName
	// NameMismatch: the name is not that of the folder. [warning]
	NameMismatch
	// MissingDescription: no description, or an empty one. [error; warning with
	// ParseOptions.DescriptionFromBody]
	MissingDescription
	// DescriptionTooLong: over 1024 code points. [warning]
	DescriptionTooLong
	// CompatibilityTooLong: over 500 code points. [warning]
	CompatibilityTooLong
	// EmptyBody: nothing follows the front matter. [note]
	EmptyBody
)

// Kinds of the loading of folders and the merging of sources.
const (
	// Unreadable: a file or folder could not be read. [error]
	Unreadable Kind = iota + 100
	// TooLarge: a SKILL.md is over LoadOptions.MaxFileBytes. [error]
	TooLarge
	// TooDeep: a folder lies deeper than LoadOptions.MaxDepth. [error]
	TooDeep
	// TooMany: the walk ended at LoadOptions.MaxEntries. [error]
	TooMany
	// LinkNotFollowed: a symbolic link leads out of the root, nowhere, in a circle
	// or where links cannot be read [error], or to a folder that is loaded under
	// its own path anyway [note].
	LinkNotFollowed
	// FileNameCase: the file is called skill.md or the like. [warning; error and
	// skipped with ParseOptions.Strict]
	FileNameCase
	// DuplicateFile: a folder has a second SKILL.md whose name differs in case
	// only; it was skipped. [error]
	DuplicateFile
	// DuplicateName: two skills of one source have the same name; both are kept.
	// [warning]
	DuplicateName
	// ShadowedName: a source of higher precedence has a skill of this name; both
	// are kept, see [Loaded.Visible]. [warning]
	ShadowedName
	// NearDuplicate: another skill of another name has the same body, white space
	// and case aside; both are kept. [warning]
	NearDuplicate
)

var kindNames = map[Kind]string{
	ByteOrderMark:        "byte order mark",
	LineEndings:          "line endings",
	Encoding:             "encoding",
	InvalidBytes:         "invalid bytes",
	ControlCharacters:    "control characters",
	NoFrontMatter:        "no front matter",
	MisplacedFrontMatter: "misplaced front matter",
	UnclosedFrontMatter:  "unclosed front matter",
	RepairedYAML:         "repaired YAML",
	InvalidYAML:          "invalid YAML",
	LimitExceeded:        "limit exceeded",
	DuplicateKey:         "duplicate key",
	FieldName:            "field name",
	FieldType:            "field type",
	MissingName:          "missing name",
	InvalidName:          "invalid name",
	NameMismatch:         "name mismatch",
	MissingDescription:   "missing description",
	DescriptionTooLong:   "description too long",
	CompatibilityTooLong: "compatibility too long",
	EmptyBody:            "empty body",
	Unreadable:           "unreadable",
	TooLarge:             "too large",
	TooDeep:              "too deep",
	TooMany:              "too many",
	LinkNotFollowed:      "link not followed",
	FileNameCase:         "file name case",
	DuplicateFile:        "duplicate file",
	DuplicateName:        "duplicate name",
	ShadowedName:         "shadowed name",
	NearDuplicate:        "near duplicate",
}

// String returns the kind in words, for example "missing description".
func (k Kind) String() string {
	if s, ok := kindNames[k]; ok {
		return s
	}
	return "Kind(" + strconv.Itoa(int(k)) + ")"
}

// Error returns "skill: " and the kind in words.
func (k Kind) Error() string { return "skill: " + k.String() }
