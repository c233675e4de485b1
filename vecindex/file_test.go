package vecindex_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/internal/sectfile"
	"github.com/prospect-go/prospect/vecindex"
)

var update = flag.Bool("update", false, "write the golden file of the saved form")

// sample has dead rows, an update and an order other than that of its rows.
func sample(t testing.TB) *vecindex.Index {
	ix, err := vecindex.New(3, vecindex.Options{Identity: "model/1"})
	require.NoError(t, err)
	require.NoError(t, ix.AddBatch([]string{"a", "gone", "ü"}, [][]float32{{1, 0, 0}, {0, 1, 0}, {3, 4, 0}}))
	require.NoError(t, ix.Update("a", []float32{0, 0, -2}))
	require.NoError(t, ix.Delete("gone"))
	require.NoError(t, ix.Add("last", []float32{1, 1, 1}))
	require.NoError(t, ix.Apply(vecindex.Changes{Add: []vecindex.Doc{
		{ID: "long", Vector: []float32{1, 0, 0}, More: [][]float32{{0, 1, 0}, {0, 3, 4}}},
	}}))
	return ix
}

func saved(t testing.TB, ix *vecindex.Index) []byte {
	var b bytes.Buffer
	_, err := ix.WriteTo(&b)
	require.NoError(t, err)
	return b.Bytes()
}

// contents lists what an index holds.
func contents(ix *vecindex.Index) (ids []string, vectors [][]float32) {
	for id, v := range ix.All() {
		ids = append(ids, id)
		vectors = append(vectors, v)
	}
	return ids, vectors
}

func requireEqualIndexes(t testing.TB, want, got *vecindex.Index) {
	require.Equal(t, want.Dim(), got.Dim())
	require.Equal(t, want.Identity(), got.Identity())
	require.Equal(t, want.Len(), got.Len())
	wantIDs, wantVectors := contents(want)
	gotIDs, gotVectors := contents(got)
	require.Equal(t, wantIDs, gotIDs)
	require.Equal(t, wantVectors, gotVectors, "bit for bit")
}

func TestSaveAndOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index")
	ix := sample(t)
	require.NoError(t, ix.Save(path))
	for _, tc := range []struct {
		dim  int
		opts vecindex.Options
	}{{0, vecindex.Options{}}, {3, vecindex.Options{Identity: "model/1"}}} {
		got, err := vecindex.Open(path, tc.dim, tc.opts)
		require.NoError(t, err)
		requireEqualIndexes(t, ix, got)
		require.NoError(t, got.Add("gone", []float32{1, 2, 3}), "an opened index goes on")
	}

	long := strings.Repeat("long", 1<<19)
	odd, err := vecindex.New(1, vecindex.Options{Identity: long})
	require.NoError(t, err)
	require.NoError(t, odd.AddBatch([]string{long, "\xff\x00"}, [][]float32{{-1}, {1}}))
	require.NoError(t, odd.Save(path))
	got, err := vecindex.Open(path, 1, vecindex.Options{Identity: long})
	require.NoError(t, err)
	requireEqualIndexes(t, odd, got)

	empty, err := vecindex.New(7, vecindex.Options{})
	require.NoError(t, err)
	require.NoError(t, empty.Save(path), "over the old one")
	got, err = vecindex.Open(path, 7, vecindex.Options{})
	require.NoError(t, err)
	requireEqualIndexes(t, empty, got)
}

func TestOpenRefusesWhatDoesNotFit(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "index")
	require.NoError(t, sample(t).Save(path))

	_, err := vecindex.Open(path, 0, vecindex.Options{Identity: "model/2"})
	require.ErrorIs(t, err, prospect.ErrIdentity)
	require.ErrorContains(t, err, path)
	require.ErrorContains(t, err, "model/1")
	_, err = vecindex.Open(path, 4, vecindex.Options{})
	require.ErrorIs(t, err, prospect.ErrDimension)
	_, err = vecindex.Open(path, 0, vecindex.Options{MaxDead: 2})
	require.Error(t, err)
	_, err = vecindex.Open(filepath.Join(dir, "none"), 0, vecindex.Options{})
	require.ErrorIs(t, err, fs.ErrNotExist)

	foreign := filepath.Join(dir, "foreign")
	require.NoError(t, os.WriteFile(foreign, []byte("PK\x03\x04 a zip archive, or so it says"), 0o600))
	_, err = vecindex.Open(foreign, 0, vecindex.Options{})
	require.ErrorIs(t, err, prospect.ErrFormat)

	var newer bytes.Buffer
	w, err := sectfile.NewWriter(&newer, "PROSPVEC", 2)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	_, err = vecindex.Read(&newer, 0, vecindex.Options{})
	require.ErrorIs(t, err, prospect.ErrVersion)
}

func TestDamagedFiles(t *testing.T) {
	data := saved(t, sample(t))
	for n := range data {
		_, err := vecindex.Read(bytes.NewReader(data[:n]), 0, vecindex.Options{})
		require.ErrorIs(t, err, prospect.ErrCorrupt, "cut at %d of %d", n, len(data))

		bad := bytes.Clone(data)
		bad[n] ^= 1 << (n % 8)
		_, err = vecindex.Read(bytes.NewReader(bad), 0, vecindex.Options{})
		require.True(t, errors.Is(err, prospect.ErrCorrupt) || n < 8 && errors.Is(err, prospect.ErrFormat), "byte %d: %v", n, err)
	}
}

// forge writes a file whose checksums hold, whatever is in it.
func forge(t testing.TB, head, ids, counts, rows []byte) []byte {
	var b bytes.Buffer
	w, err := sectfile.NewWriter(&b, "PROSPVEC", 1)
	require.NoError(t, err)
	for _, s := range []struct {
		name string
		data []byte
	}{{"head", head}, {"ids", ids}, {"counts", counts}, {"rows", rows}} {
		require.NoError(t, w.Section(s.name, func(w io.Writer) error { _, err := w.Write(s.data); return err }))
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

// head is that of documents with one vector each.
func head(dim, count uint64, identity string) []byte { return heads(dim, count, count, identity) }

func heads(dim, documents, vectors uint64, identity string) []byte {
	b := binary.AppendUvarint(nil, dim)
	b = binary.AppendUvarint(b, documents)
	b = binary.AppendUvarint(b, vectors)
	b = binary.AppendUvarint(b, uint64(len(identity)))
	return append(b, identity...)
}

func names(ids ...string) (b []byte) {
	for _, id := range ids {
		b = binary.AppendUvarint(b, uint64(len(id)))
		b = append(b, id...)
	}
	return b
}

func floats(values ...float32) (b []byte) {
	for _, x := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// Files with valid checksums and senseless content are corrupt, and a length
// that they claim costs nothing.
func TestForgedFiles(t *testing.T) {
	two := floats(1, 0, 0.6, 0.8)
	for name, data := range map[string][]byte{
		"dimension 0":           forge(t, head(0, 0, ""), nil, nil, nil),
		"dimension 2^40":        forge(t, head(1<<40, 1, ""), names("a"), nil, two),
		"2^60 documents":        forge(t, head(2, 1<<60, ""), names("a"), nil, two),
		"2^31-1 documents":      forge(t, head(2, 1<<31-1, ""), names("a", "b"), nil, two),
		"more ids than stated":  forge(t, head(2, 1, ""), names("a", "b"), nil, two[:8]),
		"fewer ids than stated": forge(t, head(2, 2, ""), names("a"), nil, two),
		"more rows than stated": forge(t, head(2, 1, ""), names("a"), nil, two),
		"fewer rows":            forge(t, head(2, 2, ""), names("a", "b"), nil, two[:8]),
		"half a row":            forge(t, head(2, 2, ""), names("a", "b"), nil, two[:12]),
		"id twice":              forge(t, head(2, 2, ""), names("a", "a"), nil, two),
		"empty id":              forge(t, head(2, 2, ""), names("a", ""), nil, two),
		"id of 2^30 bytes":      forge(t, head(2, 1, ""), binary.AppendUvarint(nil, 1<<30), nil, two[:8]),
		"NaN":                   forge(t, head(2, 2, ""), names("a", "b"), nil, floats(1, 0, nan, 0)),
		"infinite":              forge(t, head(2, 2, ""), names("a", "b"), nil, floats(1, 0, inf, 0)),
		"zero":                  forge(t, head(2, 2, ""), names("a", "b"), nil, floats(1, 0, 0, 0)),
		"not of unit length":    forge(t, head(2, 2, ""), names("a", "b"), nil, floats(1, 0, 0.6, 0.9)),
		"identity cut":          forge(t, append(head(2, 0, ""), 0)[:2], nil, nil, nil),
		"head left over":        forge(t, append(head(2, 0, ""), 0), nil, nil, nil),
		"fewer vectors":         forge(t, heads(2, 2, 1, ""), names("a", "b"), []byte{1}, two),
		"vectors of nobody":     forge(t, heads(2, 0, 2, ""), nil, nil, two),
		"document of none":      forge(t, heads(2, 2, 3, ""), names("a", "b"), []byte{3, 0}, floats(1, 0, 1, 0, 1, 0)),
		"counts above the sum":  forge(t, heads(2, 2, 3, ""), names("a", "b"), []byte{2, 2}, floats(1, 0, 1, 0, 1, 0)),
		"counts below the sum":  forge(t, heads(2, 2, 4, ""), names("a", "b"), []byte{2, 1}, floats(1, 0, 1, 0, 1, 0)),
		"counts missing":        forge(t, heads(2, 2, 3, ""), names("a", "b"), []byte{2}, floats(1, 0, 1, 0, 1, 0)),
		"counts left over":      forge(t, heads(2, 2, 3, ""), names("a", "b"), []byte{2, 1, 0}, floats(1, 0, 1, 0, 1, 0)),
		"counts without need":   forge(t, head(2, 2, ""), names("a", "b"), []byte{1, 1}, two),
		"2^31 vectors":          forge(t, heads(2, 1, 1<<31, ""), names("a"), binary.AppendUvarint(nil, 1<<31), two),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := vecindex.Read(bytes.NewReader(data), 0, vecindex.Options{})
			runtime.ReadMemStats(&after)
			require.ErrorIs(t, err, prospect.ErrCorrupt)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(8<<20))
		})
	}
	ix, err := vecindex.Read(bytes.NewReader(forge(t, head(2, 2, "m"), names("a", "b"), nil, two)), 2, vecindex.Options{Identity: "m"})
	require.NoError(t, err, "the forger's tools are right")
	require.Equal(t, 2, ix.Len())
}

// A damaged piece right behind the last id is damage, not the end.
func TestDamageBehindTheLastID(t *testing.T) {
	id := strings.Repeat("i", 1<<20-3) // with its length just one chunk of a section
	data := forge(t, head(2, 1, ""), append(names(id), 'z'), nil, floats(1, 0))
	at := bytes.LastIndexByte(data, 'z')
	data[at] = 'y'
	_, err := vecindex.Read(bytes.NewReader(data), 0, vecindex.Options{})
	require.ErrorIs(t, err, prospect.ErrCorrupt)
	data = forge(t, head(2, 1, ""), names(id), nil, floats(1, 0))
	_, err = vecindex.Read(bytes.NewReader(data), 0, vecindex.Options{})
	require.NoError(t, err)
}

// Indexes may follow each other in a stream, as in a gallery's file.
func TestReadStopsAtItsEnd(t *testing.T) {
	first := sample(t)
	second, err := vecindex.New(2, vecindex.Options{})
	require.NoError(t, err)
	require.NoError(t, second.Add("x", []float32{1, 1}))
	r := bytes.NewReader(append(append(saved(t, first), saved(t, second)...), "rest"...))
	got, err := vecindex.Read(r, 0, vecindex.Options{})
	require.NoError(t, err)
	requireEqualIndexes(t, first, got)
	got, err = vecindex.Read(r, 0, vecindex.Options{})
	require.NoError(t, err)
	requireEqualIndexes(t, second, got)
	rest, _ := io.ReadAll(r)
	require.Equal(t, "rest", string(rest))
}

func TestRoundTripOfManyBlocks(t *testing.T) {
	ix := filled(t, 1_000)
	got, err := vecindex.Read(bytes.NewReader(saved(t, ix)), benchDim, vecindex.Options{})
	require.NoError(t, err)
	requireEqualIndexes(t, ix, got)
}

func TestErrorsOfReaderAndWriterComeBack(t *testing.T) {
	broken := errors.New("input/output error")
	data := saved(t, sample(t))
	for n := 0; n < len(data); n += 7 {
		_, err := vecindex.Read(io.MultiReader(bytes.NewReader(data[:n]), failingReader{broken}), 0, vecindex.Options{})
		require.ErrorIs(t, err, broken, "a failing disk is no corrupt file")
		require.NotErrorIs(t, err, prospect.ErrCorrupt)
	}
	_, err := filled(t, 1_000).WriteTo(&failingWriter{500_000, broken})
	require.ErrorIs(t, err, broken)
	require.Error(t, sample(t).Save(filepath.Join(t.TempDir(), "no folder", "index")))
}

type failingReader struct{ err error }

func (r failingReader) Read([]byte) (int, error) { return 0, r.err }

type failingWriter struct {
	left int
	err  error
}

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, w.err
	}
	return len(p), nil
}

// The golden file was written by version 1: later versions must read it, and
// version 1 writes it byte for byte.
func TestGoldenFile(t *testing.T) {
	const path = "testdata/version1.vec"
	ix := sample(t)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, ix.Save(path))
	}
	got, err := vecindex.Open(path, 3, vecindex.Options{Identity: "model/1"})
	require.NoError(t, err)
	requireEqualIndexes(t, ix, got)
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, want, saved(t, ix))
}

// FuzzRead feeds whole files; FuzzContent feeds the sections of files with
// valid checksums, which a mutation of a whole file hardly ever has.
func FuzzRead(f *testing.F) {
	data := saved(f, sample(f))
	f.Add(data)
	f.Add(data[:len(data)/2])
	f.Add([]byte("PROSPVEC"))
	f.Fuzz(fuzzOne)
}

func FuzzContent(f *testing.F) {
	f.Add(head(2, 2, "m"), names("a", "b"), []byte{}, floats(1, 0, 0.6, 0.8))
	f.Add(heads(2, 2, 3, "m"), names("a", "b"), []byte{2, 1}, floats(1, 0, 0.6, 0.8, 0, -1))
	f.Add(head(1, 1, ""), names(strings.Repeat("x", 300)), []byte{}, floats(-1))
	f.Add(head(1<<20, 1<<31-1, "m"), names("a"), []byte{}, floats(1))
	f.Fuzz(func(t *testing.T, head, ids, counts, rows []byte) { fuzzOne(t, forge(t, head, ids, counts, rows)) })
}

// fuzzOne: any bytes give a typed error, or an index that can be saved and
// read again to the same, and searched.
func fuzzOne(t *testing.T, data []byte) {
	ix, err := vecindex.Read(bytes.NewReader(data), 0, vecindex.Options{Quantize: len(data)%2 == 0})
	if err != nil {
		if len(data)%2 == 0 && errors.Is(err, prospect.ErrDimension) {
			return // too many for codes
		}
		for _, typed := range []error{prospect.ErrCorrupt, prospect.ErrFormat, prospect.ErrVersion} {
			if errors.Is(err, typed) {
				return
			}
		}
		t.Fatalf("untyped error: %v", err)
	}
	again, err := vecindex.Read(bytes.NewReader(saved(t, ix)), ix.Dim(), vecindex.Options{Identity: ix.Identity()})
	require.NoError(t, err)
	requireEqualIndexes(t, ix, again)
	q := make([]float32, ix.Dim())
	q[0] = 1
	hits, err := ix.Search(t.Context(), prospect.Query{Vector: q, K: math.MaxInt})
	require.NoError(t, err)
	require.Len(t, hits, ix.Len())
}
