package onnx

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestBucket(t *testing.T) {
	for n, want := range map[int]int{
		1: 8, 8: 8, 9: 16, 16: 16, 17: 24, 24: 24, 25: 32, 33: 48, 49: 64, 65: 96, 97: 128, 129: 192, 193: 256, 257: 384, 385: 512, 513: 768,
	} {
		require.Equal(t, want, bucket(n), "%d", n)
	}
}

func TestRows(t *testing.T) {
	require.Equal(t, 32, rows(64, 32))
	require.Equal(t, 32, rows(128, 32))
	require.Equal(t, 16, rows(192, 32), "4096/192 = 21, and 16 is the power of two below")
	require.Equal(t, 8, rows(512, 32))
	require.Equal(t, 5, rows(512, 5))
	require.Equal(t, 1, rows(1<<20, 32))
}

func TestPlan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lengths := rapid.SliceOfN(rapid.IntRange(1, 64), 0, 300).Draw(t, "lengths")
		size := rapid.IntRange(1, 40).Draw(t, "size")
		padding := rapid.Bool().Draw(t, "padding")
		const maxTokens = 60 // some lists are longer: the plan has to bear it
		ids := make([][]uint32, len(lengths))
		for i, n := range lengths {
			ids[i] = make([]uint32, n)
		}
		seen := make([]bool, len(ids))
		full := 0
		for _, b := range plan(ids, maxTokens, size, padding) {
			require.NotEmpty(t, b.texts)
			require.LessOrEqual(t, len(b.texts), size)
			if len(b.texts) == rows(b.length, size) {
				full++
			}
			for _, i := range b.texts {
				require.False(t, seen[i], "text %d is in two batches", i)
				seen[i] = true
				require.LessOrEqual(t, len(ids[i]), b.length)
				if !padding {
					require.Len(t, ids[i], b.length)
				}
			}
			if padding && len(ids[b.texts[0]]) <= maxTokens {
				require.LessOrEqual(t, b.length, maxTokens, "padding stays within the positions")
			}
		}
		require.NotContains(t, seen, false)
		if padding && len(ids) > 0 {
			require.GreaterOrEqual(t, full, len(plan(ids, maxTokens, size, padding))-1, "only the last batch is not full")
		}
	})
}

// TestFewShapes counts the shapes that any mixture of calls can ask for.
func TestFewShapes(t *testing.T) {
	shapes := map[[2]int]bool{}
	for n := 1; n <= 512; n++ {
		for texts := 1; texts <= 64; texts++ {
			ids := make([][]uint32, texts)
			for i := range ids {
				ids[i] = make([]uint32, n)
			}
			for _, b := range plan(ids, 512, defaultBatchSize, true) {
				rows := len(b.texts)
				// The runtime rounds rows as lengths are rounded.
				for r := 1; ; r++ {
					if p := twoBits(r); p >= rows {
						rows = p
						break
					}
				}
				shapes[[2]int{rows, b.length}] = true
			}
		}
	}
	require.LessOrEqual(t, len(shapes), 12*10)
	t.Log(len(shapes), "shapes")
}

// twoBits is the i-th number of at most two leading bits: 1, 2, 3, 4, 6, 8, 12, …
func twoBits(i int) int {
	if i == 1 {
		return 1
	}
	if i%2 == 0 {
		return 1 << (i / 2)
	}
	return 3 << (i/2 - 1)
}
