package bm25

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/kljensen/snowball"

	"github.com/prospect-go/prospect"
)

// StandardOptions of [Standard]. The zero value has the defaults, which were
// chosen by measurement (see the package comment).
type StandardOptions struct {
	// Stem is the language whose snowball stems are used: english, french,
	// spanish, russian, swedish, norwegian or hungarian; [NoStem] for none.
	// English stems touch words of a to z alone, and take the plural from
	// acronyms too (PDFs). Default english.
	Stem string
	// StopWords are left out of documents and queries, in lower case and as
	// they are before stemming. Default, for nil: 33 very common words of
	// English. An empty list that is not nil leaves nothing out.
	StopWords []string
	// Identifiers says what becomes of words such as camelCase, snake_case,
	// kebab-case, file.ext and node.js. Default [WholeAndParts].
	Identifiers Identifiers
}

// NoStem switches stemming off.
const NoStem = "none"

// Identifiers is a way to treat words that are made of parts.
type Identifiers int

const (
	// WholeAndParts gives the whole without joints and each part: camelCase
	// and camel-case become camelcase, camel, case.
	WholeAndParts Identifiers = iota
	// PartsOnly gives the parts alone.
	PartsOnly
	// WholeOnly gives the whole alone.
	WholeOnly
)

// commonEnglish are the words that Lucene's English analyzer leaves out too.
// Short texts gain: in a description of 30 words, "with" is rare enough to
// count.
var commonEnglish = strings.Fields(`a an and are as at be but by for if in into is it no not of on or
	such that the their then there these they this to was will with`)

// Standard returns an analyzer for text and names of any language:
//
//   - Text is taken apart at white space and then into words by Unicode's
//     rules (UAX #29), brought to compatibility form (NFKC) and lower case.
//   - Runs of Han, Kana and Hangul, and of scripts that write no spaces (Thai,
//     Lao, Khmer, Burmese), become overlapping pairs of characters; a single
//     character stays one.
//   - Words made of parts by hyphen, underscore, dot or capital letters are
//     kept whole, without the joints, and taken apart (see
//     [StandardOptions].Identifiers). A part of one letter is left out.
//     Joints between digits stay in the whole, and a dot between digits takes
//     nothing apart: v1.2 and 3.14 are one term. A comma between digits goes:
//     1,000 is 1000.
//   - C++, C#, F# keep their signs, .NET gives .net and net.
//   - 's goes and so do 'll, 're, 've, 'd and 'm; don't becomes dont, and
//     l'homme is taken apart.
//   - Invalid UTF-8 parts words. Terms are at most 64 bytes: longer words are
//     cut there, longer wholes left out.
//
// An unknown language is an error ([prospect.ErrOption]).
func Standard(opts StandardOptions) (*Analyzer, error) {
	if opts.Stem == "" {
		opts.Stem = "english"
	}
	if opts.Identifiers < WholeAndParts || opts.Identifiers > WholeOnly {
		return nil, fmt.Errorf("%w: bm25: Identifiers is %d, want a constant of the package", prospect.ErrOption, opts.Identifiers)
	}
	s := &standard{identifiers: opts.Identifiers}
	if opts.Stem != NoStem {
		if _, err := snowball.Stem("a", opts.Stem, true); err != nil {
			return nil, fmt.Errorf("%w: bm25: no stems for language %q", prospect.ErrOption, opts.Stem)
		}
		s.stem = opts.Stem
	}
	if opts.StopWords == nil {
		opts.StopWords = commonEnglish
	}
	stop := "none"
	if len(opts.StopWords) > 0 {
		words := slices.Compact(slices.Sorted(slices.Values(opts.StopWords)))
		s.stop = make(map[string]struct{}, len(words))
		for _, w := range words {
			s.stop[w] = struct{}{}
		}
		stop = fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(words, "\n"))))[:16]
	}
	s.pool.New = func() any { return s.newTokenizer() }
	return &Analyzer{
		// The number changes whenever this package, or Unicode's tables or the
		// stems that it uses, may make other terms.
		identity: fmt.Sprintf("standard/1 stem=%s stop=%s identifiers=%d", opts.Stem, stop, opts.Identifiers),
		run:      s.run,
	}, nil
}

// standard is what all tokenizers of one analyzer share.
type standard struct {
	stem        string // language, "" for none
	stop        map[string]struct{}
	identifiers Identifiers
	pool        sync.Pool
}

func (s *standard) run(text string, emit func([]byte)) {
	t := s.pool.Get().(*tokenizer)
	t.emit = emit
	t.text(text)
	t.emit = nil
	s.pool.Put(t)
}

// defaultAnalyzer is Standard with its defaults, made once so that indexes
// share its memory.
var defaultAnalyzer = sync.OnceValue(func() *Analyzer {
	a, err := Standard(StandardOptions{})
	if err != nil {
		panic(err) // the defaults are valid: a test holds it
	}
	return a
})
