package answer

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// decoded reads text into a T without any hook and returns it as JSON.
func decoded[T any](t *testing.T, text string) string {
	t.Helper()
	v, err := Decode[T](text, nil)
	require.NoError(t, err, text)
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return string(data)
}

func TestValuesAreBentToTheirTypes(t *testing.T) {
	type item struct {
		Name string `json:"name"`
		N    int    `json:"n"`
	}
	type inner struct {
		Items []item    `json:"items"`
		Ptrs  []*item   `json:"ptrs"`
		Text  string    `json:"text"`
		OK    bool      `json:"ok"`
		F     float64   `json:"f"`
		U     uint8     `json:"u"`
		Any   []any     `json:"any"`
		Pair  [2]string `json:"pair"`
	}
	type v = struct {
		V inner `json:"v"`
	}
	for _, c := range []struct{ in, want string }{
		// lists
		{`{"items": {"name": "a", "n": "2"}}`, `{"items": [{"name": "a", "n": 2}]}`},
		{`{"items": {"first": {"name": "a"}, "second": {"name": "b"}}}`, `{"items": [{"name": "a", "n": 0}, {"name": "b", "n": 0}]}`},
		{`{"items": {"0": {"name": "a"}, "1": null}}`, `{"items": [{"name": "a", "n": 0}]}`},
		{`{"items": {"list": [{"name": "a"}]}}`, `{"items": [{"name": "a", "n": 0}]}`},
		{`{"items": "[{'name': 'a'}]"}`, `{"items": [{"name": "a", "n": 0}]}`},
		{`{"items": ["{\"name\": \"a\"}"]}`, `{"items": [{"name": "a", "n": 0}]}`},
		{`{"ptrs": [null, {"NAME": 1}]}`, `{"ptrs": [null, {"name": "1", "n": 0}]}`},
		{`{"ptrs": {"name": "a"}}`, `{"ptrs": [{"name": "a", "n": 0}]}`},
		{`{"any": [null, 1]}`, `{"any": [null, 1]}`},
		{`{"any": {"a": "x", "b": 1}}`, `{"any": [{"a": "x", "b": 1}]}`},
		{`{"any": 3}`, `{"any": [3]}`},
		{`{"any": " "}`, `{"any": []}`},
		{`{"pair": ["a", 2]}`, `{"pair": ["a", "2"]}`},
		// texts
		{`{"text": {"value": 3}}`, `{"text": "3"}`},
		{`{"text": null}`, `{}`},
		// numbers and truth
		{`{"u": "1e2", "f": "1_000"}`, `{"u": 100, "f": 1000}`},
		{`{"items": {"n": 3e7}}`, `{"items": [{"name": "", "n": 30000000}]}`},
		{`{"ok": "NO"}`, `{}`},
		{`{"ok": 1}`, `{"ok": true}`},
	} {
		var want, zero map[string]any
		require.NoError(t, json.Unmarshal([]byte(decoded[v](t, `{"v": {}}`)), &zero))
		require.NoError(t, json.Unmarshal([]byte(c.want), &want))
		full := zero["v"].(map[string]any)
		for key, value := range want {
			full[key] = value
		}
		wantJSON, err := json.Marshal(zero)
		require.NoError(t, err)
		require.JSONEq(t, string(wantJSON), decoded[v](t, `{"v": `+c.in+`}`), c.in)
	}
	for _, bad := range []string{
		`{"items": [["a", "b"]]}`, `{"items": ["a"]}`, `{"text": [["x"]]}`, `{"text": {"a": 1, "b": 2}}`,
		`{"u": 300}`, `{"u": 1.5}`, `{"u": [1]}`, `{"ok": "perhaps"}`, `{"f": "much"}`,
	} {
		require.Error(t, Unmarshal([]byte(bad), new(inner)), bad)
	}
}

func TestErrorsNameTheFieldAndTheKinds(t *testing.T) {
	type doc struct {
		OK   bool              `json:"ok"`
		List []int             `json:"list"`
		Map  map[string]string `json:"map"`
	}
	for in, want := range map[string]string{
		`{"ok": []}`:           `"ok" is of kind list where boolean was asked`,
		`{"map": [1, 2]}`:      `"map" is of kind list where object was asked`,
		`{"list": ["x"]}`:      `is of kind string where number was asked`,
		`[{"ok": 1}, {"a":2}]`: `the value is of kind list where object was asked`,
		`{"yes": true}`:        `it has none of the keys "list", "map", "ok"`,
		`{"ok": true}`:         `"ok" is wrong`,
		`{}`:                   `"ok" is wrong`,
	} {
		_, err := Decode(in, func(d *doc) error { return errors.New(`"ok" is wrong`) })
		require.ErrorContains(t, err, want, in)
	}
}

// A type with UnmarshalJSON gets what was written, repaired and not coerced.
type flexible struct{ form string }

func (f *flexible) UnmarshalJSON(data []byte) error {
	f.form = string(data)
	return nil
}

func TestHooksGetTheValueAsItWas(t *testing.T) {
	for in, want := range map[string]string{
		`{a: '1', "b": 2.50,}`:     `{"a":"1","b":2.50}`,
		`["x" 'y']`:                `["x","y"]`,
		"The steps\n- one\n2. two": `["one","two"]`,
		"Steps:\n- one":            `{"Steps":["one"]}`,
	} {
		got, err := Decode[flexible](in, nil)
		require.NoError(t, err, in)
		require.Equal(t, want, got.form, in)
	}
}

func TestEscapes(t *testing.T) {
	for in, want := range map[string]string{
		`["\r\b\f\t\/"]`:     "\r\b\f\t/",
		`["\u12"]`:           `\u12`,
		`["\uZZZZ"]`:         `\uZZZZ`,
		`["\ud83dx"]`:        "\uFFFDx",
		`["\ud83d\u0041"]`:   "\uFFFDA",
		"[\"a\\\nb\"]":       "a\nb",
		`["it\'s \é \“x\”"]`: `it's \é \“x\”`,
	} {
		got, err := Decode[[]string](in, nil)
		require.NoError(t, err, in)
		require.Equal(t, []string{want}, got, in)
	}
}

func BenchmarkDecode(b *testing.B) {
	text := "<think>hm</think>\n```json\n" + `{"capabilities": [{"capability": "Read tables from PDF files", "evidence": ["report.pdf"]},
		{"capability": "Draw bar charts", "evidence": []},], "anchors": ["PDF", "bar chart", 'axis']}` + "\n```"
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Decode(text, validPlan); err != nil {
			b.Fatal(err)
		}
	}
}
