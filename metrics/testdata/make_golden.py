#!/usr/bin/env python3
"""Makes pytrec_eval.json: rankings, judgements and what trec_eval says of them.

    python3 -m venv venv && venv/bin/pip install pytrec-eval-terrier==0.5.11
    venv/bin/python make_golden.py > pytrec_eval.json

trec_eval sorts by score and breaks ties by id, so every rank gets a score of
its own here.
"""
import json
import random

import pytrec_eval

MEASURES = {
    "ap": "map", "ap@5": "map_cut_5",
    "rr": "recip_rank",
    "precision@1": "P_1", "precision@5": "P_5", "precision@20": "P_20",
    "recall@1": "recall_1", "recall@5": "recall_5", "recall@20": "recall_20",
    "ndcg": "ndcg", "ndcg@1": "ndcg_cut_1", "ndcg@5": "ndcg_cut_5", "ndcg@20": "ndcg_cut_20",
    "success@1": "success_1", "success@5": "success_5",
}

rng = random.Random(20)
queries = []
for n in range(40):
    docs = [f"d{i}" for i in range(30)]
    ranking = rng.sample(docs, rng.choice([1, 2, 5, 12, 30]))
    judged = rng.sample(docs, rng.choice([1, 2, 4, 8, 25]))
    grades = rng.choice([[1], [0, 1], [0, 1, 2, 3], [-1, 0, 1, 4]])
    qrels = {d: rng.choice(grades) for d in judged}
    if max(qrels.values()) <= 0:
        qrels[judged[0]] = 1
    queries.append({"query": f"q{n:02}", "ranking": ranking, "qrels": qrels})

evaluator = pytrec_eval.RelevanceEvaluator(
    {q["query"]: q["qrels"] for q in queries},
    {"map", "map_cut.5", "recip_rank", "P.1,5,20", "recall.1,5,20", "ndcg", "ndcg_cut.1,5,20", "success.1,5"})
results = evaluator.evaluate(
    {q["query"]: {d: float(len(q["ranking"]) - i) for i, d in enumerate(q["ranking"])} for q in queries})
for q in queries:
    q["values"] = {ours: results[q["query"]][theirs] for ours, theirs in MEASURES.items()}
print("[\n" + ",\n".join(json.dumps(q, separators=(",", ":")) for q in queries) + "\n]")
