package llm

import (
	"regexp"
	"slices"
	"strings"

	"github.com/prospect-go/prospect"
)

// scrubbed stands for a secret. No pattern below matches it, so that scrubbing
// twice is scrubbing once.
const scrubbed = "[scrubbed]"

// A rule finds one form of credential.
type rule struct {
	// hints are in every text, in lower case, that the expression matches:
	// most texts have none and are done soon.
	hints []string
	// re has two groups: what stands before and stays, and the secret.
	re *regexp.Regexp
	// word says that the secret may look like a word; otherwise it has to be
	// [mixed].
	word bool
}

func looks(hint, re string) rule {
	return rule{[]string{hint}, regexp.MustCompile(`()(` + re + `)`), true}
}

func named(hints []string, re string, word bool) rule {
	return rule{hints, regexp.MustCompile(re), word}
}

var secretNames = []string{"api_key", "api-key", "apikey", "access_key", "access-key", "accesskey", "secret", "token", "password", "passwd"}

var rules = []rule{
	// A private key, whole or with its end cut off.
	looks("private key-----", `-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----`),
	looks("private key-----", `-----BEGIN [A-Z ]*PRIVATE KEY-----(?:(?:\s|\\[nr])*[A-Za-z0-9+/=]{20,})+`),
	looks("k_live_", `\b[rs]k_live_[A-Za-z0-9]{16,}`), // Stripe
	looks("k_test_", `\b[rs]k_test_[A-Za-z0-9]{16,}`),
	looks("gh", `\bgh[opsur]_[A-Za-z0-9]{30,}`), // GitHub
	looks("github_pat_", `\bgithub_pat_[A-Za-z0-9_]{30,}`),
	looks("glpat-", `\bglpat-[A-Za-z0-9_-]{20,}`), // GitLab
	looks("akia", `\bAKIA[A-Z0-9]{16}\b`),         // AWS
	looks("asia", `\bASIA[A-Z0-9]{16}\b`),
	looks("aiza", `\bAIza[A-Za-z0-9_-]{35}`), // Google
	looks("ya29.", `\bya29\.[A-Za-z0-9_-]{20,}`),
	looks("xox", `\bxox[abeoprs]-[A-Za-z0-9-]{10,}`),                             // Slack
	looks("hf_", `\bhf_[A-Za-z0-9]{30,}`),                                        // Hugging Face
	looks("npm_", `\bnpm_[A-Za-z0-9]{36}`),                                       // npm
	looks("eyj", `\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`), // JSON web tokens
	named([]string{"sk-"}, `()(\bsk-[A-Za-z0-9_-]{20,})`, false),                 // OpenAI, Anthropic and others
	named([]string{"authorization"}, `((?i:\bauthorization)\\?["']?\s*[:=]\s*\\?["']?(?i:bearer|basic|token)\s+)([A-Za-z0-9._~+/=-]{8,})`, true),
	named([]string{"bearer"}, `((?i:\bbearer)\s+)([A-Za-z0-9._~+/=-]{20,})`, false),
	named([]string{"://"}, `(\b[a-z][a-z0-9+.-]*://[^\s/:@"'<>]*:)([^\s/@"'<>\[\]]+)@`, true), // the password in a URL
	named(secretNames, `((?i:api[_-]?key|access[_-]?key|secret[_-]?key|secret|token|password|passwd)\\?["']?\s*(?:=|:=?)\s*\\?["']?)([A-Za-z0-9._~+/=-]{12,})`, false),
}

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
