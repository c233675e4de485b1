package embed_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/embed"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func ExampleBatched() {
	texts := []string{"merge PDF files", "tune a violin", "bake bread", "mend a bicycle", "draw a map"}
	v, err := embed.Batched(context.Background(), embed.NewHash(64), prospect.RoleDocument, texts, embed.BatchOptions{
		Size:     2,
		Progress: func(done, total int) { fmt.Printf("%d/%d\n", done, total) },
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(len(v), "vectors")
	// Output:
	// 2/5
	// 4/5
	// 5/5
	// 5 vectors
}

func TestBatchedGivesWhatOneCallGives(t *testing.T) {
	e := embed.NewHash(64)
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOf(rapid.String()).Draw(t, "texts")
		want, err := e.Embed(context.Background(), prospect.RoleQuery, texts)
		require.NoError(t, err)
		got, err := embed.Batched(context.Background(), e, prospect.RoleQuery, texts,
			embed.BatchOptions{Size: rapid.IntRange(0, 5).Draw(t, "size")})
		require.NoError(t, err)
		require.Equal(t, want, got)
	})
}

func TestBatchedSendsLikeLengthsTogether(t *testing.T) {
	var sent [][]int
	e := prospect.NewEmbedder("spy", 1, func(_ context.Context, _ prospect.Role, texts []string) ([][]float32, error) {
		var n []int
		v := make([][]float32, len(texts))
		for i, s := range texts {
			n = append(n, len(s))
			v[i] = []float32{1}
		}
		sent = append(sent, n)
		return v, nil
	})
	var texts []string
	for _, n := range []int{3, 1, 4, 1, 5, 9, 2} {
		texts = append(texts, strings.Repeat("x", n))
	}
	_, err := embed.Batched(t.Context(), e, prospect.RoleQuery, texts, embed.BatchOptions{Size: 3})
	require.NoError(t, err)
	require.Equal(t, [][]int{{9, 5, 4}, {3, 2, 1}, {1}}, sent)
}

func TestBatchedIsAllOrNothing(t *testing.T) {
	e := broken(refuse(func(i int) error {
		return fmt.Errorf("service: %w", &prospect.TextError{Index: i, Err: prospect.ErrEmptyText})
	}))
	texts := []string{"a", "bb", "ccc", "d\x00", "eeeee", "ffffff"}
	got, err := embed.Batched(t.Context(), e, prospect.RoleQuery, texts, embed.BatchOptions{Size: 2})
	require.Nil(t, got)
	require.ErrorIs(t, err, prospect.ErrEmptyText)
	var te *prospect.TextError
	require.ErrorAs(t, err, &te)
	require.Equal(t, 3, te.Index, "the place in texts, not in the batch")

	failing := errors.New("no route")
	e = broken(func(context.Context, prospect.Role, []string, prospect.EmbedFunc) ([][]float32, error) {
		return nil, failing
	})
	_, err = embed.Batched(t.Context(), e, prospect.RoleQuery, texts, embed.BatchOptions{})
	require.ErrorIs(t, err, failing)
}

func TestBatchedStopsBetweenBatches(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	_, err := embed.Batched(ctx, embed.NewHash(4), prospect.RoleQuery, make([]string, 100), embed.BatchOptions{
		Size:     10,
		Progress: func(int, int) { calls++; cancel() },
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 1, calls)
}

func TestBatchedChecksTheEmbedder(t *testing.T) {
	few := broken(func(ctx context.Context, r prospect.Role, texts []string, good prospect.EmbedFunc) ([][]float32, error) {
		v, err := good(ctx, r, texts)
		return v[1:], err
	})
	_, err := embed.Batched(t.Context(), few, prospect.RoleQuery, []string{"a", "b"}, embed.BatchOptions{})
	require.ErrorContains(t, err, "1 vectors for 2 texts")

	narrow := broken(func(ctx context.Context, r prospect.Role, texts []string, good prospect.EmbedFunc) ([][]float32, error) {
		v, err := good(ctx, r, texts)
		v[0] = v[0][:3]
		return v, err
	})
	_, err = embed.Batched(t.Context(), narrow, prospect.RoleQuery, []string{"a", "bb"}, embed.BatchOptions{})
	require.ErrorIs(t, err, prospect.ErrDimension)
	var te *prospect.TextError
	require.ErrorAs(t, err, &te)
	require.Equal(t, 1, te.Index, "the longest text is sent first")

	_, err = embed.Batched(t.Context(), few, prospect.RoleQuery, nil, embed.BatchOptions{Size: -1})
	require.Error(t, err)
}

func TestBatchedOfNothing(t *testing.T) {
	got, err := embed.Batched(t.Context(), embed.NewHash(4), prospect.RoleQuery, nil, embed.BatchOptions{})
	require.NoError(t, err)
	require.Empty(t, got)
}
