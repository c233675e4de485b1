package metrics

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/prospect-go/prospect"
)

// A ScoredRun holds the hits of each query, best first. As everywhere the
// order is the ranking, whatever the scores are.
type ScoredRun map[string][]prospect.Hit

// Run returns the rankings in the order given.
func (r ScoredRun) Run() Run[string, string] {
	run := make(Run[string, string], len(r))
	for q, hits := range r {
		run[q] = Ranking(hits)
	}
	return run
}

// TrecRun returns the rankings in the order in which trec_eval reads them: see
// [TrecRanking].
func (r ScoredRun) TrecRun() Run[string, string] {
	run := make(Run[string, string], len(r))
	for q, hits := range r {
		run[q] = TrecRanking(hits)
	}
	return run
}

// ReadTrecRun reads a run in the form of TREC, six fields a line between white
// space (ASCII's, as in C):
//
//	query Q0 document rank score tag
//
// The hits of a query are in the order of its lines, so [ScoredRun.Run] takes
// the file at its lines and [ScoredRun.TrecRun] at its scores, which is what
// trec_eval does. The second field, the rank (an integer) and the tag play no
// part.
//
// Line ends are LF or CRLF; a byte order mark at the begin is skipped. Errors,
// within a [*LineError] with the given name of the file: [prospect.ErrFormat]
// for a malformed line, [prospect.ErrNotFinite] for such a score,
// [prospect.ErrDuplicateID] within a [*prospect.IDError] for a document twice
// for a query; and those of r.
func ReadTrecRun(r io.Reader, file string) (ScoredRun, error) {
	run := ScoredRun{}
	seen := map[string]map[string]struct{}{}
	err := eachLine(r, file, func(line []byte) error {
		f, err := fields(line, 6, "query Q0 document rank score tag")
		if err != nil {
			return err
		}
		query, doc := f[0], f[2]
		if _, err := strconv.ParseInt(f[3], 10, 64); err != nil {
			return malformed("rank %.40q is not an integer", f[3])
		}
		score, err := number(f[4])
		if err != nil {
			return fmt.Errorf("score: %w", err)
		}
		if seen[query] == nil {
			seen[query] = map[string]struct{}{}
		}
		if _, dup := seen[query][doc]; dup {
			return &prospect.IDError{ID: doc, Err: fmt.Errorf("query %q: %w", query, prospect.ErrDuplicateID)}
		}
		seen[query][doc] = struct{}{}
		run[query] = append(run[query], prospect.Hit{ID: doc, Score: score})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return run, nil
}

// WriteTrecRun writes a run in the form that [ReadTrecRun] reads, with ranks
// from 1 and queries in order of their ids. A query without hits leaves no
// line, so it is read back as one that was not answered.
//
// trec_eval goes by the scores, in single precision, and not by the order of
// the lines. For it to find the order given, scores must fall: one that is, in
// single precision, not below the score written before it is replaced by the
// next lower number of single precision. Scores that fall anyway, as those of
// an index do between ties, are written exactly. [ByRank] gives scores to
// rankings whose own mean nothing across the list.
//
// Errors: [ErrUnwritable] or [prospect.ErrEmptyID] for an id (or the tag) that
// is empty or has white space or control characters in it,
// [prospect.ErrDuplicateID], [prospect.ErrNotFinite] for a score that is not
// finite in single precision, each in a [*prospect.IDError] that names the
// document (or query or tag); and those of w. After an error, part of the
// run may have been written: to replace a file whole, write to a new one and
// rename it.
func WriteTrecRun(w io.Writer, tag string, run ScoredRun) error {
	if err := checkID(tag, false); err != nil {
		return fmt.Errorf("tag: %w", err)
	}
	bw := bufio.NewWriter(w)
	for _, query := range slices.Sorted(maps.Keys(run)) {
		if err := checkID(query, false); err != nil {
			return fmt.Errorf("query: %w", err)
		}
		seen := make(map[string]struct{}, len(run[query]))
		before := float32(math.Inf(1))
		for i, h := range run[query] {
			if err := checkID(h.ID, false); err != nil {
				return fmt.Errorf("query %q: %w", query, err)
			}
			if _, dup := seen[h.ID]; dup {
				return fmt.Errorf("query %q: %w", query, &prospect.IDError{ID: h.ID, Err: prospect.ErrDuplicateID})
			}
			seen[h.ID] = struct{}{}
			score, single := below(before, h.Score)
			if !finite(float32(h.Score)) || !finite(single) {
				return fmt.Errorf("query %q: %w", query, &prospect.IDError{ID: h.ID, Err: fmt.Errorf("score %v: %w", h.Score, prospect.ErrNotFinite)})
			}
			before = single
			fmt.Fprintf(bw, "%s Q0 %s %d %s %s\n", query, h.ID, i+1, strconv.FormatFloat(score, 'g', -1, 64), tag)
		}
	}
	return bw.Flush()
}

// below returns score, and what it is in single precision, if that is below
// before; else the next lower number of single precision, twice.
func below(before float32, score float64) (float64, float32) {
	if single := float32(score); single < before {
		return score, single
	}
	next := math.Nextafter32(before, float32(math.Inf(-1)))
	return float64(next), next
}

func finite(x float32) bool { return x-x == 0 }

// ByRank makes hits of a ranking, for files that want scores: n for the first
// of n ids, then n − 1, down to 1. Up to 2²⁴ of them are distinct for
// trec_eval, which reads single precision.
func ByRank(ids []string) []prospect.Hit {
	hits := make([]prospect.Hit, len(ids))
	for i, id := range ids {
		hits[i] = prospect.Hit{ID: id, Score: float64(len(ids) - i)}
	}
	return hits
}

// fields splits a line at white space, that of ASCII, into n fields.
func fields(line []byte, n int, form string) ([]string, error) {
	f := strings.FieldsFunc(string(line), func(r rune) bool { return r == ' ' || r >= '\t' && r <= '\r' })
	if len(f) != n {
		return nil, malformed("%d fields, not the %d of %q", len(f), n, form)
	}
	return f, nil
}
