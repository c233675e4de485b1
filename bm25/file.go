package bm25

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/internal/sectfile"
)

// The file is a sectfile (see there for checksums and limits) of version 1:
//
//	magic     "PROSPB25"
//	head      analyzer:string variant:string k1:f64 delta:f64 b:f64
//	          fields:uvarint, then fields times name:string weight:f64 b:f64
//	          documents:uvarint terms:uvarint
//	ids       documents strings, in order of first insertion
//	lengths   cells uvarints: the length of each in terms
//	postings  terms times: term:string postings:uvarint, then postings times
//	          gap:uvarint tf:uvarint; gap is the posting's cell less that of
//	          the posting before it, less 1 (the cell itself for the first),
//	          1 ≤ tf ≤ 65,535, tf at most the cell's length
//
// A document has 1 + fields cells, for its Text and its fields; the cells of
// the document at position i in ids are numbered from i·(1 + fields).
//
// A string is its length in bytes as uvarint and the bytes. Dead rows, and
// terms that only they have, are not written: a saved index is a compacted
// one.
const (
	fileMagic   = "PROSPB25"
	fileVersion = 1
)

// maxString bounds a string in a file. Memory grows with what is really
// there, so it need not be small.
const maxString = math.MaxInt32

// WriteTo writes the snapshot, in a form that [Read] reads, and returns the
// number of bytes written. Several may follow each other in one stream. The
// same documents, added in the same order, give the same bytes.
func (s *Snapshot) WriteTo(w io.Writer) (int64, error) {
	sw, err := sectfile.NewWriter(w, fileMagic, fileVersion)
	if err != nil {
		return 0, err
	}
	from := s.docs.InOrder()
	width := s.width()
	m := newRenumbering(from, s.docs, width)
	live := make([]uint32, 0, len(s.terms.terms)) // terms that are written
	for n := range uint32(len(s.terms.terms)) {
		if cells, _ := s.lists.of(n).below(s.cells()); s.docFreq(n, cells) > 0 {
			live = append(live, n)
		}
	}
	for _, section := range []struct {
		name  string
		write func(*sectfile.Encoder)
	}{
		{"head", func(e *sectfile.Encoder) {
			e.String(s.settings.analyzer.Identity())
			e.String(string(s.settings.variant))
			e.Float(s.settings.k1)
			e.Float(s.settings.delta)
			e.Float(s.settings.fields[0].b)
			e.Uint(uint64(width - 1))
			for _, f := range s.settings.fields[1:] {
				e.String(f.name)
				e.Float(f.weight)
				e.Float(f.b)
			}
			e.Uint(uint64(len(from)))
			e.Uint(uint64(len(live)))
		}},
		{"ids", func(e *sectfile.Encoder) {
			for _, row := range from {
				e.String(s.docs.ID(row))
			}
		}},
		{"lengths", func(e *sectfile.Encoder) {
			for _, row := range from {
				for _, length := range s.lengths[int(row)*width:][:width] {
					e.Uint(uint64(length))
				}
			}
		}},
		{"postings", func(e *sectfile.Encoder) {
			for _, n := range live {
				cells, tfs := m.postings(s.lists.of(n), s.cells())
				e.String(s.terms.terms[n])
				e.Uint(uint64(len(cells)))
				next := uint32(0)
				for i, cell := range cells {
					e.Uint(uint64(cell - next))
					e.Uint(uint64(tfs[i]))
					next = cell + 1
				}
			}
		}},
	} {
		err := sw.Section(section.name, func(w io.Writer) error {
			e := sectfile.NewEncoder(w)
			section.write(e)
			return e.Flush()
		})
		if err != nil {
			return sw.Size(), err
		}
	}
	err = sw.Close()
	return sw.Size(), err
}

// Save writes the snapshot to a file, which is replaced in one step: after a
// crash there is the old file or the new one.
func (s *Snapshot) Save(path string) error {
	return sectfile.Save(path, func(w io.Writer) error {
		_, err := s.WriteTo(w)
		return err
	})
}

// WriteTo is [Snapshot.WriteTo] of the current state.
func (ix *Index) WriteTo(w io.Writer) (int64, error) { return ix.Snapshot().WriteTo(w) }

// Save is [Snapshot.Save] of the current state.
func (ix *Index) Save(path string) error { return ix.Snapshot().Save(path) }

// Open reads a file that [Index.Save] wrote. Errors are those of [Read] and
// of opening the file (fs.ErrNotExist).
func Open(path string, opts Options) (ix *Index, err error) {
	err = sectfile.Load(path, func(r io.Reader) error {
		ix, err = Read(r, opts)
		return err
	})
	return ix, err
}

// Read reads what [Snapshot.WriteTo] wrote, and nothing beyond it. The
// analyzer must be the one that made the file. So must be the variant, the
// parameters and the fields that opts sets; those that it leaves unset come
// from the file.
//
// Errors: [prospect.ErrFormat], [prospect.ErrVersion],
// [prospect.ErrCorrupt], [prospect.ErrIdentity] (another analyzer, variant,
// parameter or field), invalid options, and errors of r. Memory grows with what was
// really read and verified, never with a length that the file claims.
func Read(r io.Reader, opts Options) (*Index, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	sr, err := sectfile.NewReader(r, fileMagic, fileVersion)
	if err != nil {
		return nil, err
	}
	ix := &Index{}
	var docs, terms int
	for _, section := range []struct {
		name string
		read func(*sectfile.Decoder)
	}{
		{"head", func(d *sectfile.Decoder) {
			err = ix.readHead(d, opts)
			docs = int(d.Uint(math.MaxUint32 - 1))
			terms = int(d.Uint(math.MaxUint32 - 1))
			ix.gen = newGeneration(len(ix.settings.fields))
		}},
		{"ids", func(d *sectfile.Decoder) { ix.gen.readIDs(d, docs) }},
		{"lengths", func(d *sectfile.Decoder) { ix.gen.readLengths(d, docs) }},
		{"postings", func(d *sectfile.Decoder) { ix.gen.readPostings(d, terms) }},
	} {
		readErr := sr.Section(section.name, func(r io.Reader) error {
			d := sectfile.NewDecoder(r)
			section.read(d)
			return d.End()
		})
		if readErr != nil {
			return nil, readErr
		}
		if err != nil {
			return nil, err
		}
	}
	if err := sr.Close(); err != nil {
		return nil, err
	}
	ix.publish()
	return ix, nil
}

// readHead fills in the settings. The error is about an identity; the
// decoder has its own.
func (ix *Index) readHead(d *sectfile.Decoder, opts Options) error {
	analyzer := d.String(maxString)
	file := Options{
		Variant: Variant(d.String(maxString)), K1: new(d.Float()), Delta: new(d.Float()), B: new(d.Float()),
		Analyzer: opts.Analyzer, MaxQueryTerms: opts.MaxQueryTerms, MaxImpacts: opts.MaxImpacts, MaxDead: opts.MaxDead,
	}
	for n := d.Uint(maxFields); n > 0 && d.Err() == nil; n-- {
		f := Field{Name: d.String(maxString), Weight: d.Float(), B: new(d.Float())}
		if f.Weight == 0 {
			d.Fail("field %q weighs nothing", f.Name)
		}
		file.Fields = append(file.Fields, f)
	}
	if err := file.Validate(); err != nil {
		d.Fail("%v", err)
	}
	if d.Err() != nil {
		return nil
	}
	ix.settings = file.settings()
	if want := ix.settings.analyzer.Identity(); analyzer != want {
		return fmt.Errorf("%w: the file has analyzer %q, want %q", prospect.ErrIdentity, analyzer, want)
	}
	if opts.Variant != "" && opts.Variant != file.Variant {
		return fmt.Errorf("%w: the file has variant %q, want %q", prospect.ErrIdentity, file.Variant, opts.Variant)
	}
	for _, p := range []struct {
		name       string
		file, want *float64
	}{{"K1", file.K1, opts.K1}, {"B", file.B, opts.B}, {"Delta", file.Delta, opts.Delta}} {
		if p.want != nil && *p.want != *p.file && !(p.name == "Delta" && !file.Variant.hasDelta()) {
			return fmt.Errorf("%w: the file has %s %v, want %v", prospect.ErrIdentity, p.name, *p.file, *p.want)
		}
	}
	// With the file's own b, for fields that have none.
	opts.B = file.B
	if opts.Fields != nil && !slices.Equal(opts.settings().fields, ix.settings.fields) {
		return fmt.Errorf("%w: the file has other fields, weights or B than %+v", prospect.ErrIdentity, opts.settings().fields[1:])
	}
	return nil
}

// chunk is how many documents are taken in at a time, so that memory follows
// what was read.
const chunk = 4096

func (g *generation) readIDs(d *sectfile.Decoder, count int) {
	for count > 0 && d.Err() == nil {
		ids := make([]string, 0, min(count, chunk))
		for range cap(ids) {
			ids = append(ids, d.String(maxString))
		}
		if d.Err() != nil {
			return
		}
		if err := g.docs.CheckAdd(ids); err != nil {
			d.Fail("%v", err)
			return
		}
		g.docs.Add(ids)
		count -= len(ids)
	}
}

func (g *generation) readLengths(d *sectfile.Decoder, count int) {
	width := len(g.totals)
	if uint64(count)*uint64(width) > gone-1 {
		d.Fail("%d documents of %d fields", count, width)
		return
	}
	g.lengths = make([]uint32, 0, count) // as many as there were ids; with fields it grows
	for i := 0; i < count*width && d.Err() == nil; i++ {
		length := d.Uint(math.MaxUint32)
		g.lengths = append(g.lengths, uint32(length))
		g.totals[i%width] += length
	}
}

func (g *generation) readPostings(d *sectfile.Decoder, terms int) {
	limit := uint64(len(g.lengths))
	var cells []uint32
	var tfs []uint16
	for n := 0; n < terms && d.Err() == nil; n++ {
		term := d.String(maxString)
		postings := d.Uint(limit)
		cells, tfs = cells[:0], tfs[:0]
		next := uint64(0)
		for range postings {
			cell := next + d.Uint(limit)
			tf := d.Uint(maxTF)
			if cell >= limit || tf == 0 || tf > uint64(g.lengths[cell]) {
				d.Fail("posting of term %q out of range", term)
			}
			if d.Err() != nil {
				return
			}
			cells, tfs = append(cells, uint32(cell)), append(tfs, uint16(tf))
			next = cell + 1
		}
		if term == "" || postings == 0 {
			d.Fail("term %q with %d postings", term, postings)
		}
		if _, twice := g.terms.find(term); twice {
			d.Fail("term %q comes twice", term)
		}
		if d.Err() == nil {
			g.addList(term, cells, tfs)
		}
	}
}
