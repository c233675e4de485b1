package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                      "plain",
		" two \n\t lines\r\n":        "two lines",
		"\x1b[31mred\x1b[0m":         "[31mred[0m",
		"a\u009bb\x7fc\x00d":         "abcd",
		"\u202eabc\u2069\ufeff":      "abc",
		"👩\u200d🔧 क्\u200dष":         "👩\u200d🔧 क्\u200dष",
		"bad \xff byte":              "bad \uFFFD byte",
		"line\u2028paragraph\u2029.": "line paragraph .",
	} {
		require.Equal(t, want, clean(in))
	}
	require.Equal(t, []string{"a", "    b", ""}, cleanLines("a  \r\n\tb\x1b\n"))
}

func TestWidths(t *testing.T) {
	require.Equal(t, 6, textWidth("養蜂 é"+"\u0301"))
	require.Equal(t, "養…", cut("養蜂蜂", 4))
	require.Equal(t, "abc…", cut("abc defg", 5))
	require.Equal(t, "abcde", cut("abcde", 5))
	require.Equal(t, "養  ", pad("養", 4))
	require.Equal(t, []string{"ab cd", "e"}, wrap("ab  cd\ne", 5))
	require.Equal(t, []string{"abcde", "fgh i"}, wrap("abcdefgh i", 5))
	require.Equal(t, []string{"養蜂", "家"}, wrap("養蜂家", 4))
	require.Empty(t, wrap("  ", 4))
}

func TestWrapKeepsEveryCharacterAndTheWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, n := clean(rapid.String().Draw(t, "text")), rapid.IntRange(2, 40).Draw(t, "n")
		lines := wrap(text, n)
		for _, l := range lines {
			require.LessOrEqual(t, textWidth(l), n)
			require.NotEmpty(t, l)
		}
		require.Equal(t, strings.ReplaceAll(text, " ", ""), strings.ReplaceAll(strings.Join(lines, ""), " ", ""))
		require.LessOrEqual(t, textWidth(cut(text, n)), n)
	})
}

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		1234 * time.Nanosecond:    "1µs",
		123456 * time.Nanosecond:  "120µs",
		3456 * time.Microsecond:   "3.46ms",
		45678 * time.Microsecond:  "46ms",
		2345 * time.Millisecond:   "2.35s",
		83456 * time.Millisecond:  "1m23.5s",
		300 * time.Second:         "5m0s",
		999999 * time.Microsecond: "1s",
	} {
		require.Equal(t, want, span(d))
	}
}

func TestColoursOnTerminalsOnly(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "")
	require.NoError(t, err)
	defer f.Close()
	require.False(t, styleFor(f).on)
	require.False(t, styleFor(&strings.Builder{}).on)
	require.Equal(t, "x", style{}.bold("x"))
	require.Equal(t, "\x1b[1mx\x1b[0m", style{true}.bold("x"))
}
