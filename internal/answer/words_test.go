package answer

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What ends words without quotes, and what does not.
func TestWordsWithoutQuotes(t *testing.T) {
	for text, want := range map[string][]string{
		"[a b, c; d\n]":                             {"a b", "c", "d"},
		"[a，b c，d]":                                 {"a", "b c", "d"},
		"[see http://x.org/a//b, c // no\n, d]":     {"see http://x.org/a//b", "c", "d"},
		"[a /* no */, b/* no */ c, d # no\n, e#f]":  {"a", "b", "c", "d", "e#f"},
		`[a "b", "d"]`:                              {"a", "b", "d"},
		`[e f "g"]`:                                 {`e f "g"`},
		"{\"anchors\": [one, two```\nand then chat": {"one", "two"},
	} {
		p := parser{s: text}
		n, err := p.value()
		require.NoError(t, err, text)
		if n.kind == object {
			n = n.items[0]
		}
		got := []string{}
		for _, item := range n.items {
			got = append(got, item.text)
		}
		require.Equal(t, want, got, text)
	}
}

// A quoted word before a bracket does not end the text around it, unless the
// bracket begins the next line: then a comma was left out.
func TestQuotesBeforeBrackets(t *testing.T) {
	got, err := Decode(`["see "x" [1] there", "b"]`, validList)
	require.NoError(t, err)
	require.Equal(t, []string{`see "x" [1] there`, "b"}, got)
	mixed, err := Decode("[\"a\"\n{\"b\": 1}]", func(*[]any) error { return nil })
	require.NoError(t, err)
	require.Equal(t, []any{"a", map[string]any{"b": 1.0}}, mixed)
}
