package skillqr

import (
	"bytes"
	"fmt"
	"regexp"

	"go.yaml.in/yaml/v3"
)

var itsLine = regexp.MustCompile(`^line \d+: `)

// mistake is the error of text that is no YAML, with the line where it goes
// wrong. The YAML library names the line where the list or mapping begins in
// which it noticed.
func mistake(data []byte, err error) error {
	if len(data) > maxSearched {
		return plainYAML(err)
	}
	text := itsLine.ReplaceAllString(plainYAML(err).Error(), "")
	return fmt.Errorf("line %d: %s (is it indented like the lines around it, and is each quote closed?)", firstBad(data), text)
}

// maxSearched is the largest file, in bytes, in which a mistake is searched for:
// some 80 beginnings of it are parsed.
const maxSearched = 1 << 20

// lookAhead is how many lines more are tried before a beginning that cannot be
// read is taken to end in the mistake: it may end within a text of several
// lines that is fine.
const lookAhead = 64

// firstBad is the line, from 1, after the longest beginning that can be read,
// as found by halving.
func firstBad(data []byte) int {
	var ends []int // of each line
	for line := range bytes.Lines(data) {
		last := 0
		if len(ends) > 0 {
			last = ends[len(ends)-1]
		}
		ends = append(ends, last+len(line))
	}
	reads := func(lines int) bool {
		return lines == 0 || yaml.Unmarshal(data[:ends[lines-1]], new(yaml.Node)) == nil
	}
	good := 0
	for {
		lo, bad := good, len(ends)
		for lo+1 < bad {
			if mid := (lo + bad) / 2; reads(mid) {
				lo = mid
			} else {
				bad = mid
			}
		}
		good = lo
		further := false
		for more := bad + 1; more <= min(bad+lookAhead, len(ends)-1) && !further; more++ {
			if further = reads(more); further {
				good = more
			}
		}
		if !further {
			return good + 1
		}
	}
}
