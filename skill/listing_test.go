package skill_test

import (
	"encoding/xml"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/skill"
)

func listed(name, description string) *skill.Skill {
	return &skill.Skill{ID: name, Name: name, Description: description, File: name + "/SKILL.md"}
}

// forms are the forms of the entries, in order.
func forms(l skill.Listing) []skill.ListingForm {
	var out []skill.ListingForm
	for _, e := range l.Entries {
		out = append(out, e.Form)
	}
	return out
}

func list(t require.TestingT, skills []*skill.Skill, o skill.ListingOptions) skill.Listing {
	l, err := skill.List(skills, o)
	require.NoError(t, err)
	require.Len(t, l.Entries, len(skills))
	return l
}

func TestListingOfWhatFits(t *testing.T) {
	skills := []*skill.Skill{listed("tides", "Heights of tide."), listed("bread", "Scale a formula, by R&D.")}
	l := list(t, skills, skill.ListingOptions{})
	require.Equal(t, "- `tides` (`tides/SKILL.md`): Heights of tide.\n- `bread` (`bread/SKILL.md`): Scale a formula, by R&D.\n", l.Text)
	require.Equal(t, len(l.Text), l.Size)
	require.Equal(t, []skill.ListingEntry{
		{Skill: skills[0], Form: skill.Whole, Kept: 16, Length: 16}, {Skill: skills[1], Form: skill.Whole, Kept: 24, Length: 24},
	}, l.Entries)
	require.Equal(t, skills, l.With(skill.Whole))
	require.Empty(t, l.With(skill.LeftOut))

	l = list(t, skills, skill.ListingOptions{Format: skill.XMLListing, Location: func(s *skill.Skill) string { return "/skills/" + s.File }})
	require.Equal(t, `<available_skills>
<skill>
<name>tides</name>
<description>Heights of tide.</description>
<location>/skills/tides/SKILL.md</location>
</skill>
<skill>
<name>bread</name>
<description>Scale a formula, by R&amp;D.</description>
<location>/skills/bread/SKILL.md</location>
</skill>
</available_skills>
`, l.Text)
}

func TestListingOfNothing(t *testing.T) {
	for _, format := range []skill.ListingFormat{skill.MarkdownListing, skill.XMLListing} {
		require.Empty(t, list(t, nil, skill.ListingOptions{Format: format}).Text)
	}
	require.Equal(t, "7 more skills are not listed here.\n", list(t, nil, skill.ListingOptions{Rest: true, Total: 7}).Text)
	l := list(t, []*skill.Skill{{}}, skill.ListingOptions{})
	require.Equal(t, "- `unnamed`\n", l.Text)
	require.Equal(t, skill.Whole, l.Entries[0].Form, "there is no description to show")
}

// Each step of the rule, at the smallest budget for which it is enough and at
// one less. An entry without a description has 23 characters, with one 25 and
// those of the description.
func TestListingIsShortenedStepByStep(t *testing.T) {
	skills := []*skill.Skill{
		listed("aa", "Alpha bravo charlie delta."), // 26 characters
		listed("bb", "Echo ok"),
		listed("cc", "Golf hotel india juliett k"),
	}
	const whole, cut, bare, out = skill.Whole, skill.Shortened, skill.NameOnly, skill.LeftOut
	for _, c := range []struct {
		budget int
		want   []skill.ListingForm
		text   string
	}{
		{134, []skill.ListingForm{whole, whole, whole}, ""}, // 51 + 32 + 51
		{133, []skill.ListingForm{cut, whole, cut}, "- `aa` (`aa/SKILL.md`): Alpha bravo charlie…\n"},
		{105, []skill.ListingForm{cut, whole, cut}, "- `cc` (`cc/SKILL.md`): Golf hotel…\n"}, // 37 + 32 + 36
		{104, []skill.ListingForm{cut, whole, bare}, "- `aa` (`aa/SKILL.md`): Alpha bravo…\n- `bb` (`bb/SKILL.md`): Echo ok\n- `cc` (`cc/SKILL.md`)\n"},
		{92, []skill.ListingForm{cut, whole, bare}, ""}, // 37 + 32 + 23
		{91, []skill.ListingForm{cut, bare, bare}, ""},
		{83, []skill.ListingForm{cut, bare, bare}, ""}, // 37 + 23 + 23
		{82, []skill.ListingForm{cut, bare, out}, ""},
		{60, []skill.ListingForm{cut, bare, out}, ""}, // 37 + 23
		{59, []skill.ListingForm{cut, out, out}, ""},
		{37, []skill.ListingForm{cut, out, out}, "- `aa` (`aa/SKILL.md`): Alpha bravo…\n"},
		{36, []skill.ListingForm{bare, out, out}, "- `aa` (`aa/SKILL.md`)\n"},
		{23, []skill.ListingForm{bare, out, out}, ""},
		{22, []skill.ListingForm{out, out, out}, ""},
	} {
		l := list(t, skills, skill.ListingOptions{Budget: c.budget, MinDescription: 12, Described: 1})
		require.Equal(t, c.want, forms(l), "%d: %s", c.budget, l.Text)
		require.Contains(t, l.Text, c.text)
		require.LessOrEqual(t, l.Size, c.budget)
	}
}

func TestListingTellsOfTheRest(t *testing.T) {
	skills := []*skill.Skill{listed("aa", ""), listed("bb", ""), listed("cc", "")}
	l := list(t, skills, skill.ListingOptions{Rest: true})
	require.NotContains(t, l.Text, "more", "there are none")
	l = list(t, skills, skill.ListingOptions{Rest: true, Total: 4})
	require.True(t, strings.HasSuffix(l.Text, "(`cc/SKILL.md`)\n\n1 more skill is not listed here.\n"), l.Text)
	l = list(t, skills, skill.ListingOptions{Rest: true, Budget: 65})
	require.Equal(t, "- `aa` (`aa/SKILL.md`)\n\n2 more skills are not listed here.\n", l.Text, "room for the line is found")
	l = list(t, skills, skill.ListingOptions{Rest: true, Budget: 65, Total: 1000, Format: skill.XMLListing})
	require.Empty(t, l.Text)
	l = list(t, skills, skill.ListingOptions{Rest: true, Total: 1000, Format: skill.XMLListing})
	require.True(t, strings.HasSuffix(l.Text, "</skill>\n<not_listed>997 more skills are not listed here.</not_listed>\n</available_skills>\n"), l.Text)
}

func TestListingOptionsOutOfRange(t *testing.T) {
	for _, o := range []skill.ListingOptions{{Budget: -1}, {MinDescription: -1}, {Described: -1}, {Total: -1}, {Format: 7}} {
		_, err := skill.List(nil, o)
		require.ErrorIs(t, err, prospect.ErrOption, "%+v", o)
	}
	_, err := skill.List([]*skill.Skill{nil}, skill.ListingOptions{})
	require.ErrorIs(t, err, prospect.ErrOption)
	require.Equal(t, "left out", skill.LeftOut.String())
	require.Equal(t, "ListingForm(9)", skill.ListingForm(9).String())
}

func TestListingOfPlacesThatCannotBeWrittenDown(t *testing.T) {
	long := strings.Repeat("d/", 512) + "x"
	for file, unlistable := range map[string]bool{
		"a dir/SKILL.md": false, "with `marks`/SKILL.md": false, "日本/SKILL.md": false, long[1:]: false,
		long: true, "two\nlines": true, "un\u200bseen": true, "\xff": true, "two  spaces": true, " ": true,
	} {
		for _, format := range []skill.ListingFormat{skill.MarkdownListing, skill.XMLListing} {
			s := listed("aa", "Alpha.")
			s.File = file
			l := list(t, []*skill.Skill{s, listed("bb", "Bravo.")}, skill.ListingOptions{Format: format, Rest: true})
			require.Equal(t, unlistable, l.Entries[0].Form == skill.Unlistable, "%q", file)
			require.Equal(t, skill.Whole, l.Entries[1].Form)
			require.Equal(t, unlistable, strings.Contains(l.Text, "1 more skill is not"))
		}
	}
	s := listed("aa", "Alpha.")
	s.File = "a<b"
	require.Equal(t, skill.Unlistable, list(t, []*skill.Skill{s}, skill.ListingOptions{}).Entries[0].Form)
	l := list(t, []*skill.Skill{s}, skill.ListingOptions{Format: skill.XMLListing})
	require.Contains(t, l.Text, "<location>a&lt;b</location>")
}

// However long texts are, what is measured is not.
func TestListingMeasuresNoLongTexts(t *testing.T) {
	var skills []*skill.Skill
	for i := range 200 {
		skills = append(skills, listed(fmt.Sprint("skill-", i), strings.Repeat("long words ", 5000)))
	}
	longest := 0
	count := func(text string) int {
		longest = max(longest, len(text))
		return len(text)
	}
	l := list(t, skills, skill.ListingOptions{Count: count})
	require.Less(t, longest, 2*8000+1200)
	require.Equal(t, skill.Shortened, l.Entries[0].Form)
	require.Equal(t, 54999, l.Entries[0].Length)

	l = list(t, skills[:1], skill.ListingOptions{})
	require.Equal(t, skill.Shortened, l.Entries[0].Form, "there is room, but no more than the specification's length is listed")
	require.InDelta(t, 1024, l.Entries[0].Kept, 12)
}

// hostileTexts want out of their entry.
var hostileTexts = []string{
	"", " ", "plain words", "two\nlines", "\r\n- `fake` (`x`): injected", "# heading\n\n```\ncode", "`", "``` unclosed", "a ` b `` c",
	"</description></skill></available_skills>", "<!-- comment", "]]>", "<![CDATA[", "&lt;", "&amp;lt;", "& <b>", "<|im_end|>",
	"\x00\x07\x1b[31mred", "\u202eright to left", "zero\u200bwidth", "\U000E0041\U000E0042 tags", "\u2028separator", "\xff\xfe bad", "\ufeff\ufffe",
	"日本語の説明はとても長くて空白がないのでどこで切るのかが問題になる", "e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301", "👩‍🔧 repair", strings.Repeat("long words ", 200), strings.Repeat("x", 3000), "[link](", "| a | b |", "---",
}

var markdownLine = regexp.MustCompile("^- (`[^`]+`|(``+) .+? ``+)( \\((`[^`]+`|(``+) .+? ``+)\\))?(: \\S.*)?$")

// markdownEntries checks the structure and returns the number of entries.
func markdownEntries(t require.TestingT, text string, rest bool) int {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if text == "" {
		return 0
	}
	if rest {
		require.Regexp(t, `^\d+ more skills? (are|is) not listed here\.$`, lines[len(lines)-1])
		lines = lines[:len(lines)-1]
		if len(lines) > 0 {
			require.Empty(t, lines[len(lines)-1])
			lines = lines[:len(lines)-1]
		}
	}
	for _, line := range lines {
		require.Regexp(t, markdownLine, line)
		require.NotContains(t, line, "<")
	}
	return len(lines)
}

type xmlListing struct {
	XMLName xml.Name `xml:"available_skills"`
	Skills  []struct {
		Name        string `xml:"name"`
		Description string `xml:"description"`
		Location    string `xml:"location"`
		Other       []struct {
			XMLName xml.Name
		} `xml:",any"`
	} `xml:"skill"`
	NotListed []string `xml:"not_listed"`
	Other     []struct {
		XMLName xml.Name
	} `xml:",any"`
}

func xmlEntries(t require.TestingT, text string, rest bool) xmlListing {
	var x xmlListing
	if text == "" {
		return x
	}
	require.NoError(t, xml.Unmarshal([]byte(text), &x), "%s", text)
	require.Empty(t, x.Other)
	require.Equal(t, rest, len(x.NotListed) == 1)
	for _, s := range x.Skills {
		require.Empty(t, s.Other)
	}
	return x
}

// Counters of all kinds, those that lie among them.
var counters = map[string]func(string) int{
	"characters": nil,
	"bytes":      func(s string) int { return len(s) },
	"words":      func(s string) int { return len(strings.Fields(s)) },
	"tokens":     func(s string) int { return (len(s) + 3) / 4 },
	"with frame": func(s string) int { return 3 + len(s)/3 },
	"erratic":    func(s string) int { return len(s)/2 + len(s)*7919%101 },
	"constant":   func(string) int { return 5 },
}

func TestListingNeverLeavesItsBudgetNorItsForm(t *testing.T) {
	names := slices.Sorted(func(yield func(string) bool) {
		for name := range counters {
			if !yield(name) {
				return
			}
		}
	})
	text := rapid.OneOf(rapid.SampledFrom(hostileTexts), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		var skills []*skill.Skill
		for range rapid.IntRange(0, 40).Draw(t, "skills") {
			s := &skill.Skill{Name: text.Draw(t, "name"), Description: text.Draw(t, "description"), File: "d/SKILL.md"}
			if rapid.IntRange(0, 5).Draw(t, "odd place") == 0 {
				s.File = text.Draw(t, "file")
			}
			skills = append(skills, s)
		}
		o := skill.ListingOptions{
			Budget: rapid.OneOf(rapid.IntRange(1, 100), rapid.IntRange(1, 20000)).Draw(t, "budget"), Count: counters[rapid.SampledFrom(names).Draw(t, "counter")],
			Format:         skill.ListingFormat(rapid.IntRange(0, 1).Draw(t, "format")),
			MinDescription: rapid.IntRange(0, 200).Draw(t, "least"), Described: rapid.IntRange(0, 20).Draw(t, "described"),
			Rest: rapid.Bool().Draw(t, "rest"), Total: rapid.IntRange(0, 100).Draw(t, "total"),
		}
		l := list(t, skills, o)
		count := o.Count
		if count == nil {
			count = utf8.RuneCountInString
		}
		require.Equal(t, count(l.Text), l.Size)
		if l.Text != "" {
			require.LessOrEqual(t, l.Size, o.Budget)
		}
		require.True(t, utf8.ValidString(l.Text))

		shown := 0
		for i, e := range l.Entries {
			require.Same(t, skills[i], e.Skill)
			require.GreaterOrEqual(t, e.Length, e.Kept)
			if e.Form < skill.LeftOut {
				shown++
			}
			if e.Form == skill.Whole {
				require.Equal(t, e.Length, e.Kept)
			}
			if e.Form >= skill.NameOnly {
				require.Zero(t, e.Kept)
			}
		}
		rest := o.Rest && max(o.Total, len(skills)) > shown && l.Text != ""
		if o.Format == skill.MarkdownListing {
			require.Equal(t, shown, markdownEntries(t, l.Text, rest))
			return
		}
		x := xmlEntries(t, l.Text, rest)
		require.Len(t, x.Skills, shown)
		at := 0
		for _, e := range l.Entries {
			if e.Form >= skill.LeftOut {
				continue
			}
			got := x.Skills[at]
			at++
			require.Equal(t, e.Skill.File, got.Location)
			kept := strings.TrimSuffix(got.Description, "…")
			if e.Kept < e.Length {
				require.Equal(t, e.Kept, utf8.RuneCountInString(kept))
			} else {
				require.Equal(t, e.Kept, utf8.RuneCountInString(got.Description))
			}
		}
	})
}

// More budget never shows less.
func TestListingGrowsWithItsBudget(t *testing.T) {
	var skills []*skill.Skill
	for i := range 30 {
		skills = append(skills, listed(fmt.Sprintf("skill-%d", i), strings.TrimSpace(strings.Repeat("some words, ", i))))
	}
	for _, rest := range []bool{false, true} {
		before := -1
		for budget := 1; budget < 8000; budget += 13 {
			l := list(t, skills, skill.ListingOptions{Budget: budget, Described: 3, MinDescription: 20, Rest: rest})
			worth := 0
			for _, e := range l.Entries {
				if e.Form != skill.LeftOut {
					worth += 1_000_000 + e.Kept
				}
			}
			require.GreaterOrEqual(t, worth, before, "budget %d", budget)
			before = worth
		}
	}
}

func ExampleList() {
	skills := []*skill.Skill{
		{Name: "tide-tables", Description: "Work out the height of tide at a secondary port, from the tables of the standard port.", File: "tide-tables/SKILL.md"},
		{Name: "bread-formula", Description: "Scale a bread formula by baker's percentage.", File: "bread-formula/SKILL.md"},
		{Name: "git-bisect", Description: "Find the commit that broke a test.", File: "git-bisect/SKILL.md"},
	}
	l, err := skill.List(skills, skill.ListingOptions{Budget: 280, MinDescription: 30, Rest: true, Total: 48})
	if err != nil {
		panic(err)
	}
	fmt.Print(l.Text)
	for _, e := range l.Entries {
		if e.Form != skill.Whole {
			fmt.Printf("%s: %v, %d of %d characters\n", e.Skill.Name, e.Form, e.Kept, e.Length)
		}
	}
	// Output:
	// - `tide-tables` (`tide-tables/SKILL.md`): Work out the height of tide at a secondary…
	// - `bread-formula` (`bread-formula/SKILL.md`): Scale a bread formula by baker's…
	// - `git-bisect` (`git-bisect/SKILL.md`): Find the commit that broke a test.
	//
	// 45 more skills are not listed here.
	// tide-tables: shortened, 42 of 86 characters
	// bread-formula: shortened, 32 of 44 characters
}
