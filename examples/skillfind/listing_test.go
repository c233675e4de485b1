package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// What an agent is given keeps to its budget, and a person is told what it
// leaves out.
func TestListing(t *testing.T) {
	args := []string{"-skills", bundledSkills, "-tasks", bundledTasks, "-gallery", galleryFile(t), "-task", "orders-page-crawls"}
	got := skillfind(t, append(args, "-listing", "700")...)
	require.Equal(t, exitOK, got.code)
	require.LessOrEqual(t, utf8.RuneCountInString(got.out), 700)
	require.Contains(t, got.out, "- `regression-bisection` (`regression-bisection/SKILL.md`): Halve a revision range")
	require.Contains(t, got.out, "43 more skills are not listed here.\n")
	require.Contains(t, got.err, "regression-bisection: shortened")
	require.Contains(t, got.err, "blameless-incident-review: name only, 0 of 195 characters")

	got = skillfind(t, append(args, "-listing", "100000")...)
	require.Equal(t, 5, strings.Count(got.out, "\n- ")+1)
	require.NotContains(t, got.err, "shortened")

	got = skillfind(t, append(args, "-listing", "10", "-json")...)
	require.Equal(t, exitUsage, got.code)
	require.Contains(t, got.err, "-listing and -json")
	got = skillfind(t, append(args, "-listing", "-1")...)
	require.Equal(t, exitUsage, got.code)
}
