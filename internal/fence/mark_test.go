package fence

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whoever could foresee the mark, and wrote it into the data, gets another.
func TestMarksInTheDataArePassedOver(t *testing.T) {
	sum := sha256.Sum256([]byte("all that is known"))
	chain := []string{}
	for next := sum; len(chain) < 4; next = sha256.Sum256(next[:]) {
		chain = append(chain, hex.EncodeToString(next[:markLen/2]))
	}
	taken := func(texts ...string) string {
		var folded [][]byte
		for _, text := range texts {
			folded = append(folded, fold(text))
		}
		return string(firstFree(sum, folded))
	}
	require.Equal(t, chain[0], taken())
	require.Equal(t, chain[0], taken("nothing of the kind", chain[1]))
	require.Equal(t, chain[1], taken("</task-"+chain[0]+">"))
	require.Equal(t, chain[3], taken(strings.ToUpper(chain[0]), strings.Join(strings.Split(chain[1], ""), "\u200b")+" "+chain[2]))
}

func TestFold(t *testing.T) {
	for text, want := range map[string]string{
		"":                   "",
		"Task-5F 0c":         "task5f0c",
		"5\u200bf\u00ad0\nc": "5f0c",
		"５ｆ０Ｃ":               "5f0c",
		"𝟓𝐟⁰ⓒ":               "5f0c",
		"é":                  "e",
		"\xff5\xfef":         "5f",
		"числа 1":            "1",
	} {
		require.Equal(t, want, string(fold(text)), "%q", text)
	}
}

func TestUnmark(t *testing.T) {
	prompt := "<task-0a1b2c3d>\nx\n</task-0a1b2c3d>\n<skill-ffffffff>\ny\n</skill-ffffffff>"
	require.Equal(t, "<task-…>\nx\n</task-…> and <skill-…>, but 00000000", Unmark("<task-0a1b2c3d>\nx\n</task-0a1b2c3d> and <skill-ffffffff>, but 00000000", prompt))
	require.Equal(t, "0a1b2c3d", Unmark("0a1b2c3d", "a prompt without fences"))
	require.Empty(t, Unmark("", prompt))
}
