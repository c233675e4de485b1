package vecindex

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/viterin/vek/vek32"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/internal/sectfile"
)

// The file is a sectfile (see there for checksums and limits) of version 1:
//
//	magic   "PROSPVEC"
//	head    dim:uvarint count:uvarint identity:string
//	ids     count strings, in order of first insertion
//	rows    count·dim float32, little-endian; the i-th row is the unit vector
//	        of the i-th id
//
// A string is its length in bytes as uvarint and the bytes. Dead rows are not
// written: a saved index is a compacted one.
const (
	fileMagic   = "PROSPVEC"
	fileVersion = 1
)

// Lengths need no tight limits, since nothing is allocated for a mere claim.
const (
	maxString = math.MaxInt32
	maxCount  = min(math.MaxUint32-1, math.MaxInt) // what docids takes
)

// WriteTo writes the documents, in a form that [Read] reads, and returns the
// number of bytes written. Several may follow each other in one stream.
func (s *Snapshot) WriteTo(w io.Writer) (int64, error) {
	sw, err := sectfile.NewWriter(w, fileMagic, fileVersion)
	if err != nil {
		return 0, err
	}
	rows := s.docs.InOrder()
	err = sw.Section("head", func(w io.Writer) error {
		e := sectfile.NewEncoder(w)
		e.Uint(uint64(s.rows.dim))
		e.Uint(uint64(len(rows)))
		e.String(s.identity)
		return e.Flush()
	})
	if err != nil {
		return sw.Size(), err
	}
	err = sw.Section("ids", func(w io.Writer) error {
		e := sectfile.NewEncoder(w)
		for _, row := range rows {
			e.String(s.docs.ID(row))
		}
		return e.Flush()
	})
	if err != nil {
		return sw.Size(), err
	}
	err = sw.Section("rows", func(w io.Writer) error {
		buf := make([]byte, 0, 4*s.rows.dim)
		for _, row := range rows {
			buf = buf[:0]
			for _, x := range s.rows.row(row) {
				buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(x))
			}
			if _, err := w.Write(buf); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return sw.Size(), err
	}
	err = sw.Close()
	return sw.Size(), err
}

// Read reads what [Snapshot.WriteTo] wrote, and nothing beyond it. The file
// must have the dimension dim and the identity in opts; 0 and "" take over
// what the file has.
//
// Errors: [prospect.ErrFormat], [prospect.ErrVersion],
// [prospect.ErrCorrupt], [prospect.ErrDimension], [prospect.ErrIdentity], and
// errors of r. Memory grows with what was really read and verified, never
// with a length that the file claims.
func Read(r io.Reader, dim int, opts Options) (*Index, error) {
	sr, err := sectfile.NewReader(r, fileMagic, fileVersion)
	if err != nil {
		return nil, err
	}
	var fileDim, count int
	var identity string
	err = sr.Section("head", decode(func(d *sectfile.Decoder) {
		fileDim = int(d.Uint(maxDim))
		count = int(d.Uint(maxCount))
		identity = d.String(maxString)
		if fileDim == 0 {
			d.Fail("dimension 0")
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
	if err := sr.Section("rows", func(r io.Reader) error { return ix.readRows(r, count) }); err != nil {
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

func (ix *Index) readRows(r io.Reader, count int) error {
	dim := ix.rows.dim
	piece := max(64<<10/4/dim, 1) // rows at a time
	buf := make([]byte, piece*dim*4)
	for lo := 0; lo < count; lo += piece {
		hi := min(lo+piece, count)
		if _, err := io.ReadFull(r, buf[:(hi-lo)*dim*4]); err != nil {
			return err
		}
		ix.rows.extend(hi)
		for i := lo; i < hi; i++ {
			row, bytes := ix.rows.row(uint32(i)), buf[(i-lo)*dim*4:]
			for j := range row {
				row[j] = math.Float32frombits(binary.LittleEndian.Uint32(bytes[4*j:]))
			}
			// Also false for NaN; a row that passes has finite components.
			if d := vek32.Dot(row, row); !(d > 0.999 && d < 1.001) {
				return fmt.Errorf("%w: row %d has no unit length", prospect.ErrCorrupt, i)
			}
		}
	}
	return nil
}

// WriteTo is [Snapshot.WriteTo] of the current state.
func (ix *Index) WriteTo(w io.Writer) (int64, error) { return ix.Snapshot().WriteTo(w) }

// Save writes the documents to a file, which is replaced in one step: after
// a crash the path holds the old content or the new.
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
