package skillqr

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/prospect-go/prospect/internal/answer"
)

// maxReasoningLen bounds, in code points, each text that a routing answer
// brings along.
const maxReasoningLen = 1000

// routeAnswer is a routing answer as models write it. The choice may be a
// number, a name, or both, under the name that was asked for or a near one.
type routeAnswer struct {
	Genre     wireWords  `json:"genre"`
	Knowledge wireWords  `json:"knowledge"`
	Reasoning wireWords  `json:"reasoning"`
	Choice    wireChoice `json:"choice"`
	Second    wireChoice `json:"second"`
	Skill     wireChoice `json:"skill"`
	Way       wireChoice `json:"way"`
	Number    wireChoice `json:"number"`
	Answer    wireChoice `json:"answer"`

	choice, second int // places in the list, from 0; second −1 for none
}

// resolve finds what is meant by choice and second in a list of names.
func (a *routeAnswer) resolve(names []string) error {
	chosen := slices.Concat(a.Choice, a.Skill, a.Way, a.Number, a.Answer)
	if len(chosen) == 0 {
		return fmt.Errorf(`%w: "choice" is missing`, ErrUnknownChoice)
	}
	var err error
	if a.choice, err = placeOf(chosen[0], names); err != nil {
		return err
	}
	a.second = -1
	rest := a.Second
	if len(a.Choice) > 1 { // "choice": [2, 3]
		rest = slices.Concat(rest, a.Choice[1:])
	}
	if len(rest) > 0 {
		if second, err := placeOf(rest[0], names); err == nil && second != a.choice {
			a.second = second
		}
	}
	return nil
}

// wireWords is a text, or several; other things are "".
type wireWords string

func (w *wireWords) UnmarshalJSON(data []byte) error {
	var many wireChoice
	_ = many.UnmarshalJSON(data) // never fails
	*w = wireWords(head(tidyText(strings.Join(many, " ")), maxReasoningLen))
	return nil
}

// wireChoice holds the numbers and texts of a value, in order, however deep
// they are.
type wireChoice []string

func (w *wireChoice) UnmarshalJSON(data []byte) error {
	var list []json.RawMessage
	var text string
	var number json.Number
	switch {
	case json.Unmarshal(data, &list) == nil:
		for _, item := range list {
			if err := w.UnmarshalJSON(item); err != nil {
				return err
			}
		}
	case json.Unmarshal(data, &text) == nil:
		if !isBlank(text) {
			*w = append(*w, text)
		}
	case json.Unmarshal(data, &number) == nil:
		if number != "" {
			*w = append(*w, number.String())
		}
	default:
		var object struct {
			Number, Name, Skill, Choice, Text wireChoice
		}
		if answer.Unmarshal(data, &object) == nil {
			*w = slices.Concat(*w, object.Number, object.Choice, object.Name, object.Skill, object.Text)
		}
	}
	return nil
}

var (
	numerals = regexp.MustCompile(`-?\d+(?:[.,]\d+)*`)
	leading  = regexp.MustCompile(`^[\s#(*"']*(\d+)[.,]?(?:[\s):\]*"']|$)`)
)

// placeOf returns the place, from 0, of the name that a choice means: by
// number from 1, by name, or both if they agree.
func placeOf(choice string, names []string) (int, error) {
	choice = head(choice, maxReasoningLen)
	// A number is a place in the list, also where a name is one.
	if bareNumber.MatchString(choice) {
		if at, err := numberIn(choice, len(names)); err == nil && at >= 0 {
			return at, nil
		}
	}
	exact := slices.IndexFunc(names, func(n string) bool { return fold(n) == fold(choice) })
	if exact >= 0 {
		return exact, nil
	}
	named := namedIn(choice, names)
	rest := fold(choice)
	for _, at := range named {
		rest = strings.ReplaceAll(rest, fold(names[at]), " ") // names may hold digits
	}
	number, err := numberIn(rest, len(names))
	switch {
	case err != nil:
		return 0, err
	case number >= 0 && (len(named) == 0 || slices.Equal(named, []int{number})):
		return number, nil
	case number < 0 && len(named) == 1:
		return named[0], nil
	case number < 0 && len(named) == 0:
		return 0, fmt.Errorf("%w: %q is neither a number from 1 to %d nor a name", ErrUnknownChoice, head(choice, 100), len(names))
	}
	return 0, fmt.Errorf("%w: %q may mean several, one number from 1 to %d is needed", ErrUnknownChoice, head(choice, 100), len(names))
}

// numberIn finds the number that a text begins with, or the only one in it,
// and returns the place it stands for; −1 where there is none.
func numberIn(s string, n int) (int, error) {
	var found []string
	if m := leading.FindStringSubmatch(s); m != nil {
		found = []string{m[1]}
	} else {
		found = numerals.FindAllString(s, -1)
		slices.Sort(found)
		found = slices.Compact(found)
	}
	switch len(found) {
	case 0:
		return -1, nil
	case 1:
		x, err := strconv.ParseFloat(strings.ReplaceAll(found[0], ",", "."), 64)
		if err == nil && x == float64(int(x)) && x >= 1 && x <= float64(n) {
			return int(x) - 1, nil
		}
		return 0, fmt.Errorf("%w: %s is not from 1 to %d", ErrUnknownChoice, found[0], n)
	}
	return 0, fmt.Errorf("%w: %q holds several numbers, one from 1 to %d is needed", ErrUnknownChoice, head(s, 100), n)
}

// namedIn returns the places of the names that occur in a text as words of
// their own, but not those that are part of a longer one that does.
func namedIn(s string, names []string) []int {
	s = fold(s)
	var out []int
	for i, name := range names {
		if containsWord(s, fold(name)) {
			out = append(out, i)
		}
	}
	found := slices.Clone(out)
	return slices.DeleteFunc(out, func(i int) bool {
		return slices.ContainsFunc(found, func(j int) bool {
			return len(names[j]) > len(names[i]) && strings.Contains(fold(names[j]), fold(names[i]))
		})
	})
}

func containsWord(s, word string) bool {
	for at := 0; word != "" && at < len(s); {
		i := strings.Index(s[at:], word)
		if i < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(s[:at+i])
		after, _ := utf8.DecodeRuneInString(s[at+i+len(word):])
		if !isWordRune(before) && !isWordRune(after) {
			return true
		}
		at += i + 1
	}
	return false
}

func isWordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_')
}

var (
	saysChoice = regexp.MustCompile(`(?i)\b(?:choice|choose|chosen|answer|pick|select(?:ed)?|go with)\b`)
	bareNumber = regexp.MustCompile(`^\W*\d+\W*$`)
	saysSecond = regexp.MustCompile(`(?i)\bsecond\b`)
)

// routeReader reads answers without JSON: a number or a name alone, or a last
// line such as "Choice: 2".
func routeReader(names []string) func(string) (string, bool) {
	return func(text string) (string, bool) {
		lines := strings.Split(strings.TrimSpace(text), "\n")
		for _, line := range slices.Backward(lines) {
			line = strings.Trim(line, " \t\r*_`\"'.")
			if line == "" || saysSecond.MatchString(line) {
				continue
			}
			exact := slices.ContainsFunc(names, func(n string) bool { return fold(n) == fold(line) })
			if !exact && !bareNumber.MatchString(line) && !saysChoice.MatchString(line) {
				return "", false
			}
			made, err := json.Marshal(map[string]string{"choice": line})
			return string(made), err == nil
		}
		return "", false
	}
}
