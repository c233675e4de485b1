package skillqr

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect/internal/answer"
)

var listed = []string{"math", "math proofs", "skill 3", "medicine", "generic"}

func TestChoicesAreUnderstood(t *testing.T) {
	for text, want := range map[string]int{ // place from 0; −1: none
		"1": 0, "2.": 1, " 5 ": 4, "#4": 3, "No. 4": 3, "(4)": 3, "4)": 3, "**4**": 3, "4.0": 3, "4,": 3, "2, 4": 1, "[4]": 3, "4: medicine": 3,
		"math": 0, "Math  Proofs": 1, "MEDICINE": 3, "generic": 4, "`medicine`": 3, "the medicine one": 3, "Way 4 (medicine)": 3,
		"4. medicine": 3, "skill 3": 2, "3. skill 3": 2, "way 4": 3, "number 4 fits, because 4 is for studies": 3,
		"4 because there are 2 of them": 3, // a number in front is the choice
		"math proofs, not others":       1,
		"0":                             -1, "6": -1, "-1": -1, "2.5": -1, "1,5": -1, "1-2": -1, "1e3": -1, "99999999999999999999": -1, "": -1, "none": -1, "mathematics": -1,
		"math or medicine": -1, "way 2 or 3": -1, "4. math": -1, "I think of 1 and of 4": -1, "premedicine": -1,
	} {
		got, err := placeOf(text, listed)
		if want < 0 {
			require.ErrorIs(t, err, ErrUnknownChoice, "%q gave %d", text, got)
			continue
		}
		require.NoError(t, err, "%q", text)
		require.Equal(t, want, got, "%q", text)
	}
}

// A name that is a number does not take the place of a number.
func TestNumbersAreNumbersFirst(t *testing.T) {
	names := []string{"2", "2024", "none"}
	for choice, want := range map[string]int{"1": 0, "2": 1, "3.": 2, "2024": 1, "none": 2} {
		got, err := placeOf(choice, names)
		require.NoError(t, err, choice)
		require.Equal(t, want, got, choice)
	}
}

func TestRoutingAnswersAreUnderstood(t *testing.T) {
	for text, want := range map[string][2]int{
		`{"genre": "g", "knowledge": "k", "reasoning": "r", "choice": 2, "second": 4}`: {1, 3},
		`{"choice": "2", "second": 0}`:                                                    {1, -1},
		`{"choice": "2. math proofs", "second": "medicine"}`:                              {1, 3},
		`{"choice": [2, 4]}`:                                                              {1, 3},
		`{"choice": {"number": 2, "name": "math proofs"}, "second": null}`:                {1, -1},
		`{"Choice": 2.0, "Second": 9}`:                                                    {1, -1}, // a second that is none is left out
		`{"choice": 2, "second": 2}`:                                                      {1, -1},
		`{"skill": "medicine"}`:                                                           {3, -1},
		`{"genre": "g", "answer": 4}`:                                                     {3, -1},
		`{"result": {"choice": 4}}`:                                                       {3, -1},
		"<think>{\"choice\": 1}</think>\n```json\n{\"choice\": 4}\n```":                   {3, -1},
		`{"genre": ["a", 3], "knowledge": {"text": "x"}, "reasoning": null, "choice": 4}`: {3, -1},
		"4":                      {3, -1},
		"medicine":               {3, -1},
		"Let me think.\n\n**4**": {3, -1},
		"It is about studies.\nChoice: 4. medicine": {3, -1},
		"genre: question\nchoice: 4\nsecond: 1":     {3, -1},
		"I choose way 4.":                           {3, -1},
	} {
		if made, ok := routeReader(listed)(text); ok && !strings.Contains(text, "{") {
			text = made
		}
		a, err := answer.Decode(text, func(a *routeAnswer) error { return a.resolve(listed) })
		require.NoError(t, err, "%s", text)
		require.Equal(t, want, [2]int{a.choice, a.second}, "%s", text)
	}
}

func TestRoutingAnswersThatSayNothing(t *testing.T) {
	for _, text := range []string{
		"", "{}", "[]", `{"choice": 0}`, `{"choice": 7}`, `{"choice": null}`, `{"choice": true}`, `{"choice": "none of them"}`, `{"choice": [7]}`,
		`{"second": 2}`, `{"genre": "g"}`, "There are 4 of them.", "I cannot help with that.", "second: 4", "4\nThat is all I can say about it.",
	} {
		if made, ok := routeReader(listed)(text); ok {
			text = made
		}
		_, err := answer.Decode(text, func(a *routeAnswer) error { return a.resolve(listed) })
		require.ErrorIs(t, err, ErrUnusable, "%s", text)
	}
}

func FuzzRoutingAnswer(f *testing.F) {
	for _, s := range []string{`{"choice": 2}`, "2.", `{"choice": [1, "math"], "second": {"name": "x"}}`, "Choice: math proofs", "\xff4\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if made, ok := routeReader(listed)(text); ok {
			text = made
		}
		a, err := answer.Decode(text, func(a *routeAnswer) error { return a.resolve(listed) })
		if err != nil {
			return
		}
		require.GreaterOrEqual(t, a.choice, 0)
		require.Less(t, a.choice, len(listed))
		require.GreaterOrEqual(t, a.second, -1)
		require.Less(t, a.second, len(listed))
		require.NotEqual(t, a.choice, a.second)
		require.LessOrEqual(t, utf8.RuneCountInString(string(a.Reasoning)), maxReasoningLen)
	})
}

// Each skill stands in each place equally often within the first m orders, the
// generic one stays last, and no order comes twice.
func TestOrders(t *testing.T) {
	require.Equal(t, [][]int{{0, 1, 2, 3}}, orders(3, 1))
	require.Equal(t, [][]int{{0, 1, 2, 3}, {1, 2, 0, 3}, {2, 0, 1, 3}, {2, 1, 0, 3}}, orders(3, 4))
	for m, most := range map[int]int{1: 1, 2: 2, 3: 6, 4: 8, 5: 10} {
		all := orders(m, 100)
		require.Len(t, all, most)
		seen := map[string]bool{}
		for i, o := range all {
			require.Equal(t, m, o[m], "the generic skill is last")
			key := fmt.Sprint(o)
			require.False(t, seen[key])
			seen[key] = true
			if i >= m {
				continue
			}
			for place := range m {
				for j := range i {
					require.NotEqual(t, all[j][place], o[place], "skill twice in place %d of the first %d", place, m)
				}
			}
		}
	}
}

// Two skills and the generic one. Three answers: A then B, A alone, B then A.
// Votes: A 2/3 + ½·1/3 = 5/6, B 1/3 + ½·1/3 = 1/2.
func TestSharesByHand(t *testing.T) {
	all := []Skill{{Name: "A"}, {Name: "B"}, {Name: "G"}}
	votes := []vote{
		{routeAnswer{Reasoning: "first"}, 0, 1}, {routeAnswer{Reasoning: "second"}, 0, -1}, {routeAnswer{Reasoning: "third"}, 1, 0},
	}
	var r Route
	r.weigh(all, votes, nil, 1)
	require.Equal(t, "A", r.Skill)
	require.Equal(t, "B", r.Second)
	require.Equal(t, "first", r.Reasoning)
	require.Equal(t, []int{3, 2}, []int{r.Answers, r.Agreed})
	require.InDelta(t, 5.0/6, r.Shares[0].Total, 1e-12)
	require.InDelta(t, 1.0/2, r.Shares[1].Total, 1e-12)
	require.Equal(t, Share{Skill: "G"}, r.Shares[2])

	// With a prior of 0.1, 0.5, 0.4: A 0.933, B 1.0.
	r = Route{}
	r.weigh(all, votes, []float64{0.1, 0.5, 0.4}, 1)
	require.Equal(t, []string{"B", "A", "third"}, []string{r.Skill, r.Second, r.Reasoning})
	require.InDelta(t, 1.0, r.Shares[1].Total, 1e-12)
	require.InDelta(t, 0.4, r.Shares[2].Total, 1e-12)

	// Equal totals: more votes first, then the set's order.
	r = Route{}
	r.weigh(all, []vote{{choice: 1, second: -1}}, []float64{1, 0, 0}, 1)
	require.Equal(t, "B", r.Skill)
	r = Route{}
	r.weigh(all, []vote{{choice: 1, second: -1}, {choice: 0, second: -1}}, nil, 1)
	require.Equal(t, "A", r.Skill)

	// The prior alone.
	r = Route{}
	r.weigh(all, nil, []float64{0.2, 0, 0.8}, 1)
	require.Equal(t, []string{"G", "A"}, []string{r.Skill, r.Second})
}

func TestCutsAreInWholeWords(t *testing.T) {
	require.Equal(t, "one two", cutWords("one two three", 9))
	require.Equal(t, "one two", cutWords("one two three", 7))
	require.Equal(t, "onetw", cutWords("onetwothree", 5))
	require.Equal(t, "ééé", cutWords("ééééé", 3))
	require.Equal(t, "all", cutWords("all", 3))
}

func TestTidyText(t *testing.T) {
	require.Equal(t, "a b c", tidyText(" a\r\n\tb\x00\xff \u2028c\uFEFF "))
}
