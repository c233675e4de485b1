package vecindex

import (
	"encoding/binary"
	"io"
	"math"
	"unsafe"
)

// littleEndian says that memory has the byte order of files, so that floats
// can be read and written in place.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// bytesOf is the memory of the floats.
func bytesOf(v []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), 4*len(v))
}

// readFloats fills dst with little-endian floats.
func readFloats(r io.Reader, dst []float32) error {
	b := bytesOf(dst)
	if _, err := io.ReadFull(r, b); err != nil {
		return err
	}
	if !littleEndian {
		for i := range dst {
			dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		}
	}
	return nil
}

// writeFloats writes little-endian floats. It does not change src.
func writeFloats(w io.Writer, src []float32) error {
	b := bytesOf(src)
	if !littleEndian {
		b = make([]byte, 0, 4*len(src))
		for _, x := range src {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		}
	}
	_, err := w.Write(b)
	return err
}
