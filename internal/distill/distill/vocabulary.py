"""The student's tokenizer: bert-base-uncased's WordPiece vocabulary, pruned of what English text does not need,
with the corpus's most frequent split words added as whole tokens."""

import json
import unicodedata
from collections import Counter
from pathlib import Path

from tokenizers import Tokenizer

SPECIAL = ("[PAD]", "[UNK]")
_LETTERS = ("LATIN", "GREEK")


def is_basic(token: str) -> bool:
    """Whether a token must stay: one character of ASCII, Latin or Greek, or a sign, alone or as a continuation."""
    core = token.removeprefix("##")
    if len(core) != 1:
        return False
    if core.isascii():
        return True
    name = unicodedata.name(core, "")
    return name.startswith(_LETTERS) or not core.isalpha() and unicodedata.category(core)[0] in "PSN"


def is_plain(token: str) -> bool:
    """Whether a token is printable ASCII (the brackets of special and unused tokens aside)."""
    core = token.removeprefix("##")
    return core.isascii() and bool(core) and not token.startswith("[unused") and token not in ("[CLS]", "[SEP]", "[MASK]")


def count_words(teacher: Tokenizer, corpus: Path) -> Counter[str]:
    """How often each normalised word stands in the corpus; kept beside it for the next run."""
    kept = corpus.with_suffix(".words.json")
    if not kept.exists():
        words: Counter[str] = Counter()
        for line in corpus.open():
            r = json.loads(line)
            for word, _ in teacher.pre_tokenizer.pre_tokenize_str(teacher.normalizer.normalize_str(r["q"] + " " + r["d"])):
                words[word] += 1
        kept.write_text(json.dumps(words, ensure_ascii=False))
    return Counter(json.loads(kept.read_text()))


def choose(teacher: Tokenizer, words: Counter[str], size: int, added: int) -> list[str]:
    """The tokens of the student, at most size in number.

    First the special and basic ones, then `added` whole words that the teacher's vocabulary splits, by count,
    then the teacher's other ASCII tokens by count (ties and unseen ones in the teacher's order, which is by
    frequency).
    """
    vocabulary = sorted(teacher.get_vocab().items(), key=lambda kv: kv[1])
    pieces: Counter[str] = Counter()
    whole: Counter[str] = Counter()
    for word, n in words.items():
        tokens = teacher.encode(word, add_special_tokens=False).tokens
        for t in tokens:
            pieces[t] += n
        if len(tokens) > 1 and word.isascii() and word.isalnum() and 3 <= len(word) <= 24 and not word.isdigit():
            whole[word] = n
    chosen = list(SPECIAL) + [t for t, _ in vocabulary if is_basic(t)]
    taken = set(chosen)
    new = [w for w, _ in sorted(whole.items(), key=lambda kv: (-kv[1], kv[0]))[:added]]
    rest = [t for t, _ in vocabulary if t not in taken and is_plain(t)]
    rest.sort(key=lambda t: -pieces[t])  # stable: unseen tokens keep the teacher's order
    chosen += new + rest[:max(0, size - len(chosen) - len(new))]
    print(f"vocabulary: {len(chosen)} tokens, {len(new)} added words (least count {whole[new[-1]] if new else 0}), "
          f"{sum(pieces[t] == 0 for t in chosen)} unseen")
    return chosen


def tokenizer_json(tokens: list[str]) -> str:
    """A tokenizer.json for the tokens. There are no [CLS] and [SEP]: a static model gains nothing by them."""
    special = [{"id": i, "content": t, "single_word": False, "lstrip": False, "rstrip": False,
                "normalized": False, "special": True} for i, t in enumerate(SPECIAL)]
    return json.dumps({
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": special,
        "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                       "strip_accents": None, "lowercase": True},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": None,
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 100, "vocab": {t: i for i, t in enumerate(tokens)}},
    }, ensure_ascii=False, separators=(",", ":"))


def load(path: Path) -> Tokenizer:
    """The tokenizer of a file, without padding or truncation."""
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer
