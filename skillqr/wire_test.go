package skillqr

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect/internal/answer"
)

func TestPlacesOf(t *testing.T) {
	names := []string{"contract law", "law", "bees 2"}
	for _, c := range []struct {
		choice []string
		want   []int
	}{
		{nil, nil},
		{[]string{"none"}, nil},
		{[]string{"0"}, nil},
		{[]string{""}, nil},
		{[]string{"2", "1"}, []int{1, 0}},
		{[]string{"2", "2"}, []int{1}},
		{[]string{"1, 3"}, []int{0, 2}},
		{[]string{"1-2"}, []int{0, 1}},
		{[]string{"2 to 99"}, []int{1, 2}},
		{[]string{"skill 3"}, []int{2}},
		{[]string{"Contract Law"}, []int{0}},
		{[]string{"the skill law, of course"}, []int{1}},
		{[]string{"bees 2"}, []int{2}},
		{[]string{"1", "99"}, []int{0}},
		{[]string{"99999999999999999999", "1"}, []int{0}},
	} {
		got, err := placesOf(c.choice, names)
		require.NoError(t, err, "%q", c.choice)
		require.Equal(t, c.want, got, "%q", c.choice)
	}
	for _, bad := range [][]string{{"4"}, {"-"}, {"99999999999999999999"}, {"all"}, {"something"}} {
		got, err := placesOf(bad, names)
		if strings.ContainsAny(bad[0], "0123456789abcdefghijklmnopqrstuvwxyz") {
			require.Error(t, err, "%q", bad)
		}
		require.Empty(t, got)
	}
}

// Names in any script are names.
func TestPlacesOfNamesWithoutLatinLetters(t *testing.T) {
	names := []string{"数学", "эмпирика"}
	got, err := placesOf([]string{"эмпирика", "数学"}, names)
	require.NoError(t, err)
	require.Equal(t, []int{1, 0}, got)
	_, err = placesOf([]string{"химия"}, names)
	require.Error(t, err)
}

func TestNumbersOf(t *testing.T) {
	require.Equal(t, []int{0, 1, 2, 4}, numbersOf(wireChoice{"1-3", "5", "2", "9"}, 5))
	require.Equal(t, []int{0, 1, 2}, numbersOf(wireChoice{"all"}, 3))
	require.Empty(t, numbersOf(wireChoice{"1-1000000000"}, 0))
}

func TestLabelsInOneField(t *testing.T) {
	a, err := answer.Decode(`{"label": "contract law / rulings"}`, (*labelAnswer).check)
	require.NoError(t, err)
	require.Equal(t, wireProse("contract law"), a.Domain)
	require.Equal(t, wireProse("rulings"), a.Content)
	for _, bad := range []string{`{}`, `{"domain": "law"}`, `{"content": "rulings"}`, `{"domain": "...", "content": "..."}`, `{"domain": {"x": 1}, "content": 3}`} {
		_, err := answer.Decode(bad, (*labelAnswer).check)
		require.ErrorIs(t, err, answer.ErrUnusable, bad)
	}
}

func TestSkillsInManyForms(t *testing.T) {
	one := `{"name": "2) law", "when": "w", "instruction": ["i", "j"], "groups": [1]}`
	for _, text := range []string{`{"skills": [` + one + `]}`, `[` + one + `]`, `{"skills": ` + one + `}`, one, `[{"skills": [` + one + `]}]`, `{"skills": {"1": ` + one + `}}`} {
		a, err := answer.Decode(text, func(a *skillsAnswer) error { return a.check(nil) })
		require.NoError(t, err, text)
		require.Len(t, a.Skills, 1, text)
		require.Equal(t, wireSkill{Name: "law", When: "w", Instruction: "i\nj", Groups: wireChoice{"1"}}, a.Skills[0], text)
	}
	for text, want := range map[string]string{
		`{"skills": []}`:                 `"skills" is empty`,
		`{"skills": [{"when": "w"}]}`:    `skill 1 has no "name"`,
		`{"skills": [{"name": "n"}, 3]}`: `skill 1 has no "instruction"`,
		`{"skills": null}`:               `has no "name"`,
	} {
		_, err := answer.Decode(text, func(a *skillsAnswer) error { return a.check(nil) })
		require.ErrorIs(t, err, answer.ErrUnusable, text)
		require.ErrorContains(t, err, want, text)
	}
	// Small models fill the form with what they have read in it.
	const form, echo = `{"skills": [{"name": %q, "when": %q, "instruction": %q}]}`, "only repeats its name"
	for _, c := range []struct{ name, when, instruction, want string }{
		{"The Field of Knowledge", "The field of knowledge", "the field, of knowledge.", echo},
		{"Field / document-1aa8b912", "", "Field / document-1a2b3c4d4a", echo},
		{"law", "Queries about contract law.", "Contract law, law!", echo},
		{"law", "Queries about law.", "Add words of law.", ""},
		{"法律", "关于法律的问题", "补充法律术语", ""},
		{"कानून और न्याय", "कानून के बारे में प्रश्न, धारा और तारीख के साथ", "संबंधित धारा का नाम और तारीख दें", ""},
		{"a", "b", "c-3", ""},
		{"law", "Queries about law.", "- Law -", echo},
		{"law", "Queries about law.", "Law - queries about law-", echo},
	} {
		_, err := answer.Decode(fmt.Sprintf(form, c.name, c.when, c.instruction), func(a *skillsAnswer) error { return a.check(nil) })
		if c.want == "" {
			require.NoError(t, err, c.instruction)
		} else {
			require.ErrorContains(t, err, c.want, c.instruction)
		}
	}
	old := []Skill{{Name: "Law"}}
	_, err := answer.Decode(`{"skills": [{"name": "law", "instruction": ""}]}`, func(a *skillsAnswer) error { return a.check(old) })
	require.NoError(t, err, "an old skill needs no texts")
}

func TestJudgeAnswers(t *testing.T) {
	names := []string{"a", "b"}
	decode := func(text string) (judgeAnswer, error) {
		return answer.Decode(text, func(a *judgeAnswer) error { return a.resolve(names) })
	}
	for text, want := range map[string]struct {
		by      []int
		broaden int
	}{
		`{"covered_by": [2, 1]}`:                                             {[]int{1, 0}, -1},
		`{"covered_by": [], "action": "broaden", "skill": 2}`:                {nil, 1},
		`{"covered_by": [], "action": "Broaden skill", "skill": "b"}`:        {nil, 1},
		`{"covered_by": [], "action": "broaden", "skill": 7}`:                {nil, -1},
		`{"covered_by": [], "action": "add", "skill": 2}`:                    {nil, -1},
		`{"covered_by": null, "missing": "recipes"}`:                         {nil, -1},
		`{"missing": "recipes", "action": "add"}`:                            {nil, -1},
		`{"covered_by": "none", "missing": "recipes"}`:                       {nil, -1},
		`{"covered_by": false, "missing": "recipes"}`:                        {nil, -1},
		`{"covered_by": {"number": 1}}`:                                      {[]int{0}, -1},
		`{"covered_by": [1], "missing": "a bit", "action": "", "skill": ""}`: {[]int{0}, -1},
	} {
		a, err := decode(text)
		require.NoError(t, err, text)
		require.Equal(t, want.by, a.by, text)
		require.Equal(t, want.broaden, a.broaden, text)
	}
	for _, bad := range []string{`{"reason": "hm"}`, `{"covered_by": [3]}`, `{"covered_by": "x"}`, `[]`, `yes`} {
		_, err := decode(bad)
		require.ErrorIs(t, err, answer.ErrUnusable, bad)
	}
}

func TestTidyProse(t *testing.T) {
	for in, want := range map[string]string{
		"...": "", "\x00\x07": "", " a \r\n b \r c ": "a\n b\n c", "tab\tx": "tab x", "a\u2028b": "a\nb", "\uFEFFa\xff": "a",
	} {
		require.Equal(t, want, tidyProse(in), "%q", in)
	}
}

// By hand: P(X ≥ 4) for n = 4, p = 0.1 is 0.1⁴; P(X ≥ 1) is 1 − 0.9⁴ = 0.3439;
// P(X ≥ 2) for n = 3 is 3·0.01·0.9 + 0.001 = 0.028.
func TestUpperTail(t *testing.T) {
	require.InDelta(t, 1e-4, upperTail(4, 4, 0.1), 1e-15)
	require.InDelta(t, 0.3439, upperTail(4, 1, 0.1), 1e-12)
	require.InDelta(t, 0.028, upperTail(3, 2, 0.1), 1e-12)
	require.InDelta(t, 1, upperTail(100000, 0, 0.1), 1e-9)
	require.Zero(t, upperTail(3, 4, 0.1))
}

// Against the plain formula: the cosine of each document with the sum of the
// others.
func TestLeftOut(t *testing.T) {
	vectors := [][]float32{{1, 0, 0}, {0.8, 0.6, 0}, {0.6, 0, 0.8}, {0.9, 0.1, 0.2}}
	corpus, err := NewCorpus([]string{"a", "b", "c", "d"}, vectors, "", func(context.Context, []string) ([]string, error) { return nil, nil })
	require.NoError(t, err)
	c, err := Cluster(t.Context(), corpus, ClusterOptions{K: 1})
	require.NoError(t, err)
	got := c.leftOut(0)
	for i := range vectors {
		sum := make([]float64, 3)
		for j := range vectors {
			for k, x := range corpus.rows.Row(j) {
				if j != i {
					sum[k] += float64(x)
				}
			}
		}
		var dot, norm float64
		for k, x := range corpus.rows.Row(i) {
			dot += float64(x) * sum[k]
			norm += sum[k] * sum[k]
		}
		require.InDelta(t, dot/math.Sqrt(norm), got[i], 1e-5)
	}
	require.InDelta(t, meanLeftOut(corpus.rows, []int{0, 1, 2, 3}), (got[0]+got[1]+got[2]+got[3])/4, 1e-5)
}

func TestQuantile(t *testing.T) {
	require.Equal(t, float32(1), quantile([]float32{1}, 0.05))
	require.InDelta(t, 0.25, quantile([]float32{0, 1, 2, 3, 4, 5}, 0.05), 1e-6)
	require.InDelta(t, 2.5, quantile([]float32{0, 1, 2, 3, 4, 5}, 0.5), 1e-6)
}

func TestWrap(t *testing.T) {
	text := strings.TrimSpace(strings.Repeat("word ", 40))
	wrapped := wrap(text, "    ")
	for line := range strings.Lines(wrapped) {
		require.LessOrEqual(t, len(strings.TrimSuffix(line, "\n")), width)
		require.True(t, strings.HasPrefix(line, "    word"))
	}
	require.Equal(t, text, strings.Join(strings.Fields(wrapped), " "))
	require.Contains(t, wrap(strings.Repeat("a", 80)+"  two", ""), "a  two", "two spaces are no place to break")
}
