package answer

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// No text panics; what is decoded has passed the check; valid JSON is read as
// encoding/json reads it.
func FuzzDecode(f *testing.F) {
	paths, err := filepath.Glob(filepath.Join("testdata", "*", "*.answer"))
	require.NoError(f, err)
	require.NotEmpty(f, paths)
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(string(data))
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := Decode(s, validPlan)
		if err != nil {
			require.ErrorIs(t, err, ErrUnusable)
			require.Empty(t, p)
		} else {
			require.NoError(t, validPlan(&p))
		}
		if c, err := Decode(s, validCard); err == nil {
			require.NoError(t, validCard(&c))
		}
		if l, err := Decode(s, validList); err == nil {
			require.NoError(t, validList(&l))
		}
		_, _ = Decode[map[string]any](s, nil)

		var v any
		if utf8.ValidString(s) && json.Unmarshal([]byte(s), &v) == nil && !deeperThan(v, MaxDepth) {
			checkSame(t, []byte(s))
		}
	})
}

func deeperThan(v any, n int) bool {
	if n < 0 {
		return true
	}
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if deeperThan(item, n-1) {
				return true
			}
		}
		return n == 0
	case map[string]any:
		for _, item := range v {
			if deeperThan(item, n-1) {
				return true
			}
		}
		return n == 0
	}
	return false
}
