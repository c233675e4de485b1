package realmodel

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/skilldreamer"
)

// A tally counts how a model kept to the form that was asked for.
type tally struct {
	stages         map[string]*stage
	tasks          int
	plain, partial int // results without capabilities; cut short by the deadline
	usage          prospect.Usage
	time           time.Duration
}

// A stage is one kind of question.
type stage struct {
	asked               int
	first, second, lost int // used as it came; after a second try; replaced by the fallback
	echoes              int // answers used that repeat the words of the prompt's example
	truncated, failed   int // calls cut off by the limit; without an answer
}

func newTally() *tally { return &tally{stages: map[string]*stage{}} }

func (c *tally) add(r *skilldreamer.Result, took time.Duration) {
	c.tasks++
	c.time += took
	c.usage = c.usage.Add(r.Trace.Usage)
	if r.Plain {
		c.plain++
	}
	if r.Partial {
		c.partial++
	}
	for i, call := range r.Imagined.Calls {
		s := c.stages[call.Stage]
		if s == nil {
			s = &stage{}
			c.stages[call.Stage] = s
		}
		if call.Attempt == 1 {
			s.asked++
		}
		if call.Truncated {
			s.truncated++
		}
		if call.Answer == "" && call.Error != "" {
			s.failed++
		}
		last := i+1 == len(r.Imagined.Calls) || r.Imagined.Calls[i+1].Attempt == 1
		switch {
		case call.Error == "" && call.Attempt == 1:
			s.first++
		case call.Error == "":
			s.second++
		case last:
			s.lost++
		}
		if call.Error == "" && (strings.Contains(call.Answer, "one or two sentences") || strings.Contains(call.Answer, `"..."`)) {
			s.echoes++
		}
	}
}

// String is a table for people.
func (c *tally) String() string {
	var b strings.Builder
	names := make([]string, 0, len(c.stages))
	for name := range c.stages {
		names = append(names, name)
	}
	slices.Sort(names)
	fmt.Fprintf(&b, "%-14s %6s %6s %7s %6s %7s %10s %7s\n", "stage", "asked", "first", "second", "lost", "echoes", "truncated", "failed")
	for _, name := range names {
		s := c.stages[name]
		fmt.Fprintf(&b, "%-14s %6d %6d %7d %6d %7d %10d %7d\n", name, s.asked, s.first, s.second, s.lost, s.echoes, s.truncated, s.failed)
	}
	fmt.Fprintf(&b, "%d tasks, %d of them plain, %d partial; %d tokens in, %d out; %v", c.tasks, c.plain, c.partial,
		c.usage.InputTokens, c.usage.OutputTokens, c.time.Round(time.Second))
	return b.String()
}
