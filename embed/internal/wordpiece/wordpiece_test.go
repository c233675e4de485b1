package wordpiece

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// tokenizer makes one of a list of words, ids by position, with [CLS] before
// and [SEP] after the text.
func tokenizer(t testing.TB, edit func(m map[string]any), words ...string) *Tokenizer {
	t.Helper()
	data, err := json.Marshal(description(edit, words...))
	require.NoError(t, err)
	tok, err := Parse(data)
	require.NoError(t, err)
	return tok
}

func description(edit func(m map[string]any), words ...string) map[string]any {
	vocab := map[string]any{}
	for i, w := range append([]string{"[PAD]", "[UNK]", "[CLS]", "[SEP]"}, words...) {
		vocab[w] = i
	}
	m := map[string]any{
		"added_tokens": []any{
			map[string]any{"id": 0, "content": "[PAD]"}, map[string]any{"id": 2, "content": "[CLS]"}, map[string]any{"id": 3, "content": "[SEP]"},
		},
		"normalizer":    map[string]any{"type": "BertNormalizer"},
		"pre_tokenizer": map[string]any{"type": "BertPreTokenizer"},
		"post_processor": map[string]any{
			"type": "TemplateProcessing",
			"single": []any{
				map[string]any{"SpecialToken": map[string]any{"id": "[CLS]"}},
				map[string]any{"Sequence": map[string]any{"id": "A"}},
				map[string]any{"SpecialToken": map[string]any{"id": "[SEP]"}},
			},
			"special_tokens": map[string]any{
				"[CLS]": map[string]any{"ids": []int{2}}, "[SEP]": map[string]any{"ids": []int{3}},
			},
		},
		"model": map[string]any{"type": "WordPiece", "unk_token": "[UNK]", "vocab": vocab},
	}
	if edit != nil {
		edit(m)
	}
	return m
}

func under(m map[string]any, key string) map[string]any { return m[key].(map[string]any) }

const (
	pad, unk, cls, sep = 0, 1, 2, 3
	first              = 4 // the first word of the list
)

func TestPieces(t *testing.T) {
	tok := tokenizer(t, nil, "un", "##aff", "##able", "affable", "a", "##a", "!", "中", "cafe", "##ff", "i")
	un, aff, able, affable, a, inA, bang, zhong, cafe := uint32(first), uint32(first+1), uint32(first+2), uint32(first+3), uint32(first+4), uint32(first+5), uint32(first+6), uint32(first+7), uint32(first+8)
	for text, want := range map[string][]uint32{
		"":                       {},
		" \t\r\n\u3000\u2028":    {},
		"unaffable":              {un, aff, able},
		"UNAFFABLE":              {un, aff, able},
		"affable!a":              {affable, bang, a},
		"aaa":                    {a, inA, inA},
		"unx a":                  {unk, a}, // the whole word is unknown
		"a中a":                    {a, zhong, a},
		"café cafe\u0301 CAFÉ":   {cafe, cafe, cafe},
		"a\u200b\x00\xff\u00ada": {a, inA},
		"a\x0ba":                 {a, inA}, // vertical tab: control, not space
		"a\u00a0a":               {a, a},
		"a[SEP]a":                {a, sep, a},
		"[sep]":                  {unk, unk, unk},
		"İ":                      {first + 10},
		strings.Repeat("a", 100): append([]uint32{a}, slices.Repeat([]uint32{inA}, 99)...),
		strings.Repeat("a", 101): {unk},
		strings.Repeat("é", 101): {unk}, // 101 characters once stripped
	} {
		got, cut := tok.Encode(text, 1000)
		require.False(t, cut)
		require.Equal(t, append(append([]uint32{cls}, want...), sep), got, "%q", text)
		require.Equal(t, len(got), tok.Count(text), "%q", text)
	}
}

// TestAHundredCharactersAreNotBytes: the reference counts characters.
func TestAHundredCharactersAreNotBytes(t *testing.T) {
	tok := tokenizer(t, nil, "я", "##я")
	got, _ := tok.Encode(strings.Repeat("я", 60), 1000) // 120 bytes
	require.Len(t, got, 62)
}

func TestNormalizerSettings(t *testing.T) {
	words := []string{"É", "é", "E", "e", "中", "##中", "\x01", "i", "##\u0307"}
	set := func(key string, v any) func(map[string]any) {
		return func(m map[string]any) { under(m, "normalizer")[key] = v }
	}
	for _, tc := range []struct {
		edit func(map[string]any)
		text string
		want uint32
	}{
		{nil, "É", first + 3},
		{set("lowercase", false), "É", first}, // accents follow the case where not set
		{func(m map[string]any) { set("lowercase", false)(m); set("strip_accents", true)(m) }, "É", first + 2},
		{set("strip_accents", false), "É", first + 1},
		{set("clean_text", false), "\x01", first + 6},
	} {
		got, _ := tokenizer(t, tc.edit, words...).Encode(tc.text, 9)
		require.Equal(t, []uint32{cls, tc.want, sep}, got)
	}
	got, _ := tokenizer(t, set("handle_chinese_chars", false), words...).Encode("中中", 9)
	require.Equal(t, []uint32{cls, first + 4, first + 5, sep}, got)
	// The one letter whose lower case is two characters.
	got, _ = tokenizer(t, set("strip_accents", false), words...).Encode("İ", 9)
	require.Equal(t, []uint32{cls, first + 7, first + 8, sep}, got)
}

func TestTruncation(t *testing.T) {
	tok := tokenizer(t, nil, "a", "##b")
	require.Equal(t, 2, tok.Specials())
	for _, tc := range []struct {
		text string
		max  int
		want []uint32
		cut  bool
	}{
		{"a a a", 5, []uint32{cls, 4, 4, 4, sep}, false},
		{"a a a", 4, []uint32{cls, 4, 4, sep}, true},
		{"abbb", 4, []uint32{cls, 4, 5, sep}, true}, // within a word
		{"a", 3, []uint32{cls, 4, sep}, false},
		{"a a", 3, []uint32{cls, 4, sep}, true},
		{"a      ", 3, []uint32{cls, 4, sep}, false}, // only space is cut
		{"a[PAD]", 3, []uint32{cls, 4, sep}, true},
	} {
		got, cut := tok.Encode(tc.text, tc.max)
		require.Equal(t, tc.want, got, "%q", tc.text)
		require.Equal(t, tc.cut, cut, "%q", tc.text)
	}
}

// TestCutIsAPrefix: a cut text has the ids of the whole one, up to the cut.
func TestCutIsAPrefix(t *testing.T) {
	tok := tokenizer(t, nil, "a", "b", "##a", "##b", "中", "!", "[", "]")
	text := rapid.StringOfN(rapid.RuneFrom([]rune("abAB中! []SEPİ\u0301\u00ad\t")), 0, 60, -1)
	rapid.Check(t, func(t *rapid.T) {
		s, limit := text.Draw(t, "text"), rapid.IntRange(3, 40).Draw(t, "max")
		whole, cut := tok.Encode(s, 1<<20)
		require.False(t, cut)
		require.Equal(t, len(whole), tok.Count(s))
		got, cut := tok.Encode(s, limit)
		require.Equal(t, len(whole) > limit, cut)
		if cut {
			require.Len(t, got, limit)
			require.Equal(t, append(whole[:limit-1:limit-1], sep), got)
		} else {
			require.Equal(t, whole, got)
		}
	})
}

// TestTimeIsLinear: what a quadratic tokenizer would take minutes for.
func TestTimeIsLinear(t *testing.T) {
	tok := tokenizer(t, nil, "a", "##a")
	for _, unit := range []string{"a", "a ", ".", "\u0301", "\xff", "中", "[CLS", "é"} {
		text := strings.Repeat(unit, 1<<20/len(unit))
		start := time.Now()
		tok.Count(text)
		require.Less(t, time.Since(start), 10*time.Second, "%q", unit)
		start = time.Now()
		tok.Encode(text, 128)
		require.Less(t, time.Since(start), 5*time.Second, "%q", unit)
	}
}

func TestMaxID(t *testing.T) {
	require.Equal(t, uint32(5), tokenizer(t, nil, "a", "##b").MaxID())
	require.Equal(t, uint32(90), tokenizer(t, func(m map[string]any) {
		m["added_tokens"] = []any{map[string]any{"id": 90, "content": "<x>"}}
	}, "a").MaxID())
}

func TestPostProcessors(t *testing.T) {
	got, _ := tokenizer(t, func(m map[string]any) {
		m["post_processor"] = map[string]any{"type": "BertProcessing", "cls": []any{"[CLS]", 2}, "sep": []any{"[SEP]", 3}}
	}, "a").Encode("a", 9)
	require.Equal(t, []uint32{cls, 4, sep}, got)
	got, _ = tokenizer(t, func(m map[string]any) { m["post_processor"] = nil }, "a").Encode("a", 9)
	require.Equal(t, []uint32{4}, got)
}

func FuzzEncode(f *testing.F) {
	for _, s := range []string{"", "un", "\xff\xfe", "a\x00b", "İ", "红，绿", "[SEP][CLS", "\u0301\u0301", "ﬃ"} {
		f.Add(s, 7)
	}
	tok := tokenizer(f, nil, "a", "##b", "un", "红", "，", "!")
	known := slices.Collect(maps.Values(tok.begin))
	f.Fuzz(func(t *testing.T, s string, limit int) {
		limit = 3 + int(uint(limit)%500)
		ids, cut := tok.Encode(s, limit)
		require.LessOrEqual(t, len(ids), limit)
		require.Equal(t, uint32(cls), ids[0])
		require.Equal(t, uint32(sep), ids[len(ids)-1])
		for _, id := range ids {
			require.Contains(t, known, id)
		}
		require.Equal(t, cut, tok.Count(s) > limit)
	})
}

func FuzzParse(f *testing.F) {
	good, err := json.Marshal(description(nil, "a", "##b"))
	require.NoError(f, err)
	f.Add(good)
	f.Add([]byte("{}"))
	f.Add([]byte(`{"model":{"vocab":{"a":-1}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		tok, err := Parse(data)
		if err != nil {
			require.Nil(t, tok)
			return
		}
		tok.Encode("a b ab é [SEP]", tok.Specials()+1)
	})
}

func BenchmarkEncode(b *testing.B) {
	tok := tokenizer(b, nil, "find", "the", "right", "skill", "for", "a", "task", "##s", ".")
	for _, words := range []int{16, 64, 256} {
		text := strings.Repeat("Find the right skills for a task. ", words/7+1)
		b.Run(fmt.Sprintf("words=%d", words), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			n := 0
			for b.Loop() {
				ids, _ := tok.Encode(text, 512)
				n += len(ids)
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "tokens/s")
		})
	}
}
