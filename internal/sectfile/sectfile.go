// Package sectfile is the form of every file that the library saves: a magic,
// a version, and named sections whose bytes are checksummed in chunks. An
// index writes itself to any io.Writer; a gallery nests the streams of its
// indexes as sections of its own file.
//
// # Format
//
// All integers are little-endian.
//
//	file    = magic[8] version:u32 crc:u32 section* end
//	section = kind:u8(1) nameLen:u8 name crc:u32 chunk* 0:u32
//	chunk   = n:u32 (1 … 2²⁰) crc:u32 payload[n]
//	end     = kind:u8(0) crc:u32
//
// Each crc is the Castagnoli CRC-32 of the file's bytes of that element
// before it (magic and version; kind, nameLen and name; n and payload; kind).
// A chunk's payload is handed out only after its checksum held, so decoders
// see only what was written, and no length in a file makes a reader allocate
// more than one chunk at a time. A file without its end mark is truncated.
package sectfile

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/prospect-go/prospect"
)

const (
	maxChunk    = 1 << 20
	kindEnd     = 0
	kindSection = 1
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func sum(parts ...[]byte) uint32 {
	var c uint32
	for _, p := range parts {
		c = crc32.Update(c, castagnoli, p)
	}
	return c
}

// A Writer writes one file. Errors of the underlying writer come back from
// the call in which they happen; after one, the file is not complete.
type Writer struct {
	w     *bufio.Writer
	n     int64
	chunk []byte
}

// NewWriter writes the head of a file. The magic has 8 bytes.
func NewWriter(w io.Writer, magic string, version uint32) (*Writer, error) {
	if len(magic) != 8 {
		panic("sectfile: magic must have 8 bytes")
	}
	sw := &Writer{w: bufio.NewWriterSize(w, 64<<10)}
	head := binary.LittleEndian.AppendUint32([]byte(magic), version)
	return sw, sw.put(head, u32(sum(head)))
}

// Section writes a section. What write writes becomes its content, in order.
// Names have 1 to 255 bytes.
func (w *Writer) Section(name string, write func(io.Writer) error) error {
	if len(name) == 0 || len(name) > 255 {
		panic("sectfile: section name must have 1 to 255 bytes")
	}
	head := append([]byte{kindSection, byte(len(name))}, name...)
	if err := w.put(head, u32(sum(head))); err != nil {
		return err
	}
	if w.chunk == nil {
		w.chunk = make([]byte, 0, maxChunk)
	}
	s := &sectionWriter{w: w}
	if err := write(s); err != nil {
		return err
	}
	if err := s.flush(); err != nil {
		return err
	}
	return w.put(u32(0))
}

// Close writes the end mark and flushes. It does not close the underlying
// writer.
func (w *Writer) Close() error {
	if err := w.put([]byte{kindEnd}, u32(sum([]byte{kindEnd}))); err != nil {
		return err
	}
	return w.w.Flush()
}

// Size is the number of bytes written so far.
func (w *Writer) Size() int64 { return w.n }

func (w *Writer) put(parts ...[]byte) error {
	for _, p := range parts {
		n, err := w.w.Write(p)
		w.n += int64(n)
		if err != nil {
			return err
		}
	}
	return nil
}

type sectionWriter struct{ w *Writer }

func (s *sectionWriter) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		if len(s.w.chunk) == 0 && len(p) >= maxChunk {
			if err := s.chunk(p[:maxChunk]); err != nil {
				return n - len(p), err
			}
			p = p[maxChunk:]
			continue
		}
		m := min(len(p), maxChunk-len(s.w.chunk))
		s.w.chunk = append(s.w.chunk, p[:m]...)
		p = p[m:]
		if len(s.w.chunk) == maxChunk {
			if err := s.flush(); err != nil {
				return n - len(p), err
			}
		}
	}
	return n, nil
}

func (s *sectionWriter) flush() error {
	if len(s.w.chunk) == 0 {
		return nil
	}
	err := s.chunk(s.w.chunk)
	s.w.chunk = s.w.chunk[:0]
	return err
}

func (s *sectionWriter) chunk(p []byte) error {
	n := u32(uint32(len(p)))
	return s.w.put(n, u32(sum(n, p)), p)
}

func u32(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }

// A Reader reads one file, section by section, in the order written.
type Reader struct {
	r       io.Reader
	version uint32
	chunk   []byte // verified bytes not yet handed out
	buf     []byte
}

// NewReader reads the head of a file. Errors: [prospect.ErrFormat] for
// another magic, [prospect.ErrVersion] for a version above newest,
// [prospect.ErrCorrupt] for a damaged or truncated head. The reader is read
// in large pieces without a buffer of its own and not beyond the end mark, so
// that files can be nested.
func NewReader(r io.Reader, magic string, newest uint32) (*Reader, error) {
	var head [16]byte
	if n, err := io.ReadFull(r, head[:]); err != nil {
		if n > 0 && string(head[:min(n, 8)]) != magic[:min(n, 8)] {
			return nil, prospect.ErrFormat
		}
		return nil, corrupt("head", err)
	}
	if string(head[:8]) != magic {
		return nil, prospect.ErrFormat
	}
	if binary.LittleEndian.Uint32(head[12:]) != sum(head[:12]) {
		return nil, corrupt("head", nil)
	}
	sr := &Reader{r: r, version: binary.LittleEndian.Uint32(head[8:])}
	if sr.version > newest {
		return nil, fmt.Errorf("%w: %d, this library reads up to %d", prospect.ErrVersion, sr.version, newest)
	}
	return sr, nil
}

// Version is the version in the file's head.
func (r *Reader) Version() uint32 { return r.version }

// Section reads the next section, which must have this name. read gets its
// verified content; it must consume all of it. What read returns comes back
// wrapped with the section's name; io.ErrUnexpectedEOF and io.EOF become
// [prospect.ErrCorrupt].
func (r *Reader) Section(name string, read func(io.Reader) error) error {
	got, err := r.next()
	if err != nil {
		return err
	}
	if got != name {
		return corrupt(fmt.Sprintf("section %q where %q is expected", got, name), nil)
	}
	s := &sectionReader{r: r}
	if err := read(s); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return corrupt("section "+name+" is too short", nil)
		}
		return fmt.Errorf("section %s: %w", name, err)
	}
	var rest [1]byte
	if n, err := s.Read(rest[:]); n > 0 {
		return corrupt("section "+name+" has bytes left over", nil)
	} else if err != io.EOF {
		return fmt.Errorf("section %s: %w", name, err)
	}
	return nil
}

// Close reads the end mark: [prospect.ErrCorrupt] where it is missing.
func (r *Reader) Close() error {
	name, err := r.next()
	if err != nil {
		return err
	}
	if name != "" {
		return corrupt(fmt.Sprintf("section %q where the end is expected", name), nil)
	}
	return nil
}

// next reads the head of a section and returns its name, "" for the end mark.
func (r *Reader) next() (string, error) {
	var head [2 + 255 + 4]byte
	if _, err := io.ReadFull(r.r, head[:1]); err != nil {
		return "", corrupt("end mark", err)
	}
	n := 1
	switch head[0] {
	case kindEnd:
	case kindSection:
		if _, err := io.ReadFull(r.r, head[1:2]); err != nil {
			return "", corrupt("section head", err)
		}
		if head[1] == 0 {
			return "", corrupt("section without a name", nil)
		}
		n = 2 + int(head[1])
		if _, err := io.ReadFull(r.r, head[2:n]); err != nil {
			return "", corrupt("section head", err)
		}
	default:
		return "", corrupt("section head", nil)
	}
	var crc [4]byte
	if _, err := io.ReadFull(r.r, crc[:]); err != nil {
		return "", corrupt("section head", err)
	}
	if binary.LittleEndian.Uint32(crc[:]) != sum(head[:n]) {
		return "", corrupt("section head", nil)
	}
	return string(head[min(2, n):n]), nil
}

type sectionReader struct {
	r    *Reader
	done bool
}

func (s *sectionReader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if len(s.r.chunk) == 0 {
		if s.done {
			return 0, io.EOF
		}
		n, err := s.nextChunk(p)
		if n > 0 || err != nil {
			return n, err
		}
	}
	n := copy(p, s.r.chunk)
	s.r.chunk = s.r.chunk[n:]
	return n, nil
}

// nextChunk reads and verifies a chunk: into p where it fits, which is how
// large arrays are read in place, else into the buffer (n = 0).
func (s *sectionReader) nextChunk(p []byte) (int, error) {
	var head [8]byte
	if _, err := io.ReadFull(s.r.r, head[:4]); err != nil {
		return 0, corrupt("chunk", err)
	}
	size := binary.LittleEndian.Uint32(head[:])
	if size == 0 {
		s.done = true
		return 0, io.EOF
	}
	if size > maxChunk {
		return 0, corrupt("chunk length", nil)
	}
	if _, err := io.ReadFull(s.r.r, head[4:]); err != nil {
		return 0, corrupt("chunk", err)
	}
	var dst []byte
	direct := len(p) >= int(size)
	if direct {
		dst = p[:size]
	} else {
		if cap(s.r.buf) < int(size) {
			s.r.buf = make([]byte, size)
		}
		dst = s.r.buf[:size]
	}
	if _, err := io.ReadFull(s.r.r, dst); err != nil {
		return 0, corrupt("chunk", err)
	}
	if binary.LittleEndian.Uint32(head[4:]) != sum(head[:4], dst) {
		return 0, corrupt("chunk checksum", nil)
	}
	if direct {
		return int(size), nil
	}
	s.r.chunk = dst
	return 0, nil
}

// corrupt says what is damaged. A read error that is not an early end is kept:
// a failing disk is not a corrupt file.
func corrupt(what string, err error) error {
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	return fmt.Errorf("%w: %s", prospect.ErrCorrupt, what)
}
