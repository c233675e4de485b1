package realmodel

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/prospect-go/prospect"
)

// A tally counts how a model kept to the form that was asked for.
type tally struct {
	stages         map[string]*stage
	tasks          int
	plain, partial int // plain retrieval, or the query as it was; cut short by the deadline
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

// An attempt is one call of a model, of either method.
type attempt struct {
	stage, answer, err string
	number             int // from 1
	truncated          bool
}

// add counts the calls that one task led to, in their order, and its outcome.
func (c *tally) add(calls []attempt, usage prospect.Usage, took time.Duration, plain, partial bool) {
	c.tasks++
	c.time += took
	c.usage = c.usage.Add(usage)
	if plain {
		c.plain++
	}
	if partial {
		c.partial++
	}
	for i, call := range calls {
		s := c.stages[call.stage]
		if s == nil {
			s = &stage{}
			c.stages[call.stage] = s
		}
		if call.number == 1 {
			s.asked++
		}
		if call.truncated {
			s.truncated++
		}
		if call.answer == "" && call.err != "" {
			s.failed++
		}
		switch {
		case call.err == "" && call.number == 1:
			s.first++
		case call.err == "":
			s.second++
		case i+1 == len(calls) || calls[i+1].number == 1:
			s.lost++
		}
		if call.err == "" && strings.Contains(call.answer, `"..."`) {
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
