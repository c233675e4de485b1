package skill

import (
	"crypto/sha256"
	"fmt"
	"unicode"
	"unicode/utf8"
)

// compare reports the clashes among skills in order of precedence: each name
// that occurs before, in the same source or in an earlier one, and each body
// that occurs before under another name.
func compare(skills []*Skill) []Problem {
	var problems []Problem
	add := func(s *Skill, kind Kind, message string) {
		problems = append(problems, Problem{
			Source: s.Source, Path: s.File, Kind: kind, Severity: Warning, Message: message,
		})
	}
	byName := make(map[string]*Skill, len(skills))
	bySourceAndName := make(map[[2]string]*Skill, len(skills))
	byBody := make(map[[sha256.Size]byte]*Skill, len(skills))
	for _, s := range skills {
		own := [2]string{s.Source, s.Name}
		if first := byName[s.Name]; first == nil {
			byName[s.Name] = s
		} else if first.Source != s.Source {
			add(s, ShadowedName, fmt.Sprintf("%q is in the source %q too, which goes first", s.Name, first.Source))
		}
		if first := bySourceAndName[own]; first == nil {
			bySourceAndName[own] = s
		} else {
			add(s, DuplicateName, fmt.Sprintf("%q is the name in %s too", s.Name, first.File))
		}
		if s.Body == "" {
			continue
		}
		sum := bodySum(s.Body)
		if first := byBody[sum]; first == nil {
			byBody[sum] = s
		} else if first.Name != s.Name {
			add(s, NearDuplicate, fmt.Sprintf("the body is that of %q in %s", first.Name, place(first)))
		}
	}
	return problems
}

func place(s *Skill) string {
	if s.Source == "" {
		return s.File
	}
	return s.Source + ":" + s.File
}

// bodySum is equal for bodies that differ in white space and case only.
func bodySum(body string) [sha256.Size]byte {
	buf := make([]byte, 0, len(body))
	gap := false
	for _, r := range body {
		if unicode.IsSpace(r) {
			gap = true
			continue
		}
		if gap && len(buf) > 0 {
			buf = append(buf, ' ')
		}
		gap = false
		buf = utf8.AppendRune(buf, unicode.ToLower(r))
	}
	return sha256.Sum256(buf)
}
