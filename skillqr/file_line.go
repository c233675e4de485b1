package skillqr

import (
	"bytes"
	"fmt"
	"io"
	"regexp"

	"go.yaml.in/yaml/v3"
)

var itsLine = regexp.MustCompile(`^line \d+: `)

// mistake is the error of text that is no YAML, with the line where it goes
// wrong. The YAML library names the line where the list or mapping begins in
// which it noticed.
func mistake(data []byte, err error) error {
	s := newBeginnings(data)
	line, ok := s.firstBad()
	if !ok {
		return plainYAML(err)
	}
	text := itsLine.ReplaceAllString(plainYAML(err).Error(), "")
	return fmt.Errorf("line %d: %s (is it indented like the lines around it, and is each quote closed?)", line, text)
}

// maxParsed bounds the work of searching for a mistake: how many bytes are
// parsed in all, one or two seconds' worth.
const maxParsed = 4 << 20

// lookAhead is how many lines more are tried before a beginning that cannot be
// read is taken to end in the mistake: it may end within a text of several
// lines that is fine.
const lookAhead = 64

// beginnings are those of a text that consist of whole lines.
type beginnings struct {
	data   []byte
	ends   []int // of each line
	parsed int   // bytes so far, over all tries
}

func newBeginnings(data []byte) *beginnings {
	b := &beginnings{data: data}
	for line := range bytes.Lines(data) {
		last := 0
		if len(b.ends) > 0 {
			last = b.ends[len(b.ends)-1]
		}
		b.ends = append(b.ends, last+len(line))
	}
	return b
}

// reads says whether the first so many lines can be read. Where that would be
// too much work they cannot.
func (b *beginnings) reads(lines int) bool {
	if lines == 0 {
		return true
	}
	end := b.ends[lines-1]
	if b.spent(end) {
		return false
	}
	b.parsed += end
	return yaml.Unmarshal(b.data[:end], new(yaml.Node)) == nil
}

func (b *beginnings) spent(more int) bool { return b.parsed+more > maxParsed }

// firstBad is the line, from 1, after the longest beginning that is found to be
// readable; ok is false where none was within the work that it may take.
//
// The parser need not see the lines after the one at which it gives up, so no
// beginning is readable that reaches so far; the search goes back from there in
// steps that double, then halves, then looks ahead.
func (b *beginnings) firstBad() (line int, ok bool) {
	if b.spent(len(b.data)) {
		return 0, false
	}
	source := &lineByLine{left: b.data}
	b.parsed += len(b.data)
	if yaml.NewDecoder(source).Decode(new(yaml.Node)) == nil || source.lines == 0 {
		return 0, false
	}
	seen := source.lines // cannot be read, nor can more
	good, bad := seen-1, seen
	for step := 1; !b.reads(good); step *= 2 {
		if b.spent(b.ends[good-1]) {
			return 0, false
		}
		good, bad = max(good-step, 0), good
	}
	for {
		for good+1 < bad {
			if mid := (good + bad) / 2; b.reads(mid) {
				good = mid
			} else {
				bad = mid
			}
		}
		further := false
		for more := bad + 1; more < min(bad+lookAhead, seen) && !further; more++ {
			if further = b.reads(more); further {
				good, bad = more, seen
			}
		}
		if !further {
			return good + 1, true
		}
	}
}

// lineByLine gives no line before the ones before it are used up, and counts
// them.
type lineByLine struct {
	left   []byte
	lines  int
	within bool // the last line was given in part
}

func (r *lineByLine) Read(p []byte) (int, error) {
	if len(r.left) == 0 {
		return 0, io.EOF
	}
	if !r.within {
		r.lines++
	}
	line := r.left
	if end := bytes.IndexByte(line, '\n'); end >= 0 {
		line = line[:end+1]
	}
	n := copy(p, line)
	r.left, r.within = r.left[n:], n < len(line)
	return n, nil
}
