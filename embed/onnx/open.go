package onnx

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"

	"github.com/prospect-go/prospect"
)

// Open opens the model in a folder on disk and runs it once, so that a model
// that the runtime cannot compute fails here. An error about a file is a
// [*fs.PathError] that names it and wraps [fs.ErrNotExist] where it is
// missing, [prospect.ErrCorrupt] where it cannot be read as what it should be,
// [prospect.ErrFormat] where it is something else, or [errors.ErrUnsupported]
// where this package or the runtime lacks what it asks for.
//
// The embedder holds the weights in memory, about twice the file's size while
// opening; the files are not needed afterwards, except weights beside the
// graph, which stay mapped. ctx is looked at between the steps of opening and
// not kept.
func Open(ctx context.Context, dir string, opts Options) (*Embedder, error) {
	return open(ctx, os.DirFS(dir), dir, opts)
}

// OpenFS is [Open] for a folder in any file system, such as an [embed.FS]. The
// graph must hold its weights itself.
func OpenFS(ctx context.Context, fsys fs.FS, opts Options) (*Embedder, error) {
	return open(ctx, fsys, "", opts)
}

func open(ctx context.Context, fsys fs.FS, dir string, opts Options) (*Embedder, error) {
	if err := errors.Join(opts.Validate(), ctx.Err()); err != nil {
		return nil, err
	}
	f, err := readFolder(fsys, dir, opts)
	if err != nil {
		return nil, err
	}
	e := &Embedder{
		tokenizer: f.tokenizer,
		maxTokens: firstPositive(opts.MaxTokens, f.maxTokens, defaultMaxTokens),
		batchSize: firstPositive(opts.BatchSize, defaultBatchSize),
		prompts:   [2]string{prospect.RoleDocument: f.docs, prospect.RoleQuery: f.query},
		slots:     make(chan struct{}, runtime.GOMAXPROCS(0)),
	}
	if opts.DocumentPrompt != nil {
		e.prompts[prospect.RoleDocument] = *opts.DocumentPrompt
	}
	if opts.QueryPrompt != nil {
		e.prompts[prospect.RoleQuery] = *opts.QueryPrompt
	}
	if least := e.tokenizer.Specials() + 1; e.maxTokens < least {
		return nil, fmt.Errorf("%w: MaxTokens %d leaves no room for text, the least is %d", prospect.ErrOption, e.maxTokens, least)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if e.session, err = openSession(f, opts.Output); err != nil {
		return nil, err
	}
	err = ctx.Err()
	if err == nil {
		err = e.probe(f)
	}
	if err != nil {
		return nil, errors.Join(err, e.session.close())
	}
	if e.identity, err = f.identity(e); err != nil {
		return nil, errors.Join(err, e.session.close())
	}
	return e, nil
}

// probe checks that graph and folder fit together and runs the graph on the
// largest token id: that finds the dimension and operators which the runtime
// knows only by name. It does not find a tokenizer of another model, since the
// runtime takes an id beyond its table for the last; the folder's vocab_size
// does, where it is there.
func (e *Embedder) probe(f *folder) error {
	if !e.session.pooled {
		if f.pooling != "" && f.pooling != "mean_tokens" {
			return f.fault(f.modelName, fmt.Errorf("%w: pooling %s, only mean_tokens or an output that is pooled", errors.ErrUnsupported, f.pooling))
		}
		if f.between != "" {
			return f.fault("modules.json", fmt.Errorf("%w: module %s", errors.ErrUnsupported, f.between))
		}
	}
	ids := []uint32{e.tokenizer.MaxID()}
	length := len(ids)
	if e.session.masked {
		length = min(bucket(length), e.maxTokens)
	}
	out, err := e.session.run([][]uint32{ids}, length)
	if err != nil {
		return f.fault(f.modelName, fmt.Errorf("%w: %v", errors.ErrUnsupported, err))
	}
	if e.dim = len(out[0]); e.dim == 0 {
		return f.fault(f.modelName, fmt.Errorf("%w: vectors without components", prospect.ErrCorrupt))
	}
	return nil
}

// identity hashes whatever the vectors depend on. Every part is preceded by
// its length, so that parts cannot run into each other.
func (f *folder) identity(e *Embedder) (string, error) {
	h := sha256.New()
	part := func(b []byte) {
		_ = binary.Write(h, binary.LittleEndian, uint64(len(b))) // a hash does not fail
		h.Write(b)
	}
	part([]byte("prospect/embed/onnx 1"))
	part(f.model)
	for _, name := range f.external {
		file, err := f.fsys.Open(name)
		if err != nil {
			return "", err
		}
		n, err := io.Copy(h, file)
		if err = errors.Join(err, file.Close()); err != nil {
			return "", f.fault(name, err)
		}
		_ = binary.Write(h, binary.LittleEndian, uint64(n))
	}
	part(f.tokenizerJSON)
	out := e.session.model.OutputsMeta[e.session.output].Name
	pooling := "mean"
	if e.session.pooled {
		pooling = "none"
	}
	for _, s := range []string{out, pooling, e.prompts[0], e.prompts[1]} {
		part([]byte(s))
	}
	fmt.Fprintf(h, "%d %d", e.maxTokens, e.dim)
	return "onnx:" + hex.EncodeToString(h.Sum(nil)[:16]), nil
}

func firstPositive(ns ...int) int {
	for _, n := range ns {
		if n > 0 {
			return n
		}
	}
	return 0
}
