package skill_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect/skill"
)

// The skills that ship for the demo meet the specification to the letter.
func TestBundledSkillsAreStrictlyValid(t *testing.T) {
	l, err := skill.LoadDir(t.Context(), "../testdata/skills", skill.LoadOptions{Parse: skill.ParseOptions{Strict: true}})
	require.NoError(t, err)
	require.Len(t, l.Skills, 48)
	require.Empty(t, l.Problems)
}
