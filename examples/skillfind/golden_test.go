package main

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata; needed after a change of the model, a prompt or the layout")

// TestGolden holds the report on every bundled task against a file, so that a
// change of ranking or layout shows as a diff. Scores may differ by one in the
// last printed digit, as builds for other CPUs do.
func TestGolden(t *testing.T) {
	set, err := readBundle(bundledTasks)
	require.NoError(t, err)
	gallery := galleryFile(t)
	warm := skillfind(t, "-skills", bundledSkills, "-tasks", bundledTasks, "-gallery", gallery)
	require.Zero(t, warm.code, warm.err)
	compare(t, "default", normal(warm.out, gallery))
	for _, task := range set.tasks {
		got := skillfind(t, "-skills", bundledSkills, "-tasks", bundledTasks, "-gallery", gallery, "-task", task.ID)
		require.Zero(t, got.code, got.err)
		require.Empty(t, got.err)
		compare(t, task.ID, normal(got.out, gallery))
	}
	got := skillfind(t, "-skills", bundledSkills, "-tasks", bundledTasks, "-gallery", gallery, "-task", "which-anna", "-explain", "-k", "3")
	compare(t, "explain", normal(got.out, gallery))
	got = skillfind(t, "-skills", bundledSkills, "-gallery", gallery, "-task", "reconcile the bank account of a shop")
	compare(t, "plain", normal(got.out, gallery))
}

var (
	durations = regexp.MustCompile(`\b([0-9.]+(h|m|s|ms|µs|ns))+\b`)
	hashes    = regexp.MustCompile(`(?m)^identity .*$`)
)

// normal takes out what differs from run to run, and the model's hash.
func normal(report, gallery string) string {
	report = strings.ReplaceAll(report, gallery, "FILE")
	report = hashes.ReplaceAllString(report, "identity  HASH")
	var b strings.Builder
	for line := range strings.Lines(report) {
		if timed(line) {
			line = durations.ReplaceAllString(line, "TIME")
		}
		b.WriteString(line)
	}
	return b.String()
}

func timed(line string) bool {
	for _, start := range []string{"gallery ", "  embed ", "    thinking "} {
		if strings.HasPrefix(line, start) {
			return true
		}
	}
	return false
}

func compare(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run the tests with -update to make it")
	if !alike(string(want), got) {
		require.Equal(t, string(want), got, "%s differs; run the tests with -update if that is meant", path)
	}
}

var number = regexp.MustCompile(`^-?[0-9]+\.[0-9]{2}$`)

// alike compares word by word; numbers with two decimals may differ by 0.01.
func alike(want, got string) bool {
	a, b := strings.Fields(want), strings.Fields(got)
	if len(a) != len(b) || strings.Count(want, "\n") != strings.Count(got, "\n") {
		return false
	}
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		if !number.MatchString(a[i]) || !number.MatchString(b[i]) {
			return false
		}
		x, _ := strconv.ParseFloat(a[i], 64)
		y, _ := strconv.ParseFloat(b[i], 64)
		if x-y > 0.0101 || y-x > 0.0101 {
			return false
		}
	}
	return true
}

func TestAlikeForgivesTheLastDigitOnly(t *testing.T) {
	require.True(t, alike("a  0.50\n", "a 0.51\n"))
	require.False(t, alike("a 0.50\n", "a 0.52\n"))
	require.False(t, alike("rank 1\n", "rank 2\n"))
	require.False(t, alike("a 0.50\n", "a 0.50 b\n"))
	require.False(t, alike("a\nb\n", "a b\n"))
}
