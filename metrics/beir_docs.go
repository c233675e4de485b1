package metrics

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"iter"
	"unicode/utf8"

	"github.com/prospect-go/prospect"
)

// A Doc is a document or query of a [BEIR] collection.
type Doc struct {
	ID    string // "_id", not empty
	Title string // "title"; empty if absent
	Text  string // "text", which may be empty but not absent
	// Metadata is the value of "metadata" as it stands, nil if absent: unmarshal
	// it into a type of your own.
	Metadata json.RawMessage
}

// ReadBEIRDocs reads documents or queries in the form of BEIR, one JSON object
// a line, one by one: see [Doc]. Fields of other names play no part. It keeps
// the ids that it has seen, and one line.
//
// Line ends are LF or CRLF; a byte order mark at the begin is skipped. An
// error is given once, with a zero Doc, and ends the sequence. Errors, within
// a [*LineError] with the given name of the file: [prospect.ErrFormat] for a
// malformed line, one without "text", or one that gives a field twice,
// [prospect.ErrEmptyID] for one without an id, [prospect.ErrDuplicateID]
// within a [*prospect.IDError]; and those of r.
func ReadBEIRDocs(r io.Reader, file string) iter.Seq2[Doc, error] {
	return func(yield func(Doc, error) bool) {
		seen := map[string]struct{}{}
		stopped := false
		err := eachLine(r, file, func(line []byte) error {
			d, err := parseDoc(line)
			if err != nil {
				return err
			}
			if _, dup := seen[d.ID]; dup {
				return &prospect.IDError{ID: d.ID, Err: prospect.ErrDuplicateID}
			}
			seen[d.ID] = struct{}{}
			if !yield(d, nil) {
				stopped = true
				return io.EOF
			}
			return nil
		})
		if err != nil && !stopped {
			yield(Doc{}, err)
		}
	}
}

// parseDoc goes through an object field by field: unmarshalling into a struct
// would take "TEXT" for "text", and the last of two.
func parseDoc(line []byte) (Doc, error) {
	dec := json.NewDecoder(bytes.NewReader(line))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return Doc{}, malformed("not a JSON object")
	}
	var d Doc
	var text *string // nil for null
	seen := map[string]bool{}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return Doc{}, malformed("%v", err)
		}
		field, _ := name.(string)
		if seen[field] {
			return Doc{}, malformed("field %.40q twice", field)
		}
		seen[field] = true
		var value any
		switch field {
		case "_id":
			value = &d.ID
		case "title":
			value = &d.Title
		case "text":
			value = &text
		case "metadata":
			value = &d.Metadata
		default:
			value = new(json.RawMessage)
		}
		if err := dec.Decode(value); err != nil {
			return Doc{}, malformed("field %.40q: %v", field, err)
		}
	}
	if _, err := dec.Token(); err != nil {
		return Doc{}, malformed("the object does not end")
	}
	if _, err := dec.Token(); err != io.EOF {
		return Doc{}, malformed("something follows the object")
	}
	switch {
	case d.ID == "":
		return Doc{}, prospect.ErrEmptyID
	case text == nil:
		return Doc{}, malformed("no text")
	case string(d.Metadata) == "null":
		d.Metadata = nil
	}
	d.Text = *text
	return d, nil
}

// WriteBEIRDocs writes documents or queries in the form that [ReadBEIRDocs]
// reads, in the order given. An empty title and metadata that are nil are left
// out.
//
// Errors: [prospect.ErrEmptyID]; within a [*prospect.IDError],
// [prospect.ErrDuplicateID], and [ErrUnwritable] for a text that is not UTF-8
// or metadata that are not JSON; and those of w. After an error, part may have
// been written.
func WriteBEIRDocs(w io.Writer, docs iter.Seq[Doc]) error {
	bw := bufio.NewWriter(w)
	enc := json.NewEncoder(bw)
	enc.SetEscapeHTML(false)
	seen := map[string]struct{}{}
	for d := range docs {
		if err := checkDoc(d); err != nil {
			return err
		}
		if _, dup := seen[d.ID]; dup {
			return &prospect.IDError{ID: d.ID, Err: prospect.ErrDuplicateID}
		}
		seen[d.ID] = struct{}{}
		if err := enc.Encode(struct {
			ID       string          `json:"_id"`
			Title    string          `json:"title,omitempty"`
			Text     string          `json:"text"`
			Metadata json.RawMessage `json:"metadata,omitempty"`
		}(d)); err != nil {
			return err
		}
	}
	return bw.Flush()
}

func checkDoc(d Doc) error {
	switch {
	case d.ID == "":
		return &prospect.IDError{ID: d.ID, Err: prospect.ErrEmptyID}
	case !utf8.ValidString(d.ID) || !utf8.ValidString(d.Title) || !utf8.ValidString(d.Text) || !utf8.Valid(d.Metadata):
		return unwritable(d.ID, "not UTF-8")
	case len(d.Metadata) > 0 && !json.Valid(d.Metadata):
		return unwritable(d.ID, "metadata are not JSON")
	}
	return nil
}
