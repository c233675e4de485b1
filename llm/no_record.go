package llm

import (
	"cmp"
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

// nearest finds the entry with the largest share of words in common with e:
// the same words of both, by the words of either (Jaccard). It is used in
// Replay alone, where entries do not change.
func (r *Recording) nearest(e Entry) (*Entry, int) {
	r.profile.Do(func() {
		r.profiles = make([][]uint64, len(r.text.entries))
		for i, e := range r.text.entries {
			r.profiles[i] = words(e.Request)
		}
	})
	asked := words(e.Request)
	best, likeness := -1, -1.0
	for i, p := range r.profiles {
		if r.text.entries[i].Key == e.Key {
			best = i
			break
		}
		if l := jaccard(asked, p); l > likeness && !isZero(r.text.entries[i].Request) {
			best, likeness = i, l
		}
	}
	if best < 0 {
		return nil, 0
	}
	return &r.text.entries[best], r.text.lines[best]
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

func jaccard(a, b []uint64) float64 {
	shared := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch c := cmp.Compare(a[i], b[j]); {
		case c < 0:
			i++
		case c > 0:
			j++
		default:
			shared++
			i++
			j++
		}
	}
	if shared == 0 {
		return 0
	}
	return float64(shared) / float64(len(a)+len(b)-shared)
}
