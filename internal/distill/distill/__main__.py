"""The steps from sources to model: python -m distill STEP --work DIR … (see README.md)."""

import argparse
import json
import subprocess
from pathlib import Path

from . import corpus, evaluate, export, sources, teacher, train

MAX_TOKENS = 512  # of the built-in model; a static model has no positions, so this bounds work, not shape


def fetch(work: Path) -> None:
    """Downloads the Debian packages with apt-get and unpacks them to work/debs/NAME."""
    downloads = work / "downloads"
    downloads.mkdir(parents=True, exist_ok=True)
    for source in sources.DEBIAN:
        target = work / "debs" / source.name
        if target.exists():
            continue
        subprocess.run(["apt-get", "download", "-q", source.name], cwd=downloads, check=True)
        package = next(downloads.glob(f"{source.name}_*.deb"))
        target.mkdir(parents=True)
        subprocess.run(["dpkg-deb", "-x", str(package), str(target)], check=True)


def score(work: Path, data: Path, teacher_folder: Path, model: Path, body: int) -> None:
    """Prints the table of teacher and exported model; the teacher's vectors are kept in work/evaluation."""
    store = teacher.Store(work / "evaluation")

    def by_teacher(texts: list[str]):
        if missing := list(dict.fromkeys(t for t in texts if teacher.key_of(t) not in store.row_of)):
            store.add(missing, teacher.MiniLM(teacher_folder).encode(missing))
        rows = store.rows()
        return rows[[store.row_of[teacher.key_of(t)] for t in texts]].astype("float32")

    by_student = export.onnx_encoder(model, MAX_TOKENS)
    print(evaluate.table(evaluate.evaluate(data, by_teacher, body), evaluate.evaluate(data, by_student, body)))


def main() -> None:
    parser = argparse.ArgumentParser(prog="distill", description=__doc__)
    parser.add_argument("step", choices=["fetch", "corpus", "teacher", "train", "export", "eval"])
    parser.add_argument("--work", type=Path, required=True, help="folder for everything made on the way")
    parser.add_argument("--teacher", type=Path, help="sentence-transformers folder of all-MiniLM-L6-v2")
    parser.add_argument("--git-root", type=Path, help="folder of bare clones named owner+name (corpus)")
    parser.add_argument("--descriptions", type=Path, help="Debian's Translation-en, unpacked (corpus)")
    parser.add_argument("--goroot", type=Path, help="a Go installation (corpus)")
    parser.add_argument("--shard", type=int, default=0, help="this process's share (teacher)")
    parser.add_argument("--shards", type=int, default=1, help="how many processes there are (teacher)")
    parser.add_argument("--minutes", type=float, default=1e9, help="stop after this long (teacher)")
    parser.add_argument("--options", default="{}", help="JSON of train.Options (train)")
    parser.add_argument("--out", type=Path, help="folder of the model (export, eval)")
    parser.add_argument("--data", type=Path, help="folder of the evaluation sets (eval)")
    parser.add_argument("--body", type=int, default=0, help="characters of a skill's body to add (eval)")
    a = parser.parse_args()
    records, run = a.work / "corpus.jsonl", a.work / "run"
    match a.step:
        case "fetch":
            fetch(a.work)
        case "corpus":
            corpus.extract_all(a.work / "debs", a.git_root, a.descriptions, a.goroot, a.work / "cache")
            corpus.merge(a.work / "cache", records)
        case "teacher":
            teacher.run(records, a.teacher, a.work / "vectors", minutes=a.minutes, shard=a.shard, shards=a.shards)
        case "train":
            train.run(records, a.teacher, a.work / "vectors", run, train.Options(**json.loads(a.options)))
        case "export":
            export.run(run, a.out, MAX_TOKENS)
        case "eval":
            score(a.work, a.data, a.teacher, a.out, a.body)


if __name__ == "__main__":
    main()
