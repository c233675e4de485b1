package wordpiece

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// shared is the evaluation data, kept beside the checkout.
var shared = filepath.Join("..", "..", "..", "..", "shared", "data")

// TestReferenceIDs compares with the ids that the reference implementation
// gives for 274 awkward strings with the vocabulary of bert-base-uncased. The
// whole vocabulary is not part of this repository; PROSPECT_BERT_TOKENIZER
// names a tokenizer.json of that model. Without it only the strings whose
// words testdata's vocabulary spells are compared, in TestHandPicked.
func TestReferenceIDs(t *testing.T) {
	name := os.Getenv("PROSPECT_BERT_TOKENIZER")
	if name == "" {
		t.Skip("PROSPECT_BERT_TOKENIZER does not name the tokenizer.json of bert-base-uncased")
	}
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	tok, err := Parse(data)
	require.NoError(t, err)

	texts, want := referenceStrings(t)
	agree := 0
	for i, text := range texts {
		got, cut := tok.Encode(text[1], 1<<20)
		require.False(t, cut)
		if !equal(got, want[i]) {
			t.Errorf("%s %.60q:\n got %v\nwant %v", text[0], text[1], got, want[i])
			continue
		}
		agree++
		require.Equal(t, len(want[i]), tok.Count(text[1]))
	}
	t.Logf("%d of %d agree", agree, len(texts))
}

func referenceStrings(t *testing.T) (texts [][2]string, ids [][]uint32) {
	t.Helper()
	read := func(name string, v any) {
		data, err := os.ReadFile(filepath.Join(shared, "tokenizer", name))
		if os.IsNotExist(err) {
			t.Skip("no evaluation data beside the checkout")
		}
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(data, v))
	}
	read("strings.json", &texts)
	var ref struct{ Rust [][]uint32 }
	read("wordpiece_ids.json", &ref)
	require.Len(t, ref.Rust, len(texts))
	return texts, ref.Rust
}

func equal(a, b []uint32) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
