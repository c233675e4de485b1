package prospect_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The program in the README is one that builds and runs.
func TestREADMEShowsTheQuickstart(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(readme), "```go\n")
	require.True(t, ok)
	shown, _, ok := strings.Cut(rest, "```")
	require.True(t, ok)
	program, err := os.ReadFile("examples/quickstart/main.go")
	require.NoError(t, err)
	require.Equal(t, string(program), shown)
}

// Links in the README lead somewhere.
func TestREADMELinks(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	links := regexp.MustCompile(`\]\(([a-zA-Z][^) ]*)\)`).FindAllStringSubmatch(string(readme), -1)
	require.Greater(t, len(links), 10)
	for _, link := range links {
		target := link[1]
		if strings.Contains(target, "://") || !strings.ContainsAny(target, "./") && target != "LICENSE" && target != "NOTICE" {
			continue
		}
		_, err := os.Stat(target)
		require.NoError(t, err, target)
	}
}
