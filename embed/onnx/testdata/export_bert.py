#!/usr/bin/env python3
"""Writes a BERT encoder's safetensors folder as an ONNX folder that embed/onnx opens.

    python3 export_bert.py MODEL_DIR OUT_DIR

MODEL_DIR is a sentence-transformers or transformers folder of a BERT-style
encoder (model.safetensors, config.json, tokenizer.json, …), for instance the
one of all-MiniLM-L6-v2. The graph takes input_ids, attention_mask and
token_type_ids, all [batch, sequence] of int64, and gives last_hidden_state,
[batch, sequence, hidden] of float32. Needs numpy and onnx, nothing else.
"""
import json
import os
import shutil
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

F32 = np.float32


def load_safetensors(path):
    """The tensors of a safetensors file: 8 bytes of header length, a JSON
    header with dtype, shape and offsets, then the bytes."""
    with open(path, "rb") as f:
        size = int.from_bytes(f.read(8), "little")
        header = json.loads(f.read(size))
        data = f.read()
    kinds = {"F32": np.float32, "F16": np.float16, "I64": np.int64}
    tensors = {}
    for name, t in header.items():
        if name == "__metadata__":
            continue
        begin, end = t["data_offsets"]
        tensors[name] = np.frombuffer(data[begin:end], kinds[t["dtype"]]).reshape(t["shape"])
    return tensors


class Graph:
    def __init__(self):
        self.nodes, self.tensors, self.count = [], [], 0

    def const(self, value, dtype=np.int64):
        self.count += 1
        return self.weight(f"const_{self.count}", np.array(value, dtype))

    def weight(self, name, value):
        self.tensors.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def op(self, kind, *inputs, out=None, **attributes):
        self.count += 1
        out = out or f"{kind}_{self.count}"
        self.nodes.append(helper.make_node(kind, list(inputs), [out], name=f"node_{self.count}", **attributes))
        return out


def build(weights, config):
    g = Graph()
    hidden, heads = config["hidden_size"], config["num_attention_heads"]
    width = hidden // heads
    epsilon = config.get("layer_norm_eps", 1e-12)
    assert config.get("hidden_act", "gelu") == "gelu", "only the exact GELU"
    assert config.get("position_embedding_type", "absolute") == "absolute"
    prefix = "bert." if "bert.embeddings.word_embeddings.weight" in weights else ""

    def get(name):
        return weights[prefix + name].astype(F32)

    def norm(x, name):
        mean = g.op("ReduceMean", x, axes=[-1], keepdims=1)
        d = g.op("Sub", x, mean)
        var = g.op("ReduceMean", g.op("Mul", d, d), axes=[-1], keepdims=1)
        y = g.op("Div", d, g.op("Sqrt", g.op("Add", var, g.const(epsilon, F32))))
        scaled = g.op("Mul", y, g.weight(name + ".weight", get(name + ".weight")))
        return g.op("Add", scaled, g.weight(name + ".bias", get(name + ".bias")))

    def linear(x, name):
        y = g.op("MatMul", x, g.weight(name + ".weight", get(name + ".weight").T))
        return g.op("Add", y, g.weight(name + ".bias", get(name + ".bias")))

    def split(x, perm):
        """[batch, sequence, hidden] to heads; 0 in a Reshape keeps a dimension."""
        return g.op("Transpose", g.op("Reshape", x, g.const([0, 0, heads, width])), perm=perm)

    # An additive mask: 0 on tokens, very negative on padding.
    mask = g.op("Cast", g.op("Unsqueeze", "attention_mask", g.const([1, 2])), to=TensorProto.FLOAT)
    mask = g.op("Mul", g.op("Sub", g.const(1.0, F32), mask), g.const(-1e9, F32))

    length = g.op("Gather", g.op("Shape", "input_ids"), g.const([1]), axis=0)
    table = g.weight("positions", get("embeddings.position_embeddings.weight"))
    positions = g.op("Slice", table, g.const([0]), length, g.const([0]))
    words = g.op("Gather", g.weight("words", get("embeddings.word_embeddings.weight")), "input_ids")
    types = g.op("Gather", g.weight("types", get("embeddings.token_type_embeddings.weight")), "token_type_ids")
    x = norm(g.op("Add", g.op("Add", words, types), positions), "embeddings.LayerNorm")

    for i in range(config["num_hidden_layers"]):
        layer = f"encoder.layer.{i}."
        q = split(linear(x, layer + "attention.self.query"), [0, 2, 1, 3])
        k = split(linear(x, layer + "attention.self.key"), [0, 2, 3, 1])
        v = split(linear(x, layer + "attention.self.value"), [0, 2, 1, 3])
        scores = g.op("Mul", g.op("MatMul", q, k), g.const(width**-0.5, F32))
        p = g.op("Softmax", g.op("Add", scores, mask), axis=3)
        y = g.op("Transpose", g.op("MatMul", p, v), perm=[0, 2, 1, 3])
        y = g.op("Reshape", y, g.const([0, 0, hidden]))
        x = norm(g.op("Add", linear(y, layer + "attention.output.dense"), x), layer + "attention.output.LayerNorm")
        y = linear(x, layer + "intermediate.dense")
        half = g.op("Mul", y, g.const(0.5, F32))
        erf = g.op("Erf", g.op("Mul", y, g.const(0.5**0.5, F32)))
        y = g.op("Mul", half, g.op("Add", erf, g.const(1.0, F32)))
        x = norm(g.op("Add", linear(y, layer + "output.dense"), x), layer + "output.LayerNorm")
    g.op("Identity", x, out="last_hidden_state")

    shape = ["batch", "sequence"]
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, shape)
        for name in ("input_ids", "attention_mask", "token_type_ids")
    ]
    outputs = [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, shape + [hidden])]
    graph = helper.make_graph(g.nodes, "bert", inputs, outputs, g.tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 7
    onnx.checker.check_model(model)
    return model


def main(source, target):
    with open(os.path.join(source, "config.json")) as f:
        config = json.load(f)
    model = build(load_safetensors(os.path.join(source, "model.safetensors")), config)
    os.makedirs(target, exist_ok=True)
    onnx.save(model, os.path.join(target, "model.onnx"))
    for name in (
        "config.json",
        "tokenizer.json",
        "tokenizer_config.json",
        "sentence_bert_config.json",
        "config_sentence_transformers.json",
        "modules.json",
        "1_Pooling/config.json",
    ):
        if os.path.exists(os.path.join(source, name)):
            os.makedirs(os.path.dirname(os.path.join(target, name)), exist_ok=True)
            shutil.copyfile(os.path.join(source, name), os.path.join(target, name))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
