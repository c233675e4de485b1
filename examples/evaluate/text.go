package main

import (
	"strings"
	"unicode"
)

// Texts of documents, of models and of files are anybody's. What is printed
// goes through clean, so that nothing in them can steer a terminal.

// clean makes one line of a text: white space becomes single spaces, control
// and direction characters are dropped.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.Join(strings.Fields(s), " ")
}

// short is the first n characters of a text, with an ellipsis where there are
// more.
func short(s string, n int) string {
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	return string(runes[:n-1]) + "…"
}
