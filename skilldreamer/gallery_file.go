package skilldreamer

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/bm25"
	"github.com/prospect-go/prospect/internal/sectfile"
	"github.com/prospect-go/prospect/skill"
	"github.com/prospect-go/prospect/vecindex"
)

// A gallery file has the form of internal/sectfile, with four sections. The
// values of a section stand one after the other: integers as unsigned varints,
// strings with their length before them.
//
//	head     identity of the embedder, dense recipe, lexical recipe,
//	         number of sources, their names; number of skills, next order
//	skills   for each skill in the order of the gallery: order, id, then its
//	         fields as in writeSkill
//	vectors  the stream of the vecindex
//	lexicon  the stream of the bm25 index
const (
	galleryMagic   = "PSPCTGAL"
	galleryVersion = 1

	maxStored = 1 << 28 // bytes in one string of a gallery file
	maxSkills = math.MaxUint32
	maxOrder  = 1 << 53
	maxParts  = 1 << 20 // resources, tools, metadata entries of one skill
)

// Save writes the gallery to one file, atomically: whoever opens the path
// finds the old file or the whole new one. Readers and writers go on; the file
// holds the state of one moment.
func (g *Gallery) Save(path string) error { return sectfile.Save(path, g.write) }

func (g *Gallery) write(w io.Writer) error {
	s := g.current.Load()
	ids := s.inOrder()
	sw, err := sectfile.NewWriter(w, galleryMagic, galleryVersion)
	if err != nil {
		return err
	}
	err = sw.Section("head", func(w io.Writer) error {
		e := sectfile.NewEncoder(w)
		e.String(g.embedder.Identity())
		e.String(g.dense.Identity())
		e.String(g.lexical.Identity())
		writeStrings(e, s.sources)
		e.Uint(uint64(len(ids)))
		e.Uint(uint64(s.next))
		return e.Flush()
	})
	if err != nil {
		return err
	}
	err = sw.Section("skills", func(w io.Writer) error {
		e := sectfile.NewEncoder(w)
		for _, id := range ids {
			e.Uint(uint64(s.skills[id].order))
			e.String(id)
			if err := writeSkill(e, s.skills[id].skill); err != nil {
				return &prospect.IDError{ID: id, Err: err}
			}
		}
		return e.Flush()
	})
	if err != nil {
		return err
	}
	if err := sw.Section("vectors", func(w io.Writer) error { _, err := s.vec.WriteTo(w); return err }); err != nil {
		return err
	}
	if err := sw.Section("lexicon", func(w io.Writer) error { _, err := s.lex.WriteTo(w); return err }); err != nil {
		return err
	}
	return sw.Close()
}

// OpenGallery reads a file that [Gallery.Save] wrote. Embedder and options
// must be those with which it was made.
//
// Errors: [prospect.ErrIdentity] for another embedder, recipe or analyzer
// (make a new gallery and sync it then), [prospect.ErrFormat],
// [prospect.ErrVersion], [prospect.ErrCorrupt], [prospect.ErrOption],
// fs.ErrNotExist.
func OpenGallery(path string, embedder prospect.Embedder, opts GalleryOptions) (*Gallery, error) {
	g, err := newGallery(embedder, opts)
	if err != nil {
		return nil, err
	}
	err = sectfile.Load(path, func(r io.Reader) error {
		if err := g.read(r); err != nil {
			return err
		}
		if _, err := io.ReadFull(r, make([]byte, 1)); err != io.EOF {
			return fmt.Errorf("%w: bytes after the end", prospect.ErrCorrupt)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return g, nil
}

func (g *Gallery) read(r io.Reader) error {
	sr, err := sectfile.NewReader(r, galleryMagic, galleryVersion)
	if err != nil {
		return err
	}
	s := &state{skills: map[string]entry{}, pieces: g.dense.Piece > 0}
	count := 0
	if err := sr.Section("head", func(r io.Reader) error { return g.readHead(r, s, &count) }); err != nil {
		return err
	}
	var ids []string
	err = sr.Section("skills", func(r io.Reader) error {
		ids, err = readSkills(r, s, count)
		return err
	})
	if err != nil {
		return err
	}
	err = sr.Section("vectors", func(r io.Reader) error {
		g.vec, err = vecindex.Read(r, g.embedder.Dim(), g.opts.Vectors)
		return err
	})
	if err != nil {
		return err
	}
	err = sr.Section("lexicon", func(r io.Reader) error {
		g.lex, err = bm25.Read(r, g.opts.BM25)
		return err
	})
	if err != nil {
		return err
	}
	if err := sr.Close(); err != nil {
		return err
	}
	for _, id := range ids {
		if !g.vec.Has(id) || !g.lex.Has(id) {
			return fmt.Errorf("%w: skill %q is not in both indexes", prospect.ErrCorrupt, id)
		}
	}
	if g.vec.Len() != count || g.lex.Len() != count {
		return fmt.Errorf("%w: %d skills, %d vectors, %d lexical documents", prospect.ErrCorrupt, count, g.vec.Len(), g.lex.Len())
	}
	s.vec, s.lex = g.vec.Snapshot(), g.lex.Snapshot()
	g.current.Store(s)
	return nil
}

func (g *Gallery) readHead(r io.Reader, s *state, count *int) error {
	d := sectfile.NewDecoder(r)
	for _, want := range []struct{ what, identity string }{
		{"embedder", g.embedder.Identity()}, {"dense recipe", g.dense.Identity()}, {"lexical recipe", g.lexical.Identity()},
	} {
		if got := d.String(maxStored); d.Err() == nil && got != want.identity {
			return fmt.Errorf("%w: the gallery's %s is %q, want %q", prospect.ErrIdentity, want.what, got, want.identity)
		}
	}
	s.sources = readStrings(d)
	*count = int(d.Uint(maxSkills))
	s.next = int64(d.Uint(maxOrder))
	return d.End()
}

func readSkills(r io.Reader, s *state, count int) (ids []string, err error) {
	d := sectfile.NewDecoder(r)
	last := int64(-1)
	for range count {
		order := int64(d.Uint(maxOrder))
		id := d.String(maxStored)
		one := readSkill(d)
		if d.Err() != nil {
			return nil, d.Err()
		}
		if _, twice := s.skills[id]; twice || order <= last || order >= s.next {
			d.Fail("skill %q is out of order", id)
			return nil, d.Err()
		}
		if id != idOf(one) || !slices.Contains(s.sources, one.Source) {
			d.Fail("skill %q has another id or an unknown source", id)
			return nil, d.Err()
		}
		last = order
		s.skills[id] = entry{one, order}
		ids = append(ids, id)
	}
	return ids, d.End()
}

func writeSkill(e *sectfile.Encoder, s *skill.Skill) error {
	for _, v := range []string{s.ID, s.Source, s.Name, s.Description, s.License, s.Compatibility, s.Body, s.Dir, s.File, s.Hash} {
		e.String(v)
	}
	writeStrings(e, s.AllowedTools)
	writeStrings(e, s.Resources)
	// Metadata and Extra are small trees of text; nil and empty differ.
	for _, v := range []any{s.Metadata, s.Extra} {
		data, err := json.Marshal(v)
		if err != nil {
			return err
		}
		e.String(string(data))
	}
	return nil
}

func readSkill(d *sectfile.Decoder) *skill.Skill {
	s := &skill.Skill{}
	for _, v := range []*string{&s.ID, &s.Source, &s.Name, &s.Description, &s.License, &s.Compatibility, &s.Body, &s.Dir, &s.File, &s.Hash} {
		*v = d.String(maxStored)
	}
	s.AllowedTools = readStrings(d)
	s.Resources = readStrings(d)
	for _, v := range []any{&s.Metadata, &s.Extra} {
		data := d.String(maxStored)
		if d.Err() != nil {
			return s
		}
		if err := json.Unmarshal([]byte(data), v); err != nil {
			d.Fail("fields of skill %q: %v", s.ID, err)
		}
	}
	return s
}

// writeStrings writes a list; 0 is nil, n + 1 a list of n.
func writeStrings(e *sectfile.Encoder, list []string) {
	if list == nil {
		e.Uint(0)
		return
	}
	e.Uint(uint64(len(list)) + 1)
	for _, s := range list {
		e.String(s)
	}
}

func readStrings(d *sectfile.Decoder) []string {
	n := d.Uint(maxParts)
	if n == 0 {
		return nil
	}
	list := []string{}
	for range n - 1 {
		s := d.String(maxStored)
		if d.Err() != nil {
			return nil
		}
		list = append(list, s)
	}
	return list
}
