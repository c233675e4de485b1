"""Builds and searches with bm25s and tantivy, for the program bench.

Argument: a folder with texts.jsonl, a JSON string a line, and queries.json, an
object of lists of strings. Prints "ready", then answers every line "NAME VERB
[SET]" on standard input with "WALL CPU", the seconds that it took. Verbs:
build (from texts), search (all queries of the set, one at a time), retrieve
(the same, with the queries tokenised before).
"""

import json
import sys
import time

folder = sys.argv[1]
peers = {}
try:
    import bm25s
    import numba  # noqa: F401, bm25s would go on without it, slower

    peers["bm25s-numba"] = None
except ImportError as e:
    print("missing:", e, file=sys.stderr, flush=True)
try:
    import tantivy

    peers["tantivy"] = None
except ImportError as e:
    print("missing:", e, file=sys.stderr, flush=True)

with open(folder + "/texts.jsonl", encoding="utf-8") as f:
    texts = [json.loads(line) for line in f]
with open(folder + "/queries.json", encoding="utf-8") as f:
    queries = json.load(f)


def tokens(text):
    return bm25s.tokenize(text, stopwords="en", show_progress=False, return_ids=False)


class BM25S:
    def __init__(self):
        self.index = bm25s.BM25(method="lucene", k1=1.2, b=0.75, backend="numba")
        self.index.index(bm25s.tokenize(texts, stopwords="en", show_progress=False), show_progress=False)
        self.tokens = {}  # by set, made at the first retrieve, which is for warming up

    def one(self, t):
        return self.index.retrieve(t, k=min(10, len(texts)), show_progress=False, n_threads=1)

    def search(self, name):
        for q in queries[name]:
            self.one(tokens(q))

    def retrieve(self, name):
        if name not in self.tokens:
            self.tokens[name] = [tokens(q) for q in queries[name]]
        for t in self.tokens[name]:
            self.one(t)


class Tantivy:
    def __init__(self):
        schema = tantivy.SchemaBuilder()
        schema.add_text_field("text", stored=False, tokenizer_name="en_stem", index_option="freq")
        self.index = tantivy.Index(schema.build())
        writer = self.index.writer(heap_size=256_000_000)
        for text in texts:
            d = tantivy.Document()
            d.add_text("text", text)
            writer.add_document(d)
        writer.commit()
        writer.wait_merging_threads()
        self.index.reload()
        self.searcher = self.index.searcher()

    def search(self, name):
        for q in queries[name]:
            # Task texts hold signs of its query language: words alone are given.
            words = "".join(c if c.isalnum() else " " for c in q).lower()
            self.searcher.search(self.index.parse_query(words, ["text"]), 10)


makers = {"bm25s-numba": BM25S, "tantivy": Tantivy}
print("ready", *peers, flush=True)
for line in sys.stdin:
    name, verb, *rest = line.split()
    wall, cpu = time.perf_counter(), time.process_time()
    if verb == "build":
        made = makers[name]()
    else:
        getattr(peers[name], verb)(rest[0])
    print(f"{time.perf_counter() - wall:.9f} {time.process_time() - cpu:.9f}", flush=True)
    if verb == "build":
        peers[name] = made
