package llm

import (
	"slices"
	"strings"

	"github.com/prospect-go/prospect"
)

// scrubbed stands for a secret. No rule matches it, so that scrubbing twice is
// scrubbing once.
const scrubbed = "[scrubbed]"

// scrub replaces what looks like a credential.
func scrub(text string) string {
	lower := strings.ToLower(text)
	for _, r := range rules {
		if slices.ContainsFunc(r.hints, func(h string) bool { return strings.Contains(lower, h) }) {
			text = r.replace(text)
		}
	}
	return text
}

func (r rule) replace(text string) string {
	var b strings.Builder
	end := 0
	for _, at := range r.re.FindAllStringSubmatchIndex(text, -1) {
		from, to := at[4], at[5]
		if !r.word && !mixed(text[from:to]) {
			continue
		}
		b.WriteString(text[end:from])
		b.WriteString(scrubbed)
		end = to
	}
	if end == 0 {
		return text
	}
	b.WriteString(text[end:])
	return b.String()
}

// mixed says that a text has letters and digits, as random ones do.
func mixed(s string) bool {
	letter := func(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }
	return strings.ContainsAny(s, "0123456789") && strings.ContainsFunc(s, letter)
}

// A scrubber is the caller's replacements, which may be nil, and then ours.
type scrubber func(string) string

func (s scrubber) text(t string) string {
	t = strings.ToValidUTF8(t, "\uFFFD")
	if s != nil {
		t = strings.ToValidUTF8(s(t), "\uFFFD")
	}
	return scrub(t)
}

// request is what is recorded of a request. A schema is the program's own and
// has no secrets.
func (s scrubber) request(req prospect.LLMRequest) prospect.LLMRequest {
	req = tidy(req)
	req.System, req.Prompt = s.text(req.System), s.text(req.Prompt)
	return req
}

func (s scrubber) response(resp prospect.LLMResponse) prospect.LLMResponse {
	resp.Text = s.text(resp.Text)
	return resp
}
