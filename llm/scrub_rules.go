package llm

import "regexp"

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

// between stands between the name of a secret and the secret: a sign or "is",
// with quotes, those of escaped JSON and Markdown among them.
const between = "\\\\?[\"'`*]{0,3}" + `\s*(?:=>|:=|[:=]|\bis\b)\s*` + "\\\\?[\"'`*“‘]{0,3}\\s*"

// Keys of services say by their beginning what they are.
var rules = []rule{
	// A private key, whole or with its end cut off.
	looks("private key", `-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----`),
	looks("private key", `-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----(?:(?:\s|\\[nr])*[A-Za-z0-9+/=]{20,})+`),
	looks("age-secret-key-", `\bAGE-SECRET-KEY-1[A-Z0-9]{20,}`),
	looks("k_live_", `\b[rs]k_live_[A-Za-z0-9]{16,}`), // Stripe
	looks("k_test_", `\b[rs]k_test_[A-Za-z0-9]{16,}`),
	looks("gh", `\bgh[opsur]_[A-Za-z0-9]{30,}`), // GitHub
	looks("github_pat_", `\bgithub_pat_[A-Za-z0-9_]{30,}`),
	looks("glpat-", `\bglpat-[A-Za-z0-9_-]{20,}`), // GitLab
	looks("akia", `\bAKIA[A-Z0-9]{16}\b`),         // AWS
	looks("asia", `\bASIA[A-Z0-9]{16}\b`),
	looks("aiza", `\bAIza[A-Za-z0-9_-]{35}`), // Google
	looks("ya29.", `\bya29\.[A-Za-z0-9_-]{20,}`),
	looks("gocspx-", `\bGOCSPX-[A-Za-z0-9_-]{20,}`),
	looks("xox", `\bxox[abeoprs]-[A-Za-z0-9-]{10,}`), // Slack
	named([]string{"hooks.slack.com"}, `(hooks\.slack\.com/services/)([A-Za-z0-9/]{20,})`, true),
	looks("hf_", `\bhf_[A-Za-z0-9]{30,}`),                                        // Hugging Face
	looks("npm_", `\bnpm_[A-Za-z0-9]{36}`),                                       // npm
	looks("pypi-", `\bpypi-[A-Za-z0-9_-]{40,}`),                                  // PyPI
	looks("dckr_", `\bdckr_[a-z]+_[A-Za-z0-9_-]{20,}`),                           // Docker
	looks("gsk_", `\bgsk_[A-Za-z0-9]{20,}`),                                      // Groq
	looks("xai-", `\bxai-[A-Za-z0-9]{30,}`),                                      // xAI
	looks("pplx-", `\bpplx-[A-Za-z0-9]{30,}`),                                    // Perplexity
	looks("r8_", `\br8_[A-Za-z0-9]{30,}`),                                        // Replicate
	looks("lsv2_", `\blsv2_[a-z]+_[A-Za-z0-9_]{20,}`),                            // LangSmith
	looks("_v1_", `\bdo[opr]_v1_[A-Za-z0-9]{30,}`),                               // DigitalOcean
	looks("shp", `\bshp(?:at|ca|pa|ss)_[A-Za-z0-9]{30,}`),                        // Shopify
	looks("sg.", `\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{30,}`),                 // SendGrid
	looks(":aa", `\b[0-9]{8,10}:AA[A-Za-z0-9_-]{30,}`),                           // Telegram
	looks("eyj", `\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`), // JSON web tokens
	named([]string{"sk-"}, `()(\bsk-[A-Za-z0-9_-]{20,})`, false),                 // OpenAI, Anthropic and others
	named([]string{"authorization"}, `((?i:\bauthorization)\\?["']?\s*[:=]\s*\\?["']?(?i:bearer|basic|token)\s+)([A-Za-z0-9._~+/=-]{8,})`, true),
	named([]string{"bearer"}, `((?i:\bbearer)\s+)([A-Za-z0-9._~+/=-]{20,})`, false),
	// In a URL: the password, a token in the user's place, a signature.
	named([]string{"://"}, `((?i:\b[a-z][a-z0-9+.-]*)://[^\s/:@"'<>]*:)([^\s/"'<>\[\]]+)@`, true),
	named([]string{"://"}, `((?i:\b[a-z][a-z0-9+.-]*)://)([A-Za-z0-9_-]{20,})@`, false),
	named([]string{"sig"}, `([?&](?i:sig|signature|x-amz-signature)=)([A-Za-z0-9._~+/=%-]{12,})`, false),
	// Under a name that says what it is.
	named([]string{
		"api key", "api_key", "api-key", "apikey", "access key", "access_key", "access-key", "accesskey", "account key", "account_key", "account-key", "accountkey",
		"private key", "private_key", "private-key", "privatekey", "secret", "token", "authorization",
	},
		`((?i:(?:api|access|account|secret|private)[ _-]?key|secret|token|authorization)`+between+`)([A-Za-z0-9._~+/=-]{12,})`, false),
	named([]string{"_key"}, `(\b[A-Z0-9_]+_KEY\s*=\s*["']?)([A-Za-z0-9._~+/=-]{12,})`, false),
	named([]string{"passw", "passphrase", "pwd"},
		`((?i:password|passwd|passphrase|\bpwd)`+between+")([^\\s\"'`<>\\[\\]{}(),;\\\\]{7,})", false),
}
