"""Makes bm25s.json: scores of the Python package bm25s for made-up tokens.

    pip install bm25s==0.3.16 && python golden_scores.py > bm25s.json

bm25s gives bm25l and bm25+ a score for terms that a document lacks, too. It is
taken away here: what is left is the sum over the terms that it has.
"""

import json
import random

import bm25s

VARIANTS = [
    ("lucene", 1.2, 0.75, 0.0),
    ("lucene", 0.9, 0.4, 0.0),
    ("robertson", 1.2, 0.75, 0.0),
    ("atire", 1.5, 0.6, 0.0),
    ("bm25l", 1.2, 0.75, 0.5),
    ("bm25l", 2.0, 1.0, 0.25),
    ("bm25+", 1.2, 0.75, 1.0),
    ("bm25+", 0.5, 0.0, 0.5),
]

random.seed(20)
words = [f"w{i}" for i in range(40)]
weights = [1 / (i + 1) for i in range(40)]
docs = [random.choices(words, weights, k=random.randint(1, 60)) for _ in range(60)]
queries = [random.choices(words, k=random.randint(1, 8)) for _ in range(12)]
queries.append(["w0", "w0", "w3", "unknown"])  # repeated and unknown terms


def scores(variant, k1, b, delta):
    index = bm25s.BM25(method=variant, k1=k1, b=b, delta=delta, dtype="float64")
    index.index(docs, show_progress=False)
    rows = []
    for query in queries:
        row = [0.0] * len(docs)
        for term in query:
            if term not in index.vocab_dict:
                continue
            for i, score in enumerate(index.get_scores([term])):
                if term in docs[i]:
                    row[i] += float(score)
        rows.append([round(s, 7) for s in row])
    return rows


print(json.dumps({
    "docs": [" ".join(d) for d in docs],
    "queries": [" ".join(q) for q in queries],
    "cases": [
        {"variant": v, "k1": k1, "b": b, "delta": d, "scores": scores(v, k1, b, d)}
        for v, k1, b, d in VARIANTS
    ],
}))
