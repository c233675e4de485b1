package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect/internal/evaldata"
	"github.com/prospect-go/prospect/vecindex"
)

func TestContestReportsRatiosOfTheSameRound(t *testing.T) {
	var text, lines bytes.Buffer
	out := &output{area: "a", text: &text, lines: json.NewEncoder(&lines)}
	o := &options{rounds: 3, peers: regexp.MustCompile("")}
	slow := func(i int) (time.Duration, error) { return 60 * time.Millisecond, nil }
	fast := func(i int) (time.Duration, error) { return 20 * time.Millisecond, nil }
	least, err := contest(t.Context(), out, o, "case", "ms/query", 2, []contender{{name: "prospect", run: fast, recall: 1}, {name: "peer", run: slow, recall: -1}})
	require.NoError(t, err)
	require.Equal(t, 10.0, least, "20 ms for 2 units")
	require.Regexp(t, `peer +30\.0000 +30\.0000 +3\.00 +3\.00`, text.String())
	require.Equal(t, `{"area":"a","case":"case","name":"prospect","unit":"ms/query","value":10}`, strings.SplitN(lines.String(), "\n", 2)[0])

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = contest(ctx, out, o, "case", "ms/query", 1, []contender{{name: "prospect", run: fast, recall: 1}})
	require.ErrorIs(t, err, context.Canceled)
}

func TestMedian(t *testing.T) {
	require.Equal(t, 2.0, median([]float64{3, 1, 2}))
	require.Equal(t, 2.5, median([]float64{4, 1, 3, 2}))
}

func TestSizes(t *testing.T) {
	var s sizes
	require.NoError(t, s.Set("1000x384,5x2"))
	require.Equal(t, sizes{{1000, 384}, {5, 2}}, s)
	require.Equal(t, "1000x384,5x2", s.String())
	for _, bad := range []string{"", "1000", "x", "0x3", "3x-1", "1000x384,"} {
		require.Error(t, s.Set(bad), bad)
	}
}

// The peers that are written here find what the index finds.
func TestPeersFindTheSame(t *testing.T) {
	c := synthetic(size{500, 32})
	ix, err := indexOf(c, vecindex.Options{Quantize: true})
	require.NoError(t, err)
	right, err := hitsOf(t.Context(), ix, c)
	require.NoError(t, err)
	for i := range right {
		scores := make([]float32, c.rows)
		for r := range scores {
			for j, x := range c.row(r) {
				scores[r] += x * c.query(i)[j]
			}
		}
		require.ElementsMatch(t, best(scores), right[i])
	}
	chromem, err := chromemPeer(t.Context(), c, right)
	require.NoError(t, err)
	for _, peer := range []contender{chromem, gonumPeer(c, right), dotLoop(c, right)} {
		require.Equal(t, 1.0, peer.recall, peer.name)
	}
	if py, err := startPython(t.Context(), c); err == nil {
		defer py.close()
		require.Equal(t, 1.0, py.contender("faiss", 1, right).recall)
		require.Equal(t, 1.0, py.contender("numpy", 1, right).recall)
	}
}

// On embeddings of real texts codes find exactly what exact search finds.
func TestCodesOnRealVectors(t *testing.T) {
	vectors, queries, err := galleryVectors(t.Context())
	if err != nil {
		withoutData(t, err)
	}
	for _, n := range []int{len(vectors), 20_000} {
		c := enlarged(vectors, queries, n)
		exact, err := indexOf(c, vecindex.Options{})
		require.NoError(t, err)
		quick, err := indexOf(c, vecindex.Options{Quantize: true})
		require.NoError(t, err)
		var batch [][]float32
		for i := range numQueries {
			batch = append(batch, slices.Clone(c.query(i)))
		}
		want, err := exact.ScoreBatch(t.Context(), batch, k, vecindex.Filter{})
		require.NoError(t, err)
		got, err := quick.ScoreBatch(t.Context(), batch, k, vecindex.Filter{})
		require.NoError(t, err)
		require.Equal(t, want, got, "ids and scores")
		for i := range numQueries {
			one, err := quick.ScoreBatch(t.Context(), batch[i:i+1], k, vecindex.Filter{})
			require.NoError(t, err)
			require.Equal(t, want[i], one[0])
		}
	}
}

// withoutData skips a test whose data is not beside this checkout, and fails it
// for any other error, and where the data is required.
func withoutData(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, fs.ErrNotExist) || os.Getenv(evaldata.Required) != "" {
		t.Fatal(err)
	}
	t.Skip("evaluation data is not beside this checkout: ", err)
}
