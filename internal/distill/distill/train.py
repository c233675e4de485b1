"""Step train: one vector per token, fitted so that the masked mean ranks texts as the teacher does.

The loss of a batch of (query, document) pairs, with unit student vectors s and teacher vectors t:

- agreement: for every query against all documents, and every text against the others of its kind, the KL divergence
  from softmax(t_i·t_j / TEACHER_TEMPERATURE) to softmax(s_i·s_j · scale), scale being learned;
- regression: 1 − cos(W·s, t), W being a linear map that is thrown away afterwards;
- pairs: cross-entropy of a query's own document against the batch's others.

Batches are drawn from clusters of the teacher's document vectors, so that a batch holds near misses.
"""

import json
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer

from . import teacher, vocabulary

TEACHER_TEMPERATURE = 0.05


@dataclass
class Options:
    """How to train. steps are batches of `batch` pairs, `groups` clusters in each."""

    dim: int = 512
    size: int = 29_800
    added: int = 5_000
    steps: int = 2000
    batch: int = 1024
    groups: int = 32
    rate: float = 3e-3
    agreement: float = 1.0
    regression: float = 1.0
    pairs: float = 0.1
    max_tokens: int = 256
    seed: int = 1
    minutes: float = 1e9
    start: str = ""  # folder of an earlier run with the same vocabulary, to go on from its table


@dataclass
class Texts:
    """Token ids of many texts, one after the other; text i is ids[start[i]:start[i+1]]."""

    ids: np.ndarray
    start: np.ndarray

    @classmethod
    def encode(cls, tokenizer: Tokenizer, texts: list[str], max_tokens: int) -> "Texts":
        parts, lengths = [], []
        for i in range(0, len(texts), 20_000):
            for e in tokenizer.encode_batch(texts[i:i + 20_000], add_special_tokens=False):
                ids = e.ids[:max_tokens] or [1]
                parts.append(np.asarray(ids, np.int32))
                lengths.append(len(ids))
        return cls(np.concatenate(parts), np.concatenate([[0], np.cumsum(lengths)]))

    def bag(self, rows: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
        """(flat ids, offsets) of the rows, as embedding_bag takes them."""
        parts = [self.ids[self.start[r]:self.start[r + 1]] for r in rows]
        offsets = np.concatenate([[0], np.cumsum([len(p) for p in parts])[:-1]])
        return torch.from_numpy(np.concatenate(parts).astype(np.int64)), torch.from_numpy(offsets.astype(np.int64))


class Student(torch.nn.Module):
    """The table of token vectors, and what only training needs."""

    def __init__(self, table: torch.Tensor):
        super().__init__()
        self.table = torch.nn.Parameter(table)
        self.head = torch.nn.Linear(table.shape[1], teacher.DIM, bias=False)
        self.log_scale = torch.nn.Parameter(torch.tensor(3.0))

    def forward(self, bag: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        return F.normalize(F.embedding_bag(bag[0], self.table, bag[1], mode="mean"), dim=-1)


def initial_table(tokens: list[str], encode, counts: np.ndarray, dim: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """(table [V, dim], weights [384, dim] of the map back): the teacher's vectors of the single tokens, centred, scaled by
    a / (a + p) with p the token's frequency and a = 3e-4 (smooth inverse frequency), and turned into dim dimensions
    by a random matrix with orthonormal rows or columns."""
    vectors = encode([t.removeprefix("##") for t in tokens])
    weight = 3e-4 / (3e-4 + counts / counts.sum())
    centred = vectors - (vectors * counts[:, None]).sum(0) / counts.sum()
    base = torch.from_numpy((centred * weight[:, None]).astype(np.float32))
    generator = torch.Generator().manual_seed(seed)
    if dim >= teacher.DIM:
        turn = torch.linalg.qr(torch.randn(dim, teacher.DIM, generator=generator))[0].T
    else:  # keep the main directions
        _, _, v = torch.linalg.svd(base, full_matrices=False)
        turn = v[:dim].T @ torch.linalg.qr(torch.randn(dim, dim, generator=generator))[0]
    return base @ turn, turn.contiguous()


def fitted_head(student: Student, docs: Texts, wanted: np.ndarray, sample: int = 10_000) -> torch.Tensor:
    """The least-squares map [384, dim] from the student's vectors of the first documents to the teacher's."""
    rows = np.arange(min(sample, len(wanted)))
    with torch.no_grad():
        return torch.linalg.lstsq(student(docs.bag(rows)), torch.from_numpy(wanted[rows].astype(np.float32))).solution.T


def token_vectors(texts: list[str], folder: Path, store_folder: Path) -> np.ndarray:
    """The teacher's vectors of single tokens, kept in a store of their own."""
    store = teacher.Store(store_folder / "tokens")
    if missing := list(dict.fromkeys(t for t in texts if teacher.key_of(t) not in store.row_of)):
        store.add(missing, teacher.MiniLM(folder).encode(missing))
    rows = store.rows()
    return np.stack([rows[store.row_of[teacher.key_of(t)]] for t in texts]).astype(np.float32)


def clusters(vectors: np.ndarray, k: int, seed: int, rounds: int = 5) -> np.ndarray:
    """Cluster numbers of unit rows by spherical k-means, fitted on a sample."""
    rng = np.random.default_rng(seed)
    sample = vectors[rng.choice(len(vectors), min(len(vectors), 40 * k), replace=False)].astype(np.float32)
    centres = sample[rng.choice(len(sample), k, replace=False)]
    for _ in range(rounds):
        nearest = (sample @ centres.T).argmax(1)
        sums = np.zeros_like(centres)
        np.add.at(sums, nearest, sample)
        centres = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-6)
    return np.concatenate([(vectors[i:i + 20_000].astype(np.float32) @ centres.T).argmax(1)
                           for i in range(0, len(vectors), 20_000)])


def agreement(student: torch.Tensor, wanted: torch.Tensor, scale: torch.Tensor, mask_diagonal: bool) -> torch.Tensor:
    """Mean KL divergence, over rows, of the student's similarity distribution from the teacher's."""
    if mask_diagonal:
        gone = torch.eye(len(student), dtype=torch.bool)
        student, wanted = student.masked_fill(gone, -10.0), wanted.masked_fill(gone, -10.0)
    target = F.log_softmax(wanted / TEACHER_TEMPERATURE, dim=1)
    return F.kl_div(F.log_softmax(student * scale, dim=1), target, log_target=True, reduction="batchmean")


def dev_scores(student: Student, queries: Texts, docs: Texts, q_rows, d_rows, tq: torch.Tensor, td: torch.Tensor) -> str:
    """On held-out records: mean reciprocal rank of the own document, and the share of the teacher's top 10
    that the student's top 10 holds."""
    with torch.inference_mode():
        sims = student(queries.bag(q_rows)) @ student(docs.bag(d_rows)).T
    want = (tq @ td.T).topk(10).indices
    got = sims.topk(10).indices
    overlap = (want[:, :, None] == got[:, None, :]).any(2).float().mean().item()
    rank = (sims > sims.diagonal()[:, None]).sum(1) + 1
    teacher_rank = ((tq @ td.T) > (tq * td).sum(1)[:, None]).sum(1) + 1
    return f"overlap@10 {overlap:.4f} mrr {(1 / rank).mean():.4f} (teacher {(1 / teacher_rank).mean():.4f})"


def run(corpus: Path, folder: Path, store_folder: Path, out: Path, options: Options) -> Path:
    """Trains and writes out/table.npy (float32) and out/tokenizer.json. Records without teacher vectors are left out."""
    o = options
    word_counts = vocabulary.count_words(vocabulary.load(folder / "tokenizer.json"), corpus)
    torch.manual_seed(o.seed)
    rng = np.random.default_rng(o.seed)
    stores = [teacher.Store(p) for p in sorted(store_folder.iterdir()) if p.is_dir()]
    rows = [s.rows() for s in stores]

    def find(text):
        key = teacher.key_of(text)
        return next(((i, s.row_of[key]) for i, s in enumerate(stores) if key in s.row_of), None)

    q_text, d_text, q_at, d_at = [], [], [], []
    for line in corpus.open():
        r = json.loads(line)
        q, d = find(r["q"]), find(r["d"])
        if q and d:
            q_text.append(r["q"]); d_text.append(r["d"]); q_at.append(q); d_at.append(d)
    gather = lambda at: np.stack([rows[i][j] for i, j in at])
    tq, td = gather(q_at), gather(d_at)
    print(f"{len(q_text)} records with teacher vectors ", flush=True)

    out.mkdir(parents=True, exist_ok=True)
    tokens = vocabulary.choose(vocabulary.load(folder / "tokenizer.json"), word_counts, o.size, o.added)
    (out / "tokenizer.json").write_text(vocabulary.tokenizer_json(tokens))
    tokenizer = vocabulary.load(out / "tokenizer.json")
    queries, docs = (Texts.encode(tokenizer, t, o.max_tokens) for t in (q_text, d_text))
    counts = np.bincount(np.concatenate([queries.ids, docs.ids]), minlength=len(tokens)).astype(np.float64) + 1
    if o.start:
        if Tokenizer.from_file(o.start + "/tokenizer.json").get_vocab() != tokenizer.get_vocab():
            raise ValueError(f"{o.start} has another vocabulary")
        table = torch.from_numpy(np.load(o.start + "/table.npy"))
        head = fitted_head(Student(table.clone()), docs, td)
    else:
        table, head = initial_table(tokens, lambda texts: token_vectors(texts, folder, store_folder), counts, o.dim, o.seed)
    student = Student(table)
    student.head.weight.data.copy_(head)

    dev = np.arange(min(2000, len(q_text) // 20))
    dev_t = [torch.from_numpy(t[dev].astype(np.float32)) for t in (tq, td)]
    train = np.arange(len(dev), len(q_text))
    cluster = clusters(td, max(8, len(q_text) // 400), o.seed)
    members = [train[cluster[train] == c] for c in range(cluster.max() + 1)]
    members = [rng.permutation(m) for m in members if len(m) >= 16]
    weight = np.array([len(m) for m in members], float)
    position = np.zeros(len(members), int)

    def draw() -> np.ndarray:
        """Half of the batch from a few clusters, half from anywhere."""
        picked = [rng.choice(train, o.batch // 2, replace=False)]
        each = o.batch // 2 // o.groups
        for c in rng.choice(len(members), o.groups, replace=False, p=weight / weight.sum()):
            m = members[c]
            picked.append(m[(position[c] + np.arange(min(each, len(m)))) % len(m)])
            position[c] += each
        return np.unique(np.concatenate(picked))

    optimiser = torch.optim.Adam([{"params": [student.table], "lr": o.rate},
                                  {"params": [student.head.weight], "lr": 1e-3},
                                  {"params": [student.log_scale], "lr": 1e-2}], betas=(0.9, 0.98), fused=True)
    print("start:", dev_scores(student, queries, docs, dev, dev, *dev_t), flush=True)
    began, step = time.time(), 0
    progress = lambda: max(step / o.steps, (time.time() - began) / (60 * o.minutes))
    while progress() < 1:
        done = progress()
        optimiser.param_groups[0]["lr"] = o.rate * min(1, (step + 1) / 50) * (1 - done)
        batch = draw()
        q, d = torch.from_numpy(tq[batch].astype(np.float32)), torch.from_numpy(td[batch].astype(np.float32))
        sq, sd = student(queries.bag(batch)), student(docs.bag(batch))
        scale = student.log_scale.exp()
        across = sq @ sd.T
        loss = o.agreement / 3 * (agreement(across, q @ d.T, scale, False) + agreement(sd @ sd.T, d @ d.T, scale, True)
                                  + agreement(sq @ sq.T, q @ q.T, scale, True))
        loss = loss + o.regression * (2 - F.cosine_similarity(student.head(sq), q).mean()
                                      - F.cosine_similarity(student.head(sd), d).mean())
        loss = loss + o.pairs * F.cross_entropy(across * scale, torch.arange(len(batch)))
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        step += 1
        if step % 100 == 0:
            print(f"{step} loss {loss.item():.4f} scale {scale.item():.1f} {time.time() - began:.0f} s",
                  dev_scores(student, queries, docs, dev, dev, *dev_t) if step % 200 == 0 else "", flush=True)
    print("end:", dev_scores(student, queries, docs, dev, dev, *dev_t), flush=True)
    np.save(out / "table.npy", student.table.detach().numpy())
    return out / "table.npy"
