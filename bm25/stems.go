package bm25

import (
	"strings"

	"github.com/kljensen/snowball"
)

// maxStems bounds the memory of a tokenizer: so many words are some megabytes.
const maxStems = 1 << 17

// stems remembers the stems of words, which take a hundred times as long to
// find as to look up. It is for one goroutine.
type stems struct {
	language string
	words    *dict
	stems    []string // by number of the word
}

func newStems(language string) *stems { return &stems{language: language, words: newDict(0)} }

// of is the stem of a word in lower case.
func (s *stems) of(word []byte) string {
	n := s.words.numberBytes(word)
	if int(n) < len(s.stems) {
		return s.stems[n]
	}
	w := s.words.terms[n]
	stem, err := snowball.Stem(w, s.language, true)
	if err != nil || stem == "" {
		stem = w
	}
	if s.language == "english" && isAcronymPlural(stem) {
		stem = stem[:len(stem)-1]
	}
	s.stems = append(s.stems, stem)
	if len(s.stems) == maxStems {
		*s = *newStems(s.language)
	}
	return stem
}

// isAcronymPlural is for pdfs, csvs and llms. Porter's rules take an s away
// only after a vowel, and acronyms that end in s themselves, such as dns, tls
// and css, have three letters.
func isAcronymPlural(stem string) bool {
	return len(stem) > 3 && strings.HasSuffix(stem, "s") && !strings.HasSuffix(stem, "ss") &&
		!strings.ContainsAny(stem, "aeiouy")
}
