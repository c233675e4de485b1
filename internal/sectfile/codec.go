package sectfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/prospect-go/prospect"
)

// An Encoder writes the values of a section. It buffers; call Flush last. The
// first error sticks and comes from Flush.
type Encoder struct {
	w   io.Writer
	buf []byte
	err error
}

// NewEncoder returns an encoder onto w.
func NewEncoder(w io.Writer) *Encoder { return &Encoder{w: w, buf: make([]byte, 0, 32<<10)} }

// Uint writes an unsigned varint.
func (e *Encoder) Uint(v uint64) { e.buf = binary.AppendUvarint(e.buf, v); e.spill() }

// Float writes a float64, bit for bit.
func (e *Encoder) Float(v float64) {
	e.buf = binary.LittleEndian.AppendUint64(e.buf, math.Float64bits(v))
	e.spill()
}

// String writes a length and the bytes.
func (e *Encoder) String(s string) {
	e.buf = binary.AppendUvarint(e.buf, uint64(len(s)))
	e.buf = append(e.buf, s...)
	e.spill()
}

// Raw writes bytes without a length.
func (e *Encoder) Raw(p []byte) {
	if e.flush(); e.err == nil {
		_, e.err = e.w.Write(p)
	}
}

// Flush writes what is buffered and returns the first error.
func (e *Encoder) Flush() error { e.flush(); return e.err }

func (e *Encoder) spill() {
	if len(e.buf) >= 24<<10 {
		e.flush()
	}
}

func (e *Encoder) flush() {
	if e.err == nil && len(e.buf) > 0 {
		_, e.err = e.w.Write(e.buf)
	}
	e.buf = e.buf[:0]
}

// A Decoder reads what an [Encoder] wrote. The first error sticks: after it,
// every method gives zero values, so that a decoder is checked once at the
// end or before a length is used. It reads ahead within the section.
type Decoder struct {
	r   io.Reader
	buf []byte
	pos int
	end int
	err error
}

// NewDecoder returns a decoder of r.
func NewDecoder(r io.Reader) *Decoder { return &Decoder{r: r, buf: make([]byte, 32<<10)} }

// Err is the first error: [prospect.ErrCorrupt] for bad values or an early
// end.
func (d *Decoder) Err() error { return d.err }

// End is called after the last value: it returns Err, or [prospect.ErrCorrupt]
// where bytes are left over, which the decoder, reading ahead, would hide from
// [Reader.Section].
func (d *Decoder) End() error {
	if d.err == nil && d.pos == d.end {
		if _, err := io.ReadAtLeast(d.r, d.buf, 1); err == io.EOF {
			return nil
		} else if err != nil {
			d.readErr(err)
		}
	}
	d.Fail("bytes left over")
	return d.err
}

// Fail records an error found by the caller in the decoded values, wrapped
// as [prospect.ErrCorrupt], unless there is one already.
func (d *Decoder) Fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("%w: %s", prospect.ErrCorrupt, fmt.Sprintf(format, args...))
	}
}

// Uint reads an unsigned varint of at most limit.
func (d *Decoder) Uint(limit uint64) uint64 {
	var v uint64
	for shift := uint(0); ; shift += 7 {
		b, ok := d.byte()
		if !ok {
			return 0
		}
		if shift == 63 && b > 1 || shift > 63 {
			d.Fail("varint is too long")
			return 0
		}
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			break
		}
	}
	if v > limit {
		d.Fail("%d is above the limit of %d", v, limit)
		return 0
	}
	return v
}

// Float reads a float64.
func (d *Decoder) Float() float64 {
	var b [8]byte
	d.Raw(b[:])
	return math.Float64frombits(binary.LittleEndian.Uint64(b[:]))
}

// String reads a string of at most limit bytes.
func (d *Decoder) String(limit int) string {
	n := int(d.Uint(uint64(limit)))
	if n <= d.end-d.pos {
		s := string(d.buf[d.pos : d.pos+n])
		d.pos += n
		return s
	}
	// Grow with what is really there: a length is only a claim.
	var out []byte
	for n > 0 && d.err == nil {
		if d.pos == d.end && !d.fill() {
			return ""
		}
		m := min(n, d.end-d.pos)
		out = append(out, d.buf[d.pos:d.pos+m]...)
		d.pos += m
		n -= m
	}
	return string(out)
}

// Raw fills p. Large arrays are read straight into it.
func (d *Decoder) Raw(p []byte) {
	if d.err != nil {
		clear(p)
		return
	}
	n := copy(p, d.buf[d.pos:d.end])
	d.pos += n
	if n == len(p) {
		return
	}
	if _, err := io.ReadFull(d.r, p[n:]); err != nil {
		clear(p)
		d.readErr(err)
	}
}

func (d *Decoder) byte() (byte, bool) {
	if d.err != nil || d.pos == d.end && !d.fill() {
		return 0, false
	}
	b := d.buf[d.pos]
	d.pos++
	return b, true
}

func (d *Decoder) fill() bool {
	if d.err != nil {
		return false
	}
	n, err := io.ReadAtLeast(d.r, d.buf, 1)
	d.pos, d.end = 0, n
	if n == 0 {
		d.readErr(err)
		return false
	}
	return true
}

func (d *Decoder) readErr(err error) {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		d.Fail("section is too short")
		return
	}
	if d.err == nil {
		d.err = err
	}
}
