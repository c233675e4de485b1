#!/usr/bin/env python3
"""Makes scipy.json: paired values and what SciPy says of their difference.

    python3 -m venv venv && venv/bin/pip install scipy==1.17.1 numpy==2.4.6
    venv/bin/python make_significance.py > scipy.json

For few queries SciPy's permutation test goes through all assignments of signs;
for many it draws a million, and the bootstrap draws 100,000 samples: chance
moves a p-value by some 0.001 and an end by some 0.3 % of the interval. max_t is
the step-down maximum test, spelled out below in another way than the library
does it: with Student's t, and with all 2^n assignments.
"""
import itertools
import json

import numpy as np
from scipy import stats

rng = np.random.default_rng(7)


def mean_difference(x, y, axis=-1):
    return np.mean(x - y, axis=axis)


def like_recall(n, relevant, chance):
    return [float(v) for v in rng.binomial(relevant, chance, n) / relevant]


def p_value(x, y, resamples):
    return float(stats.permutation_test((np.array(x), np.array(y)), mean_difference, permutation_type="samples",
                                        n_resamples=resamples, batch=20_000, rng=rng).pvalue)


def max_t(systems, baseline):
    d = np.array(systems) - np.array(baseline)
    n = d.shape[1]

    def t(rows):
        with np.errstate(invalid="ignore", divide="ignore"):
            value = np.abs(rows.mean(1)) / (rows.std(1, ddof=1) / np.sqrt(n))
        return np.where(np.isnan(value), 0, value)

    observed = t(d)
    order = np.argsort(-observed, kind="stable")
    counts = np.zeros(len(d))
    for signs in itertools.product([1, -1], repeat=n):
        flipped = t(d * np.array(signs))
        for j, s in enumerate(order):
            counts[s] += flipped[order[j:]].max() >= observed[s] - 1e-9
    p = counts / 2 ** n
    p[order] = np.maximum.accumulate(p[order])
    return [float(v) for v in p]


small = []
for n, relevant in [(2, 1), (3, 3), (5, 4), (8, 2), (10, 100), (12, 3)]:
    for _ in range(4):
        x, y = like_recall(n, relevant, .6), like_recall(n, relevant, .4)
        small.append({"x": x, "y": y, "p": p_value(x, y, np.inf)})

large = []
for n, a, b in [(20, .5, .47), (47, .6, .5), (47, .75, .6), (100, .5, .46), (300, .5, .53)]:
    x, y = (rng.beta(2 * m, 2 * (1 - m), n).round(4).tolist() for m in (a, b))
    d = np.array(x) - np.array(y)
    p = p_value(x, y, 999_999)
    for level in (.9, .95):
        ci = stats.bootstrap((d,), np.mean, method="percentile", n_resamples=100_000, batch=5000,
                             confidence_level=level, rng=rng).confidence_interval
        large.append({"x": x, "y": y, "p": p, "confidence": level, "low": float(ci.low), "high": float(ci.high)})

families = []
for n, systems in [(6, 3), (9, 5), (11, 4)]:
    baseline = like_recall(n, 5, .4)
    first = like_recall(n, 5, .65)
    rows = [first, list(baseline)] + [
        [a if rng.random() < .6 else b for a, b in zip(first, like_recall(n, 5, .5))] for _ in range(systems - 2)]
    families.append({"systems": rows, "baseline": baseline, "max_t": max_t(rows, baseline)})

print(json.dumps({"small": small, "large": large, "families": families}, separators=(",", ":")))
