package skillqr_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect/skillqr"
)

// Every awkward answer, in each role: there is always a final query that holds
// the original one, a skill of the set or none, and a word on what was wrong.
func TestEveryAwkwardAnswerInEachRole(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("..", "internal", "answer", "testdata", "*", "*.answer"))
	require.NoError(t, err)
	require.Greater(t, len(paths), 80)
	answers := map[string]string{
		"empty": "", "huge": strings.Repeat("{", 1<<20), "too large": strings.Repeat("x", 1<<21), "latin": "\xe9\xff{\"expansion\": \"caf\xe9\"}",
		"refusal": "I'm sorry, but I can't help with that.", "echo": "<query-1a2b3c4d>\nmath?\n</query-1a2b3c4d>",
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		answers[path] = string(data)
	}
	const query = "a math question"
	for name, text := range answers {
		says := func(context.Context, string) (string, error) { return text, nil }

		out := rewrite(t, newRewriter(t, threeSkills(), &onlineModel{route: says}, skillqr.Options{Routing: skillqr.Routing{Votes: 2}}), query)
		_, known := threeSkills().Find(out.Skill)
		require.True(t, known, name)
		require.Equal(t, query+"\nexpanded by "+out.Skill, out.Final, name)
		require.Equal(t, out.Trace.Route.Answers == 0, out.Trace.Fell(skillqr.NotRouted), name)
		if out.Trace.Route.Answers == 0 {
			require.Equal(t, "generic", out.Skill, name)
			require.ErrorIs(t, out.Trace.Err(), skillqr.ErrUnusable, name)
		}

		out = rewrite(t, newRewriter(t, threeSkills(), &onlineModel{rewrite: says}, skillqr.Options{}), query)
		require.True(t, strings.HasPrefix(out.Final, query), name)
		require.True(t, utf8.ValidString(out.Final), name)
		require.LessOrEqual(t, utf8.RuneCountInString(out.Expansion()), 1500, name)
		require.NotContains(t, out.Expansion(), "\n", name)
		if out.Skill == "" {
			require.Equal(t, query, out.Final, name)
			require.True(t, out.Trace.Fell(skillqr.NotRewritten), name)
			require.ErrorIs(t, out.Trace.Err(), skillqr.ErrUnusable, name)
		}
	}
	require.Equal(t, "café", rewrite(t, newRewriter(t, threeSkills(), &onlineModel{rewrite: func(context.Context, string) (string, error) {
		return "noise {'expansion': 'café',}", nil
	}}, skillqr.Options{}), query).Expansion())
}
