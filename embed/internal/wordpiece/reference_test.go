package wordpiece

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect/internal/evaldata"
)

// TestReferenceIDs compares with the ids that the reference implementation
// gives for 274 awkward strings with the tokenizer of bert-base-uncased.
// testdata/bert_words.json is that tokenizer with only those of its 30,522
// words that occur in the ids: as the longest piece wins, and the longest of
// all words is among them, the ids are the same.
// PROSPECT_BERT_TOKENIZER may name the tokenizer.json with all words.
func TestReferenceIDs(t *testing.T) {
	names := []string{"testdata/bert_words.json"}
	if name := os.Getenv("PROSPECT_BERT_TOKENIZER"); name != "" {
		names = append(names, name)
	}
	texts, want := referenceStrings(t)
	for _, name := range names {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		tok, err := Parse(data)
		require.NoError(t, err)
		agree := 0
		for i, text := range texts {
			got, cut := tok.Encode(text[1], 1<<20)
			require.False(t, cut)
			if !slices.Equal(got, want[i]) {
				t.Errorf("%s %.60q:\n got %v\nwant %v", text[0], text[1], got, want[i])
				continue
			}
			agree++
			require.Equal(t, len(want[i]), tok.Count(text[1]))
		}
		t.Logf("%d of %d agree", agree, len(texts))
	}
}

func referenceStrings(t *testing.T) (texts [][2]string, ids [][]uint32) {
	t.Helper()
	read := func(name string, v any) {
		data, err := os.ReadFile(evaldata.Dir(t, "tokenizer", name))
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(data, v))
	}
	read("strings.json", &texts)
	var ref struct{ Rust [][]uint32 }
	read("wordpiece_ids.json", &ref)
	require.Len(t, ref.Rust, len(texts))
	return texts, ref.Rust
}
