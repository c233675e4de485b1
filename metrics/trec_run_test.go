package metrics_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/metrics"
)

func ExampleWriteTrecRun() {
	err := metrics.WriteTrecRun(os.Stdout, "bm25", metrics.ScoredRun{
		"q2": {{ID: "charts", Score: 7.25}, {ID: "slides", Score: 3.5}},
		"q1": metrics.ByRank([]string{"pdf-tables", "spreadsheets"}),
	})
	if err != nil {
		panic(err)
	}
	// Output:
	// q1 Q0 pdf-tables 1 2 bm25
	// q1 Q0 spreadsheets 2 1 bm25
	// q2 Q0 charts 1 7.25 bm25
	// q2 Q0 slides 2 3.5 bm25
}

func TestReadTrecRun(t *testing.T) {
	// Of any white space of ASCII, in any order of queries; the order of a
	// query's lines stays, whatever ranks and scores say.
	got, err := metrics.ReadTrecRun(strings.NewReader("2 Q0 d1 9 0.5 x\n1\tQ0  d2 0 1e-3 x\n 2 iter d\u00a02 -1 +2.5 y \n2\v0\fd0 1 .5 x"), "f")
	require.NoError(t, err)
	require.Equal(t, metrics.ScoredRun{
		"1": {{ID: "d2", Score: 1e-3}},
		"2": {{ID: "d1", Score: 0.5}, {ID: "d\u00a02", Score: 2.5}, {ID: "d0", Score: 0.5}},
	}, got)
	require.Equal(t, metrics.Run[string, string]{"1": {"d2"}, "2": {"d1", "d\u00a02", "d0"}}, got.Run())
	require.Equal(t, metrics.Run[string, string]{"1": {"d2"}, "2": {"d\u00a02", "d1", "d0"}}, got.TrecRun())

	got, err = metrics.ReadTrecRun(strings.NewReader(""), "f")
	require.NoError(t, err)
	require.Equal(t, metrics.ScoredRun{}, got)
}

func TestReadTrecRunRefuses(t *testing.T) {
	for _, c := range []struct {
		line string
		is   error
		says string
	}{
		{"q Q0 d 1 1", prospect.ErrFormat, "5 fields"},
		{"q Q0 d 1 1 tag more", prospect.ErrFormat, "7 fields"},
		{"q Q0 d first 1 t", prospect.ErrFormat, `rank "first"`},
		{"q Q0 d 1.0 1 t", prospect.ErrFormat, "rank"},
		{"q Q0 d 1 high t", prospect.ErrFormat, `"high" is not a number`},
		{"q Q0 d 1 0x1p-2 t", prospect.ErrFormat, "not a number"},
		{"q Q0 d 1 0X1P-2 t", prospect.ErrFormat, "not a number"},
		{"q Q0 d 1 1_0 t", prospect.ErrFormat, "not a number"},
		{"q Q0 d 1 1,5 t", prospect.ErrFormat, "not a number"},
		{"q Q0 d 1 NaN t", prospect.ErrNotFinite, "NaN"},
		{"q Q0 d 1 -inf t", prospect.ErrNotFinite, "inf"},
		{"q Q0 d 1 Infinity t", prospect.ErrNotFinite, "Inf"},
		{"q Q0 d 1 1e400 t", prospect.ErrNotFinite, "1e400"},
		{"q Q0 a 7 0.1 t", prospect.ErrDuplicateID, `id "a": query "q"`},
		{"q Q0 d 1 " + strings.Repeat("9", 10_000) + "z t", prospect.ErrFormat, "not a number"},
	} {
		_, err := metrics.ReadTrecRun(strings.NewReader("q Q0 a 1 1 t\nother Q0 a 1 1 t\n"+c.line+"\nq Q0 z 1 1 t\n"), "f")
		require.ErrorIs(t, err, c.is, c.line)
		require.ErrorContains(t, err, c.says)
		require.ErrorContains(t, err, "f:3: ")
		require.Less(t, len(err.Error()), 200, "errors stay readable")
		at(t, 3, err)
	}
}

// The rule of the scores: those that fall in single precision stay as they
// are, others become the next number below the one before.
func TestScoresAreMadeToFall(t *testing.T) {
	next := func(x float64) float64 { return float64(math.Nextafter32(float32(x), float32(math.Inf(-1)))) }
	hits := []prospect.Hit{
		{ID: "a", Score: 0.9},          // the first stays
		{ID: "b", Score: 0.9},          // a tie
		{ID: "c", Score: 0.9 - 1e-9},   // a tie in single precision
		{ID: "d", Score: 0.7},          // falls: stays
		{ID: "e", Score: 0.8},          // rises
		{ID: "f", Score: math.MinInt8}, // falls
	}
	var b bytes.Buffer
	require.NoError(t, metrics.WriteTrecRun(&b, "t", metrics.ScoredRun{"q": hits}))
	got, err := metrics.ReadTrecRun(&b, "f")
	require.NoError(t, err)
	require.Equal(t, []prospect.Hit{
		{ID: "a", Score: 0.9},
		{ID: "b", Score: next(0.9)},
		{ID: "c", Score: next(next(0.9))},
		{ID: "d", Score: 0.7},
		{ID: "e", Score: next(0.7)},
		{ID: "f", Score: -128},
	}, got["q"])
	require.Equal(t, 0.9, hits[1].Score, "the run stays as it is")
}

func TestByRank(t *testing.T) {
	require.Equal(t, []prospect.Hit{{ID: "x", Score: 3}, {ID: "y", Score: 2}, {ID: "z", Score: 1}}, metrics.ByRank([]string{"x", "y", "z"}))
	require.Empty(t, metrics.ByRank(nil))
	// 2²⁴ is the last that has a neighbour of its own in single precision.
	require.NotEqual(t, float32(1<<24), float32(1<<24-1))
	require.Equal(t, float32(1<<24), float32(1<<24+1))
}

func TestWriteTrecRunRefuses(t *testing.T) {
	one := []prospect.Hit{{ID: "d", Score: 1}}
	for _, c := range []struct {
		tag  string
		run  metrics.ScoredRun
		is   error
		says string
	}{
		{"", metrics.ScoredRun{"q": one}, prospect.ErrEmptyID, "tag"},
		{"my run", metrics.ScoredRun{"q": one}, metrics.ErrUnwritable, "tag"},
		{"t", metrics.ScoredRun{"": one}, prospect.ErrEmptyID, "query"},
		{"t", metrics.ScoredRun{"q\r": one}, metrics.ErrUnwritable, "query"},
		{"t", metrics.ScoredRun{"q 1": one}, metrics.ErrUnwritable, "query"},
		{"t", metrics.ScoredRun{"\ufeffq": one}, metrics.ErrUnwritable, "byte order mark"},
		{"t", metrics.ScoredRun{"q": {{ID: ""}}}, prospect.ErrEmptyID, `query "q"`},
		{"t", metrics.ScoredRun{"q": {{ID: "a\u00a0b"}}}, metrics.ErrUnwritable, `query "q"`},
		{"t", metrics.ScoredRun{"q": {{ID: "a\x00b"}}}, metrics.ErrUnwritable, `'\x00'`},
		{"t", metrics.ScoredRun{"q": {{ID: "a\xff"}}}, metrics.ErrUnwritable, "UTF-8"},
		{"t", metrics.ScoredRun{"q": {{ID: "a", Score: 2}, {ID: "b", Score: 1}, {ID: "a"}}}, prospect.ErrDuplicateID, `id "a"`},
		{"t", metrics.ScoredRun{"q": {{ID: "a", Score: math.NaN()}}}, prospect.ErrNotFinite, `id "a"`},
		{"t", metrics.ScoredRun{"q": {{ID: "a", Score: 1}, {ID: "b", Score: math.NaN()}}}, prospect.ErrNotFinite, `id "b"`},
		{"t", metrics.ScoredRun{"q": {{ID: "a", Score: math.Inf(1)}}}, prospect.ErrNotFinite, `id "a"`},
		{"t", metrics.ScoredRun{"q": {{ID: "a", Score: 1}, {ID: "b", Score: math.Inf(1)}}}, prospect.ErrNotFinite, `id "b"`},
		{"t", metrics.ScoredRun{"q": {{ID: "a", Score: math.Inf(-1)}}}, prospect.ErrNotFinite, `id "a"`},
		{"t", metrics.ScoredRun{"q": {{ID: "a", Score: 1e39}}}, prospect.ErrNotFinite, "1e+39"},
		{"t", metrics.ScoredRun{"q": {{ID: "a", Score: -math.MaxFloat32}, {ID: "b"}}}, prospect.ErrNotFinite, `id "b"`},
	} {
		err := metrics.WriteTrecRun(&bytes.Buffer{}, c.tag, c.run)
		require.ErrorIs(t, err, c.is, "%v", c.run)
		require.ErrorContains(t, err, c.says)
		var id *prospect.IDError
		require.ErrorAs(t, err, &id)
	}
	full := errors.New("disk full")
	require.ErrorIs(t, metrics.WriteTrecRun(failing{full}, "t", metrics.ScoredRun{"q": one}), full)
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// drawID draws an id that a file can hold, often an awkward one.
func drawID(spaces bool) *rapid.Generator[string] {
	id := rapid.OneOf(rapid.StringMatching(`[a-c]{1,2}`), rapid.StringN(1, 8, -1),
		rapid.SampledFrom([]string{"Q0", "0", "-1", "#", "\"", "query-id", "é", "日本", "a\ufeff"}))
	return id.Filter(func(s string) bool {
		return metrics.WriteBEIRQrels(&bytes.Buffer{}, metrics.Qrels[string, string]{s: {"d": 1}}) == nil &&
			(spaces || metrics.WriteTrecRun(&bytes.Buffer{}, s, nil) == nil)
	})
}

func TestTrecRunRoundTrip(t *testing.T) {
	score := rapid.OneOf(rapid.Float64Range(-10, 10), rapid.SampledFrom([]float64{0, 0.1, 0.1 + 1e-9, 1, 1e-300, -1e-45, 1 << 24, 1<<24 + 1}))
	rapid.Check(t, func(t *rapid.T) {
		run := metrics.ScoredRun{}
		for q, ids := range rapid.MapOfN(drawID(false), rapid.SliceOfNDistinct(drawID(false), 1, 12, rapid.ID[string]), 0, 4).Draw(t, "run") {
			for _, id := range ids {
				run[q] = append(run[q], prospect.Hit{ID: id, Score: score.Draw(t, "score")})
			}
		}
		var b bytes.Buffer
		require.NoError(t, metrics.WriteTrecRun(&b, "tag", run))
		once := b.String()
		got, err := metrics.ReadTrecRun(&b, "f")
		require.NoError(t, err)
		require.Equal(t, run.Run(), got.Run())
		require.Equal(t, run.Run(), got.TrecRun(), "trec_eval finds our order")

		// What was written once is written like that again, and scores that
		// fall stay.
		var again bytes.Buffer
		require.NoError(t, metrics.WriteTrecRun(&again, "tag", got))
		require.Equal(t, once, again.String())
		for _, hits := range run {
			slices.SortFunc(hits, func(a, b prospect.Hit) int { return -slices.Compare([]float64{a.Score}, []float64{b.Score}) })
		}
		run = metrics.ScoredRun{"q": strictlyFalling(run)}
		b.Reset()
		require.NoError(t, metrics.WriteTrecRun(&b, "tag", run))
		got, err = metrics.ReadTrecRun(&b, "f")
		require.NoError(t, err)
		if len(run["q"]) > 0 {
			require.Equal(t, run, got)
		}
	})
}

// strictlyFalling keeps the hits of one query that fall in single precision.
func strictlyFalling(run metrics.ScoredRun) (falling []prospect.Hit) {
	for _, hits := range run {
		for _, h := range hits {
			if len(falling) == 0 || float32(h.Score) < float32(falling[len(falling)-1].Score) {
				falling = append(falling, h)
			}
		}
		break
	}
	return falling
}

func FuzzReadTrecRun(f *testing.F) {
	f.Add([]byte("q1 Q0 a 1 3 t\r\nq2 Q0 a 1 2.5 t\nq1 Q0 b 2 -1e3 t"))
	f.Add([]byte("\ufeffq Q0 a 0 1e-46 t\nq Q0 b 1 1e-46 t\nq Q0 c 1 3.4e38 t\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		run, err := metrics.ReadTrecRun(bytes.NewReader(data), "f")
		if err != nil {
			mustBeLineError(t, data, err)
			return
		}
		var b bytes.Buffer
		if err := metrics.WriteTrecRun(&b, "t", run); err != nil {
			// Ids of other white space and numbers beyond single precision.
			if !errors.Is(err, metrics.ErrUnwritable) && !errors.Is(err, prospect.ErrNotFinite) {
				t.Fatal(err)
			}
			return
		}
		again, err := metrics.ReadTrecRun(&b, "f")
		require.NoError(t, err)
		require.Equal(t, run.Run(), again.Run())
		require.Equal(t, run.Run(), again.TrecRun())
	})
}

// mustBeLineError wants an error about a line that is there.
func mustBeLineError(t *testing.T, data []byte, err error) {
	t.Helper()
	var le *metrics.LineError
	require.ErrorAs(t, err, &le)
	require.True(t, le.Line >= 1 && le.Line <= 1+bytes.Count(data, []byte("\n")), "%v", err)
	require.True(t, strings.HasPrefix(err.Error(), fmt.Sprintf("f:%d: ", le.Line)))
}
