package main

import (
	"io"

	"github.com/prospect-go/prospect/skill"
)

// writeListing writes the skills that were found for a task as an agent would
// be given them, in at most so many characters, and says on the error stream
// what of them it would not see. There are total skills in all.
func writeListing(out io.Writer, std streams, f finding, budget, total int) error {
	result := f.dream
	if result == nil {
		result = f.plain
	}
	found := make([]*skill.Skill, len(result.Skills))
	for i, m := range result.Skills {
		found[i] = m.Skill
	}
	l, err := skill.List(found, skill.ListingOptions{Budget: budget, Rest: true, Total: total})
	if err != nil {
		return err
	}
	for _, e := range l.Entries {
		if e.Form != skill.Whole {
			std.say("%s: %v, %d of %d characters of its description", e.Skill.Name, e.Form, e.Kept, e.Length)
		}
	}
	_, err = io.WriteString(out, l.Text)
	return err
}
