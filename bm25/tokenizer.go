package bm25

import (
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
	"golang.org/x/text/unicode/norm"
)

// maxTerm is how many bytes a term has at most.
const maxTerm = 64

// A tokenizer is the memory of one goroutine's analysis.
type tokenizer struct {
	*standard
	emit  func([]byte)
	words *words.Iterator[string]
	stems *stems // words met before; nil without stemming
	name  name
	pair  pairs
	term  []byte // a term with its sign, or a stem
}

func (s *standard) newTokenizer() *tokenizer {
	t := &tokenizer{standard: s, words: words.FromString("")}
	if s.stem != "" {
		t.stems = newStems(s.stem)
	}
	return t
}

// text takes a text apart at ASCII white space. A piece without a byte above
// 127 takes the fast path, which gives what the other one would: a test
// holds it.
func (t *tokenizer) text(text string) {
	for i := 0; i < len(text); {
		if asciiClass[text[i]] == space {
			i++
			continue
		}
		from, high := i, byte(0)
		for i < len(text) && asciiClass[text[i]] != space {
			high |= text[i]
			i++
		}
		if high < utf8.RuneSelf {
			t.ascii(text[from:i])
		} else {
			t.unicode(text[from:i])
		}
	}
	t.words.SetText("") // keeps no text alive
}

// ascii finds the words of a piece by bytes: letters and digits, and joints
// between them.
func (t *tokenizer) ascii(p string) {
	for i := 0; i < len(p); {
		if asciiClass[p[i]] < digit {
			i++
			continue
		}
		from := i
		for i++; i < len(p); i++ {
			if asciiClass[p[i]] >= digit {
				continue
			}
			if !isJoint(rune(p[i])) || i+1 == len(p) {
				break
			}
			if next := asciiClass[p[i+1]]; next < digit && !(p[i] == '_' && p[i+1] == '_') {
				break
			}
			if p[i] == ',' && !(asciiClass[p[i-1]] == digit && asciiClass[p[i+1]] == digit) {
				break
			}
		}
		t.word(p, from, i)
	}
}

// unicode finds the words of a piece by the rules of UAX #29 and joins those
// with a joint between them.
func (t *tokenizer) unicode(p string) {
	if !norm.NFKC.IsNormalString(p) {
		p = norm.NFKC.String(p)
	}
	t.words.SetText(p)
	from, to := 0, 0 // the word so far
	joint := false   // a joint stands after it
	flush := func() {
		if from < to {
			t.word(p, from, to)
		}
		from, to, joint = 0, 0, false
	}
	for t.words.Next() {
		for at, end := t.words.Start(), t.words.End(); at < end; {
			r, size := utf8.DecodeRuneInString(p[at:])
			c := classOf(r)
			switch {
			case c == dense:
				flush()
				t.pair.add(p, at, size)
				at += size
				continue
			case c == mark && t.pair.endsAt(at):
				t.pair.extend(size)
				at += size
				continue
			}
			t.pair.flush(t)
			inside := at > t.words.Start() && from < to && to == at
			switch {
			case c >= digit:
				if from < to && (joint || inside) {
					to = at + size
				} else {
					flush()
					from, to = at, at+size
				}
				joint = false
			case from < to && c == jointClass && t.joins(p, to, at, size):
				joint = true
			case inside && (c == mark || c == ignored || c == other && (r >= utf8.RuneSelf || r == '"')):
				to = at + size // UAX #29 holds col·lecció and צה"ל together, and 0;0, which we do not
			default:
				flush()
			}
			at += size
		}
	}
	t.pair.flush(t)
	flush()
}

// joins says whether the joint at p[at:at+size] may continue the word that
// ends at to.
func (t *tokenizer) joins(p string, to, at, size int) bool {
	if to != at {
		return p[at] == '_' && p[at-1] == '_' // a__b
	}
	if p[at] != ',' {
		return true
	}
	next, _ := utf8.DecodeRuneInString(p[at+size:])
	return isDigit(p[at-1]) && next < utf8.RuneSelf && isDigit(byte(next))
}

func isDigit(b byte) bool { return asciiClass[b] == digit }

// give emits a term after stop words and stems.
func (t *tokenizer) give(term []byte) {
	if len(term) > maxTerm {
		cut := maxTerm
		for !utf8.RuneStart(term[cut]) {
			cut--
		}
		term = term[:cut]
	}
	if t.stop != nil {
		if _, ok := t.stop[string(term)]; ok {
			return
		}
	}
	if t.stems != nil {
		term = t.stemmed(term)
	}
	t.emit(term)
}

func (t *tokenizer) stemmed(term []byte) []byte {
	if len(term) < 3 {
		return term
	}
	for _, b := range term {
		if b-'a' > 'z'-'a' && !(b >= utf8.RuneSelf && t.stem != "english") {
			return term
		}
	}
	t.term = append(t.term[:0], t.stems.of(term)...)
	return t.term
}

// A class of characters. Those from digit on make words.
type class uint8

const (
	other      class = iota
	space            // ASCII white space
	jointClass       // may stand between parts of a word
	ignored          // invisible, within words
	mark             // combining
	dense            // of a script without spaces between words
	digit
	letter // lower case, or of a script without cases
	upper
)

var asciiClass = func() (classes [256]class) {
	for b := range classes[:utf8.RuneSelf] {
		switch {
		case b >= '0' && b <= '9':
			classes[b] = digit
		case b >= 'a' && b <= 'z':
			classes[b] = letter
		case b >= 'A' && b <= 'Z':
			classes[b] = upper
		case b == ' ' || b >= '\t' && b <= '\r':
			classes[b] = space
		case isJoint(rune(b)):
			classes[b] = jointClass
		}
	}
	return classes
}()

// isJoint is for hyphens, underscore, dot, apostrophes and the comma, which
// joins digits alone.
func isJoint(r rune) bool {
	switch r {
	case '-', '_', '.', '\'', ',', '\u2010', '\u2019':
		return true
	}
	return false
}

func classOf(r rune) class {
	if r < utf8.RuneSelf {
		return asciiClass[r]
	}
	switch {
	case isJoint(r):
		return jointClass
	case isDense(r):
		return dense
	case unicode.IsUpper(r) || unicode.IsTitle(r):
		return upper
	case unicode.IsLetter(r):
		return letter
	case unicode.IsNumber(r):
		return digit
	case unicode.IsMark(r):
		return mark
	case unicode.Is(unicode.Cf, r):
		return ignored
	}
	return other
}
