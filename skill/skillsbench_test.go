package skill_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect/skill"
)

type benchSkill struct {
	ID       string `json:"_id"`
	Text     string
	Metadata struct {
		Name         string
		Description  string
		BodyWithheld bool `json:"body_withheld"`
	}
}

// benchSkills reads the 198 skills of SkillsBench and the 5,338 beside them.
func benchSkills(t testing.TB) []benchSkill {
	t.Helper()
	corpus := dataFile(t, "skillsbench", "corpus.jsonl")
	packed, err := gzip.NewReader(bytes.NewReader(dataFile(t, "skillsbench", "distractors.jsonl.gz")))
	require.NoError(t, err)
	var skills []benchSkill
	decoder := json.NewDecoder(io.MultiReader(bytes.NewReader(corpus), packed))
	for {
		var s benchSkill
		err := decoder.Decode(&s)
		if errors.Is(err, io.EOF) {
			return skills
		}
		require.NoError(t, err)
		skills = append(skills, s)
	}
}

// TestSkillsBench parses every skill there and holds that nothing is lost: name
// and description are those that another reader found, and the body is all that
// follows the front matter.
func TestSkillsBench(t *testing.T) {
	skills := benchSkills(t)
	require.Len(t, skills, 198+5338)
	files := map[skill.Kind]int{} // by what was met in them
	for _, b := range skills {
		s, problems, err := skill.Parse([]byte(b.Text), skill.ParseOptions{})
		require.NoError(t, err, b.ID)
		seen := map[skill.Kind]bool{}
		for _, p := range problems {
			seen[p.Kind] = true
		}
		for kind := range seen {
			files[kind]++
		}
		requireParsed(t, s, problems, err, skill.ParseOptions{})
		if strings.HasPrefix(b.Metadata.Name, "[{") {
			// A list in Python's notation, of a template with name: [TODO: …].
			require.Contains(t, kindsOf(problems), skill.MissingName)
		} else if b.Metadata.Name != "" {
			require.Equal(t, oneLine(b.Metadata.Name), oneLine(s.Name), b.ID)
		}
		require.Equal(t, oneLine(b.Metadata.Description), oneLine(s.Description), b.ID)
		if !b.Metadata.BodyWithheld {
			require.NotEmpty(t, s.Body, b.ID)
		}
		text := strings.ReplaceAll(strings.ReplaceAll(b.Text, "\r\n", "\n"), "\x00", "")
		if at := strings.LastIndex(text, s.Body); at < 0 || strings.TrimSpace(text[at+len(s.Body):]) != "" {
			t.Errorf("%s: the body is not the end of the text", b.ID)
		} else if s.Body != "" && !strings.HasSuffix(strings.TrimSpace(text[:at]), "---") {
			t.Errorf("%s: there is more between front matter and body", b.ID)
		}
		requireStable(t, s)
	}
	t.Logf("files by kind of problem: %v", files)
}

// oneLine levels the white space, which readers fold and trim each in its way.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func BenchmarkParse(b *testing.B) {
	skills := benchSkills(b)
	size := 0
	for _, s := range skills {
		size += len(s.Text)
	}
	b.ReportAllocs()
	b.SetBytes(int64(size))
	for b.Loop() {
		for _, s := range skills {
			if _, _, err := skill.Parse([]byte(s.Text), skill.ParseOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(len(skills)*b.N)/b.Elapsed().Seconds(), "skills/s")
}
