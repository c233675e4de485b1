package llm

import (
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/prospect-go/prospect"
)

// ErrNoRecord: a [Recording] that replays has no answer to a request. The
// error is a [*NoRecordError].
var ErrNoRecord = errors.New("llm: no record of the request")

// A NoRecordError says which request has no answer, and what comes nearest to
// it. It wraps [ErrNoRecord].
type NoRecordError struct {
	// Path of the recording.
	Path string
	// Asked is the request, as it would be recorded.
	Asked Entry
	// Nearest is the entry whose words are most alike, and Line its line; nil
	// and 0 where the file has no request at all.
	Nearest *Entry
	Line    int
}

// Unwrap returns [ErrNoRecord].
func (e *NoRecordError) Unwrap() error { return ErrNoRecord }

// Error shows the request, shortened, and where the nearest one differs.
func (e *NoRecordError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v in %s: key %s", ErrNoRecord, e.Path, e.Asked.Key)
	if name := e.Asked.Request.SchemaName; name != "" {
		fmt.Fprintf(&b, ", schema %q", name)
	}
	fmt.Fprintf(&b, ", prompt %q; ", shorten(e.Asked.Request.Prompt))
	switch {
	case e.Nearest == nil:
		b.WriteString("the file has no request to compare with")
	case e.Nearest.Key == e.Asked.Key:
		fmt.Fprintf(&b, "line %d asks it and has no response", e.Line)
	default:
		fmt.Fprintf(&b, "the nearest is line %d: %s", e.Line, strings.Join(differences(e.Nearest.Request, e.Asked.Request), "; "))
	}
	return b.String()
}

// differences tells each part in which two requests differ.
func differences(recorded, asked prospect.LLMRequest) []string {
	var out []string
	texts := func(name, r, a string) {
		if r != a {
			line, r, a := firstDifference(r, a)
			out = append(out, fmt.Sprintf("%s, line %d: recorded %q, asked %q", name, line, r, a))
		}
	}
	values := func(name string, r, a any) {
		if r != a {
			out = append(out, fmt.Sprintf("%s: recorded %v, asked %v", name, r, a))
		}
	}
	texts("system", recorded.System, asked.System)
	texts("prompt", recorded.Prompt, asked.Prompt)
	values("schema_name", recorded.SchemaName, asked.SchemaName)
	texts("schema", string(recorded.Schema), string(asked.Schema))
	values("max_tokens", recorded.MaxTokens, asked.MaxTokens)
	values("temperature", number(recorded.Temperature), number(asked.Temperature))
	if out == nil {
		return []string{"it looks the same, but has another key"}
	}
	return out
}

func number(v *float64) string {
	if v == nil {
		return "unset"
	}
	return fmt.Sprint(*v)
}

// firstDifference returns the number of the first line in which two texts
// differ and a piece of each around the place.
func firstDifference(a, b string) (line int, pieceA, pieceB string) {
	const before, after = 20, 40
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	line = 1 + strings.Count(a[:i], "\n")
	begin := i
	for begin > max(0, i-before) && a[begin-1] != '\n' {
		begin--
	}
	piece := func(s string) string {
		s = s[begin:min(len(s), i+after)]
		return strings.ToValidUTF8(s, "") // code points cut in half
	}
	return line, piece(a), piece(b)
}

// missing is the outcome of a request without an answer.
func (r *Recording) missing(e Entry) error {
	err := &NoRecordError{Path: r.path, Asked: e}
	err.Nearest, err.Line = r.nearest(e)
	if r.opts.Missing != nil {
		r.missingMu.Lock()
		defer r.missingMu.Unlock()
		if !r.told[e.Key] {
			r.told[e.Key] = true
			r.opts.Missing(e)
		}
	}
	return err
}

// A profile says which words the requests of a recording have.
type profile struct {
	words  []int              // by entry: how many
	having map[uint64][]int32 // by word: the entries that have it
}

func profileOf(entries []Entry) profile {
	p := profile{words: make([]int, len(entries)), having: make(map[uint64][]int32)}
	for i, e := range entries {
		all := words(e.Request)
		p.words[i] = len(all)
		for _, w := range all {
			p.having[w] = append(p.having[w], int32(i))
		}
	}
	return p
}

// nearest finds the entry with the largest share of words in common with e:
// the same words of both, by the words of either (Jaccard). It is used in
// Replay alone, where entries do not change. Work may go on without many
// answers, so it counts along the words rather than comparing request by
// request.
func (r *Recording) nearest(e Entry) (*Entry, int) {
	entries := r.text.entries
	best := slices.IndexFunc(entries, func(recorded Entry) bool { return recorded.Key == e.Key })
	if best < 0 {
		r.profileOnce.Do(func() { r.profile = profileOf(entries) })
		asked := words(e.Request)
		shared := make([]int, len(entries))
		for _, w := range asked {
			for _, i := range r.profile.having[w] {
				shared[i]++
			}
		}
		likeness := -1.0
		for i, n := range shared {
			if isZero(entries[i].Request) {
				continue
			}
			if l := float64(n) / float64(max(1, len(asked)+r.profile.words[i]-n)); l > likeness {
				best, likeness = i, l
			}
		}
	}
	if best < 0 {
		return nil, 0
	}
	return &entries[best], r.text.lines[best]
}

var wordSeed = maphash.MakeSeed()

// words are the hashes of a request's words, sorted, each once.
func words(req prospect.LLMRequest) []uint64 {
	var hashes []uint64
	add := func(text string) {
		for w := range strings.FieldsSeq(text) {
			hashes = append(hashes, maphash.String(wordSeed, w))
		}
	}
	add(req.System)
	add(req.Prompt)
	add(req.SchemaName)
	slices.Sort(hashes)
	return slices.Compact(hashes)
}
