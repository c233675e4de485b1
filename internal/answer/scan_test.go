package answer

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

type part struct {
	Name  string `json:"name"`
	Parts []part `json:"parts"`
}

func namedPart(p *part) error {
	if p.Name == "" {
		return errors.New("no name")
	}
	return nil
}

// Of an answer that breaks off, the outermost value that can be used is taken,
// though the values inside it are whole.
func TestTheOuterOfBrokenValues(t *testing.T) {
	for _, text := range []string{
		`{"name": "outer", "parts": [{"name": "inner"}, {"name": "in`,
		`{"name": "outer", "parts": [{"name": "inner", "parts": [{"name": "x"}]}`,
		// More wrappers than are looked through.
		`{"a": {"b": {"c": {"d": {"name": "outer", "parts": [{"name": "inner"}, {"name": "more"}`,
	} {
		got, err := Decode(text, namedPart)
		require.NoError(t, err, text)
		require.Equal(t, "outer", got.Name, text)
		require.Equal(t, "inner", got.Parts[0].Name, text)
	}
	// A whole value that follows is no part of it.
	got, err := Decode(`{"name": "draft", "parts": [`+"\n```\nAgain:\n```\n"+`{"name": "last"}`+"\n```", namedPart)
	require.NoError(t, err)
	require.Equal(t, part{Name: "last"}, got)
}

// Wrappers are looked through, three and no more.
func TestWrappers(t *testing.T) {
	got, err := Decode(`{"a": {"b": {"c": {"name": "x"}}}}`, namedPart)
	require.NoError(t, err)
	require.Equal(t, "x", got.Name)
	_, err = Decode(`{"a": {"b": {"c": {"d": {"name": "x"}}}}}`, namedPart)
	require.ErrorIs(t, err, ErrUnusable)
}
