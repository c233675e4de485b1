package skillqr_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect/skillqr"
)

// small is a set as a miner makes it.
func small() *skillqr.Set {
	skill := func(name string, covers ...int) skillqr.Skill {
		return skillqr.Skill{Name: name, When: "When it is " + name + ".", Instruction: "Add " + name + ".", Covers: covers, Origin: "drafted"}
	}
	return &skillqr.Set{
		Skills:  []skillqr.Skill{skill("law", 0, 2), skill("bees", 1)},
		Generic: skillqr.Generic(),
		Clusters: []skillqr.ClusterNote{
			{Cluster: 0, Domain: "law", Kind: "rulings", Size: 5, Documents: []string{"a", "b"}},
			{Cluster: 1, Domain: "bees", Kind: "how-to", Size: 3},
			{Cluster: 2, Domain: "law", Kind: "statutes", Size: 2},
			{Cluster: 5, Domain: "art", Kind: "reviews", Size: 10, Missing: "judgements of taste"},
		},
	}
}

func TestSetNumbersAndCoverage(t *testing.T) {
	s := small()
	all := s.All()
	require.Len(t, all, 3)
	require.Equal(t, "generic", all[2].Name, "the generic skill comes last")
	all[0].Name = "other"
	require.Equal(t, "law", s.Skills[0].Name, "All is a copy")

	require.Equal(t, []int{0}, s.CoveredBy(2))
	require.Empty(t, s.CoveredBy(5))
	require.Equal(t, 0.5, s.Coverage(), "10 of 20 documents")
	require.Zero(t, (&skillqr.Set{Generic: skillqr.Generic()}).Coverage())

	found, ok := s.Find(" LAW ")
	require.True(t, ok)
	require.Equal(t, s.Skills[0], found)
	_, ok = s.Find("generic")
	require.True(t, ok)
	_, ok = s.Find("none")
	require.False(t, ok)
}

func TestSetHashIsOfWhatRewritingUses(t *testing.T) {
	hash := small().Hash()
	for name, change := range map[string]func(*skillqr.Set){
		"coverage":  func(s *skillqr.Set) { s.Skills[0].Covers = nil },
		"origin":    func(s *skillqr.Set) { s.Skills[0].Origin = "x" },
		"notes":     func(s *skillqr.Set) { s.Notes = []skillqr.Note{{Kind: skillqr.Trimmed}} },
		"clusters":  func(s *skillqr.Set) { s.Clusters = nil },
		"the date":  func(s *skillqr.Set) { s.Made = "2026" },
		"the model": func(s *skillqr.Set) { s.Judge = "j" },
	} {
		s := small()
		change(s)
		require.Equal(t, hash, s.Hash(), name)
	}
	for name, change := range map[string]func(*skillqr.Set){
		"name":        func(s *skillqr.Set) { s.Skills[0].Name += "s" },
		"when":        func(s *skillqr.Set) { s.Skills[0].When += "s" },
		"instruction": func(s *skillqr.Set) { s.Skills[1].Instruction += "s" },
		"order":       func(s *skillqr.Set) { s.Skills[0], s.Skills[1] = s.Skills[1], s.Skills[0] },
		"generic":     func(s *skillqr.Set) { s.Generic.Instruction += "s" },
		"where a text ends": func(s *skillqr.Set) {
			s.Skills[0].Name, s.Skills[0].When = s.Skills[0].Name+s.Skills[0].When[:1], s.Skills[0].When[1:]
		},
		"one skill less": func(s *skillqr.Set) { s.Skills = s.Skills[:1] },
	} {
		s := small()
		change(s)
		require.NotEqual(t, hash, s.Hash(), name)
	}
}

func TestValidateNamesEveryProblem(t *testing.T) {
	require.NoError(t, small().Validate())
	s := small()
	s.Skills[0].Name = " "
	s.Skills[0].Instruction = strings.Repeat("é", 3001)
	s.Skills[0].Covers = []int{0, 0, 9}
	s.Skills[1].Name = "two\nlines"
	s.Skills[1].When = "bell\a"
	s.Skills = append(s.Skills, skillqr.Skill{Name: "Generic", When: "w", Instruction: "i\xff"})
	s.Generic.Covers = []int{1}
	s.Clusters[1].Size = -1
	s.Clusters[2].Cluster = 5
	s.Clusters[3].Documents = []string{"\xff"}
	s.Rounds = []skillqr.RoundNote{{Round: 1, Share: 1.5}}
	err := s.Validate()
	require.ErrorIs(t, err, skillqr.ErrInvalid)
	for _, part := range []string{
		`skill 1 (" "): name is empty`, `instruction has 3001 characters, at most 3000 are allowed`,
		`covers cluster 0 twice`, `covers cluster 9, which is not among the clusters`,
		`name is more than one line`, `when holds control characters`, `instruction is not valid UTF-8`,
		`the generic skill: another skill has the same name`, `the generic skill: it covers no clusters`,
		`cluster 1: its size -1 is negative`, `cluster 5 is listed twice`, `document "\xff" is not valid UTF-8`,
		`round 1: its share 1.5 is not in 0 to 1`,
	} {
		require.ErrorContains(t, err, part)
	}
}

// A name that a model cannot choose by is none.
func TestNamesThatCannotBeChosen(t *testing.T) {
	for name, reason := range map[string]string{
		"2": "has no letter", "2024": "has no letter", "-": "has no letter", "1.5 %": "has no letter",
		"none": "means that there is none", "N/A": "means that there is none", " Null.": "means that there is none", "no": "means that there is none",
	} {
		s := small()
		s.Skills[0].Name = name
		require.ErrorContains(t, s.Validate(), "name "+reason, name)
	}
	for _, name := range []string{"a", "数学", "None of it", "vitamin B12", "C", "эмпирика"} {
		s := small()
		s.Skills[0].Name = name
		require.NoError(t, s.Validate(), name)
	}
}

func TestValidateRefusesAShareThatIsNoNumber(t *testing.T) {
	s := small()
	zero := 0.0
	s.Rounds = []skillqr.RoundNote{{Share: zero / zero}}
	require.ErrorIs(t, s.Validate(), skillqr.ErrInvalid)
}

func TestEditedSkillsAreKnown(t *testing.T) {
	require.False(t, skillqr.Generic().Edited())
	mined := mine(t, threeDomains(), skillqr.MineOptions{Proposer: &clerk{}}).Set.Skills[0]
	require.False(t, mined.Edited())
	mined.Covers, mined.Origin = nil, "changed"
	require.False(t, mined.Edited(), "only texts count")
	for _, text := range []*string{&mined.Name, &mined.When, &mined.Instruction} {
		before := *text
		*text += "!"
		require.True(t, mined.Edited())
		*text = before
	}
	require.True(t, skillqr.Skill{Name: "by hand", When: "w", Instruction: "i"}.Edited())
}
