package onnx_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/embed"
	"github.com/prospect-go/prospect/embed/onnx"
	"github.com/stretchr/testify/require"
)

func ids(words ...string) []int {
	all := testWords()
	var out []int
	for _, w := range words {
		i := slices.Index(all, w)
		if i < 0 {
			panic(w)
		}
		out = append(out, i)
	}
	return out
}

// pooled is the definition: the mean of the table's rows, scaled to length 1.
func pooled(ids []int, positions []float32) []float32 {
	tab := table(rows)
	sum := make([]float64, testDim)
	for p, id := range ids {
		for i := range sum {
			sum[i] += float64(tab[id*testDim+i])
			if positions != nil {
				sum[i] += float64(positions[p*testDim+i])
			}
		}
	}
	var n float64
	for _, x := range sum {
		n += x * x
	}
	v := make([]float32, testDim)
	for i, x := range sum {
		v[i] = float32(x / math.Sqrt(n))
	}
	return v
}

// kinds are the forms of model that the package takes.
func kinds() map[string]fstest.MapFS {
	return map[string]fstest.MapFS{
		"token vectors":       files(tokenGraph(rows)),
		"already pooled":      files(pooledGraph(rows)),
		"with positions":      files(positionGraph(rows, 64)),
		"without a mask":      files(maskless(rows)),
		"pooling by its name": with(files(tokenGraph(rows)), map[string]string{"modules.json": `[{"path": "", "type": "sentence_transformers.models.Transformer"}, {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}, {"path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}]`, "1_Pooling/config.json": `{"pooling_mode_mean_tokens": true}`}),
	}
}

func TestVectorsAreTheMeanOfTheTokens(t *testing.T) {
	for name, m := range kinds() {
		t.Run(name, func(t *testing.T) {
			var positions []float32
			if name == "with positions" {
				positions = table(64)
			}
			e := mustOpen(t, m, onnx.Options{})
			require.Equal(t, testDim, e.Dim())
			texts := map[string][]int{
				"Find the right skills": ids("[CLS]", "find", "the", "right", "skill", "##s", "[SEP]"),
				"embedding, a task":     ids("[CLS]", "embed", "##ding", ",", "a", "task", "[SEP]"),
				"":                      ids("[CLS]", "[SEP]"),
				"Café":                  ids("[CLS]", "cafe", "[SEP]"),
				"中文":                    ids("[CLS]", "中", "文", "[SEP]"),
				"Ω":                     ids("[CLS]", "[UNK]", "[SEP]"),
			}
			for text, want := range texts {
				require.InDeltaSlice(t, pooled(want, positions), mustEmbed(t, e, prospect.RoleDocument, text)[0], 1e-6, text)
			}
		})
	}
}

// TestPromisesOfAnEmbedder runs the conformance check on every kind of model.
func TestPromisesOfAnEmbedder(t *testing.T) {
	for name, m := range kinds() {
		t.Run(name, func(t *testing.T) {
			e := mustOpen(t, m, onnx.Options{})
			require.NoError(t, embed.TestEmbedder(t.Context(), e))
		})
	}
	t.Run("batches of three", func(t *testing.T) {
		require.NoError(t, embed.TestEmbedder(t.Context(), mustOpen(t, files(positionGraph(rows, 64)), onnx.Options{BatchSize: 3})))
	})
}

// TestTruncationKeepsTheSeparator: a text of 600 words in a model of 64
// positions is [CLS], its first 62 words, [SEP].
func TestTruncationKeepsTheSeparator(t *testing.T) {
	e := mustOpen(t, files(positionGraph(rows, 64)), onnx.Options{})
	require.Equal(t, 64, e.MaxTokens())
	want := ids("[CLS]")
	for range 62 {
		want = append(want, ids("skill")...)
	}
	want = append(want, ids("[SEP]")...)
	long := strings.Repeat("skill ", 600)
	got := mustEmbed(t, e, prospect.RoleDocument, long)[0]
	require.InDeltaSlice(t, pooled(want, table(64)), got, 1e-6)

	n, cut := e.Tokens(prospect.RoleDocument, long)
	require.True(t, cut)
	require.Equal(t, 602, n)
	n, cut = e.Tokens(prospect.RoleDocument, strings.Repeat("skill ", 62))
	require.False(t, cut)
	require.Equal(t, 64, n)
	n, cut = e.Tokens(prospect.RoleDocument, strings.Repeat("skill ", 62)+"s")
	require.True(t, cut)
	require.Equal(t, 65, n)
}

// TestMaxTokensBeyondThePositions fails in the runtime; it must not do more.
func TestMaxTokensBeyondThePositions(t *testing.T) {
	e := mustOpen(t, files(positionGraph(rows, 64)), onnx.Options{MaxTokens: 100})
	v, err := e.Embed(t.Context(), prospect.RoleDocument, []string{strings.Repeat("skill ", 90)})
	require.Error(t, err)
	require.Nil(t, v)
	mustEmbed(t, e, prospect.RoleDocument, "the next text is as good as ever")
}

// TestHugeTexts must take time that a person does not notice.
func TestHugeTexts(t *testing.T) {
	e := mustOpen(t, files(pooledGraph(rows)), onnx.Options{})
	for name, unit := range map[string]string{
		"words": "find the skill ", "one word": "x", "punctuation": ".", "white space": " ",
		"marks": "\u0301", "invalid": "\xff", "NUL": "\x00", "ideographs": "中", "brackets": "[CLS",
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Repeat(unit, 1<<20/len(unit))
			mustEmbed(t, e, prospect.RoleDocument, text, "a", text)
			e.Tokens(prospect.RoleDocument, text)
		})
	}
}

func TestEmptyBatch(t *testing.T) {
	e := mustOpen(t, files(pooledGraph(rows)), onnx.Options{})
	for _, texts := range [][]string{nil, {}} {
		v, err := e.Embed(t.Context(), prospect.RoleQuery, texts)
		require.NoError(t, err)
		require.NotNil(t, v)
		require.Empty(t, v)
	}
}

func TestUnknownRole(t *testing.T) {
	e := mustOpen(t, files(pooledGraph(rows)), onnx.Options{})
	_, err := e.Embed(t.Context(), prospect.Role(2), []string{"a"})
	require.ErrorContains(t, err, "Role(2)")
	n, _ := e.Tokens(prospect.Role(2), "a")
	require.Equal(t, 3, n)
}

func TestPrompts(t *testing.T) {
	m := with(files(pooledGraph(rows)), map[string]string{
		"config_sentence_transformers.json": `{"prompts": {"query": "find the ", "passage": "a "}, "default_prompt_name": null}`,
	})
	plain := mustOpen(t, files(pooledGraph(rows)), onnx.Options{})
	e := mustOpen(t, m, onnx.Options{})
	require.Equal(t, mustEmbed(t, plain, prospect.RoleQuery, "find the skill"), mustEmbed(t, e, prospect.RoleQuery, "skill"))
	require.Equal(t, mustEmbed(t, plain, prospect.RoleQuery, "a skill"), mustEmbed(t, e, prospect.RoleDocument, "skill"))
	n, _ := e.Tokens(prospect.RoleQuery, "skill")
	require.Equal(t, 5, n, "the prompt counts")

	none := mustOpen(t, m, onnx.Options{QueryPrompt: new(""), DocumentPrompt: new("for ")})
	require.Equal(t, mustEmbed(t, plain, prospect.RoleQuery, "skill"), mustEmbed(t, none, prospect.RoleQuery, "skill"))
	require.Equal(t, mustEmbed(t, plain, prospect.RoleQuery, "for skill"), mustEmbed(t, none, prospect.RoleDocument, "skill"))
}

// TestIdentity changes with everything that the vectors depend on, and with
// nothing else.
func TestIdentity(t *testing.T) {
	base := files(pooledGraph(rows))
	id := mustOpen(t, base, onnx.Options{}).Identity()
	require.Equal(t, id, mustOpen(t, base, onnx.Options{BatchSize: 7}).Identity())
	require.Equal(t, id, mustOpen(t, with(base, map[string]string{"README.md": "x"}), onnx.Options{}).Identity())
	onDiskToo, err := onnx.Open(t.Context(), onDisk(t, base), onnx.Options{})
	require.NoError(t, err)
	require.Equal(t, id, onDiskToo.Identity())
	require.NoError(t, onDiskToo.Close())

	seen := map[string]string{id: "base"}
	other := func(what string, m fstest.MapFS, opts onnx.Options) {
		id := mustOpen(t, m, opts).Identity()
		require.Empty(t, seen[id], "%s is told apart", what)
		seen[id] = what
	}
	weights := slices.Clone(base["model.onnx"].Data)
	i := strings.LastIndex(string(weights), "table") + 100 // among its numbers
	weights[i] ^= 1
	other("weights", with(base, map[string]string{"model.onnx": string(weights)}), onnx.Options{})
	other("tokenizer", with(base, map[string]string{"tokenizer.json": string(base["tokenizer.json"].Data) + " "}), onnx.Options{})
	other("output and pooling", base, onnx.Options{Output: "last_hidden_state"})
	other("query prompt", base, onnx.Options{QueryPrompt: new("a ")})
	other("document prompt", base, onnx.Options{DocumentPrompt: new("a ")})
	other("length", base, onnx.Options{MaxTokens: 32})
}

// constant gives every token the same vector of equal components.
func constant(x float32) fstest.MapFS {
	g := &graph{}
	g.input("input_ids")
	g.input("attention_mask")
	v := make([]float32, rows*testDim)
	for i := range v {
		v[i] = x
	}
	// Only "skill" has that vector; the others point along the first axis.
	for r := range rows {
		if r != ids("skill")[0] {
			clear(v[r*testDim : (r+1)*testDim])
			v[r*testDim] = 1
		}
	}
	g.op("Gather", "last_hidden_state", []string{g.floats("table", []int{rows, testDim}, v), "input_ids"})
	g.output("last_hidden_state", "batch", "sequence", testDim)
	return files(g)
}

func TestVectorsThatAreNoneAreErrors(t *testing.T) {
	inf := float32(math.Inf(1))
	for name, x := range map[string]float32{"NaN": float32(math.NaN()), "infinity": inf, "minus infinity": -inf} {
		e := mustOpen(t, constant(x), onnx.Options{})
		v, err := e.Embed(t.Context(), prospect.RoleQuery, []string{"find", "the skill", "task"})
		require.Nil(t, v, name)
		require.ErrorIs(t, err, prospect.ErrNotFinite, name)
		var te *prospect.TextError
		require.ErrorAs(t, err, &te)
		require.Equal(t, 1, te.Index)
	}
	// Components whose squares overflow float32 are no error.
	e := mustOpen(t, constant(1e30), onnx.Options{})
	v := mustEmbed(t, e, prospect.RoleQuery, "skill")[0]
	require.InDelta(t, 0.25, v[5], 1e-6, "1/√16")

	// A table of zeros: no text has a direction, and the empty one no tokens.
	g := &graph{}
	g.input("input_ids")
	g.op("Gather", "last_hidden_state", []string{g.floats("table", []int{rows, testDim}, make([]float32, rows*testDim)), "input_ids"})
	g.output("last_hidden_state", "batch", "sequence", testDim)
	e = mustOpen(t, files(g), onnx.Options{})
	_, err := e.Embed(t.Context(), prospect.RoleQuery, []string{"skill"})
	require.ErrorIs(t, err, prospect.ErrZeroVector)
	_, err = e.Embed(t.Context(), prospect.RoleQuery, []string{" \n"})
	require.ErrorIs(t, err, prospect.ErrEmptyText)
}

// TestNoSpecialTokens: without them an empty text has nothing to run on.
func TestNoSpecialTokens(t *testing.T) {
	m := files(pooledGraph(rows))
	tokenizer := strings.Replace(string(m["tokenizer.json"].Data), `"post_processor"`, `"not_a_post_processor"`, 1)
	e := mustOpen(t, with(m, map[string]string{"tokenizer.json": tokenizer}), onnx.Options{})
	require.InDeltaSlice(t, pooled(ids("skill"), nil), mustEmbed(t, e, prospect.RoleQuery, "skill")[0], 1e-6)
	texts := slices.Repeat([]string{"skill"}, 5000)
	texts[4500] = ""
	_, err := e.Embed(t.Context(), prospect.RoleQuery, texts)
	require.ErrorIs(t, err, prospect.ErrEmptyText)
	var te *prospect.TextError
	require.True(t, errors.As(err, &te))
	require.Equal(t, 4500, te.Index, "also beyond the first window")
	require.NoError(t, embed.TestEmbedder(context.Background(), e))
}

// TestManyTextsKeepTheirOrder crosses windows, batches and lengths.
func TestManyTextsKeepTheirOrder(t *testing.T) {
	e := mustOpen(t, files(positionGraph(rows, 64)), onnx.Options{})
	words := []string{"find", "the", "right", "skill", "task", "a", "for"}
	texts := make([]string, 5000)
	want := make([][]int, len(texts))
	for i := range texts {
		list := []string{"[CLS]"}
		for j := range 1 + i*7%40 {
			w := words[(i+j*j)%len(words)]
			list = append(list, w)
			texts[i] += w + " "
		}
		want[i] = ids(append(list, "[SEP]")...)
	}
	got := mustEmbed(t, e, prospect.RoleDocument, texts...)
	for i := range texts {
		require.InDeltaSlice(t, pooled(want[i], table(64)), got[i], 1e-5, "text %d", i)
	}
}

func FuzzEmbed(f *testing.F) {
	for _, s := range []string{"", "find the skill", "\xff\xfe", "a\x00b", "İ", "红，绿", "\r\n", "[SEP][CLS]", strings.Repeat("ﬃ", 90)} {
		f.Add(s)
	}
	e, err := onnx.OpenFS(context.Background(), files(positionGraph(rows, 64)), onnx.Options{})
	require.NoError(f, err)
	f.Cleanup(func() { _ = e.Close() })
	f.Fuzz(func(t *testing.T, s string) {
		v, err := e.Embed(t.Context(), prospect.RoleDocument, []string{"skill", s})
		require.NoError(t, err)
		for _, x := range v {
			var n float64
			for _, c := range x {
				n += float64(c) * float64(c)
			}
			require.InDelta(t, 1, n, 1e-4)
		}
		n, cut := e.Tokens(prospect.RoleDocument, s)
		require.Equal(t, n > e.MaxTokens(), cut)
	})
}
