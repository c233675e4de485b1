package skill_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect/skill"
)

// aliases makes front matter whose last field is 8^n items once expanded.
func aliases(n int) string {
	var b strings.Builder
	b.WriteString("---\nname: x\ndescription: y\na0: &a0 x\n")
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 8), ","))
	}
	b.WriteString("---\n")
	return b.String()
}

func TestAliasGrowth(t *testing.T) {
	for _, n := range []int{10, 100} { // 8^100 items
		s, ks := parsed(t, aliases(n), skill.ParseOptions{}) // without a bound it would not end
		require.Contains(t, ks, skill.LimitExceeded)
		require.Equal(t, "y", s.Description, "what keeps the bounds is kept")
		require.Contains(t, s.Extra, "a4") // (8^5 − 1) / 7 = 4681 nodes
		require.NotContains(t, s.Extra, "a6")
	}
	// A long text repeated by aliases is bounded too.
	text := "---\nname: x\ndescription: y\na: &a " + strings.Repeat("x", 10_000) + "\nb: [" +
		strings.Repeat("*a,", 1000) + "]\n---\n"
	s, ks := parsed(t, text, skill.ParseOptions{})
	require.Contains(t, ks, skill.LimitExceeded)
	require.NotContains(t, s.Extra, "b")
}

func TestAliasOfItself(t *testing.T) {
	for _, text := range []string{
		"---\nname: x\ndescription: y\na: &a [*a]\n---\n",
		"---\nname: x\ndescription: y\na: &a {*a : b}\n---\n",
	} {
		s, _ := parsed(t, text, skill.ParseOptions{})
		require.NotContains(t, s.Extra, "a")
	}
	_, _, err := skill.Parse([]byte("---\nname: x\ndescription: &a [*a]\n---\n"), skill.ParseOptions{})
	require.ErrorIs(t, err, skill.MissingDescription)
	// An alias is as good as the text.
	s, _ := parsed(t, "---\nname: &n x\ndescription: *n\n---\n", skill.ParseOptions{})
	require.Equal(t, "x", s.Description)
}

func TestNesting(t *testing.T) {
	for depth, fits := range map[int]bool{65: true, 66: false, 9_000: false, 30_000: false} {
		text := "---\nname: x\ndescription: y\na: " + strings.Repeat("[", depth) + strings.Repeat("]", depth) + "\n---\n"
		s, _, err := skill.Parse([]byte(text), skill.ParseOptions{})
		require.NoError(t, err)
		_, nested := s.Extra["a"].([]any)
		require.Equal(t, fits, nested, depth)
	}
}

func TestFrontMatterSize(t *testing.T) {
	text := "---\nname: x\ndescription: y\na: " + strings.Repeat("x", 1000) + "\n---\n"
	_, _, err := skill.Parse([]byte(text), skill.ParseOptions{MaxFrontMatterBytes: 500})
	require.ErrorIs(t, err, skill.LimitExceeded)
	_, _, err = skill.Parse([]byte(text), skill.ParseOptions{MaxFrontMatterBytes: 2000})
	require.NoError(t, err)
}

// TestLinearTime holds that no shape of text makes parsing slow: each is at
// least 64 KiB, or a megabyte for those that have no front matter.
func TestLinearTime(t *testing.T) {
	fit := func(unit string, size int) string { return strings.Repeat(unit, size/len(unit)) }
	for name, text := range map[string]string{
		"hyphens":       fit("---\n", 1<<20),
		"fences, keys":  "x\n" + fit("---\na: b\n", 1<<20),
		"blank lines":   "---\nname: x\n" + fit("\n", 1<<20),
		"blank, keys":   "---\nname: x\n" + fit("\na: b\n", 1<<16),
		"keys":          "---\n" + fit("a: b\n", 1<<16-100) + "\n---\n",
		"comments":      "---\n" + fit("# c\n", 1<<16-100) + "---\n",
		"nested items":  "---\na:\n" + fit(" - - a\n", 1<<16-100) + "---\n",
		"colons":        "---\na: " + fit("a: ", 1<<16-100) + "\n---\n",
		"questions":     "---\n" + fit("? ", 1<<16-100) + "\n---\n",
		"brackets":      "---\na: " + fit("[{", 1<<16-100) + "\n---\n",
		"hyphen items":  "---\na: " + fit("- ", 1<<16-100) + "\n---\n",
		"anchors":       "---\na: " + fit("&a ", 1<<16-100) + "\n---\n",
		"quotes":        "---\na: " + fit("\"\\", 1<<16-100) + "\n---\n",
		"bad entries":   "---\n" + fit("a: b: c\n", 1<<16-100) + "---\n",
		"kana bytes":    fit("\x82\xa0", 1<<20),
		"high bytes":    fit("\xff", 1<<20),
		"one long word": fit("x", 1<<20),
	} {
		start := time.Now()
		_, _, _ = skill.Parse([]byte(text), skill.ParseOptions{DescriptionFromBody: true})
		// Generous for a loaded machine under the race detector; what is quadratic
		// at this size takes minutes.
		require.Less(t, time.Since(start), 10*time.Second, name)
		t.Logf("%-14s %v", name, time.Since(start))
	}
}
