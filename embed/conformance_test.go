package embed_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/embed"
	"github.com/stretchr/testify/require"
)

func TestHashKeepsThePromises(t *testing.T) {
	for _, dim := range []int{2, 3, 64, 384} {
		require.NoError(t, embed.TestEmbedder(t.Context(), embed.NewHash(dim)), "dim %d", dim)
	}
}

// broken wraps a good embedder with one fault.
func broken(fault func(ctx context.Context, role prospect.Role, texts []string, good prospect.EmbedFunc) ([][]float32, error)) prospect.Embedder {
	good := embed.NewHash(64)
	return prospect.NewEmbedder("broken", 64, func(ctx context.Context, role prospect.Role, texts []string) ([][]float32, error) {
		return fault(ctx, role, texts, good.Embed)
	})
}

// TestEveryBrokenPromiseIsFound gives the check one misbehaving embedder for
// each promise: a check that lets one pass is no check.
func TestEveryBrokenPromiseIsFound(t *testing.T) {
	type fault = func(ctx context.Context, role prospect.Role, texts []string, good prospect.EmbedFunc) ([][]float32, error)
	edit := func(f func(texts []string, v [][]float32) [][]float32) fault {
		return func(ctx context.Context, role prospect.Role, texts []string, good prospect.EmbedFunc) ([][]float32, error) {
			v, err := good(ctx, role, texts)
			if err != nil {
				return v, err
			}
			return f(texts, v), nil
		}
	}
	var calls atomic.Int64
	shared := map[string][]float32{}
	for _, tc := range []struct {
		name, finds string
		fault       fault
	}{
		{"reversed", "order", edit(func(_ []string, v [][]float32) [][]float32 {
			r := make([][]float32, len(v))
			for i := range v {
				r[len(v)-1-i] = v[i]
			}
			return r
		})},
		{"not unit", "length", edit(func(_ []string, v [][]float32) [][]float32 {
			for _, x := range v {
				for i := range x {
					x[i] *= 1.001
				}
			}
			return v
		})},
		{"NaN", "component 3 is NaN", edit(func(_ []string, v [][]float32) [][]float32 {
			for _, x := range v {
				x[3] = float32(math.NaN())
			}
			return v
		})},
		{"short", "components", edit(func(_ []string, v [][]float32) [][]float32 {
			for i := range v {
				v[i] = v[i][:8]
			}
			return v
		})},
		{"constant", "the same vector", edit(func(_ []string, v [][]float32) [][]float32 {
			for _, x := range v {
				clear(x)
				x[0] = 1
			}
			return v
		})},
		{"one lost", "vectors for", edit(func(_ []string, v [][]float32) [][]float32 { return v[:min(len(v), 2)] })},
		{"batch mates mix", "batch mates", edit(func(texts []string, v [][]float32) [][]float32 {
			if len(texts) > 1 {
				turn(v[0], 1e-3)
			}
			return v
		})},
		{"state between calls", "differs by", edit(func(_ []string, v [][]float32) [][]float32 {
			n := float64(calls.Add(1))
			for _, x := range v {
				turn(x, n*1e-4)
			}
			return v
		})},
		{"zeros for the empty text", "empty text", edit(func(texts []string, v [][]float32) [][]float32 {
			for i := range v {
				if texts[i] == "" {
					clear(v[i])
				}
			}
			return v
		})},
		{"empty batch", "empty batch", func(ctx context.Context, role prospect.Role, texts []string, good prospect.EmbedFunc) ([][]float32, error) {
			if len(texts) == 0 {
				return nil, errors.New("nothing to do")
			}
			return good(ctx, role, texts)
		}},
		{"deaf to the context", "cancelled context", func(_ context.Context, role prospect.Role, texts []string, good prospect.EmbedFunc) ([][]float32, error) {
			return good(context.Background(), role, texts)
		}},
		{"vectors beside an error", "vectors beside an error", func(ctx context.Context, role prospect.Role, texts []string, good prospect.EmbedFunc) ([][]float32, error) {
			v, _ := good(context.Background(), role, texts)
			return v, ctx.Err()
		}},
		{"panics", "panic: invalid", func(ctx context.Context, role prospect.Role, texts []string, good prospect.EmbedFunc) ([][]float32, error) {
			for _, s := range texts {
				if strings.ToValidUTF8(s, "") != s {
					panic("invalid")
				}
			}
			return good(ctx, role, texts)
		}},
		{"untyped refusal", "no *prospect.TextError", refuse(func(int) error { return errors.New("NUL") })},
		{"wrong index", "names text 7", refuse(func(int) error { return &prospect.TextError{Index: 7, Err: errors.New("NUL")} })},
		{"edits the texts", "changed the slice", func(ctx context.Context, role prospect.Role, texts []string, good prospect.EmbedFunc) ([][]float32, error) {
			v, err := good(ctx, role, texts)
			for i := range texts {
				texts[i] = strings.ToLower(texts[i])
			}
			return v, err
		}},
		{"keeps what it gave", "ownership", edit(func(texts []string, v [][]float32) [][]float32 {
			if len(texts) != 3 { // the batch of the ownership check
				return v
			}
			for i, s := range texts {
				if kept, ok := shared[s]; ok {
					v[i] = kept
				}
				shared[s] = v[i]
			}
			return v
		})},
		{"one backing array", "appending", edit(func(_ []string, v [][]float32) [][]float32 {
			flat := make([]float32, 0, 64*len(v))
			for i, x := range v {
				flat = append(flat, x...)
				v[i] = flat[i*64 : (i+1)*64]
			}
			return v
		})},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := embed.TestEmbedder(t.Context(), broken(tc.fault))
			require.Error(t, err)
			require.ErrorContains(t, err, tc.finds)
		})
	}
}

// turn moves v by about d in its first component and keeps its length.
func turn(v []float32, d float64) {
	v[0] += float32(d)
	var n float64
	for _, x := range v {
		n += float64(x) * float64(x)
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(n))
	}
}

// refuse fails on a text that holds NUL.
func refuse(f func(int) error) func(context.Context, prospect.Role, []string, prospect.EmbedFunc) ([][]float32, error) {
	return func(ctx context.Context, role prospect.Role, texts []string, good prospect.EmbedFunc) ([][]float32, error) {
		for i, s := range texts {
			if strings.Contains(s, "\x00") {
				return nil, f(i)
			}
		}
		return good(ctx, role, texts)
	}
}

func TestRefusingATextIsAllowed(t *testing.T) {
	e := broken(refuse(func(i int) error { return &prospect.TextError{Index: i, Err: prospect.ErrEmptyText} }))
	require.NoError(t, embed.TestEmbedder(t.Context(), e))
}

func TestIdentityAndDimAreChecked(t *testing.T) {
	err := embed.TestEmbedder(t.Context(), &restless{Embedder: embed.NewHash(64)})
	require.ErrorContains(t, err, "Dim or Identity changed")
	require.ErrorContains(t, embed.TestEmbedder(t.Context(), nameless{embed.NewHash(64)}), "Identity is empty")
}

type restless struct {
	prospect.Embedder
	n int
}

func (r *restless) Identity() string { r.n++; return strings.Repeat("x", r.n) }

type nameless struct{ prospect.Embedder }

func (nameless) Identity() string { return "" }
