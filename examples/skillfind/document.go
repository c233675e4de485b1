package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/prospect-go/prospect/embed/onnx"
	"github.com/prospect-go/prospect/skilldreamer"
)

// document is what -json prints. README.md describes it; fields are added, not
// renamed, while Version stays 1.
type document struct {
	Version    int             `json:"version"`
	Gallery    galleryRecord   `json:"gallery"`
	Tasks      []findingRecord `json:"tasks"`
	OtherTasks []string        `json:"other_tasks,omitempty"`
}

type galleryRecord struct {
	Skills    int             `json:"skills"`
	Sources   []sourceRecord  `json:"sources"`
	Embedder  string          `json:"embedder"`
	Dimension int             `json:"dimension"`
	File      string          `json:"file,omitempty"`
	Opened    bool            `json:"opened"`
	Added     int             `json:"added"`
	Updated   int             `json:"updated"`
	Removed   int             `json:"removed"`
	Embedded  int             `json:"embedded"`
	Took      time.Duration   `json:"took_ns"`
	Problems  []problemRecord `json:"problems"`
}

type sourceRecord struct {
	Name string `json:"name"`
	Dir  string `json:"dir"`
}

type problemRecord struct {
	Severity string `json:"severity"`
	Kind     string `json:"kind"`
	Source   string `json:"source,omitempty"`
	Path     string `json:"path,omitempty"`
	Line     int    `json:"line,omitempty"`
	Message  string `json:"message"`
}

type findingRecord struct {
	ID           string        `json:"id,omitempty"`
	Text         string        `json:"text"`
	Needed       []string      `json:"needed,omitempty"`
	Basis        basis         `json:"basis"`
	Plain        resultRecord  `json:"plain"`
	SkillDreamer *resultRecord `json:"skilldreamer"`
}

type resultRecord struct {
	Skills   []skillRecord          `json:"skills"`
	Found    []string               `json:"found,omitempty"`
	Missed   []string               `json:"missed,omitempty"`
	Plain    bool                   `json:"plain"`
	Partial  bool                   `json:"partial"`
	Notes    []skilldreamer.Note    `json:"notes"`
	Imagined *skilldreamer.Imagined `json:"imagined,omitempty"`
	Trace    skilldreamer.Trace     `json:"trace"`
}

type skillRecord struct {
	skilldreamer.Match
	Name          string `json:"name"`
	Source        string `json:"source"`
	File          string `json:"file"`
	Description   string `json:"description"`
	Needed        bool   `json:"needed"`
	ForCapability string `json:"for_capability,omitempty"`
	ImaginedAs    string `json:"imagined_as,omitempty"`
}

func newDocument(s *shelf, embedder *onnx.Embedder) *document {
	g := galleryRecord{
		Skills: s.gallery.Len(), Embedder: embedder.Identity(), Dimension: embedder.Dim(), File: s.file, Opened: s.opened,
		Added: len(s.report.Added), Updated: len(s.report.Updated), Removed: len(s.report.Removed), Embedded: s.report.Embedded,
		Took: s.took, Problems: []problemRecord{},
	}
	for _, f := range s.folders {
		g.Sources = append(g.Sources, sourceRecord{f.name, f.dir})
	}
	for _, p := range s.report.Problems {
		message := p.Message
		if p.Err != nil {
			message = fmt.Sprintf("%s: %v", message, p.Err)
		}
		g.Problems = append(g.Problems, problemRecord{p.Severity.String(), p.Kind.String(), p.Source, p.Path, p.Line, message})
	}
	return &document{Version: 1, Gallery: g, Tasks: []findingRecord{}}
}

func (d *document) add(f finding) {
	r := findingRecord{ID: f.task.ID, Text: f.task.Text, Needed: f.task.Needed, Basis: f.basis, Plain: record(f.task, f.plain)}
	if f.dream != nil {
		dream := record(f.task, f.dream)
		r.SkillDreamer = &dream
	}
	d.Tasks = append(d.Tasks, r)
}

func record(t task, r *skilldreamer.Result) resultRecord {
	out := resultRecord{Skills: []skillRecord{}, Plain: r.Plain, Partial: r.Partial, Notes: r.Notes, Imagined: r.Imagined, Trace: r.Trace}
	if out.Notes == nil {
		out.Notes = []skilldreamer.Note{}
	}
	out.Found, out.Missed = t.tally(r)
	for _, m := range r.Skills {
		s := skillRecord{Match: m, Name: m.Skill.Name, Source: m.Skill.Source, File: m.Skill.File, Description: m.Skill.Description, Needed: t.needs(m.Skill.Name)}
		if c := capabilityOf(r, m.Capability); c != nil {
			s.ForCapability = c.Text
			if c.Skill != nil {
				s.ImaginedAs = c.Skill.Name
			}
		}
		out.Skills = append(out.Skills, s)
	}
	return out
}

// write prints the document. Characters that steer terminals can only stand
// inside of strings, and are written there as escapes, so that nothing is lost.
func (d *document) write(w io.Writer) error {
	var plain bytes.Buffer
	enc := json.NewEncoder(&plain)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(d); err != nil {
		return err
	}
	var safe bytes.Buffer
	for _, r := range plain.String() {
		switch {
		case r == '\n' || !steers(r):
			safe.WriteRune(r)
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&safe, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			fmt.Fprintf(&safe, `\u%04x`, r)
		}
	}
	_, err := w.Write(safe.Bytes())
	return err
}
