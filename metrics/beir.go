package metrics

import (
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"
	"strings"

	"github.com/prospect-go/prospect"
)

// BEIR is a collection in a folder of the form of the BEIR benchmark:
//
//	corpus.jsonl       the documents, one object a line (see [Doc])
//	queries.jsonl      the queries, likewise
//	qrels/NAME.tsv     judgements (see [ReadBEIRQrels])
//
// Each may be gzipped, and its name then ends in ".gz" too: corpus.jsonl.gz.
// Where there are both, the corpus and the queries are an error
// ([prospect.ErrFormat]), and of judgements the plain file is read. Errors
// about a line are of type [*LineError], with the path within FS as the file.
type BEIR struct {
	// FS is the folder: os.DirFS makes one. It must not be nil
	// ([prospect.ErrOption]).
	FS fs.FS
}

// folder is FS, checked.
func (b BEIR) folder() (fs.FS, error) {
	if b.FS == nil {
		return nil, fmt.Errorf("%w: a metrics.BEIR without FS", prospect.ErrOption)
	}
	return b.FS, nil
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

// Qrels reads the judgements qrels/NAME.tsv or, where there is no such file,
// qrels/NAME.tsv.gz. Errors: those of [ReadBEIRQrels], [prospect.ErrCorrupt]
// for a gzipped file that is truncated or damaged, and those of FS, among them
// [fs.ErrNotExist] where there is neither file.
func (b BEIR) Qrels(name string) (Qrels[string, string], error) {
	folder, err := b.folder()
	if err != nil {
		return nil, err
	}
	file := "qrels/" + name + ".tsv"
	if _, plain := fs.Stat(folder, file); errors.Is(plain, fs.ErrNotExist) {
		if _, zipped := fs.Stat(folder, file+".gz"); !errors.Is(zipped, fs.ErrNotExist) {
			file += ".gz"
		}
	}
	r, f, err := open(folder, file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadBEIRQrels(r, file)
}

// QrelsNames lists the names that [BEIR.Qrels] takes, sorted, each once.
func (b BEIR) QrelsNames() ([]string, error) {
	folder, err := b.folder()
	if err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(folder, "qrels")
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(strings.TrimSuffix(e.Name(), ".gz"), ".tsv"); ok && !e.IsDir() {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), err
}

// Docs reads a JSONL file of the folder, gzipped if its name ends in ".gz",
// document by document. An error is given once, with a zero Doc, and ends the
// sequence: those of [ReadBEIRDocs], [prospect.ErrCorrupt] for a gzipped file
// that is truncated or damaged, and those of FS.
func (b BEIR) Docs(file string) iter.Seq2[Doc, error] { return b.docs(file) }

// docs reads the one of the files that there is.
func (b BEIR) docs(files ...string) iter.Seq2[Doc, error] {
	return func(yield func(Doc, error) bool) {
		folder, err := b.folder()
		if err != nil {
			yield(Doc{}, err)
			return
		}
		file := files[0]
		if len(files) > 1 {
			_, plain := fs.Stat(folder, files[0])
			_, zipped := fs.Stat(folder, files[1])
			switch {
			case plain == nil && zipped == nil:
				yield(Doc{}, &LineError{files[0], 0, malformed("there is a %s beside it", files[1])})
				return
			case zipped == nil && errors.Is(plain, fs.ErrNotExist):
				file = files[1]
			}
		}
		r, f, err := open(folder, file)
		if err != nil {
			yield(Doc{}, err)
			return
		}
		defer f.Close()
		ReadBEIRDocs(r, file)(yield)
	}
}

// open opens a file of the folder and unzips it if its name ends in ".gz". The
// closer is for the caller to close.
func open(folder fs.FS, file string) (io.Reader, io.Closer, error) {
	f, err := folder.Open(file)
	if err != nil {
		return nil, nil, err
	}
	if !strings.HasSuffix(file, ".gz") {
		return f, f, nil
	}
	r, err := unzip(f)
	if err != nil {
		f.Close()
		return nil, nil, &LineError{file, 0, err}
	}
	return r, f, nil
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
