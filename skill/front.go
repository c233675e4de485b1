package skill

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

var errTooLong = errors.New("longer than the bound")

// A front is front matter that was found and parsed.
type front struct {
	cut
	root    *yaml.Node // a mapping; nil if none could be read
	repairs []repair   // what made it YAML, in the order of lines
}

// A repair is a change to front matter that was not YAML.
type repair struct {
	line int // within the front matter, from 1
	what string
	lost bool // a line was left out
}

// readFront finds the front matter, parses it and reports what was out of order.
// The root is nil if there is none that can be read, which is reported too.
func readFront(text string, maxBytes int, fromBody bool, report *reporter) front {
	ways := cuts(text)
	if len(ways) == 0 {
		switch {
		case blank(text):
			report.fail(NoFrontMatter, 0, "the file is empty", nil)
		case fromBody:
			report.warn(NoFrontMatter, 0, "the description is taken from the body")
			return front{cut: cut{body: text, line: 1}, root: &yaml.Node{Kind: yaml.MappingNode}}
		default:
			report.fail(NoFrontMatter, 0, "so there is no description", nil)
		}
		return front{}
	}

	f, err := parseFront(ways, maxBytes)
	if f.root == nil {
		kind := InvalidYAML
		if errors.Is(err, errTooLong) {
			kind = LimitExceeded
		}
		report.fail(kind, ways[0].line, "the front matter cannot be read", err)
		return front{}
	}
	if f.misplaced != "" {
		report.warn(MisplacedFrontMatter, f.line, f.misplaced)
	}
	if f.unclosed != "" {
		report.warn(UnclosedFrontMatter, f.line, f.unclosed)
	}
	if _, n := readableControls(f.front); n > 0 {
		report.warn(ControlCharacters, f.line, fmt.Sprintf("%d removed from the front matter or read as Windows-1252", n))
	}
	for i, r := range f.repairs {
		if report.strict {
			report.fail(InvalidYAML, f.line-1+r.line, "the front matter is not valid YAML", err)
			break
		}
		if i > 0 {
			err = nil // it is about the first
		}
		report.warnBecause(RepairedYAML, f.line-1+r.line, r.what, err)
	}
	return f
}

// parseFront parses the first of the ways that is YAML, else the one that can be
// repaired with the fewest lines left out. The error is what YAML said to the
// first way, also where a repair helped; the root is nil if none did.
func parseFront(ways []cut, maxBytes int) (front, error) {
	var first error
	for i, c := range ways {
		root, err := readWithin(c, maxBytes)
		// The other ways have to hold what makes a skill, since it is the text
		// that decided where they end.
		if err == nil && (i == 0 || hasKey(root, "description")) {
			return front{cut: c, root: root}, nil
		}
		if first == nil {
			first = err
		}
	}
	var best front
	fewest := -1
	for i, c := range ways {
		if len(c.front) > maxBytes {
			continue
		}
		text, _ := readableControls(c.front)
		root, repairs := repairYAML(text)
		if root == nil || !hasKey(root, "description") && (i > 0 || !hasKey(root, "name")) {
			continue
		}
		lost := 0
		for _, r := range repairs {
			if r.lost {
				lost++
			}
		}
		// Front matter that runs on into the body loses lines of it.
		if fewest < 0 || lost < fewest {
			best, fewest = front{cut: c, root: root, repairs: repairs}, lost
		}
	}
	return best, first
}

func readWithin(c cut, maxBytes int) (*yaml.Node, error) {
	if len(c.front) > maxBytes {
		return nil, fmt.Errorf("%d bytes: %w of %d", len(c.front), errTooLong, maxBytes)
	}
	text, _ := readableControls(c.front)
	return readYAML(text)
}

// hasKey reports whether a mapping has the key, in any case.
func hasKey(root *yaml.Node, key string) bool {
	for i := 0; i+1 < len(root.Content); i += 2 {
		if strings.EqualFold(root.Content[i].Value, key) {
			return true
		}
	}
	return false
}
