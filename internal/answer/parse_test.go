package answer

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// anyJSON draws values of every kind, with texts made to mislead: quotes,
// brackets, fences, comments, tags.
func anyJSON(depth int) *rapid.Generator[any] {
	word := rapid.OneOf(
		rapid.String(),
		rapid.StringOfN(rapid.RuneFrom([]rune("\"'“”‘’`,:{}[]/*#\\ \n\tab<>0.")), 0, 12, -1),
		rapid.SampledFrom([]string{"```", `"""`, "<think>", "</think>", "// x", "...", "true", "", `", "`, `"]}`}),
	)
	scalars := rapid.OneOf(
		rapid.Map(word, func(s string) any { return s }),
		rapid.Map(rapid.Float64(), func(f float64) any {
			if math.IsNaN(f) || math.IsInf(f, 0) {
				return nil
			}
			return f
		}),
		rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Just[any](nil),
	)
	if depth == 0 {
		return scalars
	}
	return rapid.OneOf(
		scalars,
		rapid.Map(rapid.SliceOfN(anyJSON(depth-1), 0, 4), func(l []any) any { return l }),
		rapid.Map(rapid.MapOfN(word, anyJSON(depth-1), 0, 4), func(m map[string]any) any { return m }),
	)
}

// What is valid JSON is read exactly as encoding/json reads it, compact or
// indented: no repair ever touches it.
func TestValidJSONIsReadAsItIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data, err := json.Marshal(anyJSON(3).Draw(t, "value"))
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "indent") {
			var v any
			require.NoError(t, json.Unmarshal(data, &v))
			data, err = json.MarshalIndent(v, "", "\t")
			require.NoError(t, err)
		}
		checkSame(t, data)
	})
}

func checkSame(t require.TestingT, data []byte) {
	var want any
	require.NoError(t, json.Unmarshal(data, &want))
	p := parser{s: string(data)}
	n, err := p.value()
	require.NoError(t, err)
	require.False(t, p.broken)
	var got any
	require.NoError(t, json.Unmarshal(n.json(nil), &got))
	require.Equal(t, want, got)
}

// Every beginning of an answer gives what was complete in it.
func TestEveryCutIsClosed(t *testing.T) {
	full := `{"capabilities": [{"capability": "one \"x\" \u00e9", "evidence": ["a", "b"]}, {"capability": "two"}], "anchors": ["x"]}`
	for n := range len(full) {
		got, err := Decode(full[:n], validPlan)
		if n <= strings.Index(full, "one") {
			require.ErrorIs(t, err, ErrUnusable, full[:n])
			continue
		}
		require.NoError(t, err, full[:n])
		require.True(t, strings.HasPrefix(`one "x" é`, got.Capabilities[0].Capability[:1]), full[:n])
		if n > strings.Index(full, "two") {
			require.Equal(t, []string{"a", "b"}, got.Capabilities[0].Evidence)
			require.Len(t, got.Capabilities, 2, full[:n])
		}
	}
}

// The time is linear in the text, whatever it repeats.
func TestTimeIsLinear(t *testing.T) {
	for _, unit := range []string{
		"{", "[", `{"a":`, `["`, `"`, `{"a" "`, "[{", "<think>", "</think>", "<think></think>", "<thinking><think>",
		`{"a":[1,`, `{a:b `, `[a "`, "[//", "[/*", "{'", `{"k":"x", y`, "`", "[1]", "{}", "- x\n", "a: b\n", "# h\n- i\n",
		`{"a":null,`, "{}</think>", "{}<think>", "{}```", `\"`, "{“", `{"x": "{`, "[...", "[,", "{a=>", "{a", " ", "\n", `["a"` + " ", "<",
		// The items of one long list without quotes.
		"^[a，", "^[a/**/", `^[a "b" `, "^[a #\n", "^[a```", "^[a //\n", "^[1，", "^{a=b，",
	} {
		t.Run(fmt.Sprintf("%q", unit), func(t *testing.T) {
			begin := ""
			if rest, once := strings.CutPrefix(unit, "^"); once { // the bracket stands once
				begin, unit = rest[:1], rest[1:]
			}
			timed := func(size int) time.Duration {
				text := begin + strings.Repeat(unit, size/len(unit))
				best := time.Hour
				for range 3 {
					begin := time.Now()
					_, _ = Decode(text, validPlan)
					_, _ = Decode(text, validList)
					best = min(best, time.Since(begin))
				}
				return best
			}
			// A quadratic reader takes 400 times as long for 20 times the text, and
			// does so every time; other work on the machine comes and goes.
			var small, large time.Duration
			for range 5 {
				small, large = timed(5_000), timed(100_000)
				if large < 150*max(small, time.Millisecond) {
					return
				}
			}
			t.Fatalf("5 kB take %v, 100 kB %v", small, large)
		})
	}
}

func TestDistinctNullKeysAreLinear(t *testing.T) {
	var b strings.Builder
	b.WriteByte('{')
	for i := range 60_000 {
		fmt.Fprintf(&b, `"k%d":null,`, i)
	}
	// A quadratic reader takes far longer than a test may.
	got, err := Decode[map[string]string](b.String(), nil)
	require.NoError(t, err)
	require.Len(t, got, 60_000)
}

// A text of many values does not call the check for each of them.
func TestTheCheckIsCalledABoundedNumberOfTimes(t *testing.T) {
	calls := 0
	_, err := Decode(strings.Repeat(`{"name": "x"} and `, 5000), func(*part) error {
		calls++
		return errors.New("no good")
	})
	require.ErrorIs(t, err, ErrUnusable)
	require.Equal(t, maxTried, calls)
}

func TestLongTextIsRefused(t *testing.T) {
	_, err := Decode[[]string](strings.Repeat(" ", MaxBytes)+`[]`, nil)
	require.ErrorIs(t, err, ErrUnusable)
	require.ErrorContains(t, err, "more than the limit of 1048576")
}

func TestNestingUpToTheLimit(t *testing.T) {
	nest := func(n int) string { return strings.Repeat("[", n) + "1" + strings.Repeat("]", n) }
	p := parser{s: nest(MaxDepth)}
	_, err := p.value()
	require.NoError(t, err)
	p = parser{s: nest(MaxDepth + 1)}
	_, err = p.value()
	require.ErrorIs(t, err, errDeep)
}

func TestUnmarshalNeedsAPointer(t *testing.T) {
	require.Error(t, Unmarshal([]byte(`{}`), nil))
	require.Error(t, Unmarshal([]byte(`{}`), card{}))
	require.Error(t, Unmarshal([]byte(``), &card{}))
	require.Error(t, Unmarshal([]byte(`{}`), (*card)(nil)))
}

func TestValidateMayTidy(t *testing.T) {
	got, err := Decode(`["b", "a", "b"]`, func(l *[]string) error {
		*l = (*l)[:2]
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, []string{"b", "a"}, got)
}

func TestEmbeddedAndIgnoredFields(t *testing.T) {
	type base struct {
		Name string `json:"name"`
	}
	type Extra struct{ More string }
	type doc struct {
		base
		*Extra
		Next   *doc           `json:"next"`
		Any    any            `json:"any"`
		Counts map[string]int `json:"counts"`
		Hidden string         `json:"-"`
		Raw    json.RawMessage
		Plain  []byte
	}
	got, err := Decode[doc](`{"NAME": 7, "next": {"name": "n"}, "any": {"a": [1]}, "counts": {"x": "3"},
		"hidden": "no", "-": "no", "raw": {"k": 'v'}, "plain": "aGk=", "more": "m"}`, nil)
	require.NoError(t, err)
	require.Equal(t, "7", got.Name)
	require.Equal(t, "n", got.Next.Name)
	require.Equal(t, "m", got.More)
	require.Equal(t, map[string]any{"a": []any{1.0}}, got.Any)
	require.Equal(t, map[string]int{"x": 3}, got.Counts)
	require.Empty(t, got.Hidden)
	require.JSONEq(t, `{"k": "v"}`, string(got.Raw))
	require.Equal(t, "hi", string(got.Plain))
}
