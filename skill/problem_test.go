package skill_test

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect/skill"
)

func TestProblem(t *testing.T) {
	p := skill.Problem{
		Source: "user", Path: "a/SKILL.md", Line: 3, Kind: skill.Unreadable,
		Severity: skill.Error, Message: "not loaded", Err: fs.ErrPermission,
	}
	require.Equal(t, "user:a/SKILL.md:3: error: unreadable: not loaded: permission denied", p.Error())
	require.Equal(t, "note: empty body", skill.Problem{Kind: skill.EmptyBody}.Error())

	err := fmt.Errorf("wrapped: %w", errors.Join(errors.New("other"), p))
	require.ErrorIs(t, err, skill.Unreadable)
	require.ErrorIs(t, err, fs.ErrPermission)
	require.NotErrorIs(t, err, skill.TooLarge)
	var got skill.Problem
	require.ErrorAs(t, err, &got)
	require.Equal(t, p, got)
	var kind skill.Kind
	require.ErrorAs(t, err, &kind)
	require.Equal(t, skill.Unreadable, kind)
}

func TestNames(t *testing.T) {
	require.Equal(t, []string{"note", "warning", "error", "Severity(9)"}, []string{
		skill.Note.String(), skill.Warning.String(), skill.Error.String(), skill.Severity(9).String(),
	})
	require.Equal(t, "missing description", skill.MissingDescription.String())
	require.Equal(t, "skill: missing description", skill.MissingDescription.Error())
	require.Equal(t, "Kind(0)", skill.Kind(0).String())
	seen := map[string]bool{}
	for k := skill.ByteOrderMark; k <= skill.NearDuplicate; k++ {
		if k > skill.EmptyBody && k < skill.Unreadable {
			continue
		}
		require.NotContains(t, k.String(), "Kind(")
		require.False(t, seen[k.String()], "two kinds of one name")
		seen[k.String()] = true
	}
}
