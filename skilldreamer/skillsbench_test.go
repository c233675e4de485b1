package skilldreamer_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/embed/builtin"
	"github.com/prospect-go/prospect/embed/onnx"
	"github.com/prospect-go/prospect/internal/evaldata"
	"github.com/prospect-go/prospect/metrics"
	"github.com/prospect-go/prospect/skill"
	"github.com/prospect-go/prospect/skilldreamer"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// evalModel names a sentence-transformers folder to evaluate instead of the
// built-in model. Its figures are printed and compared with no golden file.
const evalModel = "PROSPECT_EVAL_MODEL"

// A bench is SkillsBench as the tests use it.
type bench struct {
	tasks    []evaldata.Doc
	imagined map[string]*skilldreamer.Imagined
	qrels    metrics.Qrels[string, string]
	large    []*skill.Skill // corpus, then distractors
	strict   []*skill.Skill // without distractors that share a name with the corpus
	small    []*skill.Skill // corpus alone
}

func loadBench(t testing.TB) *bench {
	dir := evaldata.Dir(t, "skillsbench")
	b := &bench{
		tasks:    evaldata.Docs(t, filepath.Join(dir, "queries.jsonl")),
		qrels:    evaldata.Qrels(t, filepath.Join(dir, "qrels", "test.tsv")),
		imagined: map[string]*skilldreamer.Imagined{},
	}
	type recorded struct {
		QueryID string `json:"query_id"`
		skilldreamer.Imagined
	}
	for _, r := range evaldata.Lines[recorded](t, filepath.Join(dir, "llm_outputs.jsonl")) {
		b.imagined[r.QueryID] = &r.Imagined
	}
	parse := func(d evaldata.Doc) *skill.Skill {
		s, _, err := skill.Parse([]byte(d.Text), skill.ParseOptions{Folder: d.ID})
		require.NoError(t, err, d.ID)
		s.ID = d.ID
		return s
	}
	for _, d := range evaldata.Docs(t, filepath.Join(dir, "corpus.jsonl")) {
		b.small = append(b.small, parse(d))
	}
	b.large, b.strict = slices.Clone(b.small), slices.Clone(b.small)
	for _, d := range evaldata.Docs(t, filepath.Join(dir, "distractors.jsonl.gz")) {
		s := parse(d)
		b.large = append(b.large, s)
		if _, same := d.Metadata["same_name_as"]; !same {
			b.strict = append(b.strict, s)
		}
	}
	require.Len(t, b.tasks, 47)
	require.Equal(t, []int{5536, 5510, 198}, []int{len(b.large), len(b.strict), len(b.small)})
	return b
}

// remembering embeds each text once, for the galleries and systems share them.
type remembering struct {
	prospect.Embedder
	mu   sync.Mutex
	seen map[string][]float32
}

func (r *remembering) Embed(ctx context.Context, role prospect.Role, texts []string) ([][]float32, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var fresh []string
	for _, text := range texts {
		if _, ok := r.seen[role.String()+text]; !ok {
			fresh = append(fresh, text)
		}
	}
	vectors, err := r.Embedder.Embed(ctx, role, fresh)
	if err != nil {
		return nil, err
	}
	for i, v := range vectors {
		r.seen[role.String()+fresh[i]] = v
	}
	out := make([][]float32, len(texts))
	for i, text := range texts {
		out[i] = slices.Clone(r.seen[role.String()+text])
	}
	return out, nil
}

func openModel(t testing.TB) (e prospect.Embedder, other bool) {
	if dir := os.Getenv(evalModel); dir != "" {
		e, err := onnx.Open(ctx, dir, onnx.Options{})
		require.NoError(t, err)
		t.Cleanup(func() { e.Close() })
		return e, true
	}
	m, err := builtin.Open(ctx)
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	return m, false
}

// depth is how far rankings are judged: the paper's K.
const depth = 15

func benchMeasures() []metrics.Measure {
	var m []metrics.Measure
	for _, k := range []int{5, 10, 15} {
		m = append(m, metrics.Recall(k), metrics.NDCG(k), metrics.Completeness(k))
	}
	return append(m, metrics.QSM())
}

// A system ranks the gallery for one task.
type system struct {
	name string
	rank func(t testing.TB, g *skilldreamer.Gallery, task evaldata.Doc, im *skilldreamer.Imagined) []string
}

// dreaming is SkillDreamer with options, on what change makes of the recorded
// answer.
func dreaming(name string, o skilldreamer.Options, change func(task string, im *skilldreamer.Imagined) *skilldreamer.Imagined) system {
	o.K = depth
	return system{name, func(t testing.TB, g *skilldreamer.Gallery, task evaldata.Doc, im *skilldreamer.Imagined) []string {
		if change != nil {
			im = change(task.Text, im)
		}
		r, err := newDreamer(t, g, nil, o).Retrieve(ctx, skilldreamer.Request{Task: task.Text}, im)
		require.NoError(t, err)
		return ids(r)
	}}
}

// systems are plain retrieval, the method, and what tells which part of it
// does the work.
func systems() []system {
	dense := system{"dense", func(t testing.TB, g *skilldreamer.Gallery, task evaldata.Doc, _ *skilldreamer.Imagined) []string {
		r, err := newDreamer(t, g, nil, skilldreamer.Options{K: depth}).Plain(ctx, skilldreamer.Request{Task: task.Text})
		require.NoError(t, err)
		return ids(r)
	}}
	lexical := system{"bm25", func(t testing.TB, g *skilldreamer.Gallery, task evaldata.Doc, _ *skilldreamer.Imagined) []string {
		hits, err := g.Lexicon().Search(ctx, prospect.Query{Text: task.Text, K: depth})
		require.NoError(t, err)
		out := []string{}
		for _, h := range hits {
			out = append(out, h.ID)
		}
		return out
	}}
	withoutSkills := func(_ string, im *skilldreamer.Imagined) *skilldreamer.Imagined {
		c := &skilldreamer.Imagined{Anchors: im.Anchors}
		for _, one := range im.Capabilities {
			c.Capabilities = append(c.Capabilities, skilldreamer.Capability{Text: one.Text})
		}
		return c
	}
	return []system{
		lexical, dense,
		dreaming("skilldreamer", skilldreamer.Options{}, nil),
		dreaming("query as capability", skilldreamer.Options{}, func(task string, im *skilldreamer.Imagined) *skilldreamer.Imagined {
			return &skilldreamer.Imagined{Anchors: im.Anchors, Capabilities: []skilldreamer.Capability{{Text: task}}}
		}),
		dreaming("capability text", skilldreamer.Options{}, withoutSkills),
		dreaming("no anchors", skilldreamer.Options{}, func(_ string, im *skilldreamer.Imagined) *skilldreamer.Imagined {
			return &skilldreamer.Imagined{Capabilities: im.Capabilities}
		}),
		dreaming("alpha 0", skilldreamer.Options{Weights: skilldreamer.Weights{Imagined: 1, Anchors: 1}}, nil),
		dreaming("alpha 0.5", skilldreamer.Options{Weights: skilldreamer.Weights{Task: .5, Imagined: 1, Anchors: 1}}, nil),
		dreaming("alpha 1", skilldreamer.Options{Weights: skilldreamer.Weights{Task: 1, Imagined: 1, Anchors: 1}}, nil),
		dreaming("alpha 4", skilldreamer.Options{Weights: skilldreamer.Weights{Task: 4, Imagined: 1, Anchors: 1}}, nil),
		dreaming("hybrid", skilldreamer.Hybrid(), nil),
	}
}

// figures are means by gallery, system and measure.
type figures map[string]map[string]map[string]float64

// oneTask is the most that one task of the 47 can move a mean. Golden figures
// are compared within it: where two skills are nearly tied, another kernel may
// order them the other way, and with it a task become complete or not.
const oneTask = 1.0/47 + 1e-9

// TestSkillsBench reproduces the figures of the built-in model on SkillsBench
// with recorded model answers.
func TestSkillsBench(t *testing.T) {
	b := loadBench(t)
	model, other := openModel(t)
	e := &remembering{Embedder: model, seen: map[string][]float32{}}
	got := figures{}
	for _, gallery := range []struct {
		name   string
		skills []*skill.Skill
	}{{"5536", b.large}, {"5510 strict", b.strict}, {"198", b.small}} {
		g, err := skilldreamer.NewGallery(e, skilldreamer.GalleryOptions{})
		require.NoError(t, err)
		begin := time.Now()
		require.NoError(t, g.Put(ctx, gallery.skills...))
		t.Logf("gallery %s: built in %v", gallery.name, time.Since(begin).Round(time.Millisecond))
		got[gallery.name] = map[string]map[string]float64{}
		for _, s := range systems() {
			run := metrics.Run[string, string]{}
			for _, task := range b.tasks {
				run[task.ID] = s.rank(t, g, task, b.imagined[task.ID])
			}
			eval, err := metrics.Evaluate(run, b.qrels, benchMeasures()...)
			require.NoError(t, err)
			means := map[string]float64{}
			for i, m := range eval.Measures {
				means[m] = eval.Means[i]
			}
			got[gallery.name][s.name] = means
		}
		t.Log("\n" + figuresTable(gallery.name, got[gallery.name]))
	}
	if !other {
		golden(t, "skillsbench-builtin.json", got, oneTask)
		for name, g := range got {
			for _, m := range []string{"recall@5", "completeness@5", "ndcg@10"} {
				require.Greater(t, g["skilldreamer"][m], g["dense"][m], "gallery %s: the method gains over the plain query in %s", name, m)
				require.Greater(t, g["hybrid"][m], g["skilldreamer"][m], "gallery %s: words gain over the published method in %s", name, m)
			}
		}
	}
}

func figuresTable(gallery string, rows map[string]map[string]float64) string {
	var s strings.Builder
	measures := benchMeasures()
	fmt.Fprintf(&s, "| gallery %s |", gallery)
	for _, m := range measures {
		fmt.Fprintf(&s, " %s |", m.Name())
	}
	fmt.Fprintf(&s, "\n|---|%s\n", strings.Repeat("---:|", len(measures)))
	for _, sys := range systems() {
		fmt.Fprintf(&s, "| %s |", sys.name)
		for _, m := range measures {
			fmt.Fprintf(&s, " %.3f |", rows[sys.name][m.Name()])
		}
		s.WriteByte('\n')
	}
	return s.String()
}

// golden compares figures with a file of testdata, or rewrites it.
func golden(t *testing.T, name string, got figures, tolerance float64) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		data, err := json.MarshalIndent(got, "", "  ")
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, append(data, '\n'), 0o644))
		return
	}
	data, err := os.ReadFile(path)
	require.NoError(t, err, "run with -update to make it")
	var want figures
	require.NoError(t, json.Unmarshal(data, &want))
	require.ElementsMatch(t, slices.Collect(maps.Keys(want)), slices.Collect(maps.Keys(got)))
	for gallery, systems := range want {
		require.ElementsMatch(t, slices.Collect(maps.Keys(systems)), slices.Collect(maps.Keys(got[gallery])))
		for system, measures := range systems {
			for measure, v := range measures {
				require.InDelta(t, v, got[gallery][system][measure], tolerance, "%s, %s, %s", gallery, system, measure)
			}
		}
	}
}

// BenchmarkRetrieve is a search after the model's answers, over 5,536 skills.
func BenchmarkRetrieve(b *testing.B) {
	data := loadBench(b)
	model, _ := openModel(b)
	g, err := skilldreamer.NewGallery(model, skilldreamer.GalleryOptions{})
	require.NoError(b, err)
	begin := time.Now()
	require.NoError(b, g.Put(ctx, data.large...))
	build := time.Since(begin)
	path := filepath.Join(b.TempDir(), "g")
	require.NoError(b, g.Save(path))
	begin = time.Now()
	g, err = skilldreamer.OpenGallery(path, model, skilldreamer.GalleryOptions{})
	require.NoError(b, err)
	open := time.Since(begin)
	for _, c := range []struct {
		name    string
		options skilldreamer.Options
	}{{"paper", skilldreamer.Paper()}, {"hybrid", skilldreamer.Hybrid()}} {
		b.Run(c.name, func(b *testing.B) {
			d := newDreamer(b, g, nil, c.options)
			i := 0
			b.ReportAllocs()
			for b.Loop() {
				task := data.tasks[i%len(data.tasks)]
				_, err := d.Retrieve(ctx, skilldreamer.Request{Task: task.Text}, data.imagined[task.ID])
				require.NoError(b, err)
				i++
			}
			b.ReportMetric(build.Seconds(), "s-build")
			b.ReportMetric(open.Seconds(), "s-open")
		})
	}
}
