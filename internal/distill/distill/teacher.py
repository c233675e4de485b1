"""Step teacher: all-MiniLM-L6-v2's sentence vectors of every text, kept in an append-only store."""

import hashlib
import json
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from tokenizers import Tokenizer

DIM = 384
MAX_TOKENS = 256  # the teacher's max_seq_length, [CLS] and [SEP] included


class MiniLM:
    """The teacher's encoder: six BERT layers, mean pooling, unit length.

    folder is a sentence-transformers folder (model.safetensors, tokenizer.json). bfloat16 halves the time
    and keeps a cosine of 0.9999 to float32.
    """

    def __init__(self, folder: Path, dtype: torch.dtype = torch.bfloat16):
        self.w = {k: v.to(dtype) for k, v in load_file(folder / "model.safetensors").items() if v.is_floating_point()}
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(MAX_TOKENS)

    def _linear(self, name: str, x: torch.Tensor) -> torch.Tensor:
        return F.linear(x, self.w[name + ".weight"], self.w[name + ".bias"])

    def _norm(self, name: str, x: torch.Tensor) -> torch.Tensor:
        return F.layer_norm(x, (DIM,), self.w[name + ".weight"], self.w[name + ".bias"], 1e-12)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """ids [batch, length], all of one length, to unit float32 vectors [batch, 384]."""
        batch, length = ids.shape
        heads = lambda y: y.view(batch, length, 12, 32).transpose(1, 2)
        e = "embeddings."
        x = self.w[e + "word_embeddings.weight"][ids] + self.w[e + "position_embeddings.weight"][:length]
        x = self._norm(e + "LayerNorm", x + self.w[e + "token_type_embeddings.weight"][0])
        for layer in range(6):
            p = f"encoder.layer.{layer}."
            a = F.scaled_dot_product_attention(*(heads(self._linear(p + "attention.self." + n, x))
                                                 for n in ("query", "key", "value")))
            a = a.transpose(1, 2).reshape(batch, length, DIM)
            x = self._norm(p + "attention.output.LayerNorm", self._linear(p + "attention.output.dense", a) + x)
            h = F.gelu(self._linear(p + "intermediate.dense", x))
            x = self._norm(p + "output.LayerNorm", self._linear(p + "output.dense", h) + x)
        return F.normalize(x.float().mean(1), dim=-1)

    @torch.inference_mode()
    def encode(self, texts: list[str], tokens_per_batch: int = 4096) -> np.ndarray:
        """Unit vectors [len(texts), 384]. Texts of equal length are batched, so there is no padding."""
        ids = [e.ids for e in self.tokenizer.encode_batch(texts)]
        order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
        out = np.empty((len(texts), DIM), np.float32)
        start = 0
        while start < len(order):
            length = len(ids[order[start]])
            stop = start
            while (stop < len(order) and len(ids[order[stop]]) == length
                   and (stop - start + 1) * length <= max(tokens_per_batch, length)):
                stop += 1
            rows = order[start:stop]
            out[rows] = self.forward(torch.tensor([ids[i] for i in rows])).numpy()
            start = stop
        return out


def key_of(text: str) -> bytes:
    """The store's key of a text."""
    return hashlib.sha1(text.encode()).digest()[:12]


class Store:
    """Teacher vectors by text: two append-only files, keys (12 bytes each) and float16 rows.

    A run that was interrupted goes on where it stopped; an incomplete last block is ignored.
    """

    def __init__(self, folder: Path):
        folder.mkdir(parents=True, exist_ok=True)
        self.keys_path, self.rows_path = folder / "keys.bin", folder / "rows.f16"
        self.row_of: dict[bytes, int] = {}
        if self.keys_path.exists():
            raw = self.keys_path.read_bytes()
            n = min(len(raw) // 12, self.rows_path.stat().st_size // (2 * DIM))
            self.row_of = {raw[12 * i:12 * i + 12]: i for i in range(n)}

    def add(self, texts: list[str], vectors: np.ndarray) -> None:
        """Appends the vectors of texts that are not in the store; texts hold none twice."""
        n = len(self.row_of)
        for path, width, data in ((self.rows_path, 2 * DIM, vectors.astype(np.float16).tobytes()),
                                  (self.keys_path, 12, b"".join(map(key_of, texts)))):
            with path.open("r+b" if path.exists() else "wb") as f:
                f.truncate(n * width)  # what a broken write may have left
                f.seek(n * width)
                f.write(data)
        for i, t in enumerate(texts):
            self.row_of[key_of(t)] = n + i

    def rows(self) -> np.ndarray:
        """All vectors, mapped from disk, [n, 384] float16."""
        return np.memmap(self.rows_path, np.float16, "r").reshape(-1, DIM)


def run(corpus: Path, folder: Path, store_folder: Path, block: int = 2048, minutes: float = 1e9,
        shard: int = 0, shards: int = 1) -> None:
    """Encodes what the store lacks of the corpus, in corpus order, until done or out of minutes.

    With shards > 1 this process takes one share of the texts (by key) and keeps a store of its own,
    store_folder/SHARD; give each process one thread.
    """
    teacher, store = MiniLM(folder), Store(store_folder / str(shard))
    start, done, texts, pending = time.time(), 0, [], set()

    def flush():
        nonlocal done
        store.add(texts, teacher.encode(texts))
        done += len(texts)
        print(f"{len(store.row_of)} texts, {done / (time.time() - start):.0f} a second", flush=True)
        texts.clear()
        pending.clear()

    for line in corpus.open():
        r = json.loads(line)
        for text in (r["q"], r["d"]):
            key = key_of(text)
            if key[0] % shards == shard and key not in store.row_of and key not in pending:
                texts.append(text)
                pending.add(key)
        if len(texts) >= block:
            flush()
            if time.time() - start > 60 * minutes:
                return
    if texts:
        flush()
