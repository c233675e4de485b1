package bm25_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect/bm25"
	"github.com/prospect-go/prospect/internal/evaldata"
)

// plain is the standard analyzer without stems and stop words.
func plain(t testing.TB, how bm25.Identifiers) *bm25.Analyzer {
	return standard(t, bm25.StandardOptions{Stem: bm25.NoStem, StopWords: []string{}, Identifiers: how})
}

func TestTermsOfTexts(t *testing.T) {
	a := plain(t, bm25.WholeAndParts)
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{" \t\r\n.,;:!?()[]{}<>/\\|@#$%^&*+=~`\"'-_", ""},
		{"Hello, World! hello", "hello world hello"},

		{"camelCase", "camelcase camel case"},
		{"parseXMLHttpRequest", "parsexmlhttprequest parse xml http request"},
		{"PDFs APIs LLMs", "pdfs apis llms"},
		{"URLSession", "urlsession url session"},
		{"snake_case __init__ a__b", "snakecase snake case init ab"},
		{"kebab-case --dry-run", "kebabcase kebab case dryrun dry run"},
		{"file.ext node.js README.md", "fileext file ext nodejs node js readmemd readme md"},
		{"foo/bar.py:12 0;0 a:b", "foo barpy bar py 12 0 0 a b"},
		{"e-mail x-axis", "email mail xaxis axis"},
		{"base64Encode utf8 s3Bucket 3D 2FA", "base64encode base64 encode utf8 s3bucket s3 bucket 3d 2fa"},
		{"a.b.c", "abc"},

		{"C++ c++17 Notepad++ i+++", "c++ c++ 17 notepad++ notepad i"},
		{"C# F# C#9 #tag x#y", "c# f# c 9 tag x y"},
		{".NET (.NET) ASP.NET .gitignore ./run ...and", ".net net .net net aspnet asp net .gitignore gitignore run and"},

		{"v1.2 3.14 1.2.3 python3.11", "v1.2 3.14 1.2.3 python3.11"},
		{"1,000,000 1,5 a,b 2026-01-31", "1000000 15 a b 2026-01-31 2026 01 31"},
		{"end.Next 5.end", "endnext end next 5end 5 end"},

		{"user's users' James's", "user users james"},
		{"don't we'll they're I've O'Reilly", "dont we they i oreilly reilly"},
		{"l'homme d'accord qu'elle aujourd'hui", "lhomme homme daccord accord quelle qu elle aujourdhui"},
		{"user’s don’t l’homme", "user dont lhomme homme"},

		{"naïve Café ÉCOLE Straße", "naïve café école straße"},
		{"cafe\u0301", "café"},
		{"ﬁle ＡＢＣ １２３ x²", "file abc 123 x2"},
		{"naïve-Bayes naïveBayes", "naïvebayes naïve bayes naïvebayes naïve bayes"},
		{"ΟΔΟΣ οδός", "οδοσ οδόσ"},
		{"İstanbul", "istanbul"},
		{"co\u00adoperate zero\u200dwidth", "cooperate zerowidth"},
		{"col·lecció צה\"ל", "collecció צהל"},
		{"Привет-мир", "приветмир привет мир"},

		{"张益唐", "张益 益唐"},
		{"张", "张"},
		{"日本語のテキスト", "日本 本語 語の のテ テキ キス スト"},
		{"データベース", "デー ータ タベ ベー ース"},
		{"ﾃﾞｰﾀ", "デー ータ"},
		{"한국어 검색", "한국 국어 검색"},
		{"使用Python3和C++，或.NET。", "使用 python3 和 c++ 或 .net net"},
		{"ภาษาไทย", "ภา าษ ษา าไ ไท ทย"},
		{"全文検索engine", "全文 文検 検索 engine"},
		{"😀 👩‍💻 a😀b", "a b"},

		{"ab\xffcd \xc3", "ab cd"},
		{"a\x00b", "a b"},
	} {
		require.Equal(t, strings.Fields(c.want), append([]string{}, a.Terms(c.text)...), "%q", c.text)
	}
}

func TestIdentifierModes(t *testing.T) {
	const text = "camelCase snake_case word v1.2"
	for how, want := range map[bm25.Identifiers]string{
		bm25.WholeAndParts: "camelcase camel case snakecase snake case word v1.2",
		bm25.PartsOnly:     "camel case snake case word v1.2",
		bm25.WholeOnly:     "camelcase snakecase word v1.2",
	} {
		require.Equal(t, strings.Fields(want), plain(t, how).Terms(text))
	}
	_, err := bm25.Standard(bm25.StandardOptions{Identifiers: 3})
	require.Error(t, err)
}

func TestStopWordsAndStems(t *testing.T) {
	for _, c := range []struct {
		opts       bm25.StandardOptions
		text, want string
	}{
		{bm25.StandardOptions{}, "The skills of an agent, and ITS databases: running", "skill agent it databas run"},
		{bm25.StandardOptions{StopWords: []string{}}, "to be", "to be"},
		{bm25.StandardOptions{StopWords: []string{"running", "x"}}, "the running run x", "the run"},
		{bm25.StandardOptions{}, "cafés python3 naïvely v1.2", "cafés python3 naïvely v1.2"}, // a to z alone
		{bm25.StandardOptions{Stem: "french", StopWords: []string{}}, "les écoles continuellement", "le écol continuel"},
		{bm25.StandardOptions{Stem: "russian"}, "важными", "важн"},
		{bm25.StandardOptions{}, "PDFs pdfs PDF APIs urls DNS css https", "pdf pdf pdf api url dns css http"},
		{bm25.StandardOptions{}, "runningShoes", "runningsho run shoe"},
	} {
		require.Equal(t, strings.Fields(c.want), standard(t, c.opts).Terms(c.text), "%q", c.text)
	}
	_, err := bm25.Standard(bm25.StandardOptions{Stem: "klingon"})
	require.Error(t, err)
}

func TestIdentityTellsAnalyzersApart(t *testing.T) {
	seen := map[string]bool{}
	for _, opts := range []bm25.StandardOptions{
		{}, {Stem: "french"}, {Stem: bm25.NoStem}, {StopWords: []string{}}, {StopWords: []string{"a"}}, {StopWords: []string{"a", "b"}},
		{Identifiers: bm25.PartsOnly}, {Identifiers: bm25.WholeOnly},
	} {
		id := standard(t, opts).Identity()
		require.False(t, seen[id], id)
		seen[id] = true
	}
	require.Equal(t, standard(t, bm25.StandardOptions{StopWords: []string{"a", "b"}}).Identity(),
		standard(t, bm25.StandardOptions{Stem: "english", StopWords: []string{"b", "a", "b"}}).Identity())
}

func TestCustomAnalyzer(t *testing.T) {
	a := bm25.NewAnalyzer("letters", func(dst []string, text string) []string {
		for _, r := range text {
			dst = append(dst, strings.TrimSpace(string(r)))
		}
		return dst
	})
	require.Equal(t, "letters", a.Identity())
	require.Equal(t, []string{"a", "b"}, a.Terms("a b"), "empty terms are dropped")
	require.Equal(t, []bm25.QueryTerm{{Term: "x", Weight: 1}, {Term: "a", Weight: 0.5}, {Term: "a", Weight: 0.5}},
		a.Query(a.Query(nil, "x", 1), "aa", 0.5))
	require.Panics(t, func() { bm25.NewAnalyzer("", func(dst []string, _ string) []string { return dst }) })
	require.Panics(t, func() { bm25.NewAnalyzer("none", nil) })
}

func TestLongWords(t *testing.T) {
	a := plain(t, bm25.WholeAndParts)
	require.Equal(t, []string{strings.Repeat("a", 64)}, a.Terms(strings.Repeat("a", 100_000)))
	require.Equal(t, []string{strings.Repeat("é", 32)}, a.Terms(strings.Repeat("é", 100)))
	require.Equal(t, []string{"a" + strings.Repeat("é", 31)}, a.Terms("a"+strings.Repeat("é", 100)), "cut between characters")
	long := strings.Repeat("part-", 20) + "end"
	require.Equal(t, append(slicesRepeat("part", 20), "end"), a.Terms(long), "no whole above 64 bytes")
}

// Text without white space, as of a minified file, takes time linear in its
// length: a quadratic path would take half a minute here.
func TestLongPiecesAreLinear(t *testing.T) {
	a := plain(t, bm25.WholeAndParts)
	for _, p := range []string{
		"a'", "é'", "é.", "a_", "1,", "é-", "é\u0301", "\u0301", "😀", "\U0001F1E9\U0001F1EA", "张", "가", "\xff", "é\u200d", "א\"", "aA", "é:", "1;é",
	} {
		checkTerms(t, a, strings.Repeat(p, 100_000))
	}
}

func slicesRepeat(s string, n int) []string { return strings.Fields(strings.Repeat(s+" ", n)) }

// The awkward skill files are raw bytes of many encodings.
func TestAwkwardFiles(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(evaldata.Dir(t, "skillfiles_awkward"), "*", "SKILL.md"))
	require.NoError(t, err)
	require.Len(t, files, 77)
	a := standard(t, bm25.StandardOptions{})
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		checkTerms(t, a, string(text))
	}
}

func checkTerms(t *testing.T, a *bm25.Analyzer, text string) {
	for _, term := range a.Terms(text) {
		require.NotEmpty(t, term)
		require.LessOrEqual(t, len(term), 64)
		require.True(t, utf8.ValidString(term), "%q", term)
		require.False(t, strings.ContainsAny(term, " \t\r\n"), "%q", term)
	}
}

// FuzzTerms holds that no text is too odd, and that the fast path for ASCII
// gives what the rules of Unicode give.
func FuzzTerms(f *testing.F) {
	for _, s := range []string{
		"camelCase snake_case a__b a-_b a_-b a.-b x,y 1,000 1,,0 v1.2", "C++ C# .NET l'homme user's we'll", "张益唐 ｶﾞ e\u0301 \u200d\u0301",
		"a\u200db\u00adc \xff\xfe İ ς ǅ ͅ", "A'S a's' 'a' -1.-2 1.2.3_4-5", "1_2 1-2_3.4a5.B6C",
	} {
		f.Add(s)
	}
	all, none := standard(f, bm25.StandardOptions{}), plain(f, bm25.WholeAndParts)
	f.Fuzz(func(t *testing.T, text string) {
		checkTerms(t, all, text)
		checkTerms(t, none, text)
		ascii := strings.Map(func(r rune) rune { return r & 0x7f }, text)
		require.Equal(t, bm25.SlowTerms(ascii), none.Terms(ascii), "%q", ascii)
	})
}
