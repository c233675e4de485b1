package skill_test

import (
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	"pgregory.net/rapid"

	"github.com/prospect-go/prospect/skill"
)

// text draws strings with what YAML and Markdown take for signs.
var (
	signs = rapid.SampledFrom([]string{
		"a", "Zeta", "0", " ", "  ", "\n", "\n\n", "\t", ":", ": ", " #", "#", "-", "- ", "---", "...", "\"", "'", "\\",
		"[", "]", "{", "}", ",", "&", "*", "!", "|", ">", "%", "@", "`", "?", "<<", "null", "~", "yes", "é", "漢字", "🦞",
		"\u2028", "\u0085", "\u00a0", "\ufeff", "\u200b", "\x01", "\x7f", "\ufffd",
	})
	text = rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(signs, 0, 12).Draw(t, "parts"), "")
	})
)

func trimmed(s string) string { return strings.TrimSpace(s) }

// anyValue draws values as Extra holds them.
func anyValue(t *rapid.T, depth int) any {
	kind := rapid.IntRange(0, 5).Draw(t, "kind")
	switch {
	case kind == 0:
		return nil
	case kind == 1 && depth > 0:
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			list = append(list, anyValue(t, depth-1))
		}
		return list
	case kind == 2 && depth > 0:
		m := map[string]any{}
		for range rapid.IntRange(0, 3).Draw(t, "keys") {
			m[text.Draw(t, "key")] = anyValue(t, depth-1)
		}
		return m
	}
	return text.Draw(t, "value")
}

// TestMarkdownRoundTrip: whatever the fields hold, a rendered skill reads back
// the same.
func TestMarkdownRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &skill.Skill{
			Name:          strings.Join(strings.Fields(text.Draw(t, "name")), " "),
			Description:   trimmed(text.Draw(t, "description")),
			License:       trimmed(text.Draw(t, "license")),
			Compatibility: trimmed(text.Draw(t, "compatibility")),
			Body:          trimmed(text.Draw(t, "body")),
		}
		if s.Name == "" {
			s.Name = "x"
		}
		if s.Description == "" {
			s.Description = "y"
		}
		if m := rapid.MapOf(text, text).Draw(t, "metadata"); len(m) > 0 {
			s.Metadata = m
		}
		for _, tool := range rapid.SliceOf(text).Draw(t, "tools") {
			if tool = trimmed(tool); tool != "" {
				s.AllowedTools = append(s.AllowedTools, tool)
			}
		}
		for range rapid.IntRange(0, 3).Draw(t, "fields") {
			key := text.Draw(t, "field")
			if s.Extra == nil {
				s.Extra = map[string]any{}
			}
			s.Extra[key] = anyValue(t, 3)
		}
		requireStable(t, s)
	})
}

// A skill made by hand may hold what no parsed one does; rendering still works.
func TestMarkdownOfAnySkill(t *testing.T) {
	require.Equal(t, "---\n---\n", string((&skill.Skill{}).Markdown()))
	s := &skill.Skill{
		Name: "x", Description: "bad \xff byte", Body: "\xff",
		Extra: map[string]any{"n": 1.5, "list": []string{"a"}, "name": "ignored", "metadata": "kept"},
	}
	require.Equal(t, "---\nname: x\ndescription: bad \ufffd byte\nlist: '[a]'\nmetadata: kept\nn: \"1.5\"\n---\n\n\ufffd\n",
		string(s.Markdown()))
}

// TestEncodings: the same text in each encoding gives the same skill.
func TestEncodings(t *testing.T) {
	const (
		japanese1 = "PDFの表を読み取り、Excelに書き出すスキル。表の抽出を頼まれたときに使う。"
		chinese   = "从PDF中提取表格并写入Excel。当用户要求提取表格时使用。"
		western   = "Crée un résumé – «très court» – d’un texte français à la demande de l’élève."
	)
	for name, test := range map[string]struct {
		encoding encoding.Encoding
		text     string
	}{
		"Shift_JIS": {japanese.ShiftJIS, japanese1},
		"GB18030":   {simplifiedchinese.GB18030, chinese},
		// Half-width katakana throughout, if it were Shift_JIS.
		"GB2312, short": {simplifiedchinese.GB18030, "北京"},
		"Windows-1252":  {charmap.Windows1252, western},
	} {
		t.Run(name, func(t *testing.T) {
			file := "---\nname: x\ndescription: \"" + test.text + "\"\n---\n\nEnglish words first, then " + test.text
			want, _ := parsed(t, file, skill.ParseOptions{})
			data, err := test.encoding.NewEncoder().String(file)
			require.NoError(t, err)
			got, ks := parsed(t, data, skill.ParseOptions{})
			require.Equal(t, kinds{skill.Encoding}, ks)
			want.Hash = got.Hash
			require.Equal(t, want, got)
		})
	}
	for name, order := range map[string]func(u uint16) []byte{
		"UTF-16LE": func(u uint16) []byte { return []byte{byte(u), byte(u >> 8)} },
		"UTF-16BE": func(u uint16) []byte { return []byte{byte(u >> 8), byte(u)} },
	} {
		for _, mark := range []string{"", "\ufeff"} {
			file := "---\nname: x\ndescription: " + chinese + " 🦞\n---\n\n" + western
			var data []byte
			for _, u := range utf16.Encode([]rune(mark + file)) {
				data = append(data, order(u)...)
			}
			want, _ := parsed(t, file, skill.ParseOptions{})
			got, ks := parsed(t, string(data), skill.ParseOptions{})
			require.Equal(t, kinds{skill.Encoding}, ks, name)
			want.Hash = got.Hash
			require.Equal(t, want, got, name)

			// Half a code unit at the end.
			_, ks = parsed(t, string(data)+"x", skill.ParseOptions{})
			require.Equal(t, kinds{skill.Encoding, skill.InvalidBytes}, ks, name)
		}
	}
}

// TestDamagedUTF8: a few bad bytes do not turn UTF-8 into another encoding.
func TestDamagedUTF8(t *testing.T) {
	const file = "---\nname: x\ndescription: y\n---\n日本語の文章、中文文章 et du français.\n"
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		at := strings.Index(file, "\u65e5") + r.IntN(20)
		data := file[:at] + "\xff" + file[at:]
		s, problems, err := skill.Parse([]byte(data), skill.ParseOptions{})
		require.NoError(t, err)
		require.Equal(t, kinds{skill.InvalidBytes}, kindsOf(problems), hex.EncodeToString([]byte(data)))
		require.Contains(t, s.Body, "français")
		require.Contains(t, s.Body, "\ufffd")
	}
	// Bytes that make sense nowhere.
	_, ks := parsed(t, "---\nname: x\ndescription: y\n---\n\xff\xfe\xfd\xfc\xfb\n", skill.ParseOptions{})
	require.Equal(t, kinds{skill.InvalidBytes}, ks)
}

// TestLineEnds: CRLF, CR and a byte order mark change nothing (reports of
// loaders that lost such skills are many).
func TestLineEnds(t *testing.T) {
	const file = "---\nname: x\ndescription: |\n  one\n  two\n---\n\n# T\n\nText.\n"
	want, ks := parsed(t, file, skill.ParseOptions{Strict: true})
	require.Empty(t, ks)
	for _, end := range []string{"\n", "\r\n", "\r"} {
		for _, mark := range []string{"", "\ufeff"} {
			data := mark + strings.ReplaceAll(file, "\n", end)
			got, ks := parsed(t, data, skill.ParseOptions{Strict: true})
			require.Equal(t, mark != "", len(ks) > 0 && ks[0] == skill.ByteOrderMark)
			require.Equal(t, end != "\n", len(ks) > 0 && ks[len(ks)-1] == skill.LineEndings)
			want.Hash = got.Hash
			require.Equal(t, want, got)
		}
	}
}

func TestControlCharacters(t *testing.T) {
	s, ks := parsed(t, "---\nname: x\ndescription: it\u0092s\x01 he\x00re\n---\nB\x00o\x1bdy", skill.ParseOptions{})
	require.Equal(t, kinds{skill.ControlCharacters, skill.ControlCharacters}, ks)
	require.Equal(t, "it’s here", s.Description)
	require.Equal(t, "Bo\x1bdy", s.Body)
	require.False(t, strings.ContainsFunc(s.Description, unicode.IsControl))
}
