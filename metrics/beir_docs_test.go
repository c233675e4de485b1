package metrics_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/metrics"
)

func TestReadBEIRDocsRefuses(t *testing.T) {
	for _, c := range []struct {
		line string
		is   error
		says string
	}{
		{`null`, prospect.ErrFormat, "not a JSON object"},
		{`["a"]`, prospect.ErrFormat, "not a JSON object"},
		{`plain text`, prospect.ErrFormat, "not a JSON object"},
		{`{"_id":"c","text":"x"`, prospect.ErrFormat, "unexpected end"},
		{`{"_id":"c","text":"x`, prospect.ErrFormat, `"text"`},
		{`{"_id":"c","text":"x"} {}`, prospect.ErrFormat, "follows"},
		{`{"_id":"c","text":"x"},`, prospect.ErrFormat, "follows"},
		{`{"_id":"c","text":"x",}`, prospect.ErrFormat, ""},
		{`{"_id":7,"text":"x"}`, prospect.ErrFormat, `"_id"`},
		{`{"_id":"c","text":["x"]}`, prospect.ErrFormat, `"text"`},
		{`{"_id":"c","title":1,"text":"x"}`, prospect.ErrFormat, `"title"`},
		{`{"_id":"c"}`, prospect.ErrFormat, "no text"},
		{`{"_id":"c","text":null}`, prospect.ErrFormat, "no text"},
		{`{"_id":"c","TEXT":"x"}`, prospect.ErrFormat, "no text"},
		{`{"_id":"c","text":"x","text":"y"}`, prospect.ErrFormat, `"text" twice`},
		{`{"text":"x"}`, prospect.ErrEmptyID, ""},
		{`{"_id":"","text":"x"}`, prospect.ErrEmptyID, ""},
		{`{"_id":null,"text":"x"}`, prospect.ErrEmptyID, ""},
		{`{"id":"c","text":"x"}`, prospect.ErrEmptyID, ""},
		{`{"_id":"a","text":"x"}`, prospect.ErrDuplicateID, `id "a"`},
	} {
		got, err := collect(metrics.ReadBEIRDocs(strings.NewReader(twoDocs+c.line+"\n"+twoDocs), "f"))
		require.ErrorIs(t, err, c.is, c.line)
		require.ErrorContains(t, err, c.says, c.line)
		at(t, 3, err)
		require.Equal(t, wantDocs, got, "what came before it")
	}
	// Fields of other names, and null for what may be absent, do not matter.
	got, err := collect(metrics.ReadBEIRDocs(strings.NewReader(`{"url":{"a":1},"_id":"a","title":null,"text":"x","metadata":null,"Text":"y"}`), "f"))
	require.NoError(t, err)
	require.Equal(t, []metrics.Doc{{ID: "a", Text: "x"}}, got)
}

func TestReadBEIRDocsStopsWhenTold(t *testing.T) {
	for d, err := range metrics.ReadBEIRDocs(strings.NewReader(twoDocs+"not read"), "f") {
		require.NoError(t, err)
		if d.ID == "b" {
			break
		}
	}
}

func TestWriteBEIRDocs(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, metrics.WriteBEIRDocs(&b, slices.Values([]metrics.Doc{
		{ID: "a", Title: "A & B", Text: "<b>\n\"x\""}, {ID: "b\t", Metadata: json.RawMessage("{\n  \"n\": 1.50\n}")},
	})))
	require.Equal(t, `{"_id":"a","title":"A & B","text":"<b>\n\"x\""}`+"\n"+`{"_id":"b\t","text":"","metadata":{"n":1.50}}`+"\n", b.String())

	for _, c := range []struct {
		doc metrics.Doc
		is  error
	}{
		{metrics.Doc{Text: "x"}, prospect.ErrEmptyID},
		{metrics.Doc{ID: "\xff"}, metrics.ErrUnwritable},
		{metrics.Doc{ID: "c", Title: "\xff"}, metrics.ErrUnwritable},
		{metrics.Doc{ID: "c", Text: "\xff"}, metrics.ErrUnwritable},
		{metrics.Doc{ID: "c", Metadata: json.RawMessage(`{`)}, metrics.ErrUnwritable},
		{metrics.Doc{ID: "c", Metadata: json.RawMessage("\"\xff\"")}, metrics.ErrUnwritable},
		{metrics.Doc{ID: "a"}, prospect.ErrDuplicateID},
	} {
		err := metrics.WriteBEIRDocs(&bytes.Buffer{}, slices.Values([]metrics.Doc{{ID: "a"}, c.doc}))
		require.ErrorIs(t, err, c.is, "%v", c.doc)
		var id *prospect.IDError
		require.ErrorAs(t, err, &id)
		require.Equal(t, c.doc.ID, id.ID)
	}
	full := errors.New("disk full")
	require.ErrorIs(t, metrics.WriteBEIRDocs(failing{full}, slices.Values(wantDocs)), full)
}

func TestBEIRDocsRoundTrip(t *testing.T) {
	meta := rapid.Map(rapid.MapOf(rapid.String(), rapid.Float64Range(-1e9, 1e9)), func(m map[string]float64) json.RawMessage {
		raw, err := json.Marshal(m)
		if err != nil {
			panic(err)
		}
		return raw
	})
	rapid.Check(t, func(t *rapid.T) {
		var want []metrics.Doc
		for _, id := range rapid.SliceOfDistinct(rapid.StringN(1, 6, -1), rapid.ID[string]).Draw(t, "ids") {
			d := metrics.Doc{ID: id, Title: rapid.String().Draw(t, "title"), Text: rapid.String().Draw(t, "text")}
			if rapid.Bool().Draw(t, "has metadata") {
				var compact bytes.Buffer
				require.NoError(t, json.Compact(&compact, meta.Draw(t, "metadata")))
				d.Metadata = compact.Bytes()
			}
			want = append(want, d)
		}
		var b bytes.Buffer
		require.NoError(t, metrics.WriteBEIRDocs(&b, slices.Values(want)))
		got, err := collect(metrics.ReadBEIRDocs(&b, "f"))
		require.NoError(t, err)
		require.Equal(t, want, got)
	})
}

func FuzzReadBEIRDocs(f *testing.F) {
	f.Add([]byte(twoDocs))
	f.Add([]byte("\ufeff{\"_id\":\"\\ud800\",\"text\":\"\\u2028\",\"x\":[{}]}\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		docs, err := collect(metrics.ReadBEIRDocs(bytes.NewReader(data), "f"))
		if err != nil {
			mustBeLineError(t, data, err)
		}
		var b bytes.Buffer
		require.NoError(t, metrics.WriteBEIRDocs(&b, slices.Values(docs)))
		again, err := collect(metrics.ReadBEIRDocs(&b, "f"))
		require.NoError(t, err)
		require.Len(t, again, len(docs))
		for i, d := range docs {
			require.Equal(t, [3]string{d.ID, d.Title, d.Text}, [3]string{again[i].ID, again[i].Title, again[i].Text})
			if d.Metadata != nil {
				require.JSONEq(t, string(d.Metadata), string(again[i].Metadata))
			}
		}
	})
}
