package topk

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestKeepsTheBestOfAnyStream(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scores := rapid.SliceOf(rapid.SampledFrom([]float32{-1, 0, 0.5, 0.5000001, 1, float32(math.Inf(1)), float32(math.Inf(-1))})).Draw(t, "scores")
		k := rapid.IntRange(0, 12).Draw(t, "k")
		split := rapid.IntRange(0, len(scores)).Draw(t, "split")
		all := make([]Item[float32], len(scores))
		var a, b Heap[float32]
		a.Reset(k)
		b.Reset(k)
		for i, s := range scores {
			all[i] = Item[float32]{s, uint32(i), uint32(i)}
			if i < split {
				a.Push(all[i])
			} else {
				b.Push(all[i])
			}
		}
		a.Merge(&b)
		slices.SortFunc(all, Compare[float32])
		want := all[:min(k, len(all))]
		got := a.Sorted()
		require.Len(t, got, len(want))
		for i := range want {
			require.Equal(t, want[i], got[i])
		}
	})
}

func TestNaNNeverPushesOutARealHit(t *testing.T) {
	for _, order := range [][]float64{{math.NaN(), 1, 2, 3}, {1, 2, 3, math.NaN()}, {3, math.NaN(), 2, 1}} {
		var h Heap[float64]
		h.Reset(3)
		for i, s := range order {
			h.Push(Item[float64]{s, uint32(i), 0})
		}
		got := h.Sorted()
		require.Equal(t, []float64{3, 2, 1}, []float64{got[0].Score, got[1].Score, got[2].Score})
	}
}

func TestEqualScoresKeepInsertionOrder(t *testing.T) {
	var h Heap[float64]
	h.Reset(2)
	for _, seq := range []uint32{4, 1, 3, 0, 2} {
		h.Push(Item[float64]{1, seq, seq})
	}
	got := h.Sorted()
	require.Equal(t, []uint32{0, 1}, []uint32{got[0].Seq, got[1].Seq})
}

func TestMemoryFollowsWhatIsPushedNotK(t *testing.T) {
	var h Heap[float32]
	h.Reset(math.MaxInt)
	h.Push(Item[float32]{1, 0, 0})
	require.Less(t, cap(h.items), 100)
	require.Equal(t, 1, h.Len())
	require.False(t, h.Full())
	require.Equal(t, cap(h.items), h.Cap())
	h.Reset(1)
	require.Equal(t, cap(h.items), h.Cap(), "memory is kept")
}

func BenchmarkPushMostlyWorse(b *testing.B) {
	var h Heap[float32]
	h.Reset(10)
	i := uint32(0)
	for b.Loop() {
		h.Push(Item[float32]{1 / float32(i+1), i, i})
		i++
	}
}
