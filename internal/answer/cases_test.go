package answer

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The types that the files under testdata are decoded into, one a folder.
type (
	plan struct {
		Capabilities []capability `json:"capabilities"`
		Anchors      []string     `json:"anchors"`
	}
	capability struct {
		Capability string   `json:"capability"`
		Evidence   []string `json:"evidence,omitempty"`
	}
	card struct {
		Name        string  `json:"name"`
		Description string  `json:"description"`
		Body        string  `json:"body,omitempty"`
		Steps       int     `json:"steps,omitempty"`
		Score       float64 `json:"score,omitempty"`
		Draft       bool    `json:"draft,omitempty"`
	}
)

// UnmarshalJSON is the hook of a caller that takes a bare text for an object.
func (c *capability) UnmarshalJSON(data []byte) error {
	var words string
	if json.Unmarshal(data, &words) == nil {
		*c = capability{Capability: words}
		return nil
	}
	type plain capability
	return Unmarshal(data, (*plain)(c))
}

func validPlan(p *plan) error {
	if len(p.Capabilities) == 0 {
		return errors.New(`"capabilities" is missing or empty`)
	}
	for i, c := range p.Capabilities {
		if strings.TrimSpace(c.Capability) == "" {
			return fmt.Errorf("capability %d is empty", i+1)
		}
	}
	return nil
}

func validCard(c *card) error {
	if c.Name == "" || c.Description == "" {
		return errors.New(`"name" and "description" are needed`)
	}
	return nil
}

func validList(l *[]string) error {
	if len(*l) == 0 {
		return errors.New("the list is empty")
	}
	return nil
}

// Each NAME.answer has a NAME.want beside it: the decoded value as JSON, or
// "error: " and a part of the message.
func TestAnswers(t *testing.T) {
	total := 0
	for _, folder := range []struct {
		name   string
		decode func(string) (any, error)
	}{
		{"plan", func(s string) (any, error) { return Decode(s, validPlan) }},
		{"card", func(s string) (any, error) { return Decode(s, validCard) }},
		{"list", func(s string) (any, error) { return Decode(s, validList) }},
	} {
		paths, err := filepath.Glob(filepath.Join("testdata", folder.name, "*.answer"))
		require.NoError(t, err)
		total += len(paths)
		for _, path := range paths {
			t.Run(folder.name+"/"+strings.TrimSuffix(filepath.Base(path), ".answer"), func(t *testing.T) {
				answer, err := os.ReadFile(path)
				require.NoError(t, err)
				want, err := os.ReadFile(strings.TrimSuffix(path, ".answer") + ".want")
				require.NoError(t, err)
				got, err := folder.decode(string(answer))
				if message, isError := strings.CutPrefix(string(want), "error: "); isError {
					require.ErrorIs(t, err, ErrUnusable)
					require.ErrorContains(t, err, strings.TrimSpace(message))
					return
				}
				require.NoError(t, err)
				gotJSON, err := json.Marshal(got)
				require.NoError(t, err)
				require.JSONEq(t, string(want), string(gotJSON))
			})
		}
	}
	require.GreaterOrEqual(t, total, 40, "files under testdata")
}
