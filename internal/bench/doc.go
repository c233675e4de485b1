// Command bench runs this library and its peers side by side, in one process
// group, on the same data, and prints a table for each case.
//
//	go run . [-only AREA] [-json FILE] [-sizes LIST] [-rounds N] [-hnsw N] [-million] [-clusters LIST] [-peers REGEXP]
//
// # How times are taken
//
// The contenders of a case take turns: in every round each runs once (a fast
// one often enough to fill some milliseconds), and the order rotates from round
// to round, so that another load on the machine falls on all of them. The
// table has the shortest time and the median, and of the ratio to the first
// contender the ratio of the shortest times and the median of the ratios within
// a round. All may use as many threads as GOMAXPROCS says, unless their name
// says otherwise.
//
// # Peers in Python
//
// faiss and numpy run in a child process, through the script peers.py, where
// Python has them: pip install faiss-cpu numpy. The interpreter is
// $PROSPECT_PYTHON, or python3 in PATH. It takes its own times, so that the
// pipe between the processes does not count.
//
// bm25s (with numba) and tantivy run through bm25.py: pip install bm25s numba
// tantivy. Area bm25 shows, besides the time by the clock, the processors' time
// of each process. bleve, which takes a minute, runs once.
//
// faiss and scikit-learn cluster through kmeans.py: pip install faiss-cpu
// scikit-learn. Area kmeans runs each contender three times at most, and takes
// the inertia of all by one rule: cosines with centroids scaled to unit length.
//
// # Adding an area
//
// An area is a file with a function that is listed in areas (main.go).
package main
