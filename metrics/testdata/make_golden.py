#!/usr/bin/env python3
"""Makes pytrec_eval.json: runs, judgements and what trec_eval says of them.

    python3 -m venv venv && venv/bin/pip install pytrec-eval-terrier==0.5.11
    venv/bin/python make_golden.py > pytrec_eval.json

Three kinds of queries: those whose scores are all distinct, in which the order
given is the ranking; those with ties, which trec_eval breaks by id; and those
that the run does not answer, for which there are no values.

Measures that trec_eval lacks are derived: completeness is 1 where its recall
is, and NDCG with exponential gains is its NDCG of grades 2^g - 1.
"""
import json
import random

import pytrec_eval

CUTS = [1, 3, 5, 10, 20]
WANTED = {"map", "ndcg", "recip_rank", "set_P", "set_recall"} | {
    f"{m}.{','.join(map(str, CUTS))}" for m in ("map_cut", "P", "recall", "ndcg_cut", "success")}
NAMES = {"map": "ap", "recip_rank": "rr", "ndcg": "ndcg", "set_P": "precision", "set_recall": "recall"} | {
    f"{theirs}_{k}": f"{ours}@{k}" for k in CUTS for theirs, ours in {
        "map_cut": "ap", "P": "precision", "recall": "recall", "ndcg_cut": "ndcg", "success": "success"}.items()}


def judgements(rng, docs):
    judged = rng.sample(docs, rng.choice([1, 2, 4, 8, 25]))
    grades = rng.choice([[1], [0, 1], [0, 1, 2, 3], [-1, 0, 1, 4]])
    qrels = {d: rng.choice(grades) for d in judged}
    if max(qrels.values()) <= 0:
        qrels[judged[0]] = 1
    return qrels


def score(rng, kind, rank, length):
    if kind == "distinct":
        return float(length - rank)
    # A few values; some differ in double precision only, some below zero.
    return rng.choice([2.0, 1.0, 1.0 + 1e-9, 0.5, 0.0, -1.0, 1e-20])


rng = random.Random(20)
docs = [f"d{i}" for i in range(30)] + ["D1", "d-", "ä"]
queries = []
for kind, count in [("distinct", 40), ("tied", 60), ("unanswered", 5)]:
    for n in range(count):
        ranking = [] if kind == "unanswered" else rng.sample(docs, rng.choice([1, 2, 5, 12, 30]))
        queries.append({
            "query": f"{kind}{n:02}",
            "hits": [[d, score(rng, kind, i, len(ranking))] for i, d in enumerate(ranking)],
            "qrels": judgements(rng, docs),
        })

run = {q["query"]: dict(q["hits"]) for q in queries if q["hits"]}
linear = pytrec_eval.RelevanceEvaluator({q["query"]: q["qrels"] for q in queries}, WANTED).evaluate(run)
exponential = pytrec_eval.RelevanceEvaluator(
    {q["query"]: {d: 2 ** max(0, g) - 1 for d, g in q["qrels"].items()} for q in queries}, WANTED).evaluate(run)
for q in queries:
    if not q["hits"]:
        continue
    theirs = linear[q["query"]]
    values = {ours: theirs[name] for name, ours in NAMES.items()}
    for k in CUTS:
        values[f"completeness@{k}"] = float(theirs[f"recall_{k}"] == 1)
        values[f"ndcg_exp@{k}"] = exponential[q["query"]][f"ndcg_cut_{k}"]
    values["completeness"] = float(theirs["set_recall"] == 1)
    values["ndcg_exp"] = exponential[q["query"]]["ndcg"]
    q["values"] = {name: values[name] for name in sorted(values)}
print("[\n" + ",\n".join(json.dumps(q, separators=(",", ":"), ensure_ascii=False) for q in queries) + "\n]")
