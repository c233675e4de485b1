package skill_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/prospect-go/prospect/skill"
)

// FuzzParse holds the contract of Parse and the stability of rendering for any
// bytes, in each mode.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "---", "---\n---\n", "---\nname: x\ndescription: y\n---\nBody\n",
		"\xef\xbb\xbf---\r\nname: x\r\ndescription: a: b\r\n---\r\n",
		"---\rname: x\rdescription: y\r---\rBody",
		"\xff\xfe-\x00-\x00-\x00\n\x00", "---\nname: Caf\xe9\ndescription: \x93q\x94\n---\n",
		"---\nname: x\ndescription: |\n  a\n  ---\n  b\n---\n", "text\n---\nname: x\ndescription: >-\n  y\n---\n",
		"name: x\ndescription: y\n", "---\nDescription: y\nAllowed-Tools: [a, b c]\nmetadata: {a: {b: [1]}, c: ~}\n---\n",
		"---\na: &a [x]\nb: [*a, *a]\ndescription: *a\n---\n", "---\n? [a]\n: b\ndescription: \"\\0\\u2028\\x85\"\n---\n",
		"---\nname: x\ndescription: y\n\x00\x01\u0092: z\n...\n%TAG\n---\n", "---\nx\n\tdescription: y\n<<<<<<<\nname: [\n---\n",
	} {
		f.Add([]byte(seed))
	}
	files, _ := filepath.Glob(filepath.Join("..", "..", "shared", "data", "skillfiles_awkward", "*", "SKILL.md")) // more seeds where they are there
	for _, name := range files {
		if data, err := os.ReadFile(name); err == nil && len(data) < 20_000 {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, opts := range []skill.ParseOptions{
			{}, {Strict: true, Folder: "x"}, {DescriptionFromBody: true, MaxFrontMatterBytes: 200, Path: "p"},
		} {
			s, problems, err := skill.Parse(data, opts)
			requireParsed(t, s, problems, err, opts)
			requireStable(t, s)
		}
	})
}
