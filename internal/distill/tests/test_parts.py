"""Tests of the parts: packing and graph against the plain definition, readers, records, metric, store."""

import json

import numpy as np
import onnxruntime
import pytest

from distill import corpus, evaluate, export, readers, teacher, vocabulary


@pytest.fixture
def table():
    return (np.random.default_rng(3).standard_normal((20, 8)) * np.linspace(0.01, 3, 20)[:, None]).astype(np.float32)


def test_quantise_stays_within_half_a_step_where_nothing_is_clipped(table):
    levels, scales = export.quantise(table)
    assert levels.max() <= 15 and levels.dtype == np.uint8
    error = np.abs(export.restore(levels, scales) - table)
    step = scales.astype(np.float32)[:, None]
    inside = np.abs(table) <= 7.5 * step
    assert (error <= 0.5001 * step)[inside].all()
    assert (error ** 2).sum() < 0.03 * (table ** 2).sum()


def test_pack_puts_the_second_half_into_the_high_bits():
    levels = np.array([[1, 2, 15, 0]], np.uint8)
    assert export.pack(levels).tolist() == [[1 | 15 << 4, 2]]


def test_graph_equals_the_masked_mean_of_restored_rows(table):
    levels, scales = export.quantise(table)
    session = onnxruntime.InferenceSession(export.graph(levels, scales).SerializeToString())
    ids = np.array([[3, 5, 5, 19], [7, 0, 0, 0], [0, 0, 0, 0]], np.int64)
    mask = np.array([[1, 1, 1, 1], [1, 0, 0, 0], [0, 0, 0, 0]], np.int64)
    got = session.run(None, {"input_ids": ids, "attention_mask": mask})[0]
    rows = export.restore(levels, scales)
    for i, want in enumerate([rows[[3, 5, 5, 19]].mean(0), rows[7]]):
        np.testing.assert_allclose(got[i], want / np.linalg.norm(want), atol=1e-5)
    assert not got[2].any()


def test_tokenizer_falls_back_to_pieces_and_unknown(tmp_path):
    tokens = ["[PAD]", "[UNK]", "a", "b", "##a", "##b", "kubernetes"]
    (tmp_path / "tokenizer.json").write_text(vocabulary.tokenizer_json(tokens))
    tokenizer = vocabulary.load(tmp_path / "tokenizer.json")
    assert tokenizer.encode("Kubernetes  ÁB c").tokens == ["kubernetes", "a", "##b", "[UNK]"]


def test_basic_tokens_keep_ascii_latin_greek_and_signs():
    assert all(map(vocabulary.is_basic, ["a", "##7", "!", "ø", "##λ", "€", "−"]))
    assert not any(map(vocabulary.is_basic, ["北", "ب", "##д", "the", "[UNK]"]))


def test_html_reader_leaves_out_code_and_navigation(tmp_path):
    page = tmp_path / "p.html"
    page.write_text("<title>T</title><nav><p>menu</p></nav><h1>1. Wings</h1><p>Air <b>flows</b>.</p><pre>x</pre>"
                    "<h2>Drag</h2><ul><li>It slows.</li></ul>")
    assert list(readers.html(page)) == [("Wings", ["Air flows."]), ("Drag", ["It slows."])]


def test_wordnet_reader_joins_the_synset(tmp_path):
    data = tmp_path / "data.noun"
    data.write_text("  1 licence\n00001 04 n 02 air_foil 0 wing 1 001 @ 0002 n 0000 | a device; \"it lifts\"  \n")
    assert list(readers.wordnet(data)) == [("air foil, wing", ['a device; "it lifts"'])]


def test_obo_reader_skips_obsolete_terms(tmp_path):
    file = tmp_path / "x.obo"
    file.write_text('format: 1\n\n[Term]\nid: A\nname: gout\ndef: "Too much acid." [x]\nsynonym: "podagra" EXACT []\n'
                    '\n[Term]\nid: B\nname: old\ndef: "Gone." []\nis_obsolete: true\n')
    assert list(readers.obo(file)) == [("gout, podagra", ["Too much acid."])]


def test_prose_filter():
    assert corpus.is_prose("The lift of a wing depends on the angle at which it meets the air.")
    assert not corpus.is_prose("0x00 0x01 {} () -> 17, 18;")
    assert not corpus.is_prose("Das Flugzeug wird von vier Triebwerken angetrieben und fliegt morgen nach Hamburg")


def test_records_are_the_same_every_time_and_never_empty():
    sections = [("Heat", ["Heat moves from the hot to the cold body. It does so by conduction, and by radiation. "
                          "The rate depends on the surface."] * 3)] * 20
    first, again = (corpus.records_of("s", sections, 10) for _ in range(2))
    assert first == again and len(first) == 10
    assert all(r["q"] and r["d"] for r in first)


def test_ndcg_by_hand():
    docs = np.eye(3, dtype=np.float32)
    query = np.array([[0.9, 0.5, 0.1]], np.float32)  # ranks a, b, c
    got = evaluate.scores(["a", "b", "c"], docs, ["q"], query, {"q": {"b": 2, "c": 1, "x": 0}})
    # (2/log2(3) + 1/log2(4)) / (2/log2(2) + 1/log2(3)) = (1.26186 + 0.5) / (2 + 0.63093)
    assert got["ndcg@10"] == pytest.approx(0.66967, abs=1e-5)
    assert got["recall@5"] == 1.0


def test_store_goes_on_after_a_broken_write(tmp_path):
    store = teacher.Store(tmp_path)
    store.add(["one", "two"], np.ones((2, teacher.DIM)))
    with (tmp_path / "keys.bin").open("ab") as f:
        f.write(teacher.key_of("three"))  # its row was never written
    again = teacher.Store(tmp_path)
    assert len(again.row_of) == 2
    again.add(["four"], np.full((1, teacher.DIM), 4.0))
    third = teacher.Store(tmp_path)
    assert third.rows()[third.row_of[teacher.key_of("four")]][0] == 4.0
