package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata; needed after a change of the model, a measure or the layout")

// TestGoldenTables holds what the terminal shows against a file, so that a
// change of a ranking, a figure or the layout shows as a diff.
func TestGoldenTables(t *testing.T) {
	got := good(t, onTiny(t, "-strict", "-systems", "main,skilldreamer-hybrid,ablations,words,skilldreamer@alpha=0.5,kc=40,original@by=sum"))
	compareGolden(t, "tables.golden", got.out)
	compareGolden(t, "outcomes.golden", good(t, invoke(t, "-outcomes", tinyOutcomes, "-resamples", "500")).out)
	compareGolden(t, "list.golden", good(t, invoke(t, "-list")).out)
}

// TestGoldenDocument holds the JSON against a file. Latencies and the build
// differ from run to run and are left out.
func TestGoldenDocument(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.json")
	good(t, onTiny(t, "-qrels", "graded", "-outcomes", tinyOutcomes, "-k", "3", "-systems", "bm25,dense,skilldreamer", "-json", path))
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	var doc map[string]any
	require.NoError(t, json.Unmarshal(data, &doc))
	delete(doc["settings"].(map[string]any), "build")
	for _, s := range doc["systems"].([]any) {
		require.NotNil(t, s.(map[string]any)["latency"])
		delete(s.(map[string]any), "latency")
	}
	data, err = json.MarshalIndent(doc, "", "  ")
	require.NoError(t, err)
	compareGolden(t, "document.golden", string(data)+"\n")
}

var identities = regexp.MustCompile(`onnx:[0-9a-f]{32}`)

// compareGolden compares word by word; figures may differ by one in the third
// decimal, as builds for other CPUs do.
func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	got = identities.ReplaceAllString(got, "onnx:HASH")
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run the tests with -update to make it")
	if !alike(string(want), got) {
		was, is := firstDifference(string(want), got)
		t.Errorf("%s differs; run the tests with -update if that is meant\n  was: %s\n  is:  %s", path, was, is)
	}
}

// firstDifference are the first lines that are not alike.
func firstDifference(want, got string) (was, is string) {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(a), len(b)) {
		if !alike(a[i], b[i]) {
			return a[i], b[i]
		}
	}
	return fmt.Sprintf("%d lines", len(a)), fmt.Sprintf("%d lines", len(b))
}

var figures = regexp.MustCompile(`[+-]?[0-9]*\.[0-9]{3,}`)

// alike says that two texts are the same but for the last digits of figures.
func alike(want, got string) bool {
	if figures.ReplaceAllString(spaced(want), "#") != figures.ReplaceAllString(spaced(got), "#") {
		return false
	}
	a, b := figures.FindAllString(want, -1), figures.FindAllString(got, -1)
	for i := range a {
		x, errX := strconv.ParseFloat(a[i], 64)
		y, errY := strconv.ParseFloat(b[i], 64)
		if errX != nil || errY != nil || math.Abs(x-y) > 0.00101 {
			return false
		}
	}
	return true
}

// spaced makes single spaces of the spaces within lines.
func spaced(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.Join(strings.Fields(l), " ")
	}
	return strings.Join(lines, "\n")
}

func TestAlikeForgivesTheLastDigitOnly(t *testing.T) {
	require.True(t, alike("a  .500 [+.100, 1.000]\n", "a .501 [+.101, 1.000]\n"))
	require.False(t, alike("a .500\n", "a .502\n"))
	require.False(t, alike("a 3:1\n", "a 3:2\n"))
	require.False(t, alike("a .500\n", "a .500 b\n"))
	require.False(t, alike("a\nb\n", "a b\n"))
}
