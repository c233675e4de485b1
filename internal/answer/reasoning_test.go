package answer

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every tag hides the draft within it, in any case, whole or in half.
func TestReasoningTags(t *testing.T) {
	for _, tag := range reasoningTags {
		for _, name := range []string{tag, strings.ToUpper(tag)} {
			for _, text := range []string{
				`["last"] <` + name + `>["draft"]</` + name + `>`,
				`["draft"]</` + name + `>["last"]`,
				`["last"] <` + name + `>["draft"]`,
			} {
				got, err := Decode(text, validList)
				require.NoError(t, err, text)
				require.Equal(t, []string{"last"}, got, text)
				require.NotContains(t, withoutReasoning(text), "draft", text)
			}
		}
	}
	for _, text := range []string{"a < b", "<", "</", "<b>bold</b>", "<thinks>x</thinks>", "<think"} {
		require.Equal(t, text, withoutReasoning(text))
	}
}
