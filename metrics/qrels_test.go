package metrics_test

import (
	"bytes"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/metrics"
)

type qrelsMap = metrics.Qrels[string, string]

func TestReadTrecQrels(t *testing.T) {
	got, err := metrics.ReadTrecQrels(strings.NewReader("1 0 a 1\n2\titer  b   -2 \n1 0 b +4\n"), "f")
	require.NoError(t, err)
	require.Equal(t, qrelsMap{"1": {"a": 1, "b": 4}, "2": {"b": -2}}, got)

	for _, c := range []struct {
		line string
		is   error
		says string
	}{
		{"1 0 c", prospect.ErrFormat, "3 fields"},
		{"1 0 c 1 1", prospect.ErrFormat, "5 fields"},
		{"1 0 c 0.5", prospect.ErrFormat, "grade"},
		{"1 0 c NaN", prospect.ErrFormat, "grade"},
		{"1 0 c 4294967296", prospect.ErrFormat, "grade"},
		{"1 0 a 1", prospect.ErrDuplicateID, `id "a": query "1"`},
		{"1 0 a 0", prospect.ErrDuplicateID, `id "a": query "1"`},
	} {
		_, err := metrics.ReadTrecQrels(strings.NewReader("1 0 a 1\n"+c.line), "f")
		require.ErrorIs(t, err, c.is, c.line)
		require.ErrorContains(t, err, c.says)
		at(t, 2, err)
	}
}

func TestReadBEIRQrels(t *testing.T) {
	got, err := metrics.ReadBEIRQrels(strings.NewReader("query-id\tcorpus-id\tscore\n1\ta\t1\n1\tb c\t-0.25\n 2\ta\t1e2\n"), "f")
	require.NoError(t, err)
	require.Equal(t, qrelsMap{"1": {"a": 1, "b c": -0.25}, " 2": {"a": 100}}, got)
	got, err = metrics.ReadBEIRQrels(strings.NewReader("query-id\tcorpus-id\tscore"), "f")
	require.NoError(t, err)
	require.Empty(t, got)

	for _, c := range []struct {
		text string
		line int
		is   error
		says string
	}{
		{"", 1, prospect.ErrFormat, "header"},
		{"1\ta\t1\n", 1, prospect.ErrFormat, "header"},
		{"query-id\tcorpus-id\tgrade\n", 1, prospect.ErrFormat, "header"},
		{"H\n1\ta", 2, prospect.ErrFormat, "2 fields"},
		{"H\n1\ta\t1\t1", 2, prospect.ErrFormat, "4 fields"},
		{"H\n1 a 1", 2, prospect.ErrFormat, "1 fields"},
		{"H\n1\ta\tyes", 2, prospect.ErrFormat, "yes"},
		{"H\n1\ta\t 1", 2, prospect.ErrFormat, "score"},
		{"H\n1\ta\t", 2, prospect.ErrFormat, "score"},
		{"H\n1\ta\tinf", 2, prospect.ErrNotFinite, "score"},
		{"H\n\ta\t1", 2, prospect.ErrEmptyID, ""},
		{"H\n1\t\t1", 2, prospect.ErrEmptyID, ""},
		{"H\n1\ta\t1\n1\ta\t2", 3, prospect.ErrDuplicateID, `id "a": query "1"`},
		{"H\nH", 2, prospect.ErrFormat, "score"}, // the header twice
	} {
		_, err := metrics.ReadBEIRQrels(strings.NewReader(strings.ReplaceAll(c.text, "H", "query-id\tcorpus-id\tscore")), "f")
		require.ErrorIs(t, err, c.is, c.text)
		require.ErrorContains(t, err, c.says, c.text)
		at(t, c.line, err)
	}
}

func TestWriteQrels(t *testing.T) {
	var b bytes.Buffer
	qrels := qrelsMap{"q2": {"b": 2, "a": 0}, "q1": {"a": -1}, "none": {}}
	require.NoError(t, metrics.WriteTrecQrels(&b, qrels))
	require.Equal(t, "q1 0 a -1\nq2 0 a 0\nq2 0 b 2\n", b.String())
	b.Reset()
	require.NoError(t, metrics.WriteBEIRQrels(&b, qrelsMap{"q2": {"b c": 0.5, "a": 0}, "q 1": {"a": 1e21}}))
	require.Equal(t, "query-id\tcorpus-id\tscore\nq 1\ta\t1000000000000000000000\nq2\ta\t0\nq2\tb c\t0.5\n", b.String())
}

func TestWriteQrelsRefuses(t *testing.T) {
	trec := func(q qrelsMap) error { return metrics.WriteTrecQrels(&bytes.Buffer{}, q) }
	beir := func(q qrelsMap) error { return metrics.WriteBEIRQrels(&bytes.Buffer{}, q) }
	for _, c := range []struct {
		write func(qrelsMap) error
		qrels qrelsMap
		is    error
	}{
		{trec, qrelsMap{"q": {"a b": 1}}, metrics.ErrUnwritable},
		{trec, qrelsMap{"q\n": {"a": 1}}, metrics.ErrUnwritable},
		{trec, qrelsMap{"q": {"a": 0.5}}, metrics.ErrUnwritable},
		{trec, qrelsMap{"q": {"a": 1 << 40}}, metrics.ErrUnwritable},
		{trec, qrelsMap{"q": {"a": math.NaN()}}, metrics.ErrUnwritable},
		{trec, qrelsMap{"q": {"a": math.Inf(1)}}, metrics.ErrUnwritable},
		{trec, qrelsMap{"q": {"": 1}}, prospect.ErrEmptyID},
		{trec, qrelsMap{"": {"a": 1}}, prospect.ErrEmptyID},
		{beir, qrelsMap{"q": {"": 1}}, prospect.ErrEmptyID},
		{beir, qrelsMap{"": {"a": 1}}, prospect.ErrEmptyID},
		{beir, qrelsMap{"q": {"a\tb": 1}}, metrics.ErrUnwritable},
		{beir, qrelsMap{"q": {"a\rb": 1}}, metrics.ErrUnwritable},
		{beir, qrelsMap{"q": {"a\r": 1}}, metrics.ErrUnwritable},
		{beir, qrelsMap{"q": {"a\u0085": 1}}, metrics.ErrUnwritable},
		{beir, qrelsMap{"\xff": {"a": 1}}, metrics.ErrUnwritable},
		{beir, qrelsMap{"q": {"a": math.NaN()}}, prospect.ErrNotFinite},
		{beir, qrelsMap{"q": {"a": math.Inf(-1)}}, prospect.ErrNotFinite},
	} {
		err := c.write(c.qrels)
		require.ErrorIs(t, err, c.is, "%v", c.qrels)
		var id *prospect.IDError
		require.ErrorAs(t, err, &id)
	}
	full := errors.New("disk full")
	require.ErrorIs(t, metrics.WriteTrecQrels(failing{full}, qrelsMap{"q": {"a": 1}}), full)
	require.ErrorIs(t, metrics.WriteBEIRQrels(failing{full}, nil), full)
}

func TestQrelsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.MapOfN(drawID(false), rapid.MapOfN(drawID(false),
			rapid.Map(rapid.Int32Min(-math.MaxInt32), func(g int32) float64 { return float64(g) }), 1, 6), 0, 4)
		want := qrelsMap(whole.Draw(t, "TREC"))
		var b bytes.Buffer
		require.NoError(t, metrics.WriteTrecQrels(&b, want))
		got, err := metrics.ReadTrecQrels(&b, "f")
		require.NoError(t, err)
		require.Equal(t, want, got)

		any := rapid.MapOfN(drawID(true), rapid.MapOfN(drawID(true), rapid.Float64Range(-1e300, 1e300), 1, 6), 0, 4)
		want = qrelsMap(any.Draw(t, "BEIR"))
		require.NoError(t, metrics.WriteBEIRQrels(&b, want))
		got, err = metrics.ReadBEIRQrels(&b, "f")
		require.NoError(t, err)
		require.Equal(t, want, got)
	})
}

func FuzzReadQrels(f *testing.F) {
	f.Add([]byte("1 0 a 1\r\n2 0 b -2\n"), false)
	f.Add([]byte("\ufeffquery-id\tcorpus-id\tscore\n1\ta b\t0.5\n2\ta\t1e300\n"), true)
	f.Fuzz(func(t *testing.T, data []byte, beir bool) {
		read, write := metrics.ReadTrecQrels, metrics.WriteTrecQrels
		if beir {
			read, write = metrics.ReadBEIRQrels, metrics.WriteBEIRQrels
		}
		qrels, err := read(bytes.NewReader(data), "f")
		if err != nil {
			mustBeLineError(t, data, err)
			return
		}
		for _, q := range slices.Sorted(maps.Keys(qrels)) {
			require.NotEmpty(t, qrels[q])
		}
		var b bytes.Buffer
		if err := write(&b, qrels); err != nil {
			require.ErrorIs(t, err, metrics.ErrUnwritable) // control characters, white space beyond ASCII
			return
		}
		again, err := read(&b, "f")
		require.NoError(t, err)
		require.Equal(t, qrels, again)
	})
}
