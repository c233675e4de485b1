package onnx_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing/fstest"
)

// This file writes small ONNX models: just enough of the protocol buffers
// encoding for graphs of a few nodes. Field numbers are those of onnx.proto.

type message []byte

func (m *message) varint(field int, v uint64) {
	*m = binary.AppendUvarint(*m, uint64(field)<<3)
	*m = binary.AppendUvarint(*m, v)
}

func (m *message) bytes(field int, b []byte) {
	*m = binary.AppendUvarint(*m, uint64(field)<<3|2)
	*m = binary.AppendUvarint(*m, uint64(len(b)))
	*m = append(*m, b...)
}

func (m *message) string(field int, s string) { m.bytes(field, []byte(s)) }

const ( // TensorProto.DataType
	float32Type = 1
	int64Type   = 7
)

// A graph is a GraphProto in the making.
type graph struct {
	nodes, initializers, inputs, outputs []message
	count                                int
}

func (g *graph) floats(name string, dims []int, v []float32) string {
	raw := make([]byte, 0, 4*len(v))
	for _, x := range v {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
	}
	return g.tensor(name, float32Type, dims, raw)
}

func (g *graph) ints(v ...int64) string {
	var raw []byte
	for _, x := range v {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(x))
	}
	g.count++
	return g.tensor(fmt.Sprintf("const%d", g.count), int64Type, []int{len(v)}, raw)
}

func (g *graph) tensor(name string, kind int, dims []int, raw []byte) string {
	var t message
	for _, d := range dims {
		t.varint(1, uint64(d))
	}
	t.varint(2, uint64(kind))
	t.string(8, name)
	t.bytes(9, raw)
	g.initializers = append(g.initializers, t)
	return name
}

// external declares a tensor whose bytes are in another file.
func (g *graph) external(name string, dims []int, location string) string {
	var t message
	for _, d := range dims {
		t.varint(1, uint64(d))
	}
	t.varint(2, float32Type)
	t.string(8, name)
	var entry message
	entry.string(1, "location")
	entry.string(2, location)
	t.bytes(13, entry)
	t.varint(14, 1) // EXTERNAL
	g.initializers = append(g.initializers, t)
	return name
}

type attr struct {
	name string
	i    int64
	ints []int64
}

// op adds a node; out "" gives its output a name.
func (g *graph) op(kind, out string, inputs []string, attrs ...attr) string {
	g.count++
	if out == "" {
		out = fmt.Sprintf("%s%d", kind, g.count)
	}
	var n message
	for _, in := range inputs {
		n.string(1, in)
	}
	n.string(2, out)
	n.string(3, "node"+fmt.Sprint(g.count))
	n.string(4, kind)
	for _, a := range attrs {
		var p message
		p.string(1, a.name)
		if a.ints != nil {
			for _, v := range a.ints {
				p.varint(8, uint64(v))
			}
			p.varint(20, 7) // INTS
		} else {
			p.varint(3, uint64(a.i))
			p.varint(20, 2) // INT
		}
		n.bytes(5, p)
	}
	g.nodes = append(g.nodes, n)
	return out
}

// value describes an input or output; a dimension is a number or a name.
func value(name string, kind int, dims ...any) message {
	var shape message
	for _, d := range dims {
		var dim message
		switch d := d.(type) {
		case int:
			dim.varint(1, uint64(d))
		case string:
			dim.string(2, d)
		}
		shape.bytes(1, dim)
	}
	var tensor, typ, v message
	tensor.varint(1, uint64(kind))
	tensor.bytes(2, shape)
	typ.bytes(1, tensor)
	v.string(1, name)
	v.bytes(2, typ)
	return v
}

func (g *graph) input(name string) {
	g.inputs = append(g.inputs, value(name, int64Type, "batch", "sequence"))
}

func (g *graph) output(name string, dims ...any) {
	g.outputs = append(g.outputs, value(name, float32Type, dims...))
}

// model gives the ModelProto.
func (g *graph) model() []byte {
	var body message
	for _, n := range g.nodes {
		body.bytes(1, n)
	}
	body.string(2, "test")
	for _, t := range g.initializers {
		body.bytes(5, t)
	}
	for _, v := range g.inputs {
		body.bytes(11, v)
	}
	for _, v := range g.outputs {
		body.bytes(12, v)
	}
	var opset, m message
	opset.varint(2, 13)
	m.varint(1, 7) // IR version
	m.bytes(7, body)
	m.bytes(8, opset)
	return m
}

// testDim is the dimension of the test models.
const testDim = 16

// testWords is their vocabulary: special tokens, every ASCII graphic character
// alone and as a continuation, and a few words and pieces; none twice.
func testWords() []string {
	words := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
	for c := '!'; c <= '~'; c++ {
		if c < 'A' || c > 'Z' {
			words = append(words, string(c))
			if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
				words = append(words, "##"+string(c))
			}
		}
	}
	return append(words, "find", "the", "right", "skill", "for", "task", "embed", "##ding", "cafe", "中", "文")
}

func testTokenizer(words []string) []byte {
	vocab := map[string]int{}
	for i, w := range words {
		vocab[w] = i
	}
	special := func(name string) map[string]any {
		return map[string]any{"id": vocab[name], "content": name, "special": true, "normalized": false}
	}
	data, err := json.Marshal(map[string]any{
		"added_tokens":  []any{special("[PAD]"), special("[UNK]"), special("[CLS]"), special("[SEP]"), special("[MASK]")},
		"normalizer":    map[string]any{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "lowercase": true},
		"pre_tokenizer": map[string]any{"type": "BertPreTokenizer"},
		"post_processor": map[string]any{
			"type": "BertProcessing",
			"cls":  []any{"[CLS]", vocab["[CLS]"]},
			"sep":  []any{"[SEP]", vocab["[SEP]"]},
		},
		"model": map[string]any{
			"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
			"max_input_chars_per_word": 100, "vocab": vocab,
		},
	})
	if err != nil {
		panic(err)
	}
	return data
}

// table gives rows of standard normal components, the same every time.
func table(rows int) []float32 {
	rng := rand.New(rand.NewPCG(1, 2))
	v := make([]float32, rows*testDim)
	for i := range v {
		v[i] = float32(rng.NormFloat64())
	}
	return v
}

// tokenGraph looks token vectors up and gives them as last_hidden_state.
func tokenGraph(rows int) *graph {
	g := &graph{}
	g.input("input_ids")
	g.input("attention_mask")
	g.op("Gather", "last_hidden_state", []string{g.floats("table", []int{rows, testDim}, table(rows)), "input_ids"})
	g.output("last_hidden_state", "batch", "sequence", testDim)
	return g
}

// pooledGraph gives the mean of the token vectors that the mask keeps.
func pooledGraph(rows int) *graph {
	g := tokenGraph(rows)
	m := g.op("Cast", "", []string{"attention_mask"}, attr{name: "to", i: float32Type})
	m3 := g.op("Unsqueeze", "", []string{m, g.ints(2)})
	sum := g.op("ReduceMean", "", []string{g.op("Mul", "", []string{"last_hidden_state", m3})},
		attr{name: "axes", ints: []int64{1}}, attr{name: "keepdims", i: 0})
	share := g.op("ReduceMean", "", []string{m}, attr{name: "axes", ints: []int64{1}}, attr{name: "keepdims", i: 1})
	g.op("Div", "sentence_embedding", []string{sum, share})
	g.output("sentence_embedding", "batch", testDim)
	return g
}

// positionGraph adds a position vector to each token vector, so that the
// order of words matters and more than positions tokens cannot be.
func positionGraph(rows, positions int) *graph {
	g := &graph{}
	g.input("input_ids")
	g.input("attention_mask")
	e := g.op("Gather", "", []string{g.floats("table", []int{rows, testDim}, table(rows)), "input_ids"})
	shape := g.op("Shape", "", []string{"input_ids"})
	n := g.op("Gather", "", []string{shape, g.ints(1)}, attr{name: "axis", i: 0})
	p := g.op("Slice", "", []string{g.floats("positions", []int{positions, testDim}, table(positions)), g.ints(0), n, g.ints(0)})
	g.op("Add", "last_hidden_state", []string{e, p})
	g.output("last_hidden_state", "batch", "sequence", testDim)
	return g
}

// maskless gives the plain mean over a sequence that it cannot know to be padded.
func maskless(rows int) *graph {
	g := &graph{}
	g.input("input_ids")
	e := g.op("Gather", "", []string{g.floats("table", []int{rows, testDim}, table(rows)), "input_ids"})
	g.op("ReduceMean", "sentence_embedding", []string{e}, attr{name: "axes", ints: []int64{1}}, attr{name: "keepdims", i: 0})
	g.output("sentence_embedding", "batch", testDim)
	return g
}

// files makes a model folder of a graph.
func files(g *graph) fstest.MapFS {
	return fstest.MapFS{
		"model.onnx":     {Data: g.model()},
		"tokenizer.json": {Data: testTokenizer(testWords())},
		"config.json":    {Data: []byte(`{"max_position_embeddings": 64}`)},
	}
}
