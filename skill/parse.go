package skill

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
)

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
	// has to equal and which stands in for a missing name. Default: not known; then
	// nothing is compared, and a missing name becomes "skill-" and the first eight
	// digits of the Hash.
	Folder string
	// Path is the path of the file, for the problems. Default: none.
	Path string
	// MaxFrontMatterBytes bounds the front matter. Default, also for values below
	// 0: 64 KiB.
	MaxFrontMatterBytes int
}

// Parse reads one SKILL.md.
//
// The Skill is nil exactly when the error is not. The problems are in the order
// they were met and include those that the error joins: with a nil error they
// are notes and warnings, otherwise one or more have severity [Error]. Strict
// parsing joins every violation it finds.
//
// Time and memory are linear in the size of the data, whatever it holds. The
// data is not kept or changed. Parse is safe for concurrent use.
func Parse(data []byte, opts ParseOptions) (*Skill, []Problem, error) {
	report := &reporter{path: opts.Path, strict: opts.Strict}
	maxFront := opts.MaxFrontMatterBytes
	if maxFront <= 0 {
		maxFront = defaultMaxFrontMatter
	}
	fromBody := opts.DescriptionFromBody && !opts.Strict

	sum := sha256.Sum256(data)
	s := &Skill{Hash: hex.EncodeToString(sum[:])}
	text := decodeText(data, report)
	front := readFront(text, maxFront, fromBody, report)
	if front.root == nil {
		return nil, report.problems, errors.Join(report.errors()...)
	}
	s.Body = trimBody(front.body)

	f := &frontReader{
		skill: s, report: report, before: front.line - 1,
		left: budget{nodes: maxNodes, bytes: 2*len(front.front) + maxRepeated},
	}
	f.read(front.root)
	f.checkName(opts.Folder)
	f.checkDescription(fromBody)
	if s.Body == "" {
		report.note(EmptyBody, 0, "nothing follows the front matter")
	}
	if errs := report.errors(); errs != nil {
		return nil, report.problems, errors.Join(errs...)
	}
	return s, report.problems, nil
}
