package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/embed"
	"github.com/prospect-go/prospect/embed/builtin"
	"github.com/prospect-go/prospect/embed/onnx"
)

// openModel opens the built-in model or a sentence-transformers folder.
func openModel(ctx context.Context, name string) (*onnx.Embedder, error) {
	if name == "builtin" {
		return builtin.Open(ctx)
	}
	return onnx.Open(ctx, name, onnx.Options{})
}

// A vectorFile keeps an embedder's vectors on disk between runs. The file is
// named by the embedder's identity and holds records that only ever are added:
//
//	[32]byte   SHA-256 of role, 0, text
//	[dim]float32, little-endian
//
// A record cut short at the end, as after a crash, is dropped when it is read;
// so one run at a time may use a folder.
type vectorFile struct {
	prospect.Embedder
	path string
	seen map[[sha256.Size]byte][]float32
}

func openVectors(e prospect.Embedder, dir string) (*vectorFile, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	id := sha256.Sum256([]byte(e.Identity()))
	v := &vectorFile{e, filepath.Join(dir, hex.EncodeToString(id[:8])+".vectors"), map[[sha256.Size]byte][]float32{}}
	f, err := os.Open(v.path)
	if errors.Is(err, os.ErrNotExist) {
		return v, nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<20)
	size := int64(0)
	record := make([]byte, sha256.Size+4*e.Dim())
	for {
		switch _, err := io.ReadFull(r, record); err {
		case nil:
		case io.EOF:
			return v, nil
		case io.ErrUnexpectedEOF:
			return v, os.Truncate(v.path, size)
		default:
			return nil, err
		}
		size += int64(len(record))
		x := make([]float32, e.Dim())
		for i := range x {
			x[i] = math.Float32frombits(binary.LittleEndian.Uint32(record[sha256.Size+4*i:]))
		}
		v.seen[[sha256.Size]byte(record)] = x
	}
}

// embed returns the vectors of texts and computes those that are new, telling
// of the progress on standard error. They are shared: do not change them.
func (v *vectorFile) embed(ctx context.Context, role prospect.Role, texts []string) (_ [][]float32, err error) {
	keys := make([][sha256.Size]byte, len(texts))
	var fresh []string
	var freshKeys [][sha256.Size]byte
	pending := map[[sha256.Size]byte]bool{}
	for i, text := range texts {
		keys[i] = sha256.Sum256([]byte(role.String() + "\x00" + text))
		if v.seen[keys[i]] == nil && !pending[keys[i]] {
			pending[keys[i]] = true
			fresh, freshKeys = append(fresh, text), append(freshKeys, keys[i])
		}
	}
	const portion = 256 // what is lost at most when the run is stopped
	for len(fresh) > 0 {
		n := min(portion, len(fresh))
		vectors, err := embed.Batched(ctx, v.Embedder, role, fresh[:n], embed.BatchOptions{})
		if err != nil {
			return nil, err
		}
		if err := v.add(freshKeys[:n], vectors); err != nil {
			return nil, err
		}
		fresh, freshKeys = fresh[n:], freshKeys[n:]
		if len(fresh)/(8*portion) != (len(fresh)+n)/(8*portion) { // now and then
			fmt.Fprintf(os.Stderr, "%d texts left to embed\n", len(fresh))
		}
	}
	out := make([][]float32, len(texts))
	for i, k := range keys {
		out[i] = v.seen[k]
	}
	return out, nil
}

func (v *vectorFile) add(keys [][sha256.Size]byte, vectors [][]float32) (err error) {
	f, err := os.OpenFile(v.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var records []byte
	for i, k := range keys {
		records = append(records, k[:]...)
		for _, x := range vectors[i] {
			records = binary.LittleEndian.AppendUint32(records, math.Float32bits(x))
		}
		v.seen[k] = vectors[i]
	}
	_, err = f.Write(records)
	return err
}
