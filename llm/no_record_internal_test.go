package llm

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/prospect-go/prospect"
)

// The nearest entry is the first of those with the greatest Jaccard index, by
// its definition.
func TestTheNearestIsNearest(t *testing.T) {
	request := rapid.Custom(func(t *rapid.T) prospect.LLMRequest {
		text := rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f"}), 0, 8), func(w []string) string { return strings.Join(w, " ") })
		return prospect.LLMRequest{System: text.Draw(t, "system"), Prompt: text.Draw(t, "prompt"), SchemaName: text.Draw(t, "schema")}
	})
	set := func(req prospect.LLMRequest) map[string]bool {
		words := map[string]bool{}
		for _, w := range strings.Fields(req.System + " " + req.Prompt + " " + req.SchemaName) {
			words[w] = true
		}
		return words
	}
	jaccard := func(a, b map[string]bool) float64 {
		both, either := 0, len(b)
		for w := range a {
			if b[w] {
				both++
			} else {
				either++
			}
		}
		if either == 0 {
			return 0
		}
		return float64(both) / float64(either)
	}
	rapid.Check(t, func(t *rapid.T) {
		r := &Recording{text: &recordingText{}}
		for i, req := range rapid.SliceOfN(request, 0, 10).Draw(t, "recorded") {
			r.text.entries = append(r.text.entries, Entry{Key: requestKey("", req), Request: req})
			r.text.lines = append(r.text.lines, i+2)
		}
		for range 3 {
			asked := request.Draw(t, "asked")
			want, likeness := 0, -1.0
			for i, e := range r.text.entries {
				if l := jaccard(set(asked), set(e.Request)); l > likeness && !isZero(e.Request) {
					want, likeness = i+2, l
				}
			}
			_, line := r.nearest(Entry{Key: "of none", Request: asked})
			require.Equal(t, want, line)
		}
	})
}
