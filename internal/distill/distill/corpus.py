"""Step corpus: sections become training records, a short text (query side) and a longer one (document side)."""

import hashlib
import itertools
import json
import random
import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from . import readers, sources

_WORD = re.compile(r"[A-Za-z]{2,}")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=[A-Z(\"'])")
_COMMON = set("the of and to a in is for that with as are be by on or an it this from can which used not".split())
MAX_WORDS = 190  # about 256 WordPiece tokens, the teacher's limit


def is_prose(text: str) -> bool:
    """Whether text reads as English prose: mostly letters, nearly all ASCII, with common words when long."""
    if not text:
        return False
    letters = sum(c.isalpha() or c == " " for c in text)
    ascii_only = sum(c < "\x7f" for c in text)
    words = _WORD.findall(text.lower())
    if len(words) < 3 or letters < 0.75 * len(text) or ascii_only < 0.96 * len(text):
        return False
    return len(words) < 9 or sum(w in _COMMON for w in words) >= 0.08 * len(words)


def target_length(rng: random.Random) -> int:
    """How many words a document piece should have: short and middling ones are common, long ones rarer."""
    return rng.choices((25, 45, 70, 110, 170), (22, 30, 26, 15, 7))[0]


def pieces(paragraphs: Iterable[str], rng: random.Random) -> Iterator[str]:
    """Joins and cuts paragraphs into pieces of varying length."""
    want, have = target_length(rng), []
    for paragraph in paragraphs:
        if not is_prose(paragraph):
            continue
        for sentence in _SENTENCE.split(paragraph):
            words = sentence.split()[:MAX_WORDS]
            if have and len(have) + len(words) > MAX_WORDS:
                yield " ".join(have)
                want, have = target_length(rng), []
            have += words
            if len(have) >= want:
                yield " ".join(have)
                want, have = target_length(rng), []
    if len(have) >= 5:
        yield " ".join(have)


def record(title: str, piece: str, rng: random.Random) -> tuple[str, str] | None:
    """One (query, document) pair: by title, by a sentence taken out, or by a span of words."""
    sentences = _SENTENCE.split(piece)
    good_title = 1 <= len(title.split()) <= 25 and _WORD.search(title) is not None
    if good_title and rng.random() < (0.75 if len(sentences) < 3 else 0.45):
        return title, piece if rng.random() < 0.75 else f"{title}. {piece}"
    if len(sentences) >= 2:
        i = rng.randrange(len(sentences))
        query, rest = sentences[i], sentences[:i] + sentences[i + 1:]
        words = query.split()
        if 4 <= len(words):
            if len(words) > 12 and rng.random() < 0.5:
                start = rng.randrange(len(words) - 6)
                words = words[start:start + rng.randint(5, 16)]
            document = " ".join(rest)
            if good_title and rng.random() < 0.4:
                document = f"{title}. {document}"
            return " ".join(words[:60]), document
    return (title, piece) if good_title else None


def sections_of(source: sources.Source, root: Path) -> Iterator[readers.Section]:
    """Reads a source's files in an order that depends on their names alone."""
    read = getattr(readers, source.reader)
    files = sorted({p for g in source.globs for p in root.glob(g) if p.is_file() and not p.is_symlink()},
                   key=lambda p: hashlib.sha1(str(p.relative_to(root)).encode()).digest())
    for path in files:
        try:
            yield from read(path)
        except (ValueError, OSError, KeyError, RecursionError) as err:
            print(f"  left out {path.name}: {err}")


def records_of(source: str, sections: Iterable[readers.Section], cap: int) -> list[dict]:
    """At most cap records; reading stops once three times as many were seen."""
    rng = random.Random(source)
    out = []
    for title, paragraphs in sections:
        title = readers.squeeze(title)
        glosses = len(paragraphs) == 1 and len(paragraphs[0].split()) <= 24
        if glosses:  # dictionary-like entries keep short texts whole
            text = paragraphs[0]
            if len(text.split()) >= 3 and _WORD.search(title):
                out.append({"s": source, "q": title, "d": text})
        else:
            for piece in pieces(paragraphs, rng):
                if pair := record(title, piece, rng):
                    out.append({"s": source, "q": pair[0], "d": pair[1]})
        if len(out) >= 3 * cap:
            break
    rng.shuffle(out)
    return out[:cap]


def description_sections(path: Path) -> Iterator[readers.Section]:
    """Package descriptions, the short line alone or with the package's name before it."""
    rng = random.Random("descriptions")
    seen = set()
    for name, short, paragraphs in readers.descriptions(path):
        if paragraphs and paragraphs[0][:80] not in seen:
            seen.add(paragraphs[0][:80])
            yield (short if rng.random() < 0.7 else f"{name}: {short}"), paragraphs


def checked_out(git_root: Path, source: sources.Source, dest: Path) -> Path:
    """Unpacks the source's files at its pinned commit from a bare repository at git_root/owner+name(/repo)."""
    bare = git_root / source.name.replace("/", "+")
    bare = bare / "repo" if (bare / "repo").is_dir() else bare
    dest.mkdir(parents=True)
    archive = subprocess.Popen(["git", "-C", str(bare), "archive", source.commit, "--",
                                *(f":(glob){g}" for g in source.globs)], stdout=subprocess.PIPE)
    subprocess.run(["tar", "-x", "-C", str(dest)], stdin=archive.stdout, check=True)
    return dest


def extract(name: str, sections: Iterable[readers.Section], cap: int, cache: Path) -> None:
    """Writes one source's records to the cache, unless they are there."""
    path = cache / (name.replace("/", "+") + ".jsonl")
    if path.exists():
        return
    records = records_of(name, sections, cap)
    temporary = path.with_suffix(".tmp")
    with temporary.open("w") as f:
        for r in records:
            f.write(json.dumps(r, ensure_ascii=False) + "\n")
    temporary.rename(path)
    print(f"{len(records):7d}  {name}", flush=True)


def extract_all(debs: Path, git_root: Path, translation: Path, goroot: Path, cache: Path) -> None:
    """Reads every source into the cache, one file each."""
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as tmp:
        for i, source in enumerate(sources.GIT):
            extract(source.name, sections_of(source, checked_out(git_root, source, Path(tmp) / str(i))), source.cap, cache)
    extract("descriptions", description_sections(translation), sources.DESCRIPTIONS_CAP, cache)
    extract("go", readers.go_comments(goroot / "src"), sources.GO_COMMENTS_CAP, cache)
    for source in sources.DEBIAN:
        extract(source.name, sections_of(source, debs / source.name), source.cap, cache)


def merge(cache: Path, out: Path) -> None:
    """Joins the cache's records without near-duplicates, in a fixed random order, one JSON record a line."""
    seen: set[bytes] = set()
    records: list[dict] = []
    for path in sorted(cache.glob("*.jsonl")):
        cap = sources.cap_of(path.stem.replace("+", "/"))
        for line in itertools.islice(path.open(), cap):
            r = json.loads(line)
            key = hashlib.sha1(re.sub(r"\W+", " ", r["d"].lower())[:140].encode()).digest()
            if key not in seen and r["q"] != r["d"]:
                seen.add(key)
                records.append(r)
    random.Random(1).shuffle(records)
    with out.open("w") as f:
        for r in records:
            f.write(json.dumps(r, ensure_ascii=False) + "\n")
    print(f"{len(records)} records in {out}")
