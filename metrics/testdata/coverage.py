#!/usr/bin/env python3
"""Coverage of three kinds of 95 % intervals of a mean, by simulation.

    python3 -m venv venv && venv/bin/pip install scipy==1.17.1 numpy==2.4.6
    venv/bin/python coverage.py

A line for each distribution and number of queries: the share of 3,000
intervals that hold the true mean, and the mean length, for the bootstrap
percentile interval, BCa and Student's t.
"""
import numpy as np
from scipy.stats import norm, t

SAMPLES, RESAMPLES = 3000, 1000
STEPS = np.array([-1, -.5, -1 / 3, 0, 1 / 3, .5, 1])
SHARES = np.array([.02, .06, .07, .55, .12, .1, .08])
DISTRIBUTIONS = [
    ("differences of recall", lambda n: rng.choice(STEPS, p=SHARES, size=n), STEPS @ SHARES),
    ("beta(1/2, 1/2)", lambda n: rng.beta(.5, .5, n), .5),
    ("beta(0.3, 2)", lambda n: rng.beta(.3, 2, n), .3 / 2.3),
    ("0 or 1, 1 of 10", lambda n: rng.choice([0, 1], p=[.9, .1], size=n), .1),
]
rng = np.random.default_rng(1)


def percentile(x, means, mean):
    return np.quantile(means, [.025, .975])


def bca(x, means, mean):
    n = len(x)
    at = np.clip(((means < mean).mean() + (means <= mean).mean()) / 2, 1e-6, 1 - 1e-6)
    bias = norm.ppf(at)
    left_out = (x.sum() - x) / (n - 1)
    d = left_out.mean() - left_out
    spread = (d ** 2).sum() ** 1.5
    skew = (d ** 3).sum() / (6 * spread) if spread else 0
    z = bias + norm.ppf([.025, .975])
    return np.quantile(means, norm.cdf(bias + z / (1 - skew * z)))


def student(x, means, mean):
    reach = t.ppf(.975, len(x) - 1) * x.std(ddof=1) / np.sqrt(len(x))
    return mean - reach, mean + reach


for name, draw, truth in DISTRIBUTIONS:
    for n in (20, 47, 100):
        held, length = np.zeros(3), np.zeros(3)
        for _ in range(SAMPLES):
            x = draw(n)
            means = x[rng.integers(0, n, size=(RESAMPLES, n))].mean(1)
            for i, kind in enumerate((percentile, bca, student)):
                low, high = kind(x, means, x.mean())
                held[i] += low <= truth <= high
                length[i] += high - low
        print(f"{name:22} n={n:<4}", *(f"{k.__name__} {held[i] / SAMPLES:.3f} ({length[i] / SAMPLES:.3f})"
                                       for i, k in enumerate((percentile, bca, student))), flush=True)
