package metrics

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/prospect-go/prospect"
)

// BEIR is a collection in a folder of the form of the BEIR benchmark:
//
//	corpus.jsonl       the documents, one object a line (see [Doc])
//	queries.jsonl      the queries, likewise
//	qrels/NAME.tsv     judgements (see [ReadBEIRQrels])
//
// The first two may be gzipped and are then called corpus.jsonl.gz and
// queries.jsonl.gz. Errors about a line are of type [*LineError], with the
// path within FS as the file.
type BEIR struct{ FS fs.FS }

// A Doc is a document or query of a [BEIR] collection.
type Doc struct {
	ID    string // "_id", not empty
	Title string // "title"; empty if absent
	Text  string // "text", which may be empty but not absent
	// Metadata is the value of "metadata" as it stands, nil if absent: unmarshal
	// it into a type of your own.
	Metadata json.RawMessage
}

// Corpus reads the documents one by one: see [BEIR.Docs].
func (b BEIR) Corpus() iter.Seq2[Doc, error] { return b.docs("corpus.jsonl", "corpus.jsonl.gz") }

// Queries reads all queries, in order of the file. Its errors are those of
// [BEIR.Docs].
func (b BEIR) Queries() ([]Doc, error) {
	var queries []Doc
	for q, err := range b.docs("queries.jsonl", "queries.jsonl.gz") {
		if err != nil {
			return nil, err
		}
		queries = append(queries, q)
	}
	return queries, nil
}

// Qrels reads the judgements qrels/NAME.tsv.
func (b BEIR) Qrels(name string) (Qrels[string, string], error) {
	file := "qrels/" + name + ".tsv"
	f, err := b.FS.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadBEIRQrels(f, file)
}

// QrelsNames lists the names that [BEIR.Qrels] takes, sorted.
func (b BEIR) QrelsNames() ([]string, error) {
	entries, err := fs.ReadDir(b.FS, "qrels") // sorted
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".tsv"); ok && !e.IsDir() {
			names = append(names, name)
		}
	}
	return names, err
}

// Docs reads a JSONL file of the folder, gzipped if its name ends in ".gz",
// document by document. An error is given once, with a zero Doc, and ends the
// sequence: those of [ReadBEIRDocs], [prospect.ErrCorrupt] for a gzipped file
// that is truncated or damaged, and those of FS.
func (b BEIR) Docs(file string) iter.Seq2[Doc, error] { return b.docs(file) }

// docs reads the one of the files that there is.
func (b BEIR) docs(files ...string) iter.Seq2[Doc, error] {
	return func(yield func(Doc, error) bool) {
		file := files[0]
		if len(files) > 1 {
			_, plain := fs.Stat(b.FS, files[0])
			_, zipped := fs.Stat(b.FS, files[1])
			switch {
			case plain == nil && zipped == nil:
				yield(Doc{}, &LineError{files[0], 0, malformed("there is a %s beside it", files[1])})
				return
			case zipped == nil && errors.Is(plain, fs.ErrNotExist):
				file = files[1]
			}
		}
		f, err := b.FS.Open(file)
		if err != nil {
			yield(Doc{}, err)
			return
		}
		defer f.Close()
		var r io.Reader = f
		if strings.HasSuffix(file, ".gz") {
			if r, err = unzip(f); err != nil {
				yield(Doc{}, &LineError{file, 0, err})
				return
			}
		}
		ReadBEIRDocs(r, file)(yield)
	}
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

// unzip reads gzipped data and tells damage to them from errors of r.
func unzip(r io.Reader) (io.Reader, error) {
	z, err := gzip.NewReader(r)
	if err == io.EOF { // not even a header
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, damage(err)
	}
	return &unzipper{z}, nil
}

type unzipper struct{ z *gzip.Reader }

func (u *unzipper) Read(p []byte) (int, error) {
	n, err := u.z.Read(p)
	return n, damage(err)
}

func damage(err error) error {
	var corrupt flate.CorruptInputError
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) || errors.As(err, &corrupt) {
		return fmt.Errorf("%w: %w", prospect.ErrCorrupt, err)
	}
	return err
}
