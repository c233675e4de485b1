package bm25

import "unicode"

// denseScripts are written without spaces between words, or, as Korean, with
// words that carry their endings.
var denseScripts = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// isDense says whether a rune of those scripts is part of words there. The
// long-vowel mark, 々 and 〆 belong to no one script or count as signs.
func isDense(r rune) bool {
	if r < 0x0e00 {
		return false
	}
	switch r {
	case 'ー', '々', '〆', '〇':
		return true
	}
	return unicode.In(r, denseScripts...) && (unicode.IsLetter(r) || unicode.IsMark(r))
}

// pairs makes terms of a run of dense characters: each two neighbours, or the
// one alone.
type pairs struct {
	piece string
	cuts  []int // where the run's characters begin, and where the last ends
}

// add appends a character of the piece.
func (r *pairs) add(piece string, at, size int) {
	if len(r.cuts) == 0 {
		r.piece = piece
		r.cuts = append(r.cuts, at)
	}
	r.cuts = append(r.cuts, at+size)
}

// endsAt says whether there is a run and it ends there.
func (r *pairs) endsAt(at int) bool { return len(r.cuts) > 0 && r.cuts[len(r.cuts)-1] == at }

// extend makes the last character longer, by a combining mark.
func (r *pairs) extend(size int) { r.cuts[len(r.cuts)-1] += size }

// flush gives the terms of the run and forgets it.
func (r *pairs) flush(t *tokenizer) {
	switch n := len(r.cuts) - 1; {
	case n < 1:
		return
	case n == 1:
		t.give(append(t.name.whole[:0], r.piece[r.cuts[0]:r.cuts[1]]...))
	default:
		for i := range n - 1 {
			t.give(append(t.name.whole[:0], r.piece[r.cuts[i]:r.cuts[i+2]]...))
		}
	}
	r.piece, r.cuts = "", r.cuts[:0]
}
