package bm25

import (
	"fmt"
	"io"
	"math"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/internal/sectfile"
)

// The file is a sectfile (see there for checksums and limits) of version 1:
//
//	magic     "PROSPB25"
//	head      analyzer:string variant:string k1:f64 b:f64 delta:f64
//	          documents:uvarint terms:uvarint
//	ids       documents strings, in order of first insertion
//	lengths   documents uvarints: the length of each in terms
//	postings  terms times: term:string df:uvarint, then df times
//	          gap:uvarint tf:uvarint; gap is the document's position in ids
//	          less that of the posting before it, less 1 (the position itself
//	          for the first), 1 ≤ tf ≤ 65,535
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
	m := newRenumbering(from, s.docs)
	live := make([]uint32, 0, len(s.terms.terms)) // terms that are written
	for n := range uint32(len(s.terms.terms)) {
		if rows, _ := s.lists.of(n).below(s.docs.Rows()); s.docFreq(n, rows) > 0 {
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
			e.Float(s.settings.b)
			e.Float(s.settings.delta)
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
				e.Uint(uint64(s.lengths[row]))
			}
		}},
		{"postings", func(e *sectfile.Encoder) {
			for _, n := range live {
				rows, tfs := m.postings(s.lists.of(n), s.docs.Rows())
				e.String(s.terms.terms[n])
				e.Uint(uint64(len(rows)))
				next := uint32(0)
				for i, row := range rows {
					e.Uint(uint64(row - next))
					e.Uint(uint64(tfs[i]))
					next = row + 1
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
// analyzer must be the one that made the file. So must be the variant and the
// parameters that opts sets; those that it leaves unset come from the file.
//
// Errors: [prospect.ErrFormat], [prospect.ErrVersion],
// [prospect.ErrCorrupt], [prospect.ErrIdentity] (another analyzer, variant or
// parameter), invalid options, and errors of r. Memory grows with what was
// really read and verified, never with a length that the file claims.
func Read(r io.Reader, opts Options) (*Index, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	sr, err := sectfile.NewReader(r, fileMagic, fileVersion)
	if err != nil {
		return nil, err
	}
	ix := &Index{gen: newGeneration()}
	var docs, terms int
	for _, section := range []struct {
		name string
		read func(*sectfile.Decoder)
	}{
		{"head", func(d *sectfile.Decoder) {
			err = ix.readHead(d, opts)
			docs = int(d.Uint(math.MaxUint32 - 1))
			terms = int(d.Uint(math.MaxUint32 - 1))
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
		Variant: Variant(d.String(maxString)), K1: new(d.Float()), B: new(d.Float()), Delta: new(d.Float()),
		Analyzer: opts.Analyzer, MaxQueryTerms: opts.MaxQueryTerms, MaxDead: opts.MaxDead,
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
	g.lengths = make([]uint32, 0, count) // as many as there were ids
	for range count {
		length := d.Uint(math.MaxUint32)
		g.lengths = append(g.lengths, uint32(length))
		g.total += length
	}
}

func (g *generation) readPostings(d *sectfile.Decoder, terms int) {
	docs := uint64(len(g.lengths))
	var rows []uint32
	var tfs []uint16
	for n := 0; n < terms && d.Err() == nil; n++ {
		term := d.String(maxString)
		df := d.Uint(docs)
		rows, tfs = rows[:0], tfs[:0]
		next := uint64(0)
		for range df {
			row := next + d.Uint(docs)
			tf := d.Uint(maxTF)
			if row >= docs || tf == 0 {
				d.Fail("posting of term %q out of range", term)
			}
			if d.Err() != nil {
				return
			}
			rows, tfs = append(rows, uint32(row)), append(tfs, uint16(tf))
			next = row + 1
		}
		if term == "" || df == 0 {
			d.Fail("term %q of %d documents", term, df)
		}
		if _, twice := g.terms.find(term); twice {
			d.Fail("term %q comes twice", term)
		}
		if d.Err() == nil {
			g.addList(term, rows, tfs)
		}
	}
}
