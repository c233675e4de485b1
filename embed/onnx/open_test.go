package onnx_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/embed/onnx"
	"github.com/stretchr/testify/require"
)

var rows = len(testWords())

// with gives the files with some replaced; a nil content removes one.
func with(base fstest.MapFS, changes map[string]string) fstest.MapFS {
	m := maps.Clone(base)
	for name, content := range changes {
		m[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return m
}

func without(base fstest.MapFS, names ...string) fstest.MapFS {
	m := maps.Clone(base)
	for _, name := range names {
		delete(m, name)
	}
	return m
}

// onDisk writes the files to a folder.
func onDisk(t testing.TB, m fstest.MapFS) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, m))
	return dir
}

func mustOpen(t testing.TB, m fstest.MapFS, opts onnx.Options) *onnx.Embedder {
	t.Helper()
	e, err := onnx.OpenFS(t.Context(), m, opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}

func mustEmbed(t testing.TB, e *onnx.Embedder, role prospect.Role, texts ...string) [][]float32 {
	t.Helper()
	v, err := e.Embed(t.Context(), role, texts)
	require.NoError(t, err)
	require.Len(t, v, len(texts))
	return v
}

// TestFaultyFoldersAreErrorsThatNameTheFile opens folders with one fault each.
func TestFaultyFoldersAreErrorsThatNameTheFile(t *testing.T) {
	good := files(pooledGraph(rows))
	tokens := files(tokenGraph(rows))
	tokenizer := string(good["tokenizer.json"].Data)
	odd := func(old, new string) string {
		require.Contains(t, tokenizer, old)
		return strings.Replace(tokenizer, old, new, 1)
	}
	noInput := tokenGraph(rows)
	noInput.inputs = noInput.inputs[1:]
	image := tokenGraph(rows)
	image.input("pixel_values")
	positions := tokenGraph(rows)
	positions.input("position_ids")
	noOutput := tokenGraph(rows)
	noOutput.outputs = nil
	scalar := tokenGraph(rows)
	scalar.outputs = nil
	scalar.output("last_hidden_state", "batch")
	unknown := tokenGraph(rows)
	unknown.op("NoSuchOperator", "sentence_embedding", []string{"last_hidden_state"})
	unknown.output("sentence_embedding", "batch", testDim)

	for _, tc := range []struct {
		name string
		fsys fstest.MapFS
		opts onnx.Options
		file string // named by the error; "" if the fault is not in one
		is   error
	}{
		{"empty folder", fstest.MapFS{}, onnx.Options{}, "model.onnx", fs.ErrNotExist},
		{"no such model", good, onnx.Options{File: "model_O4.onnx"}, "model_O4.onnx", fs.ErrNotExist},
		{"no tokenizer", without(good, "tokenizer.json"), onnx.Options{}, "tokenizer.json", fs.ErrNotExist},
		{"empty model", with(good, map[string]string{"model.onnx": ""}), onnx.Options{}, "model.onnx", prospect.ErrCorrupt},
		{"model is text", with(good, map[string]string{"model.onnx": "<html>not found</html>"}), onnx.Options{}, "model.onnx", prospect.ErrCorrupt},
		{"model is zeros", with(good, map[string]string{"model.onnx": strings.Repeat("\x00", 1000)}), onnx.Options{}, "model.onnx", prospect.ErrCorrupt},
		{"model is an LFS pointer", with(good, map[string]string{"model.onnx": "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"}), onnx.Options{}, "model.onnx", prospect.ErrFormat},
		{"model is a folder", with(without(good, "model.onnx"), map[string]string{"model.onnx/x": "x"}), onnx.Options{}, "model.onnx", nil},
		{"empty tokenizer", with(good, map[string]string{"tokenizer.json": ""}), onnx.Options{}, "tokenizer.json", prospect.ErrCorrupt},
		{"tokenizer is cut", with(good, map[string]string{"tokenizer.json": tokenizer[:len(tokenizer)/2]}), onnx.Options{}, "tokenizer.json", prospect.ErrCorrupt},
		{"tokenizer is empty JSON", with(good, map[string]string{"tokenizer.json": "{}"}), onnx.Options{}, "tokenizer.json", errors.ErrUnsupported},
		{"tokenizer is BPE", with(good, map[string]string{"tokenizer.json": odd("WordPiece", "BPE")}), onnx.Options{}, "tokenizer.json", errors.ErrUnsupported},
		{"tokenizer of another model", with(good, map[string]string{"config.json": `{"vocab_size": 7}`}), onnx.Options{}, "tokenizer.json", prospect.ErrFormat},
		{"config is not JSON", with(good, map[string]string{"config.json": "max: 3"}), onnx.Options{}, "config.json", prospect.ErrCorrupt},
		{"modules is not JSON", with(good, map[string]string{"modules.json": "["}), onnx.Options{}, "modules.json", prospect.ErrCorrupt},
		{"cls pooling", with(tokens, map[string]string{"1_Pooling/config.json": `{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}`}), onnx.Options{}, "model.onnx", errors.ErrUnsupported},
		{"two poolings", with(tokens, map[string]string{"1_Pooling/config.json": `{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": true}`}), onnx.Options{}, "model.onnx", errors.ErrUnsupported},
		{"dense layer after pooling", with(tokens, map[string]string{"modules.json": `[{"path": "2_Dense", "type": "sentence_transformers.models.Dense"}]`}), onnx.Options{}, "modules.json", errors.ErrUnsupported},
		{"no such output", good, onnx.Options{Output: "pooler_output"}, "model.onnx", nil},
		{"no input_ids", files(noInput), onnx.Options{}, "model.onnx", nil},
		{"pictures", files(image), onnx.Options{}, "model.onnx", errors.ErrUnsupported},
		{"position ids", files(positions), onnx.Options{}, "model.onnx", errors.ErrUnsupported},
		{"no output", files(noOutput), onnx.Options{}, "model.onnx", prospect.ErrCorrupt},
		{"output of one dimension", files(scalar), onnx.Options{}, "model.onnx", errors.ErrUnsupported},
		{"unknown operator", files(unknown), onnx.Options{}, "model.onnx", errors.ErrUnsupported},
		{"negative batch", good, onnx.Options{BatchSize: -1}, "", nil},
		{"negative length", good, onnx.Options{MaxTokens: -1}, "", nil},
		{"no room for text", good, onnx.Options{MaxTokens: 2}, "", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e, err := onnx.OpenFS(t.Context(), tc.fsys, tc.opts)
			require.Nil(t, e)
			require.Error(t, err)
			if tc.is != nil {
				require.ErrorIs(t, err, tc.is)
			}
			if tc.file == "" {
				return
			}
			var pe *fs.PathError
			require.ErrorAs(t, err, &pe)
			require.Equal(t, tc.file, pe.Path)

			if _, isFile := tc.fsys["model.onnx/x"]; isFile {
				return
			}
			dir := onDisk(t, tc.fsys)
			_, err = onnx.Open(t.Context(), dir, tc.opts)
			require.ErrorAs(t, err, &pe)
			require.Equal(t, filepath.Join(dir, tc.file), pe.Path, "Open names the whole path")
		})
	}
}

func TestOpenOfNoFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "absent")
	_, err := onnx.Open(t.Context(), dir, onnx.Options{})
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, dir)
}

func TestOpenHonoursItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := onnx.OpenFS(ctx, files(pooledGraph(rows)), onnx.Options{})
	require.ErrorIs(t, err, context.Canceled)
}

// TestTheContextOfOpenIsNotKept: many callers open with a deadline.
func TestTheContextOfOpenIsNotKept(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	e, err := onnx.OpenFS(ctx, files(pooledGraph(rows)), onnx.Options{})
	require.NoError(t, err)
	cancel()
	mustEmbed(t, e, prospect.RoleQuery, "find the skill")
	require.NoError(t, e.Close())
}

// TestTruncatedModels cuts the graph after every so many bytes: an error each
// time, or, where the cut is after the last byte that matters, a model.
func TestTruncatedModels(t *testing.T) {
	good := files(pooledGraph(rows))
	model := good["model.onnx"].Data
	step := max(1, len(model)/150)
	for n := 1; n < len(model)-1; n += step {
		e, err := onnx.OpenFS(t.Context(), with(good, map[string]string{"model.onnx": string(model[:n])}), onnx.Options{})
		if err == nil {
			require.NoError(t, e.Close())
			continue
		}
		var pe *fs.PathError
		require.ErrorAs(t, err, &pe, "cut at %d", n)
		require.Equal(t, "model.onnx", pe.Path)
	}
}

// FuzzOpen changes bytes of the graph and of the tokenizer.
func FuzzOpen(f *testing.F) {
	good := files(pooledGraph(rows))
	f.Add(0, byte(1), 0, byte(0))
	f.Add(200, byte(255), 0, byte(0))
	f.Add(0, byte(0), 300, byte(7))
	f.Fuzz(func(t *testing.T, at int, x byte, tokAt int, y byte) {
		m := maps.Clone(good)
		for name, change := range map[string]struct {
			at int
			x  byte
		}{"model.onnx": {at, x}, "tokenizer.json": {tokAt, y}} {
			data := append([]byte(nil), good[name].Data...)
			data[uint(change.at)%uint(len(data))] ^= change.x
			m[name] = &fstest.MapFile{Data: data}
		}
		e, err := onnx.OpenFS(t.Context(), m, onnx.Options{})
		if err != nil {
			return
		}
		if v, err := e.Embed(t.Context(), prospect.RoleQuery, []string{"find the skill", ""}); err == nil {
			require.Len(t, v[0], e.Dim())
		}
		require.NoError(t, e.Close())
	})
}

func TestTheModelMayBeInItsOwnFolder(t *testing.T) {
	m := files(pooledGraph(rows))
	m["onnx/model.onnx"], m["onnx/other.onnx"] = m["model.onnx"], &fstest.MapFile{Data: []byte("not read")}
	delete(m, "model.onnx")
	a := mustOpen(t, m, onnx.Options{})
	b := mustOpen(t, m, onnx.Options{File: "onnx/model.onnx"})
	require.Equal(t, a.Identity(), b.Identity())
	require.Equal(t, mustEmbed(t, a, prospect.RoleQuery, "find"), mustEmbed(t, b, prospect.RoleQuery, "find"))
}

// externalGraph keeps its table in another file.
func externalGraph(location string) *graph {
	g := &graph{}
	g.input("input_ids")
	g.input("attention_mask")
	g.op("Gather", "last_hidden_state", []string{g.external("table", []int{rows, testDim}, location), "input_ids"})
	g.output("last_hidden_state", "batch", "sequence", testDim)
	return g
}

func TestWeightsBesideTheGraph(t *testing.T) {
	var inline graph
	inline.floats("table", []int{rows, testDim}, table(rows))
	raw := inline.initializers[0][len(inline.initializers[0])-4*rows*testDim:]

	for _, place := range []string{"", "onnx/"} {
		m := files(externalGraph("model.onnx_data"))
		m[place+"model.onnx"] = m["model.onnx"]
		if place != "" {
			delete(m, "model.onnx")
		}
		m[place+"model.onnx_data"] = &fstest.MapFile{Data: raw}
		e, err := onnx.Open(t.Context(), onDisk(t, m), onnx.Options{})
		require.NoError(t, err)
		want := mustEmbed(t, mustOpen(t, files(tokenGraph(rows)), onnx.Options{}), prospect.RoleQuery, "find the skill")
		require.Equal(t, want, mustEmbed(t, e, prospect.RoleQuery, "find the skill"))

		changed := maps.Clone(m)
		changed[place+"model.onnx_data"] = &fstest.MapFile{Data: append(append([]byte(nil), raw[4:]...), raw[:4]...)}
		other, err := onnx.Open(t.Context(), onDisk(t, changed), onnx.Options{})
		require.NoError(t, err)
		require.NotEqual(t, e.Identity(), other.Identity(), "the identity covers them")
		require.NoError(t, errors.Join(e.Close(), other.Close()))

		_, err = onnx.OpenFS(t.Context(), m, onnx.Options{})
		require.ErrorIs(t, err, errors.ErrUnsupported)
		_, err = onnx.Open(t.Context(), onDisk(t, without(m, place+"model.onnx_data")), onnx.Options{})
		require.ErrorIs(t, err, fs.ErrNotExist)
		require.ErrorContains(t, err, "model.onnx_data")
	}
	_, err := onnx.Open(t.Context(), onDisk(t, files(externalGraph("../secret"))), onnx.Options{})
	require.ErrorIs(t, err, prospect.ErrFormat)
	require.ErrorContains(t, err, "outside")
}

func TestMaxTokensIsTheLeastOfTheFolder(t *testing.T) {
	base := without(files(pooledGraph(rows)), "config.json")
	for _, tc := range []struct {
		files map[string]string
		opts  onnx.Options
		want  int
	}{
		{nil, onnx.Options{}, 512},
		{map[string]string{"config.json": `{"max_position_embeddings": 77}`}, onnx.Options{}, 77},
		{map[string]string{"config.json": `{"max_position_embeddings": 77}`, "sentence_bert_config.json": `{"max_seq_length": 33}`}, onnx.Options{}, 33},
		{map[string]string{"sentence_bert_config.json": `{"max_seq_length": null}`, "tokenizer_config.json": `{"model_max_length": 1000000000000000019884624838656}`}, onnx.Options{}, 512},
		{map[string]string{"tokenizer_config.json": `{"model_max_length": 20}`}, onnx.Options{}, 20},
		{map[string]string{"tokenizer_config.json": `{"model_max_length": 20}`}, onnx.Options{MaxTokens: 30}, 30},
	} {
		require.Equal(t, tc.want, mustOpen(t, with(base, tc.files), tc.opts).MaxTokens(), fmt.Sprint(tc))
	}
}
