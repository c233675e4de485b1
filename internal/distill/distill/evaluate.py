"""Step eval: NDCG@10 and recall of teacher and student on the retrieval sets (never used for training)."""

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

Encode = Callable[[list[str]], np.ndarray]
SETS = ("cranfield", "med", "vaswani", "skillsbench")


def lines(path: Path) -> list[dict]:
    """The objects of a JSONL file; path.gz is read where path does not exist."""
    opened = path.open() if path.exists() else gzip.open(f"{path}.gz", "rt", encoding="utf-8")
    with opened as f:
        return [json.loads(line) for line in f]


def skill_text(doc: dict, body: int = 0) -> str:
    """Name and description of a skill, with the first `body` characters of its body where asked."""
    meta = doc.get("metadata", doc)
    text = f"{meta.get('name', '')}\n{meta.get('description', '')}"
    without_front_matter = re.sub(r"\A---\n.*?\n---\n", "", doc.get("text", ""), flags=re.S)
    return text + ("\n" + without_front_matter[:body] if body else "")


def load(data: Path, name: str, body: int = 0) -> tuple[list[str], list[str], list[str], list[str], dict[str, dict[str, float]]]:
    """(document ids, document texts, query ids, query texts, judgements) of one set."""
    folder = data / ("skillsbench" if name == "skillsbench" else f"classic/{name}")
    docs = lines(folder / "corpus.jsonl")
    if name == "skillsbench":
        docs += lines(folder / "distractors.jsonl")
        texts = [skill_text(d, body) for d in docs]
    elif name == "cranfield":
        texts = [d["text"] for d in docs]
    else:
        texts = [(d.get("title", "") + " " + d["text"]).strip() for d in docs]
    judged: dict[str, dict[str, float]] = {}
    for row in (folder / "qrels/test.tsv").read_text().splitlines()[1:]:
        query, doc, score = row.split("\t")
        judged.setdefault(query, {})[doc] = float(score)
    queries = [q for q in lines(folder / "queries.jsonl") if any(s > 0 for s in judged.get(q["_id"], {}).values())]
    return [d["_id"] for d in docs], texts, [q["_id"] for q in queries], [q["text"] for q in queries], judged


def scores(doc_ids, docs: np.ndarray, query_ids, queries: np.ndarray, judged, k: int = 10) -> dict[str, float]:
    """Mean NDCG@k (linear gains over the ideal of min(k, relevant)) and recall@5; ties by document order."""
    discount = 1 / np.log2(np.arange(2, k + 2))
    ndcg, recall = [], []
    for id_, vector in zip(query_ids, queries):
        gains = {d: s for d, s in judged[id_].items() if s > 0}
        top = np.argsort(-(docs @ vector), kind="stable")[:k]
        got = np.array([gains.get(doc_ids[i], 0.0) for i in top])
        ideal = np.sort(np.array(list(gains.values())))[::-1][:k]
        ndcg.append((got * discount[:len(got)]).sum() / (ideal * discount[:len(ideal)]).sum())
        recall.append(sum(doc_ids[i] in gains for i in top[:5]) / len(gains))
    return {"ndcg@10": float(np.mean(ndcg)), "recall@5": float(np.mean(recall))}


def evaluate(data: Path, encode: Encode, body: int = 0, sets: tuple[str, ...] = SETS) -> dict[str, dict[str, float]]:
    """Scores by set; encode gives unit vectors."""
    out = {}
    for name in sets:
        doc_ids, docs, query_ids, queries, judged = load(data, name, body)
        out[name] = scores(doc_ids, encode(docs), query_ids, encode(queries), judged)
    return out


def table(teacher: dict, student: dict) -> str:
    """A Markdown table of both and their ratio; the last line is the ratio of the means."""
    rows = ["| set | teacher | student | ratio |", "|---|---|---|---|"]
    for name in teacher:
        t, s = teacher[name]["ndcg@10"], student[name]["ndcg@10"]
        rows.append(f"| {name} | {t:.4f} | {s:.4f} | {s / t:.3f} |")
    t, s = (np.mean([r[n]["ndcg@10"] for n in teacher]) for r in (teacher, student))
    rows.append(f"| mean | {t:.4f} | {s:.4f} | {s / t:.3f} |")
    if "skillsbench" in teacher:
        t, s = teacher["skillsbench"]["recall@5"], student["skillsbench"]["recall@5"]
        rows.append(f"| skillsbench recall@5 | {t:.4f} | {s:.4f} | {s / t:.3f} |")
    return "\n".join(rows)
