package metrics

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/prospect-go/prospect"
)

// ReadTrecQrels reads judgements in the form of TREC, four fields a line
// between white space (ASCII's, as in C), the grade an integer of 32 bits:
//
//	query 0 document grade
//
// The second field plays no part. Line ends are LF or CRLF; a byte order mark
// at the begin is skipped. Errors, within a [*LineError] with the given name
// of the file: [prospect.ErrFormat] for a malformed line,
// [prospect.ErrDuplicateID] within a [*prospect.IDError] for a pair that is
// judged twice, whether or not the grades agree; and those of r.
func ReadTrecQrels(r io.Reader, file string) (Qrels[string, string], error) {
	return readQrels(r, file, func(line []byte) (judgement, error) {
		f, err := fields(line, 4, "query 0 document grade")
		if err != nil {
			return judgement{}, err
		}
		grade, err := strconv.ParseInt(f[3], 10, 32)
		if err != nil {
			return judgement{}, malformed("grade %.40q is not an integer of 32 bits", f[3])
		}
		return judgement{f[0], f[2], float64(grade)}, nil
	})
}

// WriteTrecQrels writes judgements in the form that [ReadTrecQrels] reads, in
// order of the ids of queries and then of documents. A query without
// judgements leaves no line.
//
// Errors: [ErrUnwritable] within a [*prospect.IDError] for a grade that is not
// an integer of 32 bits and for an id that has white space or control
// characters in it, [prospect.ErrEmptyID]; and those of w. After an error,
// part may have been written.
func WriteTrecQrels(w io.Writer, qrels Qrels[string, string]) error {
	return writeQrels(w, "", qrels, false, func(j judgement) (string, error) {
		if j.grade != math.Trunc(j.grade) || math.Abs(j.grade) > math.MaxInt32 { // NaN is not its own integer
			return "", unwritable(j.doc, "grade %v is not an integer of 32 bits", j.grade)
		}
		return fmt.Sprintf("%s 0 %s %d\n", j.query, j.doc, int64(j.grade)), nil
	})
}

// beirHeader is the first line of judgements in BEIR's form.
const beirHeader = "query-id\tcorpus-id\tscore"

// ReadBEIRQrels reads judgements in the form of BEIR's qrels/NAME.tsv: a
// header, then three fields a line with one tab between, the score any finite
// decimal number:
//
//	query-id<TAB>corpus-id<TAB>score
//
// Errors are those of [ReadTrecQrels], and [prospect.ErrNotFinite] for a score
// that is NaN or infinite, [prospect.ErrEmptyID] for a field that is empty.
func ReadBEIRQrels(r io.Reader, file string) (Qrels[string, string], error) {
	header := false
	qrels, err := readQrels(r, file, func(line []byte) (judgement, error) {
		if !header {
			if string(line) != beirHeader {
				return judgement{}, malformed("the header is not %q", beirHeader)
			}
			header = true
			return judgement{}, errHeader
		}
		f := strings.Split(string(line), "\t")
		if len(f) != 3 {
			return judgement{}, malformed("%d fields, not the 3 of %q", len(f), beirHeader)
		}
		if f[0] == "" || f[1] == "" {
			return judgement{}, prospect.ErrEmptyID
		}
		grade, err := number(f[2])
		if err != nil {
			return judgement{}, fmt.Errorf("score: %w", err)
		}
		return judgement{f[0], f[1], grade}, nil
	})
	if err == nil && !header {
		return nil, &LineError{file, 1, malformed("the header %q is missing", beirHeader)}
	}
	return qrels, err
}

// WriteBEIRQrels writes judgements in the form that [ReadBEIRQrels] reads, in
// order of the ids of queries and then of documents. A query without
// judgements leaves no line.
//
// Errors: [ErrUnwritable] within a [*prospect.IDError] for an id that has
// control characters, tabs among them, in it, [prospect.ErrNotFinite] in one
// for such a grade, [prospect.ErrEmptyID]; and those of w. After an error,
// part may have been written.
func WriteBEIRQrels(w io.Writer, qrels Qrels[string, string]) error {
	return writeQrels(w, beirHeader+"\n", qrels, true, func(j judgement) (string, error) {
		if math.IsNaN(j.grade) || math.IsInf(j.grade, 0) {
			return "", &prospect.IDError{ID: j.doc, Err: fmt.Errorf("grade: %w", prospect.ErrNotFinite)}
		}
		return j.query + "\t" + j.doc + "\t" + strconv.FormatFloat(j.grade, 'f', -1, 64) + "\n", nil
	})
}

type judgement struct {
	query, doc string
	grade      float64
}

// errHeader says that a line is the header and no judgement.
var errHeader = errors.New("header")

func readQrels(r io.Reader, file string, parse func(line []byte) (judgement, error)) (Qrels[string, string], error) {
	qrels := Qrels[string, string]{}
	err := eachLine(r, file, func(line []byte) error {
		j, err := parse(line)
		if err == errHeader {
			return nil
		} else if err != nil {
			return err
		}
		if _, dup := qrels[j.query][j.doc]; dup {
			return &prospect.IDError{ID: j.doc, Err: fmt.Errorf("query %q: %w", j.query, prospect.ErrDuplicateID)}
		}
		if qrels[j.query] == nil {
			qrels[j.query] = map[string]float64{}
		}
		qrels[j.query][j.doc] = j.grade
		return nil
	})
	if err != nil {
		return nil, err
	}
	return qrels, nil
}

func writeQrels(w io.Writer, header string, qrels Qrels[string, string], spaces bool, format func(judgement) (string, error)) error {
	bw := bufio.NewWriter(w)
	bw.WriteString(header)
	for _, query := range slices.Sorted(maps.Keys(qrels)) {
		if err := checkID(query, spaces); err != nil {
			return fmt.Errorf("query: %w", err)
		}
		for _, doc := range slices.Sorted(maps.Keys(qrels[query])) {
			err := checkID(doc, spaces)
			line := ""
			if err == nil {
				line, err = format(judgement{query, doc, qrels[query][doc]})
			}
			if err != nil {
				return fmt.Errorf("query %q: %w", query, err)
			}
			bw.WriteString(line)
		}
	}
	return bw.Flush()
}
