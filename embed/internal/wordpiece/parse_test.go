package wordpiece

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/prospect-go/prospect"
	"github.com/stretchr/testify/require"
)

// TestOtherTokenizersAreRefused: ids that are nearly right would give vectors
// that are quietly wrong.
func TestOtherTokenizersAreRefused(t *testing.T) {
	token := func(m map[string]any, key string, v any) {
		m["added_tokens"].([]any)[0].(map[string]any)[key] = v
	}
	template := func(m map[string]any) map[string]any { return under(m, "post_processor") }
	for _, tc := range []struct {
		name string
		edit func(m map[string]any)
		is   error
	}{
		{"BPE", func(m map[string]any) { under(m, "model")["type"] = "BPE" }, errors.ErrUnsupported},
		{"Unigram", func(m map[string]any) {
			under(m, "model")["type"] = "Unigram"
		}, errors.ErrUnsupported},
		{"no normalizer", func(m map[string]any) { delete(m, "normalizer") }, errors.ErrUnsupported},
		{"NFKC", func(m map[string]any) { under(m, "normalizer")["type"] = "NFKC" }, errors.ErrUnsupported},
		{"no pre-tokenizer", func(m map[string]any) { m["pre_tokenizer"] = nil }, errors.ErrUnsupported},
		{"bytes", func(m map[string]any) { under(m, "pre_tokenizer")["type"] = "ByteLevel" }, errors.ErrUnsupported},
		{"whole-word token", func(m map[string]any) { token(m, "single_word", true) }, errors.ErrUnsupported},
		{"normalised token", func(m map[string]any) { token(m, "normalized", true) }, errors.ErrUnsupported},
		{"post processor", func(m map[string]any) { template(m)["type"] = "RobertaProcessing" }, errors.ErrUnsupported},
		{"pair template", func(m map[string]any) {
			template(m)["single"] = append(template(m)["single"].([]any), map[string]any{"Sequence": map[string]any{"id": "B"}})
		}, errors.ErrUnsupported},
		{"no vocabulary", func(m map[string]any) { under(m, "model")["vocab"] = map[string]any{} }, prospect.ErrCorrupt},
		{"no unknown token", func(m map[string]any) { under(m, "model")["unk_token"] = "<unk>" }, prospect.ErrCorrupt},
		{"negative id", func(m map[string]any) { under(under(m, "model"), "vocab")["a"] = -1 }, prospect.ErrCorrupt},
		{"id of 2^32", func(m map[string]any) { under(under(m, "model"), "vocab")["a"] = 1 << 32 }, prospect.ErrCorrupt},
		{"no characters", func(m map[string]any) { under(m, "model")["max_input_chars_per_word"] = 0 }, prospect.ErrCorrupt},
		{"template without text", func(m map[string]any) { template(m)["single"] = []any{} }, prospect.ErrCorrupt},
		{"template of unknown tokens", func(m map[string]any) { template(m)["special_tokens"] = map[string]any{} }, prospect.ErrCorrupt},
		{"cls without id", func(m map[string]any) {
			m["post_processor"] = map[string]any{"type": "BertProcessing", "cls": []any{"[CLS]", "2"}, "sep": []any{"[SEP]", 3}}
		}, prospect.ErrCorrupt},
	} {
		t.Run(tc.name, func(t *testing.T) {
			data, err := json.Marshal(description(tc.edit, "a"))
			require.NoError(t, err)
			tok, err := Parse(data)
			require.ErrorIs(t, err, tc.is)
			require.Nil(t, tok)
		})
	}
	_, err := Parse([]byte(`{"model":`))
	require.ErrorIs(t, err, prospect.ErrCorrupt)
}
