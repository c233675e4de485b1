package skill_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/skill"
)

func TestLoadSources(t *testing.T) {
	project := fstest.MapFS{
		"pdf/SKILL.md":  withBody("pdf", "How the project does PDF."),
		"git/SKILL.md":  withBody("git", "Commit often."),
		"git2/SKILL.md": withBody("git", "Commit  OFTEN. "),
	}
	user := fstest.MapFS{
		"pdf/SKILL.md":   withBody("pdf", "How I do PDF."),
		"xlsx/SKILL.md":  withBody("xlsx", "Sheets."),
		"clone/SKILL.md": withBody("clone", "commit\noften."),
		"bad/SKILL.md":   {},
		"e1/SKILL.md":    withBody("e1", ""),
		"e2/SKILL.md":    withBody("e2", ""),
	}
	l, err := skill.LoadSources(t.Context(), []skill.Source{{"project", project}, {"user", user}}, skill.LoadOptions{})
	require.NoError(t, err)
	require.Equal(t, []string{
		"project:git", "project:git2", "project:pdf",
		"user:clone", "user:e1", "user:e2", "user:pdf", "user:xlsx",
	}, ids(l.Skills))
	type brief struct {
		source, path string
		kind         skill.Kind
	}
	var got []brief
	for _, p := range without(l.Problems, skill.EmptyBody) {
		got = append(got, brief{p.Source, p.Path, p.Kind})
	}
	require.Equal(t, []brief{
		{"project", "git2/SKILL.md", skill.NameMismatch},
		{"user", "bad/SKILL.md", skill.NoFrontMatter},
		{"project", "git2/SKILL.md", skill.DuplicateName},
		{"user", "clone/SKILL.md", skill.NearDuplicate}, // of git; empty bodies are no duplicates
		{"user", "pdf/SKILL.md", skill.ShadowedName},
	}, got)

	require.Equal(t, []string{
		"project:git", "project:git2", "project:pdf", "user:clone", "user:e1", "user:e2", "user:xlsx",
	}, ids(l.Visible()))
	require.Equal(t, l.Visible(), l.Visible("user", "project"), "the precedence is that of loading")
	require.Equal(t, []string{"user:clone", "user:e1", "user:e2", "user:pdf", "user:xlsx"}, ids(l.Visible("user", "no such")))
	require.Empty(t, l.Visible("no such"))
}

func TestLoadSourcesNames(t *testing.T) {
	tree := fstest.MapFS{}
	for _, sources := range [][]skill.Source{
		{{"", tree}}, {{"a:b", tree}}, {{"a", tree}, {"a", tree}}, {{"a", nil}},
	} {
		_, err := skill.LoadSources(t.Context(), sources, skill.LoadOptions{})
		require.ErrorIs(t, err, prospect.ErrOption)
	}
	l, err := skill.LoadSources(t.Context(), nil, skill.LoadOptions{})
	require.NoError(t, err)
	require.Empty(t, l.Skills)
}
