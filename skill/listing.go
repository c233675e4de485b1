package skill

import (
	"cmp"
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/prospect-go/prospect"
)

// ListingOptions say how [List] writes skills down for an agent.
type ListingOptions struct {
	// Budget bounds the listing, in the unit of Count. Default 8,000.
	Budget int
	// Count measures a text, for example in the tokens of the agent's model. It
	// is called some hundred times, with texts of at most about twice the budget,
	// or eight skills. Default: characters (code points).
	Count func(text string) int
	// Format of the listing. Default [MarkdownListing].
	Format ListingFormat
	// Location is where the agent finds the SKILL.md, for example a path below
	// the folder of the source. "" leaves it out. Default: the skill's File.
	Location func(*Skill) string
	// MinDescription is the length, in characters, below which no description
	// is cut: it is dropped instead. Default 80.
	MinDescription int
	// Described is how many of the first skills keep a description, though
	// others be left out for it. Default 10.
	Described int
	// Rest adds a last line that says how many more skills there are, so that
	// the agent can ask for them; the last skill that would fit without the
	// line gives way to it. Default: no such line.
	Rest bool
	// Total is the number of skills there are in all, where those listed are
	// what a search found; for Rest. Default, and if it is less: the number of
	// those given.
	Total int
}

// A Listing is what an agent is shown of some skills, and what it is not.
type Listing struct {
	// Text of the listing; "" if no skill fits.
	Text string
	// Size of Text in the unit of the budget.
	Size int
	// Entries tell for each skill given, in order, how it is listed.
	Entries []ListingEntry
}

// A ListingEntry tells how one skill is listed.
type ListingEntry struct {
	Skill *Skill
	Form  ListingForm
	// Kept and Length count the characters of the description that are shown,
	// without the ellipsis, and those it has.
	Kept, Length int
}

// A ListingForm is how much of a skill is listed.
type ListingForm uint8

const (
	// Whole: with its whole description.
	Whole ListingForm = iota
	// Shortened: with the beginning of its description, or of its name.
	Shortened
	// NameOnly: with its name and location, without a description.
	NameOnly
	// LeftOut: not at all, for there was no room.
	LeftOut
	// Unlistable: not at all, whatever the budget, for its location cannot be
	// written down as it is: it has over 1,024 characters, some that cannot be
	// seen, white space but single spaces, or, in Markdown, a <.
	Unlistable
)

// String names the form for people.
func (f ListingForm) String() string {
	names := [...]string{Whole: "whole", Shortened: "shortened", NameOnly: "name only", LeftOut: "left out", Unlistable: "unlistable"}
	if int(f) < len(names) {
		return names[f]
	}
	return fmt.Sprintf("ListingForm(%d)", uint8(f))
}

// With returns the skills that are listed in the form, in order.
func (l Listing) With(form ListingForm) []*Skill {
	var skills []*Skill
	for _, e := range l.Entries {
		if e.Form == form {
			skills = append(skills, e.Skill)
		}
	}
	return skills
}

// List writes skills, best first, into a budget: name, description and
// location of each, in the order given. What does not fit is shortened, in
// these steps, each only as far as needed:
//
//  1. Descriptions are cut at the ends of words, all to one length, so that
//     short ones stay whole, down to MinDescription characters.
//  2. Descriptions are dropped, from the last skill up, but for those of the
//     first Described skills.
//  3. Skills are left out, from the last one up, down to those.
//  4. Of those too, descriptions are dropped and then skills left out, from the
//     last one up.
//
// Names of over 64 characters and descriptions of over 1,024, the longest that
// the specification allows, are cut always.
//
// Texts of skills are anybody's. White space becomes single spaces, invisible
// and control characters are removed, and < is escaped, in XML & and > too, so
// that no text ends its entry, begins another, or ends the listing. Within its
// line, a description in Markdown is Markdown: whoever renders the listing has
// its links and images. What a description says to the agent is another matter
// too: it is for the agent's instructions to say that descriptions are none.
//
// Count(Text) is never over the budget, whatever Count is, as long as
// Count("") is not. The cost is one pass over the skills, and some two hundred
// texts, of at most about twice the budget or of eight skills, written and
// measured.
//
// A negative option, and a skill that is nil, are [prospect.ErrOption].
func List(skills []*Skill, o ListingOptions) (Listing, error) {
	o, err := o.withDefaults(len(skills))
	if err != nil {
		return Listing{}, err
	}
	l := lister{o: o, entries: make([]ListingEntry, len(skills))}
	for i, s := range skills {
		if s == nil {
			return Listing{}, fmt.Errorf("%w: skill %d is nil", prospect.ErrOption, i)
		}
		l.add(i, s)
	}
	c, text := l.choose()
	l.report(c)
	return Listing{Text: text, Size: o.Count(text), Entries: l.entries}, nil
}

func (o ListingOptions) withDefaults(n int) (ListingOptions, error) {
	for _, v := range []struct {
		name  string
		value int
	}{{"Budget", o.Budget}, {"MinDescription", o.MinDescription}, {"Described", o.Described}, {"Total", o.Total}} {
		if v.value < 0 {
			return o, fmt.Errorf("%w: ListingOptions.%s is %d, want 0 or more", prospect.ErrOption, v.name, v.value)
		}
	}
	if o.Format > XMLListing {
		return o, fmt.Errorf("%w: ListingOptions.Format is %d, which is none", prospect.ErrOption, o.Format)
	}
	o.Budget = cmp.Or(o.Budget, 8000)
	o.MinDescription = cmp.Or(o.MinDescription, 80)
	o.Described = cmp.Or(o.Described, 10)
	o.Total = max(o.Total, n)
	if o.Count == nil {
		o.Count = utf8.RuneCountInString
	}
	if o.Location == nil {
		o.Location = func(s *Skill) string { return s.File }
	}
	return o, nil
}

// A lister holds the skills that can be listed.
type lister struct {
	o       ListingOptions
	entries []ListingEntry // of all skills
	items   []item         // of those that can be listed
	longest int            // description, in characters
}

// An item is a skill ready to be written.
type item struct {
	entry       int // its index
	name        string
	nameCut     bool
	description string // not escaped, for it may be cut further
	length      int    // of the whole description, in characters
	location    string
}

func (l *lister) add(i int, s *Skill) {
	e := &l.entries[i]
	e.Skill, e.Form = s, Unlistable
	it := item{entry: i, name: visible(s.Name), description: visible(s.Description), location: l.o.Location(s)}
	e.Length = utf8.RuneCountInString(it.description)
	it.length = e.Length
	if it.location != visible(it.location) || utf8.RuneCountInString(it.location) > maxLocation ||
		l.o.Format == MarkdownListing && strings.Contains(it.location, "<") {
		return
	}
	if it.name == "" {
		it.name = cmp.Or(visible(s.Key()), "unnamed")
	}
	if full := it.name; utf8.RuneCountInString(full) > maxName {
		it.name, it.nameCut = cutWords(full, maxName), true
	}
	it.description = cutWords(it.description, maxDescription)
	e.Form = LeftOut
	l.longest = max(l.longest, utf8.RuneCountInString(it.description))
	l.items = append(l.items, it)
}

// maxLocation bounds a location, in characters: one that fills the budget would
// push all others out.
const maxLocation = 1024

// A choice is how far the skills are shortened: descriptions of the first
// described of the first listed items, each of at most limit characters.
type choice struct{ limit, described, listed int }

// choose returns the first of the steps that fits, and its text.
func (l *lister) choose() (choice, string) {
	all, least := len(l.items), l.o.MinDescription
	kept := min(l.o.Described, all)
	c := choice{l.longest, all, all}
	for _, step := range []struct {
		part *int
		low  int
	}{
		{&c.limit, min(least, l.longest)}, {&c.described, kept}, {&c.listed, kept},
		{&c.described, 0}, {&c.listed, 0},
	} {
		if l.fits(c) {
			break
		}
		high := *step.part
		// The largest value that fits, or the lowest, with which the next step
		// begins.
		n := sort.Search(high-step.low, func(i int) bool {
			*step.part = high - 1 - i
			return l.fits(c)
		})
		*step.part = max(high-1-n, step.low)
	}
	// A counter may hold that a part is longer than the whole.
	for text := l.text(c, l.o.Rest); c.listed > 0; text = l.text(c, l.o.Rest) {
		if l.o.Count(text) <= l.o.Budget {
			return c, text
		}
		c.listed--
		c.described = min(c.described, c.listed)
	}
	if text := l.text(c, l.o.Rest); l.o.Count(text) <= l.o.Budget {
		return c, text
	}
	return c, ""
}

// fits says whether the text is within the budget. Beginnings of it are
// measured first, for the whole may be many times the budget.
func (l *lister) fits(c choice) bool {
	for n := 8; n < c.listed; n *= 2 {
		part := choice{c.limit, min(c.described, n), n}
		if l.o.Count(l.text(part, false)) > l.o.Budget {
			return false
		}
	}
	return l.o.Count(l.text(c, l.o.Rest)) <= l.o.Budget
}

// report fills in the entries.
func (l *lister) report(c choice) {
	for i, it := range l.items[:c.listed] {
		e := &l.entries[it.entry]
		shown := ""
		if i < c.described {
			shown = cutWords(it.description, c.limit)
		}
		switch {
		case shown == "" && it.length > 0:
			e.Form = NameOnly
		case shown != it.description || it.length > maxDescription:
			e.Form, e.Kept = Shortened, utf8.RuneCountInString(shown)-1
		case it.nameCut:
			e.Form, e.Kept = Shortened, it.length
		default:
			e.Form, e.Kept = Whole, it.length
		}
	}
}
