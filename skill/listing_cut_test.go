package skill

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestCutWords(t *testing.T) {
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{
		{"", 0, ""},
		{"whole", 5, "whole"},
		{"two words", 9, "two words"},
		{"two words", 8, "two wor…"}, // the end of "two" would lose more than half
		{"two words", 5, "two…"},
		{"two words", 4, "two…"},
		{"two words", 3, "tw…"},
		{"fourth word", 9, "fourth…"},
		{"a veryveryverylongword", 10, "a veryver…"},
		{"one, two; three", 10, "one, two…"}, // no comma or semicolon at the end
		{"ends here. More", 12, "ends here…"},
		{"日本語の説明", 4, "日本語…"},
		{"ee\u0301e", 3, "e…"}, // the accent stays with its letter
		{"e\u0301e", 2, ""},
		{"x y", 1, ""},
		{", , , ,", 3, ""},
	} {
		require.Equal(t, c.want, cutWords(c.text, c.limit), "%q %d", c.text, c.limit)
	}
}

// What choose searches by halves has to grow with the limit.
func TestCutWordsGrowsWithTheLimit(t *testing.T) {
	text := rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "bc", " ", ", ", "longer", "e\u0301", "日本", ".", "—"}), 0, 30), func(p []string) string {
		return visible(strings.Join(p, ""))
	})
	rapid.Check(t, func(t *rapid.T) {
		s := text.Draw(t, "text")
		before := ""
		for limit := range utf8.RuneCountInString(s) + 2 {
			cut := cutWords(s, limit)
			require.LessOrEqual(t, utf8.RuneCountInString(cut), limit)
			require.True(t, cut == s || cut == "" || strings.HasPrefix(s, strings.TrimSuffix(cut, "…")))
			require.GreaterOrEqual(t, utf8.RuneCountInString(cut), utf8.RuneCountInString(before), "%q at %d", s, limit)
			before = cut
		}
		require.Equal(t, s, before)
	})
}

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "",
		" \t\n":                     "",
		"  two \r\n\u2028 lines  ":  "two lines",
		"a\x00\x1b[31mb":            "a [31mb",
		"\u202eabc\u202c":           "abc",
		"a\u200bb\u00adc\ufeff":     "abc",
		"\U000E0041\U000E0100x":     "x",
		"\uffff\ufdd0y":             "y",
		"\xff":                      "\uFFFD",
		"a\u200c\u200d\u200cb":      "a\u200cb", // a text spelled out in joiners
		"a\ufe00\ufe01\ufe0fb":      "a\ufe00b",
		"\u200d\ufe0fa":             "a",
		"\u3164\u115f\uffa0\u2800a": "a",
		"🏳\ufe0f\u200d🌈":            "🏳\ufe0f\u200d🌈",
		"👩\u200d🔧":                  "👩\u200d🔧",
		"می\u200cخواهم":             "می\u200cخواهم",
	} {
		require.Equal(t, want, visible(text), "%q", text)
	}
}
