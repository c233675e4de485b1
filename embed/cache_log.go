package embed

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/prospect-go/prospect"
)

// The files of a cache. Those of one identity, its segments, are called
//
//	<first 16 bytes of SHA-256(identity), in hex>-<number, from 1>.vectors
//
// and each is nothing but entries, one behind the other, all of one length:
//
//	4        "pvec"
//	32       SHA-256(role byte, text)
//	4 · dim  components, float32, little endian
//	4        CRC-32C of SHA-256(identity), dim (uint32) and all the above
//
// Entries are only ever appended, to the segment of the highest number, many in
// one write: the system keeps writes of several processes to a file opened for
// appending apart. (Some network file systems do not; then entries are lost,
// and found to be damaged.) Nothing is locked and there is no header to
// fight over; what entries are worth their checksums say, in which the identity
// takes part. Where an entry is expected and none is sound — a process died
// while it wrote, a disk lied — the search goes on at the next "pvec". A key
// that occurs again counts with its last entry.
//
// When a segment has grown to an eighth of the bound, the next one is begun.
// The lowest segments are deleted as soon as all of them, with the last taken
// for full, are above the bound. The folder is the only state: every process
// goes by what it finds there.
const (
	cacheMagic    = "pvec"
	cacheSegments = 8

	// maxWrite bounds, in bytes, what is written at once, since it stands in
	// memory a second time.
	maxWrite = 4 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// vectorLog is the segments of one identity. It is not safe for concurrent
// use, except that calls of read may overlap.
type vectorLog struct {
	dir, prefix string
	dim         int
	seed        uint32 // the checksum of the identity and dim
	maxBytes    int64
	perSegment  int64 // bytes
	segments    []*segment
	damaged     int64
}

type segment struct {
	number  uint64
	file    *os.File
	scanned int64 // up to where entries are known
}

// place is where an entry begins.
type place struct {
	segment *segment
	offset  int64
}

type entry struct {
	key    textKey
	vector []float32
}

func openVectorLog(dir, identity string, dim int, maxBytes int64) (*vectorLog, error) {
	hash := sha256.Sum256([]byte(identity))
	seed := crc32.Checksum(binary.LittleEndian.AppendUint32(hash[:], uint32(dim)), castagnoli)
	l := &vectorLog{dir: dir, prefix: hex.EncodeToString(hash[:16]) + "-", dim: dim, seed: seed, maxBytes: maxBytes, perSegment: maxBytes / cacheSegments}
	if l.perSegment < l.entrySize() {
		return nil, fmt.Errorf("%w: MaxBytes %d, and %d vectors take %d", prospect.ErrOption, maxBytes, cacheSegments, cacheSegments*l.entrySize())
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("embed: cache: %w", err)
	}
	return l, nil
}

func (l *vectorLog) entrySize() int64 {
	return int64(len(cacheMagic)) + sha256.Size + 4*int64(l.dim) + 4
}

func (l *vectorLog) path(number uint64) string {
	return filepath.Join(l.dir, l.prefix+strconv.FormatUint(number, 10)+".vectors")
}

// listed is a segment as the folder has it.
type listed struct {
	number uint64
	info   fs.FileInfo
}

// list returns the segments in the folder, by rising number. It deletes those
// that are too much, and makes the folder if somebody has removed it.
func (l *vectorLog) list() ([]listed, error) {
	entries, err := os.ReadDir(l.dir)
	if errors.Is(err, fs.ErrNotExist) {
		err = os.MkdirAll(l.dir, 0o700)
	}
	if err != nil {
		return nil, err
	}
	var found []listed
	for _, e := range entries {
		digits, ours := strings.CutPrefix(e.Name(), l.prefix)
		digits, named := strings.CutSuffix(digits, ".vectors")
		n, err := strconv.ParseUint(digits, 10, 64)
		if !ours || !named || err != nil || !e.Type().IsRegular() || e.Name() != filepath.Base(l.path(n)) {
			continue
		}
		if info, err := e.Info(); err == nil { // else deleted meanwhile
			found = append(found, listed{n, info})
		}
	}
	slices.SortFunc(found, func(a, b listed) int { return cmp.Compare(a.number, b.number) })
	var total int64
	for i, s := range slices.Backward(found) {
		if i == len(found)-1 {
			total = max(s.info.Size(), l.perSegment)
			continue
		}
		if total += s.info.Size(); total > l.maxBytes {
			for _, s := range found[:i+1] {
				os.Remove(l.path(s.number)) // in vain on Windows where somebody has it open; a later call will
			}
			return found[i+1:], nil
		}
	}
	return found, nil
}

// refresh opens and closes segments as the folder has them now, tells drop of
// those that are gone, and found of entries that are new.
func (l *vectorLog) refresh(found func(textKey, place), drop func(*segment)) error {
	there, err := l.list()
	if err != nil {
		return fmt.Errorf("embed: cache: %w", err)
	}
	l.segments = slices.DeleteFunc(l.segments, func(s *segment) bool {
		i := slices.IndexFunc(there, func(t listed) bool { return t.number == s.number })
		if i >= 0 {
			// One of the same name may have taken the place of ours.
			if info, err := s.file.Stat(); err == nil && os.SameFile(info, there[i].info) {
				return false
			}
		}
		drop(s)
		s.file.Close()
		return true
	})
	for _, t := range there {
		if slices.ContainsFunc(l.segments, func(s *segment) bool { return s.number == t.number }) {
			continue
		}
		if err := l.open(t.number, 0); errors.Is(err, fs.ErrNotExist) {
			continue // deleted meanwhile
		} else if err != nil {
			return err
		}
	}
	for _, s := range l.segments {
		if err := l.scan(s, found, drop); err != nil {
			return fmt.Errorf("embed: cache: %w", err)
		}
	}
	return nil
}

// open opens a segment; with os.O_CREATE, it begins one that is not there.
func (l *vectorLog) open(number uint64, create int) error {
	f, err := os.OpenFile(l.path(number), os.O_RDWR|os.O_APPEND|create, 0o600)
	if err != nil {
		return fmt.Errorf("embed: cache: %w", err)
	}
	l.segments = append(l.segments, &segment{number: number, file: f})
	slices.SortFunc(l.segments, func(a, b *segment) int { return cmp.Compare(a.number, b.number) })
	return nil
}

// scan goes on reading a segment from where it was left.
func (l *vectorLog) scan(s *segment, found func(textKey, place), drop func(*segment)) error {
	info, err := s.file.Stat()
	if err != nil {
		return err
	}
	if info.Size() < s.scanned { // somebody has cut it off
		drop(s)
		s.scanned = 0
	}
	size := int(l.entrySize())
	if info.Size()-s.scanned < int64(size) {
		return nil
	}
	buf := make([]byte, min(info.Size()-s.scanned, int64(max(1<<20, size))))
	for {
		n, err := s.file.ReadAt(buf, s.scanned)
		if err != nil && err != io.EOF {
			return err
		}
		at := 0
		for n-at >= size {
			if e := buf[at : at+size]; l.sound(e) {
				found(textKey(e[len(cacheMagic):]), place{s, s.scanned + int64(at)})
				at += size
				continue
			}
			l.damaged++
			if next := bytes.Index(buf[at+1:n], []byte(cacheMagic)); next >= 0 {
				at += 1 + next
			} else { // the end may be the begin of the mark
				at = max(at+1, n-len(cacheMagic)+1)
			}
		}
		s.scanned += int64(at)
		if n < len(buf) || at == 0 { // what is left is not whole, or not yet
			return nil
		}
	}
}

// sound says whether the bytes, of the right number, are an entry.
func (l *vectorLog) sound(e []byte) bool {
	body, sum := e[:len(e)-4], e[len(e)-4:]
	return string(body[:len(cacheMagic)]) == cacheMagic &&
		crc32.Update(l.seed, castagnoli, body) == binary.LittleEndian.Uint32(sum)
}

// read returns the vector at a place, or nil if what is there is not that of
// the key. e is room for an entry.
func (l *vectorLog) read(e []byte, at place, key textKey) []float32 {
	if _, err := at.segment.file.ReadAt(e, at.offset); err != nil || !l.sound(e) || textKey(e[len(cacheMagic):]) != key {
		return nil
	}
	components := e[len(cacheMagic)+sha256.Size:]
	v := make([]float32, l.dim)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(components[4*i:]))
	}
	return v
}

// append writes entries and returns how many are written. It calls refresh
// before each write, so as not to write where nobody will look, and after the
// last: others append too, so that where an entry came to lie takes a scan.
func (l *vectorLog) append(entries []entry, refresh func() error) (written int, err error) {
	begun := 0 // segments, since the last write
	var buf []byte
	for written < len(entries) {
		if err := refresh(); err != nil {
			return written, err
		}
		s, room, err := l.last()
		if err != nil {
			return written, err
		}
		n := int(min(int64(len(entries)-written), room/l.entrySize(), max(1, maxWrite/l.entrySize())))
		if n <= 0 {
			number := uint64(1)
			if s != nil {
				number = s.number + 1
			}
			if err := l.open(number, os.O_CREATE); err != nil {
				return written, err
			}
			if begun++; begun > 2*cacheSegments {
				return written, fmt.Errorf("embed: cache: %s is not what was made there", l.path(number))
			}
			continue
		}
		buf = slices.Grow(buf[:0], n*int(l.entrySize()))
		for _, e := range entries[written : written+n] {
			buf = l.encode(buf, e)
		}
		if _, err := s.file.Write(buf); err != nil {
			return written, fmt.Errorf("embed: cache: %w", err)
		}
		written += n
		begun = 0
	}
	return written, refresh()
}

// last returns the segment to append to and the room in it, or none.
func (l *vectorLog) last() (*segment, int64, error) {
	if len(l.segments) == 0 {
		return nil, 0, nil
	}
	s := l.segments[len(l.segments)-1]
	info, err := s.file.Stat()
	if err != nil {
		return nil, 0, fmt.Errorf("embed: cache: %w", err)
	}
	return s, l.perSegment - info.Size(), nil
}

func (l *vectorLog) encode(buf []byte, e entry) []byte {
	begin := len(buf)
	buf = append(buf, cacheMagic...)
	buf = append(buf, e.key[:]...)
	for _, x := range e.vector {
		buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(x))
	}
	return binary.LittleEndian.AppendUint32(buf, crc32.Update(l.seed, castagnoli, buf[begin:]))
}

func (l *vectorLog) size() (bytes int64) {
	for _, s := range l.segments {
		bytes += s.scanned
	}
	return bytes
}

func (l *vectorLog) close() {
	for _, s := range l.segments {
		s.file.Close()
	}
}
