package onnx

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/embed/internal/wordpiece"
)

// A folder is what was read of a model's folder.
type folder struct {
	fsys fs.FS
	dir  string // where fsys is on disk; "" if it is not

	modelName string // path of the ONNX file in fsys
	model     []byte
	external  []string // paths in fsys of files with more weights

	tokenizer     *wordpiece.Tokenizer
	tokenizerJSON []byte

	maxTokens   int    // 0 where nothing says
	pooling     string // "" where nothing says
	between     string // a module that changes the pooled vector; "" if none
	query, docs string // prompts
}

// A config is the part that matters of the folder's JSON files, all read into
// one struct: their keys do not collide.
type config struct {
	VocabSize      int                `json:"vocab_size"`
	MaxPositions   int                `json:"max_position_embeddings"`
	MaxSeqLength   int                `json:"max_seq_length"`
	ModelMaxLength float64            `json:"model_max_length"` // 1e30 where unbounded
	Prompts        map[string]*string `json:"prompts"`
}

func readFolder(fsys fs.FS, dir string, opts Options) (*folder, error) {
	f := &folder{fsys: fsys, dir: dir}
	if err := f.readModel(opts.File); err != nil {
		return nil, err
	}
	var err error
	if f.tokenizerJSON, err = f.read("tokenizer.json"); err != nil {
		return nil, err
	}
	if f.tokenizer, err = wordpiece.Parse(f.tokenizerJSON); err != nil {
		return nil, f.fault("tokenizer.json", err)
	}
	if err := f.readConfigs(); err != nil {
		return nil, err
	}
	return f, f.readModules()
}

// fault wraps an error with the file that it is about.
func (f *folder) fault(name string, err error) error {
	p := name
	if f.dir != "" {
		p = filepath.Join(f.dir, filepath.FromSlash(name))
	}
	return &fs.PathError{Op: "onnx", Path: p, Err: err}
}

func (f *folder) read(name string) ([]byte, error) {
	data, err := fs.ReadFile(f.fsys, name)
	if err != nil {
		var pe *fs.PathError
		if errors.As(err, &pe) {
			err = pe.Err // its path lacks the folder
		}
		return nil, f.fault(name, err)
	}
	if len(data) == 0 {
		return nil, f.fault(name, fmt.Errorf("%w: empty file", prospect.ErrCorrupt))
	}
	if bytes.HasPrefix(data, []byte("version https://git-lfs")) {
		return nil, f.fault(name, fmt.Errorf("%w: a Git LFS pointer, not the file itself", prospect.ErrFormat))
	}
	return data, nil
}

// readJSON reads a JSON file that may be absent.
func (f *folder) readJSON(name string, v any) error {
	data, err := f.read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return f.fault(name, fmt.Errorf("%w: %v", prospect.ErrCorrupt, err))
	}
	return nil
}

func (f *folder) readModel(file string) error {
	names := []string{"model.onnx", "onnx/model.onnx"}
	if file != "" {
		names = []string{path.Clean(file)}
	}
	for i, name := range names {
		data, err := f.read(name)
		if errors.Is(err, fs.ErrNotExist) && i+1 < len(names) {
			continue
		}
		if err != nil {
			if len(names) > 1 && errors.Is(err, fs.ErrNotExist) {
				// Name the usual place, not the last one tried.
				err = f.fault(names[0], fmt.Errorf("%w (nor %s)", fs.ErrNotExist, names[1]))
			}
			return err
		}
		f.modelName, f.model = name, data
		return f.findExternal()
	}
	return nil // not reached: names is not empty
}

// findExternal finds the files in which the graph keeps weights outside of
// itself. Such a tensor has the entry {key: "location", value: NAME}, which in
// protocol buffers is 0A 08 "location" 12 LEN NAME.
func (f *folder) findExternal() error {
	key := []byte("\x0a\x08location\x12")
	seen := map[string]bool{}
	for rest := f.model; ; {
		i := bytes.Index(rest, key)
		if i < 0 {
			return nil
		}
		rest = rest[i+len(key):]
		if len(rest) == 0 || rest[0] >= 0x80 || int(rest[0]) >= len(rest) {
			continue // no length of one byte: not a name that an exporter gives
		}
		name := string(rest[1 : 1+rest[0]])
		if seen[name] {
			continue
		}
		seen[name] = true
		if !filepath.IsLocal(name) {
			return f.fault(f.modelName, fmt.Errorf("%w: weights in %q, outside of the folder", prospect.ErrFormat, name))
		}
		if f.dir == "" {
			return f.fault(f.modelName, fmt.Errorf("%w: weights in another file (%q) need Open", errors.ErrUnsupported, name))
		}
		full := path.Join(path.Dir(f.modelName), filepath.ToSlash(name))
		if _, err := fs.Stat(f.fsys, full); err != nil {
			return f.fault(full, fs.ErrNotExist)
		}
		f.external = append(f.external, full)
	}
}

func (f *folder) readConfigs() error {
	least := func(n int) {
		if n > 0 && (f.maxTokens == 0 || n < f.maxTokens) {
			f.maxTokens = n
		}
	}
	var c config
	for _, name := range []string{
		"config.json", "sentence_bert_config.json", "tokenizer_config.json", "config_sentence_transformers.json",
	} {
		if err := f.readJSON(name, &c); err != nil {
			return err
		}
	}
	// The runtime takes an id beyond the table of token vectors for the last
	// one in it, so a tokenizer of another model would go unnoticed.
	if id := f.tokenizer.MaxID(); c.VocabSize > 0 && int64(id) >= int64(c.VocabSize) {
		return f.fault("tokenizer.json", fmt.Errorf("%w: of another model: it has token %d, the model %d tokens", prospect.ErrFormat, id, c.VocabSize))
	}
	least(c.MaxPositions)
	least(c.MaxSeqLength)
	if c.ModelMaxLength < 1<<30 {
		least(int(c.ModelMaxLength))
	}
	prompt := func(names ...string) string {
		for _, n := range names {
			if p := c.Prompts[n]; p != nil {
				return *p
			}
		}
		return ""
	}
	f.query, f.docs = prompt("query"), prompt("document", "passage")
	return nil
}

// readModules reads the modules that follow the transformer.
func (f *folder) readModules() error {
	var modules []struct {
		Path string `json:"path"`
		Type string `json:"type"`
	}
	if err := f.readJSON("modules.json", &modules); err != nil {
		return err
	}
	pooling := "1_Pooling"
	for _, m := range modules {
		switch kind := m.Type[strings.LastIndexByte(m.Type, '.')+1:]; kind {
		case "Pooling":
			pooling = path.Clean(m.Path)
		case "Transformer", "Normalize", "StaticEmbedding":
		default:
			f.between = kind
		}
	}
	var modes map[string]any
	if err := f.readJSON(path.Join(pooling, "config.json"), &modes); err != nil {
		return err
	}
	var on []string
	for _, mode := range []string{
		"cls_token", "mean_tokens", "max_tokens", "mean_sqrt_len_tokens", "weightedmean_tokens", "lasttoken",
	} {
		if modes["pooling_mode_"+mode] == true {
			on = append(on, mode)
		}
	}
	f.pooling = strings.Join(on, "+")
	return nil
}
