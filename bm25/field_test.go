package bm25_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/bm25"
)

// A field oracle is BM25F as its authors write it: in every field a frequency
// over a length part, their weighted sum in place of tf, and saturation once.
type fieldOracle struct {
	oracle
	fields []bm25.Field // with weight and b set
}

func (o *fieldOracle) texts(d bm25.Doc) []string {
	texts := []string{d.Text}
	for _, f := range o.fields {
		texts = append(texts, d.Fields[f.Name])
	}
	return texts
}

func occurrences(text, term string) (n float64) {
	for _, t := range strings.Fields(text) {
		if t == term {
			n++
		}
	}
	return n
}

func (o *fieldOracle) score(query string, d bm25.Doc) float64 {
	n, k1, sum := float64(len(o.docs)), o.k1, 0.0
	for _, term := range strings.Fields(query) {
		c := 0.0
		for i, text := range o.texts(d) {
			tf := occurrences(text, term)
			if tf == 0 {
				continue
			}
			weight, b := 1.0, o.b
			if i > 0 {
				weight, b = o.fields[i-1].Weight, *o.fields[i-1].B
			}
			total := 0
			for _, other := range o.docs {
				total += len(strings.Fields(o.texts(other)[i]))
			}
			c += weight * tf / (1 - b + b*float64(len(strings.Fields(text)))/(float64(total)/n))
		}
		if c == 0 {
			continue
		}
		df := 0.0
		for _, other := range o.docs {
			if occurrences(strings.Join(o.texts(other), " "), term) > 0 {
				df++
			}
		}
		switch o.variant {
		case bm25.Lucene:
			sum += math.Log(1+(n-df+0.5)/(df+0.5)) * c / (c + k1)
		case bm25.Robertson:
			sum += max(0, math.Log((n-df+0.5)/(df+0.5))) * c / (c + k1)
		case bm25.ATIRE:
			sum += math.Log(n/df) * c * (k1 + 1) / (c + k1)
		case bm25.BM25L:
			sum += math.Log((n+1)/(df+0.5)) * (k1 + 1) * (c + o.delta) / (k1 + c + o.delta)
		case bm25.BM25Plus:
			sum += math.Log((n+1)/df) * (c*(k1+1)/(c+k1) + o.delta)
		}
	}
	return sum
}

func drawDoc(t *rapid.T, id string) bm25.Doc {
	d := bm25.Doc{ID: id, Text: drawText(t, "text"), Fields: map[string]string{}}
	for _, name := range []string{"name", "description"} {
		if text := drawText(t, name); text != "" {
			d.Fields[name] = text
		}
	}
	return d
}

// Any sequence of changes leaves an index with fields equal to the oracle, and
// equal bit for bit to one built fresh and to one saved and read.
func TestFieldsEqualTheOracleAfterAnyChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := fieldOracle{oracle: oracle{
			variant: rapid.SampledFrom([]bm25.Variant{bm25.Lucene, bm25.Robertson, bm25.ATIRE, bm25.BM25L, bm25.BM25Plus}).Draw(t, "variant"),
			k1:      rapid.SampledFrom([]float64{0, 0.9, 1.2, 3}).Draw(t, "k1"),
			b:       rapid.SampledFrom([]float64{0, 0.4, 0.75, 1}).Draw(t, "b"),
			delta:   rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(t, "delta"),
		}}
		for _, name := range []string{"name", "description"} {
			o.fields = append(o.fields, bm25.Field{
				Name: name, Weight: rapid.SampledFrom([]float64{0.1, 1, 2.5, 40}).Draw(t, "weight"),
				B: new(rapid.SampledFrom([]float64{0, 0.3, 1}).Draw(t, "b of "+name)),
			})
		}
		opts := bm25.Options{Variant: o.variant, K1: &o.k1, B: &o.b, Delta: &o.delta, Fields: o.fields, Analyzer: fields}
		ix, err := bm25.New(opts)
		require.NoError(t, err)
		next := 0
		for range rapid.IntRange(1, 6).Draw(t, "changes") {
			var c bm25.Changes
			var kept []bm25.Doc
			for _, d := range o.docs {
				switch rapid.IntRange(0, 5).Draw(t, "what") {
				case 0:
					c.Delete = append(c.Delete, d.ID)
					continue
				case 1:
					d = drawDoc(t, d.ID)
					c.Update = append(c.Update, d)
				}
				kept = append(kept, d)
			}
			for range rapid.IntRange(0, 4).Draw(t, "adds") {
				c.Add = append(c.Add, drawDoc(t, fmt.Sprint("id", next)))
				next++
			}
			o.docs = append(kept, c.Add...)
			before := ix.Snapshot()
			was := before.DocFreq("a")
			require.NoError(t, ix.Apply(context.Background(), c))
			ix.Snapshot().DocFreq("a") // counts on where the old snapshot ended
			require.Equal(t, was, before.DocFreq("a"))
			if rapid.IntRange(0, 3).Draw(t, "compact") == 0 {
				ix.Compact()
			}
			checkFields(t, &o, ix, opts)
		}
	})
}

func checkFields(t *rapid.T, o *fieldOracle, ix *bm25.Index, opts bm25.Options) {
	ctx := context.Background()
	var file bytes.Buffer
	_, err := ix.WriteTo(&file)
	require.NoError(t, err)
	saved, err := bm25.Read(&file, bm25.Options{Analyzer: fields})
	require.NoError(t, err)
	query := drawText(t, "query") + " unknown"
	var want []prospect.Hit
	all := make([]string, len(o.docs))
	for i, d := range o.docs {
		all[i] = d.ID
	}
	scores, err := ix.Scores(ctx, query, all)
	require.NoError(t, err)
	for i, d := range o.docs {
		exact := o.score(query, d)
		require.InDelta(t, exact, scores[i], 1e-12*max(1, exact))
		if scores[i] > 0 {
			want = append(want, prospect.Hit{ID: d.ID, Score: scores[i]})
		}
		checkFieldExplanation(t, o, ix, query, d, scores[i])
	}
	slices.SortStableFunc(want, func(a, b prospect.Hit) int { return cmp.Compare(b.Score, a.Score) })
	for _, index := range []*bm25.Index{ix, build2(t, opts, o.docs), saved} {
		hits, err := index.Search(ctx, prospect.Query{Text: query, K: len(o.docs) + 1})
		require.NoError(t, err)
		require.Equal(t, len(want), len(hits))
		for i := range want {
			require.Equal(t, want[i], hits[i])
		}
		within := all[:len(all)/2]
		hits, err = index.Search(ctx, prospect.Query{Text: query, K: len(o.docs) + 1, Within: within})
		require.NoError(t, err)
		for _, h := range hits {
			require.Contains(t, want, h)
			require.Contains(t, within, h.ID)
		}
	}
}

func checkFieldExplanation(t *rapid.T, o *fieldOracle, ix *bm25.Index, query string, d bm25.Doc, score float64) {
	e, err := ix.Explain(query, d.ID)
	require.NoError(t, err)
	require.Equal(t, score, e.Score)
	require.Len(t, e.Fields, len(o.fields))
	require.Equal(t, len(strings.Fields(d.Text)), e.Length)
	for i, f := range e.Fields {
		require.Equal(t, o.fields[i].Name, f.Field)
		require.Equal(t, o.fields[i].Weight, f.Weight)
		require.Equal(t, len(strings.Fields(d.Fields[f.Field])), f.Length)
	}
	for _, term := range e.Terms {
		tf, sum := 0, 0.0
		for _, f := range term.Fields {
			text := d.Text
			if f.Field != "" {
				text = d.Fields[f.Field]
			}
			require.EqualValues(t, occurrences(text, term.Term), f.TF)
			tf += f.TF
			sum += f.Score
		}
		require.Equal(t, tf, term.TF)
		require.InDelta(t, term.Score, sum, 1e-12*max(1, term.Score))
	}
}

// N = 2, df = 1, idf = ln(1 + 1.5/1.5) = ln 2. Text: 2 of 4 terms, mean 3,
// L = 1 − ¾ + ¾·4/3 = 1.25, 2/1.25 = 1.6. Name: 1 of 1 term, mean ½, b = ½,
// L = ½ + ½·1/½ = 1.5, weight 3: 3/1.5 = 2. c = 3.6, 3.6/(3.6 + 1.2) = ¾.
func TestFieldsByHand(t *testing.T) {
	ix := build(t, bm25.Options{Analyzer: fields, Fields: []bm25.Field{{Name: "name", Weight: 3, B: new(0.5)}}}, []bm25.Doc{
		{ID: "x", Text: "a c"}, {ID: "y", Text: "a b b d", Fields: map[string]string{"name": "b"}},
	})
	e, err := ix.Explain("b", "y")
	require.NoError(t, err)
	require.InDelta(t, 0.75*math.Ln2, e.Score, 1e-15)
	require.Equal(t, 4, e.Length)
	require.Equal(t, 1.25, e.Norm)
	require.Equal(t, []bm25.FieldLength{{Field: "name", Weight: 3, Length: 1, AvgLength: 0.5, Norm: 1.5}}, e.Fields)
	require.Len(t, e.Terms, 1)
	require.Equal(t, 3, e.Terms[0].TF)
	require.Equal(t, 1, e.Terms[0].DF)
	text, name := 1.6, 2.0
	require.Equal(t, []bm25.FieldScore{
		{Field: "", TF: 2, Frequency: text, Score: e.Score * (text / (text + name))},
		{Field: "name", TF: 1, Frequency: name, Score: e.Score * (name / (text + name))},
	}, e.Terms[0].Fields)
}

// A field that counts as the Text does, without length parts, is the text
// joined to it.
func TestFieldsOfWeightOneAreOneText(t *testing.T) {
	joined := build(t, bm25.Options{Analyzer: fields, B: new(0.0)}, []bm25.Doc{{ID: "x", Text: "a b a"}, {ID: "y", Text: "c a b"}})
	apart := build(t, bm25.Options{Analyzer: fields, B: new(0.0), Fields: []bm25.Field{{Name: "n"}}}, []bm25.Doc{
		{ID: "x", Text: "a", Fields: map[string]string{"n": "b a"}}, {ID: "y", Fields: map[string]string{"n": "c a b"}},
	})
	for _, q := range []string{"a", "b c", "a b c"} {
		want, err := joined.Search(t.Context(), prospect.Query{Text: q, K: 2})
		require.NoError(t, err)
		got, err := apart.Search(t.Context(), prospect.Query{Text: q, K: 2})
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

func TestFieldsThatAreRefused(t *testing.T) {
	for _, f := range [][]bm25.Field{
		{{}}, {{Name: "a"}, {Name: "a"}}, {{Name: "a", Weight: -1}}, {{Name: "a", Weight: math.NaN()}}, {{Name: "a", Weight: math.Inf(1)}},
		{{Name: "a", Weight: 1e-300}}, {{Name: "a", B: new(1.1)}}, {{Name: "a", B: new(math.NaN())}}, make([]bm25.Field, 1<<16),
	} {
		_, err := bm25.New(bm25.Options{Fields: f})
		require.ErrorIs(t, err, prospect.ErrOption)
	}
	ix := build(t, bm25.Options{Fields: []bm25.Field{{Name: "name"}}}, nil)
	before := ix.Snapshot()
	odd := bm25.Doc{ID: "y", Fields: map[string]string{"name": "a", "title": "b"}}
	for _, c := range []bm25.Changes{{Add: []bm25.Doc{{ID: "x"}, odd}}, {Add: []bm25.Doc{{ID: "y", Fields: map[string]string{"": "a"}}}}} {
		err := ix.Apply(t.Context(), c)
		require.ErrorIs(t, err, bm25.ErrUnknownField)
		var culprit *prospect.IDError
		require.ErrorAs(t, err, &culprit)
		require.Equal(t, "y", culprit.ID)
		require.Same(t, before, ix.Snapshot())
	}
}

func TestFilesKnowTheirFields(t *testing.T) {
	opts := bm25.Options{Analyzer: fields, B: new(0.3), Fields: []bm25.Field{{Name: "name", Weight: 3}, {Name: "tags", B: new(0.0)}}}
	ix := build(t, opts, []bm25.Doc{{ID: "x", Text: "a", Fields: map[string]string{"tags": "b"}}})
	data := bytesOf(t, ix)
	for _, same := range []bm25.Options{opts, {Analyzer: fields}, {Analyzer: fields, Fields: opts.Fields}} {
		got, err := bm25.Read(bytes.NewReader(data), same)
		require.NoError(t, err)
		require.Equal(t, data, bytesOf(t, got))
		require.NoError(t, got.AddBatch(t.Context(), []bm25.Doc{{ID: "y", Fields: map[string]string{"name": "b"}}}))
		require.Equal(t, 2, got.Snapshot().DocFreq("b"))
	}
	for _, other := range [][]bm25.Field{{}, opts.Fields[:1], {opts.Fields[1], opts.Fields[0]}, {{Name: "name", Weight: 2}, opts.Fields[1]}, {opts.Fields[0], {Name: "tags"}}} {
		_, err := bm25.Read(bytes.NewReader(data), bm25.Options{Analyzer: fields, Fields: other})
		require.ErrorIs(t, err, prospect.ErrIdentity)
	}
	_, err := bm25.Read(bytes.NewReader(bytesOf(t, build(t, bm25.Options{Analyzer: fields}, two))), bm25.Options{Analyzer: fields, Fields: opts.Fields})
	require.ErrorIs(t, err, prospect.ErrIdentity)
}
