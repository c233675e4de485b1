package sectfile

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
)

const magic = "TESTFILE"

// sample writes two sections: values, then a large array.
func sample(t testing.TB, big []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b, magic, 3)
	require.NoError(t, err)
	require.NoError(t, w.Section("values", func(w io.Writer) error {
		e := NewEncoder(w)
		e.Uint(0)
		e.Uint(math.MaxUint64)
		e.Float(math.Inf(-1))
		e.String("")
		e.String(strings.Repeat("é", 40_000))
		return e.Flush()
	}))
	require.NoError(t, w.Section("big", func(w io.Writer) error {
		_, err := w.Write(big)
		return err
	}))
	require.NoError(t, w.Close())
	require.EqualValues(t, b.Len(), w.Size())
	return b.Bytes()
}

func read(data []byte, bigLen int) (big []byte, err error) {
	r, err := NewReader(bytes.NewReader(data), magic, 3)
	if err != nil {
		return nil, err
	}
	if err := r.Section("values", func(r io.Reader) error {
		d := NewDecoder(r)
		if d.Uint(0) != 0 || d.Uint(math.MaxUint64) != math.MaxUint64 || d.Float() != math.Inf(-1) ||
			d.String(10) != "" || len(d.String(100_000)) != 80_000 {
			d.Fail("other values")
		}
		return d.Err()
	}); err != nil {
		return nil, err
	}
	if err := r.Section("big", func(r io.Reader) error {
		big = make([]byte, bigLen)
		_, err := io.ReadFull(r, big)
		return err
	}); err != nil {
		return nil, err
	}
	return big, r.Close()
}

func pattern(n int) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(i * 7 >> 3)
	}
	return p
}

func TestRoundTrip(t *testing.T) {
	for _, n := range []int{1, 1000, maxChunk - 1, maxChunk, maxChunk + 1, 3*maxChunk + 17} {
		big := pattern(n)
		got, err := read(sample(t, big), n)
		require.NoError(t, err)
		require.True(t, bytes.Equal(big, got))
	}
}

func TestEveryTruncationIsCorrupt(t *testing.T) {
	big := pattern(100)
	data := sample(t, big)
	for n := range data {
		if n > 200 && n < len(data)-200 && n%97 != 0 {
			continue // the long string: every 97th place is enough
		}
		_, err := read(data[:n], len(big))
		require.ErrorIs(t, err, prospect.ErrCorrupt, "cut at %d of %d", n, len(data))
	}
}

func TestEveryFlippedBitIsFound(t *testing.T) {
	big := pattern(100)
	data := sample(t, big)
	for i := range data {
		if i > 200 && i < len(data)-200 && i%97 != 0 {
			continue // the long string: every 97th byte is enough
		}
		bad := bytes.Clone(data)
		bad[i] ^= 1 << (i % 8)
		_, err := read(bad, len(big))
		require.Error(t, err, "byte %d", i)
		require.True(t, errors.Is(err, prospect.ErrCorrupt) || errors.Is(err, prospect.ErrFormat), "byte %d: %v", i, err)
	}
}

func TestForeignNewerAndMisplaced(t *testing.T) {
	data := sample(t, pattern(10))
	_, err := NewReader(strings.NewReader("%PDF-1.7 and so on, quite long"), magic, 3)
	require.ErrorIs(t, err, prospect.ErrFormat)
	_, err = NewReader(strings.NewReader("PK"), magic, 3)
	require.ErrorIs(t, err, prospect.ErrFormat)
	_, err = NewReader(strings.NewReader(""), magic, 3)
	require.ErrorIs(t, err, prospect.ErrCorrupt)
	_, err = NewReader(bytes.NewReader(data), magic, 2)
	require.ErrorIs(t, err, prospect.ErrVersion)

	r, err := NewReader(bytes.NewReader(data), magic, 3)
	require.NoError(t, err)
	require.ErrorIs(t, r.Section("other", func(io.Reader) error { return nil }), prospect.ErrCorrupt)
	r, err = NewReader(bytes.NewReader(data), magic, 3)
	require.NoError(t, err)
	require.ErrorIs(t, r.Section("values", func(io.Reader) error { return nil }), prospect.ErrCorrupt, "bytes left over")
}

func TestWritersErrorsComeBack(t *testing.T) {
	full := errors.New("disk full")
	for limit := range 3 {
		w, err := NewWriter(&failing{after: limit * 80_000, err: full}, magic, 1)
		if err == nil {
			err = w.Section("s", func(w io.Writer) error { _, err := w.Write(pattern(3 * maxChunk)); return err })
		}
		if err == nil {
			err = w.Close()
		}
		require.ErrorIs(t, err, full)
	}
}

type failing struct {
	after int
	err   error
}

func (f *failing) Write(p []byte) (int, error) {
	if f.after -= len(p); f.after < 0 {
		return 0, f.err
	}
	return len(p), nil
}

func TestFailingDiskIsNotCorruption(t *testing.T) {
	broken := errors.New("input/output error")
	data := sample(t, pattern(10))
	r, err := NewReader(io.MultiReader(bytes.NewReader(data[:40]), errReader{broken}), magic, 3)
	require.NoError(t, err)
	err = r.Section("values", func(r io.Reader) error { _, err := io.ReadAll(r); return err })
	require.ErrorIs(t, err, broken)
	require.NotErrorIs(t, err, prospect.ErrCorrupt)
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }

func TestHostileLengthsAllocateLittle(t *testing.T) {
	var b bytes.Buffer
	w, _ := NewWriter(&b, magic, 1)
	require.NoError(t, w.Section("s", func(w io.Writer) error {
		e := NewEncoder(w)
		e.Uint(1 << 40) // the length of a string that is not there
		return e.Flush()
	}))
	require.NoError(t, w.Close())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := NewReader(&b, magic, 1)
	require.NoError(t, err)
	err = r.Section("s", func(r io.Reader) error {
		d := NewDecoder(r)
		_ = d.String(math.MaxInt)
		return d.Err()
	})
	runtime.ReadMemStats(&after)
	require.ErrorIs(t, err, prospect.ErrCorrupt)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4<<20))
}

func TestDecoderEnd(t *testing.T) {
	write := func(extra bool) *bytes.Buffer {
		var b bytes.Buffer
		w, _ := NewWriter(&b, magic, 1)
		require.NoError(t, w.Section("s", func(w io.Writer) error {
			e := NewEncoder(w)
			e.Uint(7)
			if extra {
				e.Uint(8)
			}
			return e.Flush()
		}))
		require.NoError(t, w.Close())
		return &b
	}
	read := func(b *bytes.Buffer) error {
		r, err := NewReader(b, magic, 1)
		require.NoError(t, err)
		return r.Section("s", func(r io.Reader) error {
			d := NewDecoder(r)
			require.EqualValues(t, 7, d.Uint(10))
			return d.End()
		})
	}
	require.NoError(t, read(write(false)))
	require.ErrorIs(t, read(write(true)), prospect.ErrCorrupt, "bytes left over")
	cut := write(false)
	cut.Truncate(cut.Len() - 9) // the chunk's end and the file's
	require.ErrorIs(t, read(cut), prospect.ErrCorrupt)
}

func TestSaveReplacesAtomically(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	put := func(s string) func(io.Writer) error {
		return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
	}
	require.NoError(t, Save(path, put("one")))
	require.NoError(t, Save(path, put("two")))
	boom := errors.New("boom")
	err := Save(path, func(w io.Writer) error { io.WriteString(w, "half"); return boom })
	require.ErrorIs(t, err, boom)
	require.ErrorContains(t, err, path)
	var got []byte
	require.NoError(t, Load(path, func(r io.Reader) (err error) { got, err = io.ReadAll(r); return }))
	require.Equal(t, "two", string(got))
	left, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, left, 1, "no temporary file stays behind")
	require.ErrorIs(t, Load(path+"x", nil), os.ErrNotExist)
	require.Error(t, Save(filepath.Join(path, "not-a-folder", "f"), put("x")))
}

// A new file has the mode of the function, less the umask; an old one keeps its
// own.
func TestSaveModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows knows no such modes")
	}
	for _, tc := range []struct {
		save    func(string, func(io.Writer) error) error
		allowed fs.FileMode
	}{{Save, 0o644}, {SavePrivate, 0o600}} {
		path := filepath.Join(t.TempDir(), "f")
		mode := func() fs.FileMode {
			require.NoError(t, tc.save(path, func(w io.Writer) error { _, err := io.WriteString(w, "x"); return err }))
			info, err := os.Stat(path)
			require.NoError(t, err)
			return info.Mode().Perm()
		}
		fresh := mode()
		require.Zero(t, fresh&^tc.allowed)
		require.NotZero(t, fresh&0o400)
		for _, old := range []fs.FileMode{0o644, 0o640, 0o600} {
			require.NoError(t, os.Chmod(path, old))
			require.Equal(t, old, mode())
		}
	}
}

// Two saves of one path at a time do not meet in the temporary file, and one
// that panics leaves none behind.
func TestSaveWithinSave(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	require.NoError(t, Save(path, func(w io.Writer) error {
		require.NoError(t, Save(path, func(w io.Writer) error { _, err := io.WriteString(w, "inner"); return err }))
		_, err := io.WriteString(w, "outer")
		return err
	}))
	require.PanicsWithValue(t, "boom", func() { _ = Save(path, func(io.Writer) error { panic("boom") }) })
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "outer", string(got))
	left, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, left, 1)
}

// A chunk that claims more than a chunk may have is refused before memory is
// made ready for it.
func TestChunkTooLarge(t *testing.T) {
	for _, n := range []uint32{maxChunk + 1, 1 << 30, math.MaxUint32} {
		var b bytes.Buffer
		w, err := NewWriter(&b, magic, 1)
		require.NoError(t, err)
		head := []byte{kindSection, 1, 's'}
		require.NoError(t, w.put(head, u32(sum(head)), u32(n), u32(0), pattern(100)))
		require.NoError(t, w.w.Flush())
		r, err := NewReader(&b, magic, 1)
		require.NoError(t, err)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err = r.Section("s", func(r io.Reader) error { _, err := r.Read(make([]byte, 10)); return err })
		runtime.ReadMemStats(&after)
		require.ErrorIs(t, err, prospect.ErrCorrupt)
		require.ErrorContains(t, err, "chunk length")
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(maxChunk))
	}
}

func FuzzReader(f *testing.F) {
	f.Add(sample(f, pattern(10)))
	f.Add([]byte("TESTFILE"))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := read(data, 10)
		if err != nil && !errors.Is(err, prospect.ErrCorrupt) && !errors.Is(err, prospect.ErrFormat) && !errors.Is(err, prospect.ErrVersion) {
			t.Fatalf("untyped error: %v", err)
		}
	})
}

// A rename that is denied because a reader has the old file open works once the
// reader is done; other errors, and a file that stays open, come back.
func TestReplaceWaitsForReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		denied := &os.LinkError{Op: "rename", Old: "a", New: "b", Err: fs.ErrPermission}
		for _, tc := range []struct {
			fails, retries int
			err            error
			calls          int
			waited         time.Duration
		}{
			{0, 8, denied, 1, 0},
			{3, 8, denied, 4, (4 + 8 + 16) * time.Millisecond},
			{100, 8, denied, 9, 1020 * time.Millisecond}, // 4·(2⁸ - 1)
			{100, 0, denied, 1, 0},
			{100, 8, fs.ErrNotExist, 1, 0},
		} {
			calls, start := 0, time.Now()
			err := replace(func(from, to string) error {
				require.Equal(t, [2]string{"a", "b"}, [2]string{from, to})
				if calls++; calls <= tc.fails {
					return tc.err
				}
				return nil
			}, "a", "b", tc.retries)
			require.Equal(t, tc.calls, calls)
			require.Equal(t, tc.waited, time.Since(start))
			if tc.fails >= tc.calls {
				require.ErrorIs(t, err, tc.err)
			} else {
				require.NoError(t, err)
			}
		}
	})
}
