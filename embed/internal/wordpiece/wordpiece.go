// Package wordpiece splits text into the WordPiece tokens of BERT-style
// models, with the ids that the reference tokenizers give.
//
// The steps, in the order in which the reference takes them:
//
//  1. added tokens ("[SEP]" and the like), found in the raw text;
//  2. normalisation: control characters dropped, white space mapped to
//     spaces, CJK ideographs set apart, accents stripped (canonical
//     decomposition without nonspacing marks), lower case;
//  3. words: runs between white space, every punctuation mark on its own;
//  4. pieces: the longest vocabulary entry that begins a word, then the
//     longest that continues it, and so on; a word that cannot be covered, or
//     of too many characters, is the unknown token;
//  5. the special tokens around the whole.
//
// All of it is one pass over the text, rune by rune, and it ends as soon as
// the tokens asked for are there: the time is linear in what is read, whatever
// the text.
package wordpiece

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A Tokenizer turns text into token ids. It is read-only once made and safe
// for concurrent use.
type Tokenizer struct {
	begin     map[string]uint32 // pieces that begin a word
	inside    map[string]uint32 // pieces that continue one, without their prefix
	unknown   uint32
	maxRunes  int // longer words are unknown
	maxPiece  int // bytes of the longest piece: no need to try more
	norm      normalizer
	added     []addedToken // longest first
	addedHead [256]bool    // first bytes of the added tokens
	prefix    []uint32     // special tokens before the text
	suffix    []uint32     // and after it
}

type normalizer struct {
	clean, spaceCJK, strip, lower bool
}

type addedToken struct {
	text string
	id   uint32
}

// Specials is the number of special tokens that [Tokenizer.Encode] puts
// around a text.
func (t *Tokenizer) Specials() int { return len(t.prefix) + len(t.suffix) }

// MaxID is the largest id that the tokenizer can give.
func (t *Tokenizer) MaxID() uint32 {
	id := t.unknown
	for _, m := range []map[string]uint32{t.begin, t.inside} {
		for _, v := range m {
			id = max(id, v)
		}
	}
	for _, a := range t.added {
		id = max(id, a.id)
	}
	for _, v := range append(t.prefix[:len(t.prefix):len(t.prefix)], t.suffix...) {
		id = max(id, v)
	}
	return id
}

// Encode gives the ids of text with the special tokens around them, at most
// maxTokens in all: the text is cut at its end, the special tokens stay. It
// reports whether something was cut. maxTokens must be larger than Specials.
func (t *Tokenizer) Encode(text string, maxTokens int) (ids []uint32, truncated bool) {
	room := maxTokens - t.Specials()
	// A token of English takes about five bytes; the slice grows where not.
	ids = make([]uint32, 0, min(maxTokens, len(text)/4+8))
	ids = append(ids, t.prefix...)
	w := writer{t: t, ids: ids, limit: len(t.prefix) + room}
	w.text(text)
	ids = w.ids
	if len(ids) > w.limit {
		ids, truncated = ids[:w.limit], true
	}
	return append(ids, t.suffix...), truncated
}

// Count gives the number of tokens of the whole text, special tokens included.
func (t *Tokenizer) Count(text string) int {
	w := writer{t: t, limit: 1 << 10}
	n := 0
	// The writer stops one word after its limit; raising the limit by what it
	// has would need the text again, so it is drained instead.
	w.drain = func() { n += len(w.ids); w.ids = w.ids[:0] }
	w.text(text)
	w.drain()
	return n + t.Specials()
}

// A writer holds the state of one pass: the ids so far and the word in hand.
type writer struct {
	t     *Tokenizer
	ids   []uint32
	limit int    // stop once there are more ids than this
	drain func() // or, where not nil, take them away and go on
	word  []byte // normalised
	runes int    // characters of word, counted also past those kept
	buf   []byte // one decomposed rune
}

// full says whether the pass can end.
func (w *writer) full() bool {
	if len(w.ids) <= w.limit {
		return false
	}
	if w.drain != nil {
		w.drain()
		return false
	}
	return true
}

func (w *writer) text(s string) {
	t := w.t
	for i := 0; i < len(s); {
		c := s[i]
		if t.addedHead[c] {
			if a, ok := t.addedAt(s[i:]); ok {
				w.flush()
				w.ids = append(w.ids, a.id)
				if w.full() {
					return
				}
				i += len(a.text)
				continue
			}
		}
		if c < utf8.RuneSelf {
			w.ascii(c)
			i++
		} else {
			r, n := utf8.DecodeRuneInString(s[i:])
			w.rune(r)
			i += n
		}
		if w.full() {
			return
		}
	}
	w.flush()
}

func (t *Tokenizer) addedAt(s string) (addedToken, bool) {
	for _, a := range t.added {
		if strings.HasPrefix(s, a.text) {
			return a, true
		}
	}
	return addedToken{}, false
}

// ascii is rune for the common case, without table look-ups.
func (w *writer) ascii(c byte) {
	switch n := &w.t.norm; {
	case c == ' ' || '\t' <= c && c <= '\r':
		// Vertical tab and form feed are control characters to the cleaning
		// step, and white space where there is none.
		if n.clean && (c == '\v' || c == '\f') {
			return
		}
		w.flush()
	case c < ' ' || c == 0x7f:
		if !n.clean {
			w.add(c)
		}
	case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
		w.add(c)
	case 'A' <= c && c <= 'Z':
		if n.lower {
			c += 'a' - 'A'
		}
		w.add(c)
	default: // every other ASCII graphic character counts as punctuation
		w.flush()
		w.add(c)
		w.flush()
	}
}

// add appends one ASCII character to the word.
func (w *writer) add(c byte) {
	w.runes++
	if w.runes <= w.t.maxRunes {
		w.word = append(w.word, c)
	}
}

// rune takes a character beyond ASCII through normalisation and word breaking.
func (w *writer) rune(r rune) {
	n := &w.t.norm
	if n.clean && (r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co)) {
		return
	}
	apart := n.spaceCJK && isCJK(r)
	if apart {
		w.flush()
	}
	if n.strip {
		// One rune at a time: what canonical ordering would move are marks,
		// which are dropped here (or unknown in any vocabulary).
		w.buf = norm.NFD.AppendString(w.buf[:0], string(r))
		for b := w.buf; len(b) > 0; {
			d, size := utf8.DecodeRune(b)
			b = b[size:]
			if !unicode.Is(unicode.Mn, d) {
				w.lowered(d)
			}
		}
	} else {
		w.lowered(r)
	}
	if apart {
		w.flush()
	}
}

func (w *writer) lowered(r rune) {
	if w.t.norm.lower {
		if r == 'İ' { // the one character whose lower case is two
			w.settled('i')
			w.settled('\u0307')
			return
		}
		r = unicode.ToLower(r)
	}
	w.settled(r)
}

// settled takes a normalised character.
func (w *writer) settled(r rune) {
	switch {
	case r < utf8.RuneSelf:
		w.ascii(byte(r))
	case unicode.IsSpace(r):
		w.flush()
	case unicode.IsPunct(r):
		w.flush()
		w.word = utf8.AppendRune(w.word, r)
		w.runes = 1
		w.flush()
	default:
		w.runes++
		if w.runes <= w.t.maxRunes {
			w.word = utf8.AppendRune(w.word, r)
		}
	}
}

// flush ends the word in hand and writes its pieces.
func (w *writer) flush() {
	if w.runes == 0 {
		return
	}
	t, word := w.t, w.word
	tooLong := w.runes > t.maxRunes
	w.word, w.runes = w.word[:0], 0
	if tooLong {
		w.ids = append(w.ids, t.unknown)
		return
	}
	first := len(w.ids)
	pieces := t.begin
	for len(word) > 0 {
		end := min(len(word), t.maxPiece)
		var id uint32
		for end > 0 {
			var ok bool
			if end == len(word) || utf8.RuneStart(word[end]) {
				if id, ok = pieces[string(word[:end])]; ok {
					break
				}
			}
			end--
		}
		if end == 0 {
			w.ids = append(w.ids[:first], t.unknown)
			return
		}
		w.ids = append(w.ids, id)
		word, pieces = word[end:], t.inside
	}
}

// isCJK reports the ideographs that the reference sets apart. Its range for
// extension E begins at 2B920 where the block begins at 2B820; the ids are to
// be equal, so that is kept.
func isCJK(r rune) bool {
	return 0x4E00 <= r && r <= 0x9FFF ||
		0x3400 <= r && r <= 0x4DBF ||
		0xF900 <= r && r <= 0xFAFF ||
		0x20000 <= r && r <= 0x2A6DF ||
		0x2A700 <= r && r <= 0x2B73F ||
		0x2B740 <= r && r <= 0x2B81F ||
		0x2B920 <= r && r <= 0x2CEAF ||
		0x2F800 <= r && r <= 0x2FA1F
}
