package answer

import (
	"slices"
	"strings"
)

// workFactor bounds the bytes that are parsed, as a multiple of the text's
// length. A brace in prose may begin a "value" that reaches far before it
// turns out to be none, and reading then starts again behind the brace.
const workFactor = 8

// A standing says how much a candidate is worth; less is better.
type standing int

const (
	whole    standing = iota
	cutOff            // the text ended inside it
	inside            // stands within a value that broke off
	guess             // words or numbers in brackets, which prose has too
	thinking          // in reasoning that was never closed
)

// A candidate is a value found in a text.
type candidate struct {
	node
	standing standing
	begin    int // offset in the text
	end      int
}

// scan finds the values in a text, best first. Reasoning is left out.
func scan(s string) []candidate {
	lower := lowerASCII(s)
	var found []candidate
	budget := workFactor*len(s) + 1024
	marks := "{[<"
	level := whole
	brokenTo := 0   // the end of the values that broke off so far
	reasonedTo := 0 // the last end of reasoning without a begin
	for pos := 0; pos < len(s) && budget > 0; {
		step := strings.IndexAny(s[pos:], marks)
		if step < 0 {
			break
		}
		pos += step
		if s[pos] == '<' {
			next, tag := reasoning(lower, pos)
			switch tag {
			case tagClose: // what went before was reasoning, its begin not shown
				reasonedTo = pos
			case tagOpen: // reasoning to the end; no further tag is looked for
				level, marks = thinking, "{["
			}
			pos = next
			continue
		}
		p := parser{s: s[pos:]}
		n, err := p.value()
		budget -= p.pos
		if err != nil {
			if err == errDeep { // starting within would only end there again
				pos += p.pos
			} else {
				pos++
			}
			continue
		}
		c := candidate{node: n, standing: level, begin: pos, end: pos + p.pos}
		if c.begin < brokenTo {
			c.standing = max(c.standing, inside)
		}
		if p.broken {
			c.standing = max(c.standing, cutOff)
			brokenTo = max(brokenTo, c.end)
			pos++
		} else {
			pos = c.end
		}
		if p.guessed || onlyNumbers(n) {
			c.standing = max(c.standing, guess)
		}
		found = append(found, c)
	}
	for i := range found {
		if found[i].begin < reasonedTo {
			found[i].standing = thinking
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int {
		if a.standing != b.standing {
			return int(a.standing - b.standing)
		}
		if a.standing == cutOff || a.standing == inside {
			return a.begin - b.begin // the outer one has more of the answer
		}
		return b.begin - a.begin
	})
	return found
}

// onlyNumbers says if n is a list like a citation, [1] or [2, 3].
func onlyNumbers(n node) bool {
	return n.kind == list && !slices.ContainsFunc(n.items, func(item node) bool { return item.kind != number })
}

// rows joins objects that follow one another with nothing but white space and
// commas between, as JSON Lines do, into lists of two or more; last first.
func rows(s string, found []candidate) []node {
	var objects []candidate
	for _, c := range found {
		if c.kind == object && c.standing == whole {
			objects = append(objects, c)
		}
	}
	slices.Reverse(objects) // to the text's order
	var lists []node
	for i := 0; i < len(objects); {
		items := []node{objects[i].node}
		for i++; i < len(objects); i++ {
			if strings.Trim(s[objects[i-1].end:objects[i].begin], " \t\r\n,;") != "" {
				break
			}
			items = append(items, objects[i].node)
		}
		if len(items) > 1 {
			lists = append(lists, listNode(items))
		}
	}
	slices.Reverse(lists)
	return lists
}
