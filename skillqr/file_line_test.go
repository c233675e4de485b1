package skillqr

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The line of a mistake, in files as large as those of 632 clusters, and after
// texts of many lines.
func TestTheLineOfAMistake(t *testing.T) {
	clusters := func(n int) string {
		var b strings.Builder
		b.WriteString("version: 1\nclusters:\n")
		for i := range n {
			fmt.Fprintf(&b, "  - cluster: %d\n    domain: %s\n    terms: [a, b, c]\n    size: 5\n", i, strings.Repeat("word ", 30))
		}
		return b.String()
	}
	twoLines := strings.Repeat("- name: \"a\n   b\"\n", 2000)
	longText := "version: 1\nmade: \"" + strings.Repeat("a\n  ", 300) + "\"\n" // 302 lines
	for name, c := range map[string]struct {
		text string
		line int
	}{
		"first line":                    {"a: b: c\n", 1},
		"last line without its end":     {"a: b\nb: [", 2},
		"an indentation":                {clusters(300) + "   size: 5\n" + strings.TrimPrefix(clusters(300), "version: 1\nclusters:\n"), 1203},
		"a quote that is not closed":    {clusters(200) + "made: \"x\n", 803},
		"one that is, and one not":      {twoLines + "- name: \"c\n", 4001},
		"a bracket, after short texts":  {twoLines + "- [\n", 4001},
		"after a text of 300 lines":     {longText + "rounds: 1\n  a: 2\n", 304},
		"a key after a text of 300":     {longText + "judge: a: b\n", 303},
		"within a list":                 {"a:\n  - b\n - c\n", 3},
		"a tab":                         {"a:\n\tb: c\n", 2},
		"a bracket too many, far above": {"a: ]\n" + clusters(500), 1},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBeginnings([]byte(c.text))
			line, ok := b.firstBad()
			require.True(t, ok)
			require.Equal(t, c.line, line)
			require.LessOrEqual(t, b.parsed, maxParsed)
			_, err := Parse([]byte(c.text))
			require.ErrorContains(t, err, fmt.Sprintf("line %d: ", c.line))
		})
	}
}

// However long the search would take, it ends; what it has by then is a line at
// or before the mistake, or none.
func TestTheSearchForAMistakeIsBounded(t *testing.T) {
	for _, n := range []int{1000, 10_000} {
		text := strings.Repeat("- name: \"a\n   b\"\n", n) + "- \"c\n" + strings.Repeat("   d\n", n)
		b := newBeginnings([]byte(text))
		line, ok := b.firstBad()
		require.LessOrEqual(t, b.parsed, maxParsed)
		if ok {
			require.LessOrEqual(t, line, 2*n+1)
		}
		_, err := Parse([]byte(text))
		require.ErrorContains(t, err, "line ")
	}
}
