package skillqr_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/skillqr"
)

func TestSaveAndLoad(t *testing.T) {
	set := mine(t, threeDomains(), skillqr.MineOptions{Proposer: &clerk{drafts: []string{"algebra"}}, Made: "2026-11-30"}).Set
	set.Notes = []skillqr.Note{{Kind: skillqr.Uncovered, Cluster: new(0), Text: "cluster: 0 # is not covered"}}
	for _, name := range []string{"set.yaml", "set.yml", "set.json"} {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, set.Save(path))
		got, err := skillqr.Load(path)
		require.NoError(t, err)
		require.Equal(t, set, got, name)
	}
	require.ErrorIs(t, set.Save(filepath.Join(t.TempDir(), "set.txt")), prospect.ErrOption)
	_, err := skillqr.Load(filepath.Join(t.TempDir(), "none.yaml"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestSaveRefusesASetWithProblems(t *testing.T) {
	s := small()
	s.Skills[1].Name = "law"
	path := filepath.Join(t.TempDir(), "set.yaml")
	require.ErrorIs(t, s.Save(path), skillqr.ErrInvalid)
	require.NoFileExists(t, path)
}

// The file that a person sees.
func TestYAMLIsMeantForPeople(t *testing.T) {
	s := small()
	s.Skills[0].Instruction = strings.TrimSpace(strings.Repeat("Say it in the words of the law, and cite it. ", 6))
	s.Skills[1].Instruction = "Add:\n- hives\n- queens"
	data, err := s.YAML()
	require.NoError(t, err)
	got := string(data)
	for _, part := range []string{
		"# Read it over and change what you like",
		"\n#\n",
		"version: 1\nskills:\n  - name: law\n    when: >-\n      When it is law.\n    instruction: >-\n      Say it",
		"    instruction: |-\n      Add:\n      - hives\n      - queens\n",
		"      - 2 # law / statutes (2 documents)\n",
		"documents: [a, b]\n",
	} {
		require.Contains(t, got, part)
	}
	for line := range strings.Lines(got) {
		require.LessOrEqual(t, len(line), 90, line)
	}
	back, err := skillqr.Parse(data)
	require.NoError(t, err)
	require.Equal(t, s, back)
}

// texts that files might stumble over.
var awkward = []string{
	"yes", "null", "~", "0x1F", "1e3", "- a", "? b", "a: b", "# c", "a # b", "'", `"`, "`", "|", ">", "%", "@", "&x", "*x", "!!int 3",
	" two", "trail ", "a\n\nb", "a\n b", "a\n", "\na", "a  b", "tab\tx", "\tx\ny", "1:30", "on", "é", "日本語", "😀", "\u2028", "\u0085", "\uFEFF", "\uFFFE", "\uFFFF", "\U0001FFFE", "---", "...", "[x]", "{y}", `\`, `\n`,
}

func TestRoundTrip(t *testing.T) {
	piece := rapid.OneOf(rapid.SampledFrom(awkward), rapid.StringN(0, 12, -1), rapid.StringMatching(`[a-z ]{1,40}`))
	text := rapid.Custom(func(t *rapid.T) string {
		return rapid.SampledFrom([]string{"", "x"}).Draw(t, "begins") + strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, "pieces"), rapid.SampledFrom([]string{"", " ", "\n"}).Draw(t, "joined"))
	})
	rapid.Check(t, func(t *rapid.T) {
		s := &skillqr.Set{Generic: skillqr.Generic()}
		for i := range rapid.IntRange(0, 4).Draw(t, "clusters") {
			c := skillqr.ClusterNote{Cluster: 3 * i, Size: rapid.IntRange(0, 9).Draw(t, "size")}
			c.Domain, c.Missing = text.Draw(t, "domain"), text.Draw(t, "missing")
			c.Kind, c.Terms = text.Draw(t, "kind"), rapid.SliceOfN(text, 1, 3).Draw(t, "terms")
			c.Documents = rapid.SliceOfN(text, 1, 3).Draw(t, "documents")
			s.Clusters = append(s.Clusters, c)
		}
		for i := range rapid.IntRange(1, 3).Draw(t, "skills") {
			skill := skillqr.Skill{
				Name: string(rune('a'+i)) + text.Draw(t, "name"), When: "x" + text.Draw(t, "when"), Instruction: text.Draw(t, "instruction") + "x",
				Origin: text.Draw(t, "origin"), Digest: text.Draw(t, "digest"),
			}
			for _, c := range s.Clusters {
				if rapid.Bool().Draw(t, "covers") {
					skill.Covers = append(skill.Covers, c.Cluster)
				}
			}
			s.Skills = append(s.Skills, skill)
		}
		s.Notes = append(s.Notes, skillqr.Note{Kind: skillqr.Trimmed, Text: text.Draw(t, "note")})
		s.Rounds = append(s.Rounds, skillqr.RoundNote{Round: 1, Skills: []string{text.Draw(t, "skill")}, Share: rapid.Float64Range(0, 1).Draw(t, "share")})
		if s.Validate() != nil {
			_, err := s.YAML()
			require.ErrorIs(t, err, skillqr.ErrInvalid)
			t.Skip("not a valid set")
		}
		for _, encode := range []func() ([]byte, error){s.YAML, s.JSON} {
			data, err := encode()
			require.NoError(t, err)
			got, err := skillqr.Parse(data)
			require.NoError(t, err, "%s", data)
			require.Equal(t, s, got, "%s", data)
		}
	})
}

// A valid set can be saved and read back, whatever a model or a person wrote
// into it: in each of its texts, first in a list and last.
func TestAwkwardTextsInEveryField(t *testing.T) {
	for name, put := range map[string]func(s *skillqr.Set, text string){
		"label, in a comment": func(s *skillqr.Set, text string) { s.Clusters[0].Domain = text },
		"missing":             func(s *skillqr.Set, text string) { s.Clusters[3].Missing = text },
		"term":                func(s *skillqr.Set, text string) { s.Clusters[0].Terms = []string{text, "b", text} },
		"document":            func(s *skillqr.Set, text string) { s.Clusters[0].Documents = []string{text, "b", text} },
		"skill of a round":    func(s *skillqr.Set, text string) { s.Rounds = []skillqr.RoundNote{{Round: 1, Skills: []string{text}}} },
		"note":                func(s *skillqr.Set, text string) { s.Notes = []skillqr.Note{{Kind: skillqr.Trimmed, Text: text}} },
		"when":                func(s *skillqr.Set, text string) { s.Skills[0].When = text },
		"instruction":         func(s *skillqr.Set, text string) { s.Skills[0].Instruction = text },
		"name":                func(s *skillqr.Set, text string) { s.Skills[0].Name = text },
		"date":                func(s *skillqr.Set, text string) { s.Made = text },
	} {
		t.Run(name, func(t *testing.T) {
			saved := 0
			for _, text := range awkward {
				s := small()
				put(s, text)
				if s.Validate() != nil {
					continue
				}
				saved++
				for _, encode := range []func() ([]byte, error){s.YAML, s.JSON} {
					data, err := encode()
					require.NoError(t, err, "%q", text)
					got, err := skillqr.Parse(data)
					require.NoError(t, err, "%q\n%s", text, data)
					require.Equal(t, s, got, "%q\n%s", text, data)
				}
			}
			require.Greater(t, saved, 15)
		})
	}
}

func TestASetWithoutSkillsAsAFile(t *testing.T) {
	data, err := (&skillqr.Set{Generic: skillqr.Generic(), Rounds: []skillqr.RoundNote{{Round: 1}}}).YAML()
	require.NoError(t, err)
	require.Contains(t, string(data), "\nskills: []\n")
	back, err := skillqr.Parse(data)
	require.NoError(t, err)
	require.Empty(t, back.Skills)
}

// Sets as people leave them after editing.
func TestEditedByHand(t *testing.T) {
	load := func(name string) (*skillqr.Set, error) { return skillqr.Load(filepath.Join("testdata", "sets", name)) }

	mined, err := load("mined.yaml")
	require.NoError(t, err)
	require.Equal(t, []string{"contract law", "beekeeping practice"}, skillNames(mined))
	for _, s := range mined.Skills {
		require.False(t, s.Edited(), s.Name)
	}

	edited, err := load("edited.yaml") // reordered, one renamed, one removed, one written, comments, CRLF
	require.NoError(t, err)
	require.Equal(t, []string{"by hand", "keeping bees"}, skillNames(edited))
	require.True(t, edited.Skills[0].Edited())
	require.True(t, edited.Skills[1].Edited())
	require.Equal(t, mined.Skills[1].Instruction, edited.Skills[1].Instruction)
	require.Equal(t, []int{1}, edited.Skills[1].Covers)
	require.Empty(t, edited.CoveredBy(0), "the skill that covered it is gone")
	require.Equal(t, mined.Clusters, edited.Clusters)

	least, err := load("least.yaml") // written by hand from nothing
	require.NoError(t, err)
	require.Equal(t, skillqr.Generic(), least.Generic)
	require.Equal(t, []string{"one"}, skillNames(least))

	asJSON, err := load("edited.json")
	require.NoError(t, err)
	require.Equal(t, []string{"one"}, skillNames(asJSON))
	require.Equal(t, "😀 say so", asJSON.Skills[0].Instruction)
}

func TestMistakesOfEditingAreNamedWithTheirLine(t *testing.T) {
	for name, want := range map[string]struct {
		is   error
		says []string
	}{
		"indentation.yaml":   {prospect.ErrFormat, []string{"line 5"}},
		"unknown-field.yaml": {prospect.ErrFormat, []string{`line 6: unknown field "wen" in skills (is "when" meant?)`, `line 9: unknown field "colour" in the set (known are version, skills,`}},
		"wrong-type.yaml":    {prospect.ErrFormat, []string{"line 7", "where a whole number is needed"}},
		"twice.yaml":         {prospect.ErrFormat, []string{"line 5", `"when" already defined at line 4`}},
		"unclosed.yaml":      {prospect.ErrFormat, []string{"line 3: "}},
		"newer.yaml":         {prospect.ErrVersion, []string{"version 99"}},
		"no-version.yaml":    {prospect.ErrFormat, []string{"is it a skill set?"}},
		"bad-version.yaml":   {prospect.ErrFormat, []string{`line 1: version "soon"`}},
		"alias.yaml":         {prospect.ErrFormat, []string{"line 4: anchors and aliases are not read"}},
		"two-documents.yaml": {prospect.ErrFormat, []string{"more than one document"}},
		"list.yaml":          {prospect.ErrFormat, []string{"this is no skill set"}},
		"empty.yaml":         {prospect.ErrFormat, []string{"empty"}},
		"problems.yaml":      {skillqr.ErrInvalid, []string{`skill 1 ("a"): instruction is empty`, `skill 2 ("A"): another skill has the same name`, "covers cluster 7, which is not among the clusters"}},
		"unknown-field.json": {prospect.ErrFormat, []string{`line 4: unknown field "whem" in skills (is "when" meant?)`}},
		"comma.json":         {prospect.ErrFormat, []string{"line 4: "}},
		"cut.json":           {prospect.ErrFormat, []string{"line 4: the text ends in the middle"}},
		"newer.json":         {prospect.ErrVersion, []string{"version 2"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := skillqr.Load(filepath.Join("testdata", "sets", name))
			require.ErrorIs(t, err, want.is)
			for _, part := range append(want.says, name) {
				require.ErrorContains(t, err, part)
			}
			require.NotContains(t, err.Error(), "skillqr.Set", "Go's types mean nothing to who edits")
		})
	}
}

// In a huge file there is a line still.
func TestAMistakeInAHugeFile(t *testing.T) {
	huge := "version: 1\nskills: []\n" + strings.Repeat("# filled up\n", 1<<17) + "made: \"x\n"
	_, err := skillqr.Parse([]byte(huge))
	require.ErrorIs(t, err, prospect.ErrFormat)
	require.ErrorContains(t, err, "line ")
	_, err = skillqr.Parse([]byte(strings.Repeat(" ", 64<<20+1)))
	require.ErrorIs(t, err, prospect.ErrFormat)
}

func FuzzParse(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "sets", "*"))
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for _, path := range files {
		data, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := skillqr.Parse(data)
		if err != nil {
			return
		}
		require.NoError(t, s.Validate())
		for _, encode := range []func() ([]byte, error){s.YAML, s.JSON} {
			out, err := encode()
			require.NoError(t, err)
			back, err := skillqr.Parse(out)
			require.NoError(t, err, "%s", out)
			require.Equal(t, s.Hash(), back.Hash())
		}
	})
}
