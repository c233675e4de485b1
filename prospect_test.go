package prospect_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
)

func TestQueryValidate(t *testing.T) {
	for _, k := range []int{0, -1, math.MinInt} {
		require.ErrorIs(t, prospect.Query{K: k}.Validate(), prospect.ErrInvalidK)
	}
	require.NoError(t, prospect.Query{K: 1}.Validate())
}

func TestScoresSortBestFirstAndNaNLast(t *testing.T) {
	scores := []float64{0.5, math.NaN(), -1, math.Inf(1), 0.5}
	slices.SortStableFunc(scores, prospect.CompareScores)
	require.Equal(t, []float64{math.Inf(1), 0.5, 0.5, -1}, scores[:4])
	require.True(t, math.IsNaN(scores[4]))
}

func TestErrorsNameTheCulpritAndUnwrap(t *testing.T) {
	err := fmt.Errorf("adding: %w", &prospect.IDError{ID: "a\nb", Err: prospect.ErrZeroVector})
	require.ErrorIs(t, err, prospect.ErrZeroVector)
	require.ErrorContains(t, err, `id "a\nb"`)
	id, ok := errors.AsType[*prospect.IDError](err)
	require.True(t, ok)
	require.Equal(t, "a\nb", id.ID)

	err = &prospect.TextError{Index: 3, Err: prospect.ErrEmptyText}
	require.ErrorIs(t, err, prospect.ErrEmptyText)
	require.ErrorContains(t, err, "text 3")
}

func TestAdaptersRefuseWhatCannotWork(t *testing.T) {
	embed := func(context.Context, prospect.Role, []string) ([][]float32, error) { return nil, nil }
	generate := func(context.Context, prospect.LLMRequest) (prospect.LLMResponse, error) {
		return prospect.LLMResponse{}, nil
	}
	require.Panics(t, func() { prospect.NewEmbedder("", 3, embed) })
	require.Panics(t, func() { prospect.NewEmbedder("x", 0, embed) })
	require.Panics(t, func() { prospect.NewEmbedder("x", 3, nil) })
	require.Panics(t, func() { prospect.NewLLM("", generate) })
	require.Panics(t, func() { prospect.NewLLM("x", nil) })
}

func TestRoles(t *testing.T) {
	var zero prospect.Role
	require.Equal(t, prospect.RoleDocument, zero)
	require.Equal(t, "document query Role(7)", fmt.Sprint(zero, prospect.RoleQuery, prospect.Role(7)))
}

func TestUsageAdds(t *testing.T) {
	require.Equal(t, prospect.Usage{InputTokens: 4, OutputTokens: 6},
		prospect.Usage{InputTokens: 1, OutputTokens: 2}.Add(prospect.Usage{InputTokens: 3, OutputTokens: 4}))
}

// A model of your own is one function.
func ExampleNewLLM() {
	model := prospect.NewLLM("echo/1", func(_ context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
		return prospect.LLMResponse{Text: req.Prompt}, nil
	})
	answer, _ := model.Generate(context.Background(), prospect.LLMRequest{Prompt: "hello", Temperature: new(0.0)})
	fmt.Println(model.Identity(), answer.Text)
	// Output: echo/1 hello
}

// So is an embedder: this one counts vowels.
func ExampleNewEmbedder() {
	embedder := prospect.NewEmbedder("vowels/1", 2, func(_ context.Context, _ prospect.Role, texts []string) ([][]float32, error) {
		vectors := make([][]float32, len(texts))
		for i, text := range texts {
			var a, rest float64
			for _, r := range text {
				if r == 'a' {
					a++
				} else {
					rest++
				}
			}
			norm := math.Hypot(a, rest)
			if norm == 0 {
				return nil, &prospect.TextError{Index: i, Err: prospect.ErrEmptyText}
			}
			vectors[i] = []float32{float32(a / norm), float32(rest / norm)}
		}
		return vectors, nil
	})
	vectors, _ := embedder.Embed(context.Background(), prospect.RoleQuery, []string{"aaabbbb"})
	_, err := embedder.Embed(context.Background(), prospect.RoleQuery, []string{"a", ""})
	fmt.Println(vectors[0], err)
	// Output: [0.6 0.8] text 1: prospect: empty text
}
