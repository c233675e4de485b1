package onnx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/knights-analytics/hugot/backends"
	"github.com/knights-analytics/hugot/options"
	"github.com/knights-analytics/hugot/util/fileutil"
	"github.com/prospect-go/prospect"
)

// A session runs one model: token ids in, one raw vector per text out. It is
// the only part of the package that knows the runtime; a direct computation
// for static models could stand in its place.
//
// The runtime is hugot's, entered below its pipelines: those tokenise with a
// tokenizer whose time is quadratic in the length of a text and whose ids
// differ from the reference, tie every call to the context that opened the
// session, and free a batch's memory while a cancelled call still uses it.
type session struct {
	model  *backends.Model
	base   *backends.BasePipeline
	output int  // index of the output that is used
	pooled bool // it has one vector per text, not one per token
	masked bool // the graph reads an attention mask: texts may be padded
}

func openSession(f *folder, output string) (s *session, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", prospect.ErrCorrupt, r)
		}
		if err != nil {
			err = f.fault(f.modelName, err)
		}
	}()
	info, err := fs.Stat(f.fsys, f.modelName)
	if err != nil {
		return nil, err
	}
	// hugot reads a model through its file system interface where the path is
	// an object store's, which is how it is given one from memory. Weights
	// beside the graph it only finds on disk, in the folder of the graph.
	where := "s3://model"
	if len(f.external) > 0 {
		where = filepath.Join(f.dir, filepath.FromSlash(path.Dir(f.modelName)))
	}
	opts := options.Defaults()
	opts.Backend = options.BackendGo
	ctx := fileutil.WithFileSystem(context.Background(), &modelFile{info: info, data: f.model})
	loaded, err := backends.LoadModel(ctx, where, info.Name(), opts, false)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", prospect.ErrCorrupt, err)
	}
	if err := sequential(loaded.GoMLXModel); err != nil {
		return nil, errors.Join(err, loaded.Close())
	}
	s = &session{
		model: loaded,
		base:  &backends.BasePipeline{SessionContext: ctx, Model: loaded, Backend: loaded.Backend},
	}
	if err := s.inspect(output); err != nil {
		return nil, errors.Join(err, loaded.Close())
	}
	return s, nil
}

// sequential has the graph's nodes computed one after the other by the
// goroutine that asks. By default the backend hands nodes to goroutines of its
// own, where a panic (a division of integers by zero is enough) cannot be
// caught and ends the process. Large matrix products still use all CPUs, and
// batches run side by side, so little is lost.
func sequential(m *backends.GoMLXModel) error {
	backend, err := gobackend.New("ops_sequential")
	if err != nil {
		return err
	}
	exec, err := model.NewExec(backend, m.Store, m.Call)
	if err != nil {
		return err
	}
	m.Exec.Finalize()
	m.Backend.Finalize()
	m.Backend, m.Exec = backend, exec
	// No limit: the shapes are few, see plan, and a full cache is an error.
	m.Exec.SetMaxCache(-1)
	return nil
}

// inspect checks the graph's inputs and chooses its output.
func (s *session) inspect(output string) error {
	ids := false
	for _, in := range s.model.InputsMeta {
		switch in.Name {
		case "input_ids":
			ids = true
		case "attention_mask":
			s.masked = true
		case "token_type_ids":
		default:
			return fmt.Errorf("%w: graph input %q", errors.ErrUnsupported, in.Name)
		}
	}
	if !ids {
		return fmt.Errorf("%w: graph without input_ids", errors.ErrUnsupported)
	}
	outs := s.model.OutputsMeta
	names := backends.GetNames(outs)
	if len(outs) == 0 {
		return fmt.Errorf("%w: graph without outputs", prospect.ErrCorrupt)
	}
	if output != "" {
		if s.output = slices.Index(names, output); s.output < 0 {
			return fmt.Errorf("%w: no output %q, there are: %s", prospect.ErrOption, output, strings.Join(names, ", "))
		}
	} else {
		for _, name := range []string{"sentence_embedding", "token_embeddings", "last_hidden_state"} {
			if i := slices.Index(names, name); i >= 0 {
				s.output = i
				break
			}
		}
	}
	shape := outs[s.output].Dimensions
	switch {
	case len(shape) == 2:
		s.pooled = true
	case len(shape) == 3 && shape[2] > 0:
	default:
		return fmt.Errorf("%w: output %q of shape %v", errors.ErrUnsupported, names[s.output], shape)
	}
	// The runtime reshapes every output, wanted or not.
	for _, o := range outs {
		if n := len(o.Dimensions); n > 2 && o.Dimensions[n-1] < 0 {
			return fmt.Errorf("%w: output %q of shape %v", errors.ErrUnsupported, o.Name, o.Dimensions)
		}
	}
	return nil
}

// run gives the raw vector of each of the token lists, padded to length where
// the graph has a mask. There must be at least one, none empty, none longer.
// It cannot be interrupted, and it never panics.
func (s *session) run(ids [][]uint32, length int) (vectors [][]float32, err error) {
	batch := backends.NewBatch(len(ids))
	defer func() {
		if r := recover(); r != nil {
			vectors, err = nil, fmt.Errorf("onnx: the runtime panicked: %v", r)
		}
		err = errors.Join(err, batch.Destroy())
	}()
	ones, zeros := make([]uint32, length), make([]uint32, length)
	for i := range ones {
		ones[i] = 1
	}
	batch.MaxSequenceLength = length
	batch.Input = make([]backends.TokenizedInput, len(ids))
	for i, row := range ids {
		batch.Input[i] = backends.TokenizedInput{
			TokenIDs:          row,
			TypeIDs:           zeros[:len(row)],
			AttentionMask:     ones[:len(row)],
			MaxAttentionIndex: len(row) - 1,
		}
	}
	if err := backends.CreateInputTensors(batch, s.model); err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	// Not the caller's context: at its end the runtime would return, and have
	// the inputs freed, while the graph still runs on them.
	if err := backends.RunSessionOnBatch(context.Background(), batch, s.base); err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	switch out := batch.OutputValues[s.output].(type) {
	case [][]float32:
		vectors = out
	case [][][]float32: // the tokens of each text, padding left out
		vectors = make([][]float32, len(out))
		for i, tokens := range out {
			vectors[i] = mean(tokens)
		}
	}
	if len(vectors) != len(ids) {
		return nil, fmt.Errorf("onnx: %d vectors for %d texts", len(vectors), len(ids))
	}
	return vectors, nil
}

// mean gives the mean of token vectors; nil of none.
func mean(tokens [][]float32) []float32 {
	if len(tokens) == 0 {
		return nil
	}
	v := make([]float32, len(tokens[0]))
	for _, t := range tokens {
		for i, x := range t {
			v[i] += x
		}
	}
	for i := range v {
		v[i] /= float32(len(tokens))
	}
	return v
}

func (s *session) close() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("onnx: closing: %v", r)
		}
	}()
	return s.model.Close()
}

// A modelFile is the one file that hugot gets to see: the graph. It reads no
// configuration and no tokenizer, for those are read here.
type modelFile struct {
	info fs.FileInfo
	data []byte
}

func (m *modelFile) OpenFile(_ context.Context, name string) (io.ReadCloser, error) {
	if path.Base(filepath.ToSlash(name)) != m.info.Name() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	r := bytes.NewReader(m.data)
	m.data = nil // read once; hugot keeps the reader until the model is closed
	return io.NopCloser(r), nil
}

func (m *modelFile) Walk(ctx context.Context, url string, visit fileutil.OnVisit) error {
	_, err := visit(ctx, url, "", m.info, nil)
	return err
}

func (*modelFile) FileExists(context.Context, string) (bool, error) { return false, nil }

func (*modelFile) FileStats(_ context.Context, name string) (fs.FileInfo, error) {
	return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
}
func (*modelFile) CopyFile(context.Context, string, string) error { return errors.ErrUnsupported }
func (*modelFile) DeleteFile(context.Context, string) error       { return errors.ErrUnsupported }
func (*modelFile) NewFileWriter(context.Context, string, string) (io.WriteCloser, error) {
	return nil, errors.ErrUnsupported
}
