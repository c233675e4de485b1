package bm25

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A name is a word in lower case, without its joints, and its parts.
type name struct {
	whole []byte
	parts []part
}

// A part is a stretch of the whole.
type part struct{ from, to int }

// word gives the terms of the word p[from:to], which begins with a letter or
// a digit. It looks around for the signs of C++, C# and .NET.
func (t *tokenizer) word(p string, from, to int) {
	n := &t.name
	n.parse(p[from:to])
	if len(n.whole) == 0 {
		return
	}
	if len(n.parts) == 1 {
		t.single(p, from, to)
		return
	}
	if t.identifiers != PartsOnly && len(n.whole) <= maxTerm {
		t.give(n.whole)
	}
	if t.identifiers != WholeOnly || len(n.whole) > maxTerm {
		for _, part := range n.parts {
			if term := n.whole[part.from:part.to]; len(term) > 1 || isDigit(term[0]) {
				t.give(term)
			}
		}
	}
}

// single gives a word of one part, with its sign where it has one.
func (t *tokenizer) single(p string, from, to int) {
	term := t.name.whole
	oneLetter := len(term) == 1 && !isDigit(term[0])
	if sign := signAfter(p[to:], oneLetter); sign != "" && len(term)+len(sign) <= maxTerm {
		t.term = append(append(t.term[:0], term...), sign...)
		t.emit(t.term)
		if oneLetter {
			return
		}
	} else if from > 0 && p[from-1] == '.' && asciiClass[p[from]] > digit && len(term) < maxTerm &&
		(from == 1 || p[from-2] >= utf8.RuneSelf || strings.IndexByte("\"'`([{*=|,", p[from-2]) >= 0) {
		t.term = append(append(t.term[:0], '.'), term...)
		t.emit(t.term)
	}
	t.give(term)
}

// signAfter is "++" or, after one letter, "#", where it ends the word.
func signAfter(rest string, oneLetter bool) string {
	switch {
	case len(rest) >= 2 && rest[:2] == "++" && (len(rest) == 2 || rest[2] != '+'):
		return "++"
	case oneLetter && len(rest) >= 1 && rest[0] == '#' && (len(rest) == 1 || asciiClass[rest[1]] < digit && rest[1] != '#'):
		return "#"
	}
	return ""
}

// parse fills the name from a word.
func (n *name) parse(word string) {
	n.whole, n.parts = n.whole[:0], n.parts[:0]
	start := 0       // of the part in whole
	last := other    // class of the last character of the part, other at its start
	letters := false // the part has one
	cut := func() {
		if start < len(n.whole) {
			n.parts = append(n.parts, part{start, len(n.whole)})
		}
		start, last, letters = len(n.whole), other, false
	}
	for i := 0; i < len(word); {
		r, size := rune(word[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(word[i:])
		}
		c := classOf(r)
		switch c {
		case letter, digit:
			n.whole = appendLower(n.whole, r)
		case upper:
			if last == letter || last == digit && letters || last == upper && beginsWord(word[i+size:]) {
				cut()
			}
			n.whole = appendLower(n.whole, r)
		case mark:
			n.whole = utf8.AppendRune(n.whole, r)
			i += size
			continue
		case ignored, other:
			i += size
			continue
		case jointClass:
			next := classAt(word, i+size)
			switch {
			case r == ',' || r == '.' && last == digit && next == digit:
				if r == '.' {
					n.whole = append(n.whole, '.')
				}
			case r == '\'' || r == '\u2019':
				rest := word[i+size:]
				if isClitic(rest) {
					cut()
					return
				}
				if len(n.whole)-start <= 2 && letters && moreThanTwo(rest) {
					cut() // l'homme, qu'elle
				}
			case last == digit && next == digit: // 2026-01-31
				cut()
				n.whole = append(n.whole, byte(r))
				start = len(n.whole)
			default:
				cut()
			}
			i += size
			continue
		}
		last = c
		letters = letters || c != digit
		i += size
	}
	cut()
}

// moreThanTwo says whether a string has more than two characters.
func moreThanTwo(s string) bool {
	return len(s) > 2*utf8.UTFMax || utf8.RuneCountInString(s) > 2 // long words stay linear
}

// isClitic is for what English hangs on a word with an apostrophe and what
// adds nothing to it: user's, we'll, they're, I've, I'd, I'm.
func isClitic(s string) bool {
	if len(s) > 2 {
		return false
	}
	switch strings.ToLower(s) {
	case "s", "ll", "re", "ve", "d", "m":
		return true
	}
	return false
}

// beginsWord says whether lower-case letters follow, as after the H of
// XMLHttp, but not the plural s of APIs.
func beginsWord(rest string) bool {
	return classAt(rest, 0) == letter && !(rest[0] == 's' && classAt(rest, 1) < digit)
}

// classAt is the class of the character at a position, other at the end.
func classAt(s string, at int) class {
	if at >= len(s) {
		return other
	}
	r, _ := utf8.DecodeRuneInString(s[at:])
	return classOf(r)
}

// appendLower appends a letter or digit in lower case. The two sigmas of Greek
// become one, as in Unicode's case folding.
func appendLower(dst []byte, r rune) []byte {
	if r < utf8.RuneSelf {
		if r-'A' <= 'Z'-'A' && r >= 'A' {
			r += 'a' - 'A'
		}
		return append(dst, byte(r))
	}
	if r = unicode.ToLower(r); r == 'ς' {
		r = 'σ'
	}
	return utf8.AppendRune(dst, r)
}
