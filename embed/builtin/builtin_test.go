package builtin_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/embed"
	"github.com/prospect-go/prospect/embed/builtin"
	"github.com/prospect-go/prospect/embed/onnx"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write testdata/golden.json anew")

func open(tb testing.TB) *onnx.Embedder {
	tb.Helper()
	e, err := builtin.Open(tb.Context())
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, e.Close()) })
	return e
}

func dot(a, b []float32) float64 {
	var s float64
	for i := range a {
		s += float64(a[i]) * float64(b[i])
	}
	return s
}

func TestPromises(t *testing.T) {
	require.NoError(t, embed.TestEmbedder(t.Context(), open(t)))
}

// TestWhatTheDocumentationSays holds the figures of doc.go.
func TestWhatTheDocumentationSays(t *testing.T) {
	e := open(t)
	require.Equal(t, documentedDim, e.Dim())
	require.Equal(t, documentedMaxTokens, e.MaxTokens())
	var size int64
	require.NoError(t, filepath.WalkDir("model", func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		size += info.Size()
		return err
	}))
	t.Logf("the model takes %.2f MiB", float64(size)/(1<<20))
	require.LessOrEqual(t, size, int64(8<<20), "at most 8 MiB")
	doc, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	for _, s := range []string{fmt.Sprintf("%d dimensions", documentedDim), fmt.Sprintf("%d tokens", documentedMaxTokens)} {
		require.Contains(t, string(doc), s)
	}
}

// TestMeaning: a text is nearer to one that says the same in other words than
// to one that does not. The pairs share no word that carries meaning.
func TestMeaning(t *testing.T) {
	e := open(t)
	for _, c := range [][3]string{
		{"physician", "doctor", "guitar"},
		{"The cat sleeps on the sofa.", "A kitten is napping on a couch.", "Interest rates rose by a quarter point."},
		{"repair a bicycle tyre", "fix a flat on my bike", "write a poem about autumn"},
		{"combine several PDF documents", "merge Acrobat files into one", "forecast tomorrow's weather"},
		{"train a neural network", "fit a deep learning model", "bake sourdough bread"},
		{"analyse earthquake waves", "seismic signal processing", "plan a wedding"},
		{"spreadsheet with formulas", "Excel workbook calculations", "hiking in the mountains"},
		{"detect fraud in payments", "find suspicious credit card transactions", "translate a novel"},
		{"translate English to French", "language conversion from British to Parisian speech", "tune a violin"},
		{"speed up a slow database query", "optimise SQL performance", "water the garden plants"},
	} {
		v, err := e.Embed(t.Context(), prospect.RoleQuery, c[:])
		require.NoError(t, err)
		near, far := dot(v[0], v[1]), dot(v[0], v[2])
		t.Logf("%.2f %.2f %s", near, far, c[0])
		require.Greater(t, near, far+0.05, "%q is nearer to %q than to %q", c[0], c[1], c[2])
	}
}

// TestGolden compares with vectors of an earlier build, their first 32
// components. They differ in the
// last digits between kernels and CPUs; more means another model or tokenizer.
// -update writes them anew.
func TestGolden(t *testing.T) {
	e := open(t)
	type entry struct {
		Text   string    `json:"text"`
		Vector []float32 `json:"vector"`
	}
	texts := []string{
		"find", "Find the right skill for a task.", "naïve café İstanbul 中文 !?", "unhyphenatedsupercalifragilistic x86_64 3.14159",
		strings.Repeat("The quick brown fox jumps over the lazy dog. ", 200),
	}
	got, err := e.Embed(t.Context(), prospect.RoleDocument, texts)
	require.NoError(t, err)
	for i := range got {
		got[i] = got[i][:32]
	}
	name := filepath.Join("testdata", "golden.json")
	if *update {
		var b strings.Builder
		for i, s := range texts {
			line, err := json.Marshal(entry{s, got[i]})
			require.NoError(t, err)
			fmt.Fprintf(&b, "%s%s", map[bool]string{true: "[\n", false: ",\n"}[i == 0], line)
		}
		require.NoError(t, os.WriteFile(name, []byte(b.String()+"\n]\n"), 0o644))
	}
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	var want []entry
	require.NoError(t, json.Unmarshal(data, &want))
	require.Len(t, want, len(texts))
	for i := range want {
		require.Equal(t, texts[i], want[i].Text)
		require.InDeltaSlice(t, want[i].Vector, got[i], 1e-4, "%.40q", texts[i])
	}
}

// TestFirstVector runs a process from its start to its first vector: this test
// binary, started anew with TestMain's child mode. It logs how long that takes
// and asserts no time, which other work on the machine decides too.
func TestFirstVector(t *testing.T) {
	best := time.Hour
	for range 3 {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), childEnv+"=1")
		start := time.Now()
		out, err := cmd.CombinedOutput()
		best = min(best, time.Since(start))
		require.NoError(t, err, "%s", out)
		require.Equal(t, "1.000\n", string(out), "the length of the vector")
	}
	t.Logf("first vector after %v", best.Round(time.Millisecond))
}

const childEnv = "PROSPECT_BUILTIN_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		e, err := builtin.Open(context.Background())
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		v, err := e.Embed(context.Background(), prospect.RoleQuery, []string{"find the right skill"})
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Printf("%.3f\n", math.Sqrt(dot(v[0], v[0])))
		os.Exit(0)
	}
	os.Exit(m.Run())
}
