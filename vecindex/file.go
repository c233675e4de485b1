package vecindex

import (
	"fmt"
	"io"
	"math"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/internal/kernel"
	"github.com/prospect-go/prospect/internal/sectfile"
)

// The file is a sectfile (see there for checksums and limits) of version 1:
//
//	magic   "PROSPVEC"
//	head    dim:uvarint documents:uvarint vectors:uvarint identity:string
//	ids     a string for each document, in order of first insertion
//	counts  a uvarint for each document: how many vectors it has, at least 1;
//	        empty where every document has one
//	rows    vectors·dim float32, little-endian: the unit vectors, those of the
//	        first document first
//
// A string is its length in bytes as uvarint and the bytes. Vectors of deleted
// and updated documents are not written: a saved index is a compacted one.
// Eight-bit codes are not written either: they are made of the vectors at some
// 2 GB/s, and what is not in a file cannot contradict it.
const (
	fileMagic   = "PROSPVEC"
	fileVersion = 1
)

// Lengths need no tight limits, since nothing is allocated for a mere claim.
const (
	maxString = math.MaxInt32
	maxCount  = min(maxVectors, math.MaxInt)
)

// WriteTo writes the documents, in a form that [Read] reads, and returns the
// number of bytes written. Several may follow each other in one stream.
func (s *Snapshot) WriteTo(w io.Writer) (int64, error) {
	sw, err := sectfile.NewWriter(w, fileMagic, fileVersion)
	if err != nil {
		return 0, err
	}
	rows := s.docs.InOrder()
	total := 0
	for _, row := range rows {
		total += s.vecs.count(row)
	}
	encode := func(name string, write func(*sectfile.Encoder)) {
		if err == nil {
			err = sw.Section(name, func(w io.Writer) error {
				e := sectfile.NewEncoder(w)
				write(e)
				return e.Flush()
			})
		}
	}
	encode("head", func(e *sectfile.Encoder) {
		e.Uint(uint64(s.Dim()))
		e.Uint(uint64(len(rows)))
		e.Uint(uint64(total))
		e.String(s.identity)
	})
	encode("ids", func(e *sectfile.Encoder) {
		for _, row := range rows {
			e.String(s.docs.ID(row))
		}
	})
	encode("counts", func(e *sectfile.Encoder) {
		for _, row := range rows {
			if total > len(rows) {
				e.Uint(uint64(s.vecs.count(row)))
			}
		}
	})
	if err == nil {
		err = sw.Section("rows", func(w io.Writer) error { return s.writeRows(w, rows) })
	}
	if err == nil {
		err = sw.Close()
	}
	return sw.Size(), err
}

// writeRows writes the vectors of the rows: pieces that lie side by side in one
// go.
func (s *Snapshot) writeRows(w io.Writer, rows []uint32) error {
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n] == rows[0]+uint32(n) {
			n++
		}
		at, end := s.vecs.first(rows[0]), s.vecs.first(rows[n-1]+1)
		for at < end {
			span := s.vecs.unit.span(at, end)
			if err := writeFloats(w, span); err != nil {
				return err
			}
			at += uint32(len(span) / s.Dim())
		}
		rows = rows[n:]
	}
	return nil
}

// Read reads what [Snapshot.WriteTo] wrote, and nothing beyond it. The file
// must have the dimension dim and the identity in opts; 0 and "" take over
// what the file has.
//
// Errors: [prospect.ErrFormat], [prospect.ErrVersion],
// [prospect.ErrCorrupt], [prospect.ErrDimension], [prospect.ErrIdentity],
// [prospect.ErrOption], and errors of r. Memory grows with what was really read and verified, never
// with a length that the file claims.
func Read(r io.Reader, dim int, opts Options) (*Index, error) {
	sr, err := sectfile.NewReader(r, fileMagic, fileVersion)
	if err != nil {
		return nil, err
	}
	var fileDim, count, total int
	var identity string
	err = sr.Section("head", decode(func(d *sectfile.Decoder) {
		fileDim = int(d.Uint(maxDim))
		count = int(d.Uint(maxCount))
		total = int(d.Uint(maxCount))
		identity = d.String(maxString)
		if fileDim == 0 {
			d.Fail("dimension 0")
		}
		if total < count || total > 0 && count == 0 {
			d.Fail("%d vectors of %d documents", total, count)
		}
	}))
	if err != nil {
		return nil, err
	}
	if dim != 0 && dim != fileDim {
		return nil, fmt.Errorf("%w: the file has %d, want %d", prospect.ErrDimension, fileDim, dim)
	}
	if opts.Identity != "" && opts.Identity != identity {
		return nil, fmt.Errorf("%w: the file has %q, want %q", prospect.ErrIdentity, identity, opts.Identity)
	}
	opts.Identity = identity
	ix, err := New(fileDim, opts)
	if err != nil {
		return nil, err
	}
	var ids []string
	err = sr.Section("ids", decode(func(d *sectfile.Decoder) {
		for i := 0; i < count && d.Err() == nil; i++ {
			ids = append(ids, d.String(maxString))
		}
	}))
	if err != nil {
		return nil, err
	}
	if err := ix.docs.Check(nil, nil, ids); err != nil {
		return nil, fmt.Errorf("%w: %w", prospect.ErrCorrupt, err)
	}
	ix.docs.Add(ids)
	err = sr.Section("counts", decode(func(d *sectfile.Decoder) {
		if total == count {
			return
		}
		ix.vecs.starts = []uint32{0}
		sum := 0
		for i := 0; i < count && d.Err() == nil; i++ {
			n := int(d.Uint(uint64(total - sum)))
			if n == 0 {
				d.Fail("a document without a vector")
			}
			sum += n
			ix.vecs.starts = append(ix.vecs.starts, uint32(sum))
		}
		if sum != total {
			d.Fail("%d vectors, %d stated", sum, total)
		}
	}))
	if err != nil {
		return nil, err
	}
	if err := sr.Section("rows", func(r io.Reader) error { return ix.vecs.read(r, total) }); err != nil {
		return nil, err
	}
	if err := sr.Close(); err != nil {
		return nil, err
	}
	ix.publish()
	return ix, nil
}

// decode reads a section with a decoder, to its end.
func decode(read func(*sectfile.Decoder)) func(io.Reader) error {
	return func(r io.Reader) error {
		d := sectfile.NewDecoder(r)
		read(d)
		return d.End()
	}
}

// read reads the n vectors of an index that has none yet, straight into place.
func (v *vectors) read(r io.Reader, n int) error {
	dim := v.unit.dim
	room := 0
	for v.n < n {
		if v.n == room {
			// For as much as was really there, not for what is claimed.
			more := min(n-v.n, max(v.n, 1<<v.unit.shift))
			if err := v.room(more); err != nil {
				return err
			}
			room += more
		}
		at := uint32(v.n)
		span := v.unit.span(at, at+uint32(min(n-v.n, 1<<v.unit.shift)))
		if err := readFloats(r, span); err != nil {
			return err
		}
		for ; len(span) > 0; span = span[dim:] {
			x := span[:dim]
			// Also false for NaN; a vector that passes has finite components.
			if d := kernel.Dot(x, x); !(d > 0.999 && d < 1.001) {
				return fmt.Errorf("%w: vector %d has no unit length", prospect.ErrCorrupt, v.n)
			}
			if v.codes != nil {
				v.codes.set(uint32(v.n), x)
			}
			v.n++
		}
	}
	return nil
}

// WriteTo is [Snapshot.WriteTo] of the current state.
func (ix *Index) WriteTo(w io.Writer) (int64, error) { return ix.Snapshot().WriteTo(w) }

// Save writes the documents to a file, which is replaced in one step: after
// a crash the path holds the old content or the new.
//
// On Windows a file can't be replaced while a program has it open. Open reads
// the whole file and closes it, and maps nothing into memory, so an index at
// work is no hindrance; while another Open is reading, Save fails, leaves the
// old file as it was, and can be tried again.
func (s *Snapshot) Save(path string) error {
	return sectfile.Save(path, func(w io.Writer) error {
		_, err := s.WriteTo(w)
		return err
	})
}

// Save is [Snapshot.Save] of the current state.
func (ix *Index) Save(path string) error { return ix.Snapshot().Save(path) }

// Open reads a file that [Index.Save] wrote; dim and opts are those of
// [Read]. Errors are those of Read and of opening the file (fs.ErrNotExist).
func Open(path string, dim int, opts Options) (ix *Index, err error) {
	err = sectfile.Load(path, func(r io.Reader) error {
		ix, err = Read(r, dim, opts)
		return err
	})
	return ix, err
}
