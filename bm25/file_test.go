package bm25_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/bm25"
	"github.com/prospect-go/prospect/internal/sectfile"
)

// changed is an index with dead rows, rows out of order, an empty document
// and texts that are not ASCII.
func changed(t testing.TB, opts bm25.Options) *bm25.Index {
	ctx := context.Background()
	ix := build(t, opts, []bm25.Doc{
		{ID: "one", Text: "running shoes"}, {ID: "two", Text: "run ran running"}, {ID: "three", Text: "技能 検索 naïve"},
		{ID: "four", Text: "gone"}, {ID: "五", Text: ""},
	})
	require.NoError(t, ix.Apply(ctx, bm25.Changes{
		Delete: []string{"four"}, Update: []bm25.Doc{{ID: "one", Text: "running shoes for naïve runners"}},
		Add: []bm25.Doc{{ID: "six", Text: "shoe shop"}},
	}))
	return ix
}

func bytesOf(t testing.TB, ix *bm25.Index) []byte {
	var b bytes.Buffer
	n, err := ix.WriteTo(&b)
	require.NoError(t, err)
	require.EqualValues(t, b.Len(), n)
	return b.Bytes()
}

func TestSavedIndexesAreTheSame(t *testing.T) {
	ctx := context.Background()
	opts := bm25.Options{Variant: bm25.BM25Plus, K1: new(0.9), B: new(0.4), Delta: new(0.7)}
	ix := changed(t, opts)
	path := filepath.Join(t.TempDir(), "index")
	require.NoError(t, ix.Save(path))
	for _, opts := range []bm25.Options{opts, {}} { // what is unset comes from the file
		got, err := bm25.Open(path, opts)
		require.NoError(t, err)
		require.Equal(t, ix.Len(), got.Len())
		for _, q := range []string{"running", "shoes naïve", "技能", "gone", "run ran shoe shop"} {
			want, err := ix.Search(ctx, prospect.Query{Text: q, K: 9})
			require.NoError(t, err)
			hits, err := got.Search(ctx, prospect.Query{Text: q, K: 9})
			require.NoError(t, err)
			require.Equal(t, want, hits)
		}
		require.Equal(t, bytesOf(t, ix), bytesOf(t, got))
		// and goes on
		require.NoError(t, got.Add(ctx, "four", "gone again"))
		require.NoError(t, got.Update(ctx, "one", "run"))
		require.Equal(t, 1, got.Snapshot().DocFreq("shoe"))
	}
	_, err := bm25.Open(filepath.Join(t.TempDir(), "none"), bm25.Options{})
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestFilesFollowEachOtherInOneStream(t *testing.T) {
	one, two := changed(t, bm25.Options{}), build(t, bm25.Options{}, two)
	stream := bytes.NewReader(append(bytesOf(t, one), bytesOf(t, two)...))
	for _, want := range []*bm25.Index{one, two} {
		got, err := bm25.Read(stream, bm25.Options{})
		require.NoError(t, err)
		require.Equal(t, bytesOf(t, want), bytesOf(t, got))
	}
}

func TestAnotherAnalyzerOrParameterIsRefused(t *testing.T) {
	french := standard(t, bm25.StandardOptions{Stem: "french"})
	data := bytesOf(t, changed(t, bm25.Options{Analyzer: french, Variant: bm25.ATIRE}))
	_, err := bm25.Read(bytes.NewReader(data), bm25.Options{Analyzer: standard(t, bm25.StandardOptions{Stem: "french"})})
	require.NoError(t, err, "the same settings, another object")
	for _, opts := range []bm25.Options{
		{}, {Analyzer: fields}, {Analyzer: french, Variant: bm25.Lucene}, {Analyzer: french, K1: new(1.0)}, {Analyzer: french, B: new(0.0)},
	} {
		_, err := bm25.Read(bytes.NewReader(data), opts)
		require.ErrorIs(t, err, prospect.ErrIdentity)
	}
	_, err = bm25.Read(bytes.NewReader(data), bm25.Options{Analyzer: french, Delta: new(3.0)})
	require.NoError(t, err, "a variant without δ does not ask for it")
	_, err = bm25.Read(bytes.NewReader(data), bm25.Options{B: new(7.0)})
	require.Error(t, err)
}

func TestDamagedFiles(t *testing.T) {
	data := bytesOf(t, changed(t, bm25.Options{}))
	for n := range data {
		_, err := bm25.Read(bytes.NewReader(data[:n]), bm25.Options{})
		require.ErrorIs(t, err, prospect.ErrCorrupt, "cut at %d", n)
	}
	for i := range data {
		bad := bytes.Clone(data)
		bad[i] ^= 0x10
		_, err := bm25.Read(bytes.NewReader(bad), bm25.Options{})
		require.Error(t, err, "byte %d flipped", i)
	}
	_, err := bm25.Read(strings.NewReader("PROSPVEC and more bytes"), bm25.Options{})
	require.ErrorIs(t, err, prospect.ErrFormat)
}

// Contents that no writer makes, under checksums that hold.
func TestImpossibleContents(t *testing.T) {
	type e = *sectfile.Encoder
	identity := standard(t, bm25.StandardOptions{}).Identity()
	head := func(docs, terms uint64) func(e) {
		return func(e e) {
			e.String(identity)
			e.String("lucene")
			e.Float(1.2)
			e.Float(0)
			e.Float(0.75)
			e.Uint(0)
			e.Uint(docs)
			e.Uint(terms)
		}
	}
	fielded := func(fields uint64, name string, weight, b float64) func(e) {
		return func(e e) {
			e.String(identity)
			e.String("lucene")
			e.Float(1.2)
			e.Float(0)
			e.Float(0.75)
			e.Uint(fields)
			e.String(name)
			e.Float(weight)
			e.Float(b)
			e.Uint(1)
			e.Uint(1)
		}
	}
	strs := func(s ...string) func(e) {
		return func(e e) {
			for _, s := range s {
				e.String(s)
			}
		}
	}
	uints := func(v ...uint64) func(e) {
		return func(e e) {
			for _, v := range v {
				e.Uint(v)
			}
		}
	}
	term := func(name string, v ...uint64) func(e) {
		return func(e e) {
			e.String(name)
			uints(v...)(e)
		}
	}
	both := func(a, b func(e)) func(e) { return func(e e) { a(e); b(e) } }
	read := func(head, ids, lengths, postings func(e)) error {
		var b bytes.Buffer
		w, err := sectfile.NewWriter(&b, "PROSPB25", 1)
		require.NoError(t, err)
		for i, write := range []func(e){head, ids, lengths, postings} {
			require.NoError(t, w.Section([]string{"head", "ids", "lengths", "postings"}[i], func(w io.Writer) error {
				e := sectfile.NewEncoder(w)
				write(e)
				return e.Flush()
			}))
		}
		require.NoError(t, w.Close())
		_, err = bm25.Read(&b, bm25.Options{})
		return err
	}
	ids, lengths := strs("x", "y"), uints(2, 1)
	require.NoError(t, read(head(2, 1), ids, lengths, term("a", 2, 0, 2, 0, 1)), "the base of what follows")
	one := strs("x")
	require.NoError(t, read(fielded(1, "f", 2, 1), one, lengths, term("a", 2, 0, 2, 0, 1)), "and with a field")
	for name, err := range map[string]error{
		"field without name": read(fielded(1, "", 2, 1), one, lengths, term("a", 1, 0, 1)),
		"field of weight 0":  read(fielded(1, "f", 0, 1), one, lengths, term("a", 1, 0, 1)),
		"weight NaN":         read(fielded(1, "f", math.NaN(), 1), one, lengths, term("a", 1, 0, 1)),
		"b of a field":       read(fielded(1, "f", 2, 7), one, lengths, term("a", 1, 0, 1)),
		"too many fields":    read(fielded(1<<16, "f", 2, 1), one, lengths, term("a", 1, 0, 1)),
		"length of no field": read(fielded(1, "f", 2, 1), one, uints(2), term("a", 1, 0, 1)),
		"cell out of range":  read(fielded(1, "f", 2, 1), one, lengths, term("a", 1, 2, 1)),
		"tf above length":    read(head(2, 1), ids, lengths, term("a", 1, 1, 2)),
		"id twice":           read(head(2, 1), strs("x", "x"), lengths, term("a", 1, 0, 1)),
		"empty id":           read(head(2, 1), strs("x", ""), lengths, term("a", 1, 0, 1)),
		"too few ids":        read(head(1<<31, 1), ids, lengths, term("a", 1, 0, 1)),
		"too many ids":       read(head(1, 1), ids, lengths, term("a", 1, 0, 1)),
		"too few lengths":    read(head(2, 1), ids, uints(2), term("a", 1, 0, 1)),
		"too large length":   read(head(2, 1), ids, uints(2, 1<<32), term("a", 1, 0, 1)),
		"df above documents": read(head(2, 1), ids, lengths, term("a", 3, 0, 1, 0, 1, 0, 1)),
		"df 0":               read(head(2, 1), ids, lengths, term("a", 0)),
		"row out of range":   read(head(2, 1), ids, lengths, term("a", 2, 0, 1, 1, 1)),
		"tf 0":               read(head(2, 1), ids, lengths, term("a", 1, 0, 0)),
		"tf too large":       read(head(2, 1), ids, lengths, term("a", 1, 0, 1<<16)),
		"empty term":         read(head(2, 1), ids, lengths, term("", 1, 0, 1)),
		"term twice":         read(head(2, 2), ids, lengths, both(term("a", 1, 0, 1), term("a", 1, 0, 1))),
		"too few terms":      read(head(2, 1<<31), ids, lengths, term("a", 1, 0, 1)),
		"long string": read(head(1, 1), func(e e) {
			e.Uint(math.MaxInt32)
			e.Uint(1)
		}, lengths, term("a", 1, 0, 1)),
	} {
		require.ErrorIs(t, err, prospect.ErrCorrupt, name)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(bytesOf(f, changed(f, bm25.Options{})))
	f.Add(bytesOf(f, build(f, bm25.Options{}, nil)))
	f.Fuzz(func(t *testing.T, data []byte) {
		ix, err := bm25.Read(bytes.NewReader(data), bm25.Options{})
		if err != nil {
			return
		}
		// What is read works and reads back the same.
		for _, h := range searchAll(t, ix, "running shoes a b 技能") {
			require.False(t, math.IsNaN(h.Score) || math.IsInf(h.Score, 0) || h.Score < 0)
		}
		again, err := bm25.Read(bytes.NewReader(bytesOf(t, ix)), bm25.Options{})
		require.NoError(t, err)
		require.Equal(t, bytesOf(t, ix), bytesOf(t, again))
	})
}

// FuzzPostings decodes the postings section itself, which checksums keep from
// FuzzRead.
func FuzzPostings(f *testing.F) {
	f.Add(uint8(0), uint8(2), uint8(1), []byte("\x01a\x02\x00\x02\x00\x01"))
	f.Add(uint8(2), uint8(3), uint8(2), []byte("\x01a\x01\x02\x02\x02bc\x03\x00\x01\x00\x01\x00\xff\xff\x03"))
	f.Fuzz(func(t *testing.T, width, docs, terms uint8, postings []byte) {
		var b bytes.Buffer
		w, err := sectfile.NewWriter(&b, "PROSPB25", 1)
		require.NoError(t, err)
		section := func(name string, write func(*sectfile.Encoder)) {
			require.NoError(t, w.Section(name, func(w io.Writer) error {
				e := sectfile.NewEncoder(w)
				write(e)
				return e.Flush()
			}))
		}
		section("head", func(e *sectfile.Encoder) {
			e.String("fields")
			e.String("bm25l")
			e.Float(1.2)
			e.Float(0.5)
			e.Float(1)
			e.Uint(uint64(width % 3))
			for i := range width % 3 {
				e.String(fmt.Sprint(i))
				e.Float(float64(i + 1))
				e.Float(1)
			}
			e.Uint(uint64(docs))
			e.Uint(uint64(terms))
		})
		section("ids", func(e *sectfile.Encoder) {
			for i := range docs {
				e.String(fmt.Sprint(i))
			}
		})
		section("lengths", func(e *sectfile.Encoder) {
			for i := range int(docs) * int(1+width%3) {
				e.Uint(uint64(i * i * i)) // some too short for what they hold
			}
		})
		section("postings", func(e *sectfile.Encoder) { e.Raw(postings) })
		require.NoError(t, w.Close())
		ix, err := bm25.Read(&b, bm25.Options{Analyzer: fields})
		if err != nil {
			require.ErrorIs(t, err, prospect.ErrCorrupt)
			return
		}
		for _, h := range searchAll(t, ix, "a bc") {
			require.False(t, math.IsNaN(h.Score) || math.IsInf(h.Score, 0) || h.Score <= 0)
		}
		_, err = bm25.Read(bytes.NewReader(bytesOf(t, ix)), bm25.Options{Analyzer: fields})
		require.NoError(t, err)
	})
}

func searchAll(t *testing.T, ix *bm25.Index, text string) []prospect.Hit {
	hits, err := ix.Search(context.Background(), prospect.Query{Text: text, K: math.MaxInt})
	require.NoError(t, err)
	return hits
}

// The full texts of the skills benchmark open in well under half a second.
func BenchmarkOpen(b *testing.B) {
	ix := build(b, bm25.Options{}, load(b, "skillsbench", fullText).docs)
	path := filepath.Join(b.TempDir(), "index")
	require.NoError(b, ix.Save(path))
	info, err := os.Stat(path)
	require.NoError(b, err)
	b.SetBytes(info.Size())
	b.ReportAllocs()
	for b.Loop() {
		_, err := bm25.Open(path, bm25.Options{})
		require.NoError(b, err)
	}
	rows, terms := bm25.Size(ix.Snapshot())
	b.ReportMetric(float64(rows), "docs")
	b.ReportMetric(float64(terms), "terms")
}
