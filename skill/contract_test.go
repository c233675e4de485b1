package skill_test

import (
	"errors"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect/skill"
)

// requireParsed holds what Parse promises of any result.
func requireParsed(t require.TestingT, s *skill.Skill, problems []skill.Problem, err error, opts skill.ParseOptions) {
	failed := false
	for _, p := range problems {
		failed = failed || p.Severity == skill.Error
		require.NotContains(t, p.Kind.String(), "Kind(", "a kind without a name")
		require.Equal(t, opts.Path, p.Path)
		require.GreaterOrEqual(t, p.Line, 0)
		if opts.Strict {
			require.NotEqual(t, skill.Warning, p.Severity)
		}
		if p.Severity == skill.Error {
			require.ErrorIs(t, err, p.Kind)
		}
	}
	require.Equal(t, failed, err != nil, "an error exactly where a problem says so: %v", err)
	require.Equal(t, err == nil, s != nil)
	if err != nil {
		var p skill.Problem
		require.True(t, errors.As(err, &p))
		return
	}
	require.NotEmpty(t, s.Name)
	require.NotEmpty(t, s.Description)
	require.Len(t, s.Hash, 64)
	for _, text := range []string{s.Name, s.Description, s.License, s.Compatibility, s.Body} {
		require.True(t, utf8.ValidString(text))
	}
	require.NotContains(t, s.Body, "\r")
	require.NotContains(t, s.Body, "\x00")
	if opts.Strict {
		require.True(t, skill.ValidName(s.Name))
		require.LessOrEqual(t, utf8.RuneCountInString(s.Description), 1024)
	}
}

// requireStable holds that a rendered skill reads back equal, and renders again
// to the same bytes.
func requireStable(t require.TestingT, s *skill.Skill) {
	if s == nil {
		return
	}
	rendered := s.Markdown()
	// Rendering may lengthen the front matter by quotes and escapes.
	again, problems, err := skill.Parse(rendered, skill.ParseOptions{MaxFrontMatterBytes: 16 << 20})
	require.NoError(t, err, "%s", rendered)
	for _, p := range problems {
		switch p.Kind {
		case skill.InvalidName, skill.DescriptionTooLong, skill.CompatibilityTooLong, skill.EmptyBody, skill.FieldType, skill.FieldName:
		default:
			require.Fail(t, "rendering makes no problems", "%v\n%s", p, rendered)
		}
	}
	want := *s
	want.ID, want.Dir, want.File, want.Source, want.Resources = "", "", "", "", nil
	want.Hash = again.Hash
	require.Equal(t, &want, again, "%s", rendered)
	require.Equal(t, string(rendered), string(again.Markdown()))
}

// parsed is for texts that have to load.
func parsed(t testing.TB, text string, opts skill.ParseOptions) (*skill.Skill, kinds) {
	t.Helper()
	s, problems, err := skill.Parse([]byte(text), opts)
	requireParsed(t, s, problems, err, opts)
	require.NoError(t, err)
	requireStable(t, s)
	return s, kindsOf(problems)
}
