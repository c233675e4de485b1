package onnx_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/embed/onnx"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestClosed(t *testing.T) {
	e, err := onnx.OpenFS(t.Context(), files(pooledGraph(rows)), onnx.Options{})
	require.NoError(t, err)
	for range 3 {
		require.NoError(t, e.Close())
	}
	_, err = e.Embed(t.Context(), prospect.RoleQuery, []string{"skill"})
	require.ErrorIs(t, err, prospect.ErrClosed)
	_, err = e.Embed(t.Context(), prospect.RoleQuery, nil)
	require.ErrorIs(t, err, prospect.ErrClosed)
	require.Equal(t, testDim, e.Dim())
	require.NotEmpty(t, e.Identity())
	n, _ := e.Tokens(prospect.RoleQuery, "skill")
	require.Equal(t, 3, n)
}

// TestCloseWhileEmbedding: every call gives vectors or ErrClosed.
func TestCloseWhileEmbedding(t *testing.T) {
	defer goleak.VerifyNone(t)
	for range 5 {
		e, err := onnx.OpenFS(t.Context(), files(positionGraph(rows, 64)), onnx.Options{})
		require.NoError(t, err)
		texts := slices.Repeat([]string{"find the skill", strings.Repeat("task ", 50)}, 50)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for {
					v, err := e.Embed(context.Background(), prospect.RoleQuery, texts)
					if err != nil {
						if !errors.Is(err, prospect.ErrClosed) {
							t.Errorf("not ErrClosed: %v", err)
						}
						return
					}
					if len(v) != len(texts) {
						t.Errorf("%d vectors", len(v))
					}
				}
			})
		}
		for range 2 {
			wg.Go(func() {
				time.Sleep(5 * time.Millisecond)
				if err := e.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
}

// TestCancelled stops calls at random moments. Afterwards the embedder works,
// and nothing is left running once it is closed.
func TestCancelled(t *testing.T) {
	defer goleak.VerifyNone(t)
	e, err := onnx.OpenFS(t.Context(), files(positionGraph(rows, 64)), onnx.Options{BatchSize: 4})
	require.NoError(t, err)
	texts := slices.Repeat([]string{"find the skill", strings.Repeat("task ", 60)}, 2000)
	stopped := 0
	for i := range 20 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i)*300*time.Microsecond)
		v, err := e.Embed(ctx, prospect.RoleQuery, texts)
		cancel()
		if err != nil {
			stopped++
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.Nil(t, v)
		}
	}
	require.Positive(t, stopped)
	mustEmbed(t, e, prospect.RoleQuery, "skill")
	require.NoError(t, e.Close())
}

// TestConcurrentCalls compares what many goroutines get with what one gets.
func TestConcurrentCalls(t *testing.T) {
	e := mustOpen(t, files(positionGraph(rows, 64)), onnx.Options{})
	texts := []string{"find the skill", "a task", strings.Repeat("skill ", 30), "", strings.Repeat("task ", 100)}
	want := mustEmbed(t, e, prospect.RoleQuery, texts...)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 20 {
				k := (g + i) % len(texts)
				order := append(append([]string(nil), texts[k:]...), texts[:k]...)
				got, err := e.Embed(context.Background(), prospect.RoleQuery, order)
				if err != nil {
					t.Error(err)
					return
				}
				for j := range got {
					for c, x := range got[j] {
						if d := x - want[(j+k)%len(texts)][c]; d > 1e-5 || d < -1e-5 {
							t.Errorf("text %d differs by %v", j, d)
							return
						}
					}
				}
			}
		})
	}
	wg.Wait()
}
