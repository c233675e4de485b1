package skill_test

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect/internal/evaldata"
	"github.com/prospect-go/prospect/skill"
)

// The input on which agent products cut and drop in silence: thousands of
// skills, 8,000 characters.
func TestListingOfThousandsOfSkills(t *testing.T) {
	var skills []*skill.Skill
	for _, name := range []string{"corpus.jsonl", "distractors.jsonl.gz"} {
		for _, d := range evaldata.Docs(t, evaldata.Dir(t, "skillsbench", name)) {
			s, _, err := skill.Parse([]byte(d.Text), skill.ParseOptions{})
			if err != nil {
				s = &skill.Skill{Name: d.Title, Description: d.Title}
			}
			s.ID, s.File = d.ID, d.ID+"/SKILL.md"
			skills = append(skills, s)
		}
	}
	require.Len(t, skills, 5536)
	for _, format := range []skill.ListingFormat{skill.MarkdownListing, skill.XMLListing} {
		calls, most := 0, 0
		o := skill.ListingOptions{Format: format, Rest: true, Count: func(text string) int {
			n := utf8.RuneCountInString(text)
			calls, most = calls+1, max(most, n)
			return n
		}}
		l, err := skill.List(skills, o)
		require.NoError(t, err)
		require.LessOrEqual(t, utf8.RuneCountInString(l.Text), 8000)
		require.Greater(t, l.Size, 7900, "no more than an entry's room is left")
		var n [4]int
		for i, e := range l.Entries {
			n[e.Form]++
			require.Equal(t, i >= n[skill.Whole]+n[skill.Shortened]+n[skill.NameOnly], e.Form == skill.LeftOut, "the first are listed")
		}
		require.Equal(t, 10, n[skill.Whole]+n[skill.Shortened], "the first ten keep a description")
		shown := n[skill.Whole] + n[skill.Shortened] + n[skill.NameOnly]
		if format == skill.MarkdownListing {
			require.Equal(t, shown, markdownEntries(t, l.Text, true))
		} else {
			require.Len(t, xmlEntries(t, l.Text, true).Skills, shown)
		}
		require.Equal(t, 5536, shown+n[skill.LeftOut])
		require.Less(t, calls, 200)
		require.Less(t, most, 40000, "no text is much longer than the budget")
		t.Logf("%d whole, %d shortened, %d by name, %d left out; %d texts measured, the longest of %d characters", n[0], n[1], n[2], n[3], calls, most)

		// Ten skills that a search found fit, most of them whole.
		o.Total = len(skills)
		l, err = skill.List(skills[:10], o)
		require.NoError(t, err)
		require.Empty(t, l.With(skill.LeftOut))
		require.Empty(t, l.With(skill.NameOnly))
		require.Contains(t, l.Text, "5526 more skills are not listed here.")
	}
}
