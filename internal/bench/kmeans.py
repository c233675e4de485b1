"""k-means by faiss and scikit-learn, for the program bench.

Arguments: the folder with the file rows (float32, row-major), the dimension,
the number of clusters, the number of threads. Prints "ready" and the peers that
are there, then answers every line "NAME SEED" on standard input with a line:
the seconds by the clock, those of the processors, and the iterations; the
centroids go to the file centroids in the folder.
"""

import sys
import time
import warnings

folder = sys.argv[1]
dim, k, threads = (int(x) for x in sys.argv[2:5])
peers = []
try:
    import numpy as np
except ImportError:
    np = None
try:
    import faiss

    faiss.omp_set_num_threads(threads)
    # From 20 points on by matrix products, as faiss did before 1.15.
    faiss.cvar.distance_compute_blas_threshold = 20
    peers += ["faiss"]
except ImportError:
    pass
try:
    from sklearn.cluster import MiniBatchKMeans

    peers += ["sklearn-minibatch", "sklearn-minibatch-10k"]
except ImportError:
    pass


def with_faiss(seed):
    # 25 iterations over all points, not over 256 points a centroid.
    km = faiss.Kmeans(dim, k, spherical=True, seed=seed, max_points_per_centroid=len(rows))
    km.train(rows)
    return km.centroids, len(km.obj)


def with_minibatch(seed, **options):
    km = MiniBatchKMeans(k, random_state=seed, **options).fit(rows)
    return km.cluster_centers_, km.n_iter_


run = {
    "faiss": with_faiss,
    "sklearn-minibatch": with_minibatch,
    "sklearn-minibatch-10k": lambda seed: with_minibatch(seed, batch_size=10_000),
}
print("ready", *(peers if np is not None else []), flush=True)
warnings.simplefilter("ignore")
if peers:
    rows = np.fromfile(folder + "/rows", dtype="<f4").reshape(-1, dim)
for line in sys.stdin:
    name, seed = line.split()
    wall, cpu = time.perf_counter(), time.process_time()
    centroids, iterations = run[name](int(seed))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    np.ascontiguousarray(centroids, dtype="<f4").tofile(folder + "/centroids")
    print(f"{wall:.6f} {cpu:.6f} {iterations}", flush=True)
