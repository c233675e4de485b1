package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExcerptsAreShortAndDiffer(t *testing.T) {
	var texts []string
	for i := range 50 {
		var words []string
		for j := range 200 {
			words = append(words, fmt.Sprintf("w%d.%d", i, j))
		}
		texts = append(texts, strings.Join(words, " "))
	}
	pieces := excerpts(append(texts, "  "), 300)
	require.Equal(t, pieces, excerpts(append(texts, "  "), 300), "the same in every run")
	seen := map[string]bool{}
	for _, p := range pieces {
		require.NotEmpty(t, p)
		require.LessOrEqual(t, len(strings.Fields(p)), 60)
		require.False(t, seen[p])
		seen[p] = true
	}
}

// A small collection goes through all cases, with those peers that are there.
func TestLexicalCases(t *testing.T) {
	var text, lines bytes.Buffer
	out := &output{area: "bm25", text: &text, lines: json.NewEncoder(&lines)}
	o := &options{rounds: 2, peers: regexp.MustCompile("")}
	texts := []string{"red apples and pears", "green apples", "how to draw a map", "maps of \"places\": C++ (1 AND 2)"}
	queries := map[string][]string{"short": {"apples", "a map"}, "long": {"draw: (green) \"apples\" AND maps of ^places"}}
	require.NoError(t, lexical(t.Context(), o, out, "", texts, queries, true))
	for _, want := range []string{"build", "short", "long"} {
		for _, name := range []string{"prospect", "bleve"} {
			for _, unit := range []string{"", "cpu "} {
				require.Regexp(t, fmt.Sprintf(`"case":"%s","name":"%s","unit":"%sms(/query)?","value":`, want, name, unit), lines.String())
			}
		}
	}
}
