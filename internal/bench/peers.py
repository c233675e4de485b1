"""Searches with faiss and numpy, for the program bench.

Arguments: the folder with the files rows and queries (float32, row-major), the
dimension, the number of threads. Prints "ready", then answers every line
"NAME FIRST COUNT K" on standard input with a line: the seconds that it took,
and the hits of the first of the queries.
"""

import sys
import time

folder, dim, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
try:
    import faiss
    import numpy as np
except ImportError as e:
    print("missing:", e, flush=True)
    sys.exit(0)

faiss.omp_set_num_threads(threads)
no_blas = faiss.cvar.distance_compute_blas_threshold
rows = np.fromfile(folder + "/rows", dtype="<f4").reshape(-1, dim)
queries = np.fromfile(folder + "/queries", dtype="<f4").reshape(-1, dim)
index = faiss.IndexFlatIP(dim)
index.add(rows)


def with_faiss(q, k):
    # Several queries at once are several times faster by matrix products, which
    # faiss 1.15 uses of itself only in much larger cases; one is slower.
    faiss.cvar.distance_compute_blas_threshold = 1 if len(q) > 1 else no_blas
    return index.search(q, k)[1]


def with_numpy(q, k):
    scores = q @ rows.T
    best = np.argpartition(scores, -k, axis=1)[:, -k:]
    order = np.argsort(-np.take_along_axis(scores, best, axis=1), axis=1)
    return np.take_along_axis(best, order, axis=1)


peers = {"faiss": with_faiss, "numpy": with_numpy}
print("ready", flush=True)
for line in sys.stdin:
    name, first, count, k = line.split()
    q = queries[int(first) : int(first) + int(count)]
    k = min(int(k), len(rows))
    start = time.perf_counter()
    hits = peers[name](q, k)
    seconds = time.perf_counter() - start
    print(f"{seconds:.9f}", *hits[0], flush=True)
