package llm

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/prospect-go/prospect"
)

// The parts of each credential are joined here, so that no scanner takes this
// file for a leak.
func join(parts ...string) string { return strings.Join(parts, "") }

var (
	long = strings.Repeat("aB3", 13)
	pem  = join("-----BEGIN RSA PRIV", "ATE KEY-----")
)

func TestScrub(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"OpenAI":           {join("use sk-", "proj-", long, "."), "use [scrubbed]."},
		"GitHub":           {join("ghp", "_", long) + " " + join("github_", "pat_", long), "[scrubbed] [scrubbed]"},
		"GitLab":           {join("glpat", "-", long), "[scrubbed]"},
		"AWS":              {join("AK", "IAIOSFODNN7EXAMPLE,"), "[scrubbed],"},
		"Google":           {join("AI", "za", long[:35]), "[scrubbed]"},
		"Slack":            {join("xo", "xb-1234567890-abc"), "[scrubbed]"},
		"Stripe":           {join("sk", "_live_", long), "[scrubbed]"},
		"JWT":              {join("eyJhbGciOiJI.", "eyJzdWIiOiIx.", "c2ln"), "[scrubbed]"},
		"key":              {pem + "\nMIIE\n" + strings.Replace(pem, "BEGIN", "END", 1) + "\nafter", "[scrubbed]\nafter"},
		"key in JSON":      {`{"k":"` + pem + `\nMIIE\n` + strings.Replace(pem, "BEGIN", "END", 1) + `"}`, `{"k":"[scrubbed]"}`},
		"key cut off":      {pem + "\n" + long + "\n" + long, "[scrubbed]"},
		"key spoken of":    {"A file that begins with " + pem + " is a key. Keep it.", "A file that begins with " + pem + " is a key. Keep it."},
		"PGP key":          {join("-----BEGIN PGP PRIV", "ATE KEY BLOCK-----") + "\n\n" + long + "\nafter", "[scrubbed]\nafter"},
		"age":              {join("AGE-SECRET", "-KEY-1", strings.ToUpper(long)), "[scrubbed]"},
		"Google's client":  {join("GOC", "SPX-", long), "[scrubbed]"},
		"PyPI":             {join("py", "pi-", long, long), "[scrubbed]"},
		"Docker":           {join("dckr", "_pat_", long), "[scrubbed]"},
		"Groq":             {join("gs", "k_", long), "[scrubbed]"},
		"xAI":              {join("xa", "i-", long), "[scrubbed]"},
		"Perplexity":       {join("ppl", "x-", long), "[scrubbed]"},
		"Replicate":        {join("r", "8_", long), "[scrubbed]"},
		"LangSmith":        {join("lsv", "2_pt_", long), "[scrubbed]"},
		"DigitalOcean":     {join("dop", "_v1_", long), "[scrubbed]"},
		"Shopify":          {join("shp", "at_", long), "[scrubbed]"},
		"SendGrid":         {join("S", "G.", long[:22], ".", long), "[scrubbed]"},
		"Telegram":         {join("123456789", ":AA", long), "[scrubbed]"},
		"Hugging Face":     {join("h", "f_", long), "[scrubbed]"},
		"npm":              {join("np", "m_", long[:36]), "[scrubbed]"},
		"Google's session": {join("ya", "29.", long), "[scrubbed]"},
		"webhook":          {join("https://hooks.sl", "ack.com/services/T0000/B0000/", long), "https://hooks.slack.com/services/[scrubbed]"},
		"header":           {"Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic [scrubbed]"},
		"header in JSON":   {`{"authorization": "Bearer abcdefgh"}`, `{"authorization": "Bearer [scrubbed]"}`},
		"escaped JSON":     {`{\"Authorization\": \"token abcdefgh\"}`, `{\"Authorization\": \"token [scrubbed]\"}`},
		"bearer":           {"curl -H 'bearer " + long + "'", "curl -H 'bearer [scrubbed]'"},
		"bearer of news":   {"the bearer authentication-and-authorisation scheme", "the bearer authentication-and-authorisation scheme"},
		"URL":              {"postgres://user:hunter2@db/x", "postgres://user:[scrubbed]@db/x"},
		"URL with no user": {"redis://:hunter2@db", "redis://:[scrubbed]@db"},
		"URL in capitals":  {"HTTPS://user:hunter2@host", "HTTPS://user:[scrubbed]@host"},
		"URL with two @":   {"postgres://u:p@ss1@db/x", "postgres://u:[scrubbed]@db/x"},
		"URL with a token": {"https://" + long + "@host/x", "https://[scrubbed]@host/x"},
		"URL, signed":      {"https://host/x?a=1&sig=abcdef123456%3D&b=2", "https://host/x?a=1&sig=[scrubbed]&b=2"},
		"bare header":      {"Authorization: " + long, "Authorization: [scrubbed]"},
		"said":             {"My API key is " + long + ".", "My API key is [scrubbed]"},
		"in Markdown":      {"**API key**: `" + long + "`", "**API key**: `[scrubbed]`"},
		"in Ruby":          {"'token' => '" + long + "'", "'token' => '[scrubbed]'"},
		"account key":      {"AccountKey=" + long + "==;Next", "AccountKey=[scrubbed];Next"},
		"another key":      {"OPENAI_KEY=" + long, "OPENAI_KEY=[scrubbed]"},
		"short password":   {"password=hunter2;user=x", "password=[scrubbed];user=x"},
		"signs in it":      {"passphrase: Tr0ub4dor&3!", "passphrase: [scrubbed]"},
		"letters in it":    {`"pwd": "pässwörd1"`, `"pwd": "[scrubbed]"`},
		"no password":      {"password: str, at most 8 characters; cwd=/home/user1", "password: str, at most 8 characters; cwd=/home/user1"},
		"what is one":      {"A secret is whatever has 12 letters; a token is authentication.", "A secret is whatever has 12 letters; a token is authentication."},
		"URL with a port":  {"http://host:8080/a@b", "http://host:8080/a@b"},
		"assignment":       {"export MY_API_KEY=abcdef123456 next", "export MY_API_KEY=[scrubbed] next"},
		"YAML":             {"password: 'Tr0ub4dor-and-3'", "password: '[scrubbed]'"},
		"in JSON":          {`"client_secret" : "abcdef123456"`, `"client_secret" : "[scrubbed]"`},
		"a word":           {"token = authentication", "token = authentication"},
		"a number":         {"max_tokens: 123456789012 token: 123456789012", "max_tokens: 123456789012 token: 123456789012"},
		"a name":           {"sk-learn-classification-report task-force-management", "sk-learn-classification-report task-force-management"},
		"plain":            {"Keep the password secret.", "Keep the password secret."},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, scrub(c.text))
			require.Equal(t, c.want, scrub(c.want))
		})
	}
}

// Scrubbing twice is scrubbing once, or a line made by hand would have another
// key than the request that it answers.
func TestScrubbingTwiceIsScrubbingOnce(t *testing.T) {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{
			"token", "password", "=", ":", ": ", `"`, "'", `\"`, " ", "\n", "Authorization: ", "Bearer ", "http://", "u:", "@", "[scrubbed]", "sk-", "-", ".", "eyJ", pem,
			"-----END PRIVATE KEY-----", long, "ghp_", "a1",
			"API key", " is ", "=>", "?sig=", "pwd", "_KEY=", "`", "[", "]", ",", "@", "/", ":AA", "hooks.slack.com/services/", " BLOCK-----",
		}),
		rapid.StringMatching(`[a-zA-Z0-9+/=._-]{1,24}`), rapid.String(),
	)
	rapid.Check(t, func(t *rapid.T) {
		once := scrub(strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), ""))
		if twice := scrub(once); twice != once {
			t.Fatalf("%q becomes %q", once, twice)
		}
	})
}

func TestSecretsOfTheProgramsOwn(t *testing.T) {
	s := scrubber(strings.NewReplacer("Ada Lovelace", "[name]").Replace)
	req := prospect.LLMRequest{System: "For Ada Lovelace.", Prompt: "password=abcdef123456 of Ada Lovelace", Schema: []byte(`{"d":"Ada Lovelace"}`)}
	require.Equal(t, prospect.LLMRequest{System: "For [name].", Prompt: "password=[scrubbed] of [name]", Schema: req.Schema}, s.request(req))
	require.Equal(t, "Dear [name]\uFFFD", s.response(prospect.LLMResponse{Text: "Dear Ada Lovelace\xff"}).Text)
}

func BenchmarkScrub(b *testing.B) {
	text := strings.Repeat("Infer the capabilities that a task needs, and name its key terms: nothing else. ", 64) // 5 KB
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		scrub(text)
	}
}

// A request is scrubbed before its key is made: with another secret it is the
// same request.
func TestSecretsDoNotGetIntoTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rec.jsonl")
	m := prospect.NewLLM("m at https://user:hunter2@host", func(_ context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
		require.Contains(t, req.Prompt, "s3cret", "the model sees all of it")
		return prospect.LLMResponse{Text: "Ada has password=s3cret-answer"}, nil
	})
	o := RecordingOptions{Mode: RecordAll, Scrub: strings.NewReplacer("Ada", "[name]").Replace}
	request := func(secret string) prospect.LLMRequest {
		return prospect.LLMRequest{System: "For Ada.", Prompt: "password=" + secret + " of Ada"}
	}
	r, err := OpenRecording(path, m, o)
	require.NoError(t, err)
	require.Equal(t, "m at https://user:[scrubbed]@host", r.Identity())
	recorded, err := r.Generate(WithLabel(t.Context(), "for Ada"), request("s3cret-number-1"))
	require.NoError(t, err)
	require.Equal(t, "[name] has password=[scrubbed]", recorded.Text, "as it will be replayed")
	require.NoError(t, r.Close())
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, secret := range []string{"s3cret", "Ada", "hunter2"} {
		require.NotContains(t, string(text), secret)
	}

	for _, mode := range []Mode{Replay, RecordMissing} {
		o.Mode = mode
		r, err = OpenRecording(path, m, o)
		require.NoError(t, err)
		replayed, err := r.Generate(t.Context(), request("s3cret-number-2"))
		require.NoError(t, err)
		require.Equal(t, recorded, replayed)
		require.NoError(t, r.Close())
	}

	// A line made by hand with the secrets in it answers too.
	require.NoError(t, os.WriteFile(path, []byte(`{"format":"prospect llm recording","version":1,"model":"m"}
{"request":{"system":"For Ada.","prompt":"password=s3cret-number-3 of Ada"},"response":"yes"}`), 0o600))
	o.Mode = Replay
	r, err = OpenRecording(path, nil, o)
	require.NoError(t, err)
	replayed, err := r.Generate(t.Context(), request("s3cret-number-4"))
	require.NoError(t, err)
	require.Equal(t, "yes", replayed.Text)
}
