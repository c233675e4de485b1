package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		" two \n\t lines\r\n":      "two lines",
		"\x1b[31mred\x1b[0m":       "[31mred[0m",
		"\u202eabc\u2069\ufeff":    "abc",
		"bad \xff byte":            "bad \uFFFD byte",
		"line\u2028paragraph":      "line paragraph",
		"क्\u200dष stays as it is": "क्\u200dष stays as it is",
	} {
		require.Equal(t, want, clean(in))
	}
	require.Equal(t, []string{"a", "    b", ""}, cleanLines("a  \r\n\tb\x1b\n"))
}

func TestWidths(t *testing.T) {
	require.Equal(t, "養…", cut("養蜂蜂", 4))
	require.Equal(t, "養  ", pad("養", 4))
	require.Equal(t, []string{"ab cd", "e"}, wrap("ab  cd\ne", 5))
	require.Equal(t, []string{"abcde", "fgh i"}, wrap("abcdefgh i", 5))
	require.Empty(t, wrap("  ", 4))
}

func FuzzWrapKeepsEveryCharacterAndTheWidth(f *testing.F) {
	f.Add("a question of many words, 養蜂 and\x1b[1m controls", 5)
	f.Add("abcdefgh i", 2)
	f.Fuzz(func(t *testing.T, text string, n int) {
		if n < 2 || n > 200 {
			t.Skip("a column holds at least one wide character")
		}
		text = clean(text)
		require.True(t, utf8.ValidString(text))
		require.NotContains(t, text, "\x1b")
		lines := wrap(text, n)
		for _, l := range lines {
			require.LessOrEqual(t, textWidth(l), n)
		}
		require.Equal(t, strings.ReplaceAll(text, " ", ""), strings.ReplaceAll(strings.Join(lines, ""), " ", ""))
		require.LessOrEqual(t, textWidth(cut(text, n)), n)
	})
}
