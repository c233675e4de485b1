"""Step export: the table to 4 bits a value, and the graph that unpacks and pools it.

A row of D values is D/2 bytes: byte j holds value j in its low and value D/2 + j in its high half, each a level q of
0..15 that stands for (q − 7.5) · scale of the row. The graph never unpacks single values of the low halves: pooling is
linear, so with bytes p and h = floor(p / 16), the sum of the low halves is Σ w·p − 16 · Σ w·h, w being the row scale
where the mask is 1 and 0 elsewhere. The mean's division by the count cancels in the unit length.
"""

import json
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from . import vocabulary

LEVELS = 16


def quantise(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(levels uint8 [V, D] in 0..15, scales float16 [V]): the scale of least squared error of each row, by trial."""
    top = np.maximum(np.abs(table).max(1), 1e-6)
    best_error = np.full(len(table), np.inf)
    best_scale = np.zeros(len(table), np.float16)
    for ratio in np.linspace(0.35, 1.0, 27):
        scale = (top * ratio / 7.5).astype(np.float16)
        step = scale.astype(np.float32)[:, None]
        error = ((restore(_levels(table, step), scale) - table) ** 2).sum(1)
        better = error < best_error
        best_error[better], best_scale[better] = error[better], scale[better]
    return _levels(table, best_scale.astype(np.float32)[:, None]), best_scale


def _levels(table: np.ndarray, step: np.ndarray) -> np.ndarray:
    return np.clip(np.round(table / step + 7.5), 0, LEVELS - 1).astype(np.uint8)


def restore(levels: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """The values that levels and scales stand for, float32."""
    return (levels.astype(np.float32) - 7.5) * scales.astype(np.float32)[:, None]


def pack(levels: np.ndarray) -> np.ndarray:
    """[V, D] levels to [V, D/2] bytes."""
    half = levels.shape[1] // 2
    return levels[:, :half] | levels[:, half:] << 4


def graph(levels: np.ndarray, scales: np.ndarray) -> onnx.ModelProto:
    """input_ids and attention_mask [batch, length] int64 to sentence_embedding [batch, D] float32, unit rows.

    A row whose mask is all 0 becomes zeros.
    """
    dim = levels.shape[1]
    weights = [numpy_helper.from_array(pack(levels), "table"), numpy_helper.from_array(scales, "scales")]
    for name, value in [("sixteenth", 1 / 16), ("sixteen", 16), ("centre", 7.5), ("dim", dim), ("tiny", 1e-12)]:
        weights.append(numpy_helper.from_array(np.array(value, np.float32), name))
    for name, axis in [("axis1", 1), ("axis2", 2)]:
        weights.append(numpy_helper.from_array(np.array([axis], np.int64), name))
    node = helper.make_node
    nodes = [
        node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        node("Gather", ["scales", "input_ids"], ["scale16"]),
        node("Cast", ["scale16"], ["scale"], to=TensorProto.FLOAT),
        node("Mul", ["mask", "scale"], ["weight"]),
        node("Unsqueeze", ["weight", "axis1"], ["weights"]),                    # [B, 1, S]
        node("Gather", ["table", "input_ids"], ["packed"]),                     # [B, S, D/2]
        node("Cast", ["packed"], ["bytes"], to=TensorProto.FLOAT),
        node("Mul", ["bytes", "sixteenth"], ["shifted"]),
        node("Floor", ["shifted"], ["high"]),
        node("MatMul", ["weights", "bytes"], ["sum_bytes"]),                    # [B, 1, D/2]
        node("MatMul", ["weights", "high"], ["sum_high"]),
        node("Mul", ["sum_high", "sixteen"], ["sum_high16"]),
        node("Sub", ["sum_bytes", "sum_high16"], ["sum_low"]),
        node("Concat", ["sum_low", "sum_high"], ["sums3"], axis=2),
        node("Squeeze", ["sums3", "axis1"], ["sums"]),                          # [B, D]
        node("Unsqueeze", ["mask", "axis2"], ["mask3"]),
        node("MatMul", ["weights", "mask3"], ["total3"]),                       # [B, 1, 1]
        node("Squeeze", ["total3", "axis1"], ["total"]),
        node("Mul", ["total", "centre"], ["offset"]),
        node("Sub", ["sums", "offset"], ["pooled"]),
        node("Mul", ["pooled", "pooled"], ["squares"]),
        node("ReduceMean", ["squares"], ["mean_square"], axes=[1], keepdims=1),
        node("Mul", ["mean_square", "dim"], ["square"]),
        node("Sqrt", ["square"], ["norm"]),
        node("Max", ["norm", "tiny"], ["divisor"]),
        node("Div", ["pooled", "divisor"], ["sentence_embedding"]),
    ]
    tokens = ["batch_size", "sequence_length"]
    model = helper.make_model(
        helper.make_graph(
            nodes, "static",
            [helper.make_tensor_value_info(n, TensorProto.INT64, tokens) for n in ("input_ids", "attention_mask")],
            [helper.make_tensor_value_info("sentence_embedding", TensorProto.FLOAT, ["batch_size", dim])], weights),
        opset_imports=[helper.make_opsetid("", 13)], producer_name="prospect distill")
    model.ir_version = 8
    onnx.checker.check_model(model)
    return model


def encoder(tokenizer_path: Path, table: np.ndarray, max_tokens: int):
    """A function from texts to unit vectors by the plain definition, for evaluation and for checking the graph."""
    tokenizer = vocabulary.load(tokenizer_path)

    def encode(texts: list[str]) -> np.ndarray:
        out = np.zeros((len(texts), table.shape[1]), np.float32)
        for i, e in enumerate(tokenizer.encode_batch(texts, add_special_tokens=False)):
            if ids := e.ids[:max_tokens]:
                out[i] = table[ids].sum(0)
        return out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-12)

    return encode


def onnx_encoder(model: Path, max_tokens: int):
    """A function from texts to unit vectors by ONNX Runtime, for evaluation of the exported folder."""
    import onnxruntime

    tokenizer = vocabulary.load(model / "tokenizer.json")
    tokenizer.enable_truncation(max_tokens)
    tokenizer.enable_padding(pad_id=0, pad_token="[PAD]")
    session = onnxruntime.InferenceSession(str(model / "model.onnx"))

    def encode(texts: list[str]) -> np.ndarray:
        parts = []
        for i in range(0, len(texts), 64):
            batch = tokenizer.encode_batch(texts[i:i + 64])
            feeds = {"input_ids": np.array([e.ids for e in batch], np.int64),
                     "attention_mask": np.array([e.attention_mask for e in batch], np.int64)}
            parts.append(session.run(None, feeds)[0])
        return np.concatenate(parts)

    return encode


def run(run_folder: Path, out: Path, max_tokens: int) -> None:
    """Writes model.onnx, tokenizer.json and the small files of a sentence-transformers folder to out."""
    table = np.load(run_folder / "table.npy")
    levels, scales = quantise(table)
    error = ((restore(levels, scales) - table) ** 2).sum() / (table ** 2).sum()
    out.mkdir(parents=True, exist_ok=True)
    onnx.save(graph(levels, scales), out / "model.onnx")
    (out / "tokenizer.json").write_bytes((run_folder / "tokenizer.json").read_bytes())
    files = {
        "config.json": {"model_type": "static", "vocab_size": len(table), "hidden_size": table.shape[1],
                        "pad_token_id": 0, "max_position_embeddings": max_tokens},
        "modules.json": [
            {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.StaticEmbedding"},
            {"idx": 1, "name": "1", "path": "1_Normalize", "type": "sentence_transformers.models.Normalize"}],
    }
    for name, value in files.items():
        (out / name).write_text(json.dumps(value, indent=2) + "\n")
    size = sum(f.stat().st_size for f in out.iterdir())
    print(f"{len(table)} x {table.shape[1]}, relative squared error {error:.4f}, {size} bytes in all ({size / 2**20:.2f} MiB)")
