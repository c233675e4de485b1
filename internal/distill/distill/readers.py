"""Readers: each turns files of one format into sections, (title, paragraphs) pairs of plain text."""

import gzip
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from lxml import etree, html as lxml_html

Section = tuple[str, list[str]]

_SPACE = re.compile(r"\s+")
_SKIP_TAGS = {"script", "style", "nav", "pre", "table", "footer", "header", "form", "code-block", "math", "svg"}
_SKIP_CLASSES = re.compile(r"sphinxsidebar|related|navheader|navfooter|footer|headerlink|toctree|highlight|sidebar|breadcrumb|navbar")


def squeeze(text: str) -> str:
    """Collapses white space."""
    return _SPACE.sub(" ", text).strip()


def read_text(path: Path) -> str:
    """The file's text, unzipped where its name says so; bytes that are not UTF-8 are replaced."""
    raw = path.read_bytes()
    if path.suffix == ".gz":
        raw = gzip.decompress(raw)
    return raw.decode("utf-8", "replace")


def _inline(node) -> str:
    """The text of an HTML element without the parts that are not prose."""
    parts = []

    def walk(n):
        if not isinstance(n.tag, str):
            return
        if n.tag in _SKIP_TAGS or _SKIP_CLASSES.search(n.get("class") or ""):
            return
        parts.append(n.text or "")
        for child in n:
            walk(child)
            parts.append(child.tail or "")

    walk(node)
    return squeeze("".join(parts)).replace("¶", "")


def html(path: Path) -> Iterator[Section]:
    """Headings with the paragraphs, list items and definitions that follow each."""
    text = read_text(path)
    if len(text) > 3_000_000:
        text = text[:3_000_000]
    try:
        root = lxml_html.fromstring(text.encode())
    except (etree.ParserError, ValueError):
        return
    page = squeeze((root.findtext(".//title") or ""))
    title, paragraphs = page, []
    for node in root.iter("h1", "h2", "h3", "h4", "p", "dd", "li", "dt"):
        if any((a.tag in _SKIP_TAGS) or _SKIP_CLASSES.search(a.get("class") or "") for a in node.iterancestors()
               if isinstance(a.tag, str)):
            continue
        if node.tag in ("h1", "h2", "h3", "h4", "dt"):
            if paragraphs:
                yield title, paragraphs
            head = re.sub(r"^[\d.]+\s*", "", _inline(node))
            title, paragraphs = (head or page)[:160], []
        elif node.tag == "p" or node.find(".//p") is None:
            if words := _inline(node):
                paragraphs.append(words)
    if paragraphs:
        yield title, paragraphs


def cnxml(path: Path) -> Iterator[Section]:
    """Modules of OpenStax and Connexions books; glossary entries become sections of their own."""
    try:
        root = etree.parse(str(path), etree.XMLParser(recover=True, huge_tree=True)).getroot()
    except etree.XMLSyntaxError:
        return
    if root is None:
        return
    name = lambda n: etree.QName(n).localname if isinstance(n.tag, str) else ""

    def text(n) -> str:
        out = []

        def walk(m):
            if name(m) in ("math", "media", "table", "code", "footnote", "note-ref"):
                out.append(" ")
                return
            out.append(m.text or "")
            for c in m:
                walk(c)
                out.append(c.tail or "")

        walk(n)
        return squeeze("".join(out))

    title, paragraphs = "", []
    for n in root.iter():
        kind = name(n)
        if kind == "title":
            if paragraphs:
                yield title, paragraphs
            title, paragraphs = text(n) or title, []
        elif kind == "definition":
            term = [c for c in n if name(c) == "term"]
            meaning = [c for c in n if name(c) == "meaning"]
            if term and meaning:
                yield text(term[0]), [text(meaning[0])]
        elif kind in ("para", "item"):
            if words := text(n):
                paragraphs.append(words)
    if paragraphs:
        yield title, paragraphs


def _blocks(text: str) -> Iterator[str]:
    for block in re.split(r"\n\s*\n", text):
        yield block


def rst(path: Path) -> Iterator[Section]:
    """reStructuredText and plain text: an underlined line is a title, indented blocks are left out."""
    title, paragraphs = path.stem.replace("_", " ").replace("-", " "), []
    for block in _blocks(read_text(path)):
        lines = [l for l in block.splitlines() if l.strip()]
        if not lines:
            continue
        for i in range(1, len(lines)):
            if re.fullmatch(r"([=\-~^\"'*#+`])\1{2,}\s*", lines[i]):
                if paragraphs:
                    yield title, paragraphs
                title, paragraphs = squeeze(lines[i - 1]), []
                lines = lines[i + 1:]
                break
        if not lines or lines[0].startswith((" ", "\t", "..", ":", "|", "+-", ">>>")):
            continue
        words = re.sub(r":[a-z:+-]+:`~?([^`<]*)(<[^`]*>)?`", r"\1", squeeze(" ".join(lines)))
        words = re.sub(r"[`*|]+_*", "", words)
        paragraphs.append(words)
    if paragraphs:
        yield title, paragraphs


def markdown_text(text: str, title: str) -> Iterator[Section]:
    """Markdown: headings and the paragraphs below each; fenced code, tables and front matter are left out."""
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S)
    text = re.sub(r"```.*?```", "", text, flags=re.S)
    paragraphs: list[str] = []
    for block in _blocks(re.sub(r"(?m)^(#+ .*)$", r"\n\1\n", text)):
        words = squeeze(block)
        if head := re.match(r"#+ (.*)", words):
            if paragraphs:
                yield title, paragraphs
            title, paragraphs = re.sub(r"\{#.*?\}|[`*#]", "", head[1]).strip(), []
            continue
        if not words or words.startswith(("|", "<", "!", "    ", "{%")):
            continue
        words = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", words)
        words = re.sub(r"<[^>]+>|\$[^$]*\$|[`*]|^[-+] ", "", words)
        paragraphs.append(squeeze(words))
    if paragraphs:
        yield title, paragraphs


def markdown(path: Path) -> Iterator[Section]:
    yield from markdown_text(read_text(path), path.stem)


def ipynb(path: Path) -> Iterator[Section]:
    """The Markdown cells of a notebook."""
    cells = json.loads(read_text(path)).get("cells", [])
    text = "\n\n".join("".join(c["source"]) for c in cells if c.get("cell_type") == "markdown")
    yield from markdown_text(text, path.stem)


def tldr(path: Path) -> Iterator[Section]:
    """A command with its summary, and what its examples do."""
    name, summary, uses = path.stem, [], []
    for line in read_text(path).splitlines():
        if line.startswith("> ") and "More information" not in line and "See also" not in line:
            summary.append(line[2:])
        elif line.startswith("- "):
            uses.append(line[2:].rstrip(":"))
    yield f"{name}: {squeeze(' '.join(summary))}", [squeeze(". ".join(uses).replace("`", ""))]


def pod(path: Path) -> Iterator[Section]:
    """Perl's documentation: =head and =item as titles, indented blocks left out."""
    title, paragraphs = path.stem, []
    for block in _blocks(read_text(path)):
        if head := re.match(r"=(?:head\d|item) +(.*)", block):
            if paragraphs:
                yield title, paragraphs
            title, paragraphs = _pod_inline(head[1]), []
        elif not block.startswith(("=", " ", "\t")):
            paragraphs.append(_pod_inline(block))
    if paragraphs:
        yield title, paragraphs


def _pod_inline(text: str) -> str:
    for _ in range(3):
        text = re.sub(r"[A-Z]<+ ?([^<>]*?) ?>+", lambda m: m[1].split("|")[0], text)
    return squeeze(text)


def man(path: Path) -> Iterator[Section]:
    """Manual pages: the NAME line is the title of DESCRIPTION's paragraphs; other sections keep their own."""
    page, title, paragraphs, buf = path.name.split(".")[0], "", [], []
    section = ""

    def flush():
        if buf:
            words = squeeze(" ".join(buf))
            buf.clear()
            if words:
                paragraphs.append(words)

    name = page
    for line in read_text(path).splitlines():
        if line.startswith((".\\\"", "'\\\"")):
            continue
        line = re.sub(r"\\f[A-Z]|\\f\([A-Z]{2}|\\f\[[A-Z]*\]|\\&|\\/|\\,|\\s[-+]?\d", "", line)
        line = line.replace("\\-", "-").replace("\\(aq", "'").replace("\\e", "\\").replace("\\(bu", "").replace("\\ ", " ")
        if head := re.match(r"\.(?:SH|SS|Sh) +\"?([^\"]*)", line):
            flush()
            if section == "NAME" and paragraphs:
                name = paragraphs[0]
            elif paragraphs:
                yield title, paragraphs
            section, paragraphs = squeeze(head[1]), []
            title = name if section == "DESCRIPTION" else f"{name.split(' - ')[0]} {section.lower()}"
        elif re.match(r"\.(PP|TP|P|LP|IP|sp|Pp|HP)\b", line) or not line.strip():
            flush()
        elif re.match(r"\.[BIRS]{1,2}M? ", line):
            buf.append(line.split(" ", 1)[1].replace('"', ""))
        elif not line.startswith((".", "'")):
            buf.append(line)
    flush()
    if paragraphs and section != "NAME":
        yield title, paragraphs


def wordnet(path: Path) -> Iterator[Section]:
    """Synsets: the words as the title, the gloss (and its examples) as the text."""
    for line in path.read_text("utf-8").splitlines():
        if line.startswith(" ") or " | " not in line:
            continue
        data, gloss = line.split(" | ", 1)
        fields = data.split()
        words = [fields[4 + 2 * i].split("(")[0].replace("_", " ") for i in range(int(fields[3], 16))]
        yield ", ".join(words), [squeeze(gloss)]


def dictd(path: Path) -> Iterator[Section]:
    """Dictionaries in dictd's format; headwords that share an entry are joined."""
    data = gzip.decompress(path.with_suffix(".dict.dz").read_bytes())
    digits = {c: i for i, c in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")}

    def number(s: str) -> int:
        n = 0
        for c in s:
            n = n * 64 + digits[c]
        return n

    entries: dict[tuple[int, int], list[str]] = {}
    for line in path.read_text("utf-8").splitlines():
        word, start, size = line.split("\t")[:3]
        if not word.startswith("00-database"):
            entries.setdefault((number(start), number(size)), []).append(word)
    for (start, size), words in entries.items():
        body = data[start:start + size].decode("utf-8", "replace")
        body = re.sub(r"\[[^\]]{0,60}\]|\\[^\\]{0,60}\\|[{}]|<[^>]{0,40}>", " ", body)
        lines = body.splitlines()
        text = squeeze(" ".join(lines[1:])) or squeeze(body)
        yield ", ".join(words[:3]), [text]


def obo(path: Path) -> Iterator[Section]:
    """Ontologies: a term with its synonyms, and its definition."""
    for stanza in read_text(path).split("\n[Term]\n")[1:]:
        name = re.search(r"(?m)^name: (.*)$", stanza)
        definition = re.search(r'(?m)^def: "((?:[^"\\]|\\.)*)"', stanza)
        if not name or not definition or "is_obsolete: true" in stanza:
            continue
        synonyms = re.findall(r'(?m)^synonym: "([^"]*)" EXACT', stanza)
        yield ", ".join([name[1], *synonyms[:2]]), [squeeze(definition[1].replace("\\n", " ").replace('\\"', '"'))]


def descriptions(path: Path) -> Iterator[tuple[str, str, list[str]]]:
    """A distribution's package descriptions: (name, short line, paragraphs)."""
    for entry in path.read_text("utf-8").split("\n\n"):
        name = re.search(r"(?m)^Package: (.*)$", entry)
        head = re.search(r"(?m)^Description-en: (.*)$", entry)
        if not name or not head:
            continue
        body = entry[head.end():].strip("\n")
        paragraphs = [squeeze(p) for p in re.split(r"\n \.\n", "\n" + body)]
        yield name[1], head[1], [p for p in paragraphs if not p.startswith("This package")]


def go_comments(root: Path) -> Iterator[Section]:
    """The documentation comments of exported functions, types and packages below root."""
    block = re.compile(r"((?:^//.*\n)+)(func (?:\([^)]*\) )?[A-Z]\w*|type [A-Z]\w*|package \w+)", re.M)
    for path in sorted(root.rglob("*.go")):
        if path.name.endswith("_test.go") or "testdata" in path.parts or "vendor" in path.parts:
            continue
        package = path.parent.relative_to(root).as_posix()
        for m in block.finditer(path.read_text("utf-8", "replace")):
            text = squeeze(re.sub(r"(?m)^//(go:.*)?\s?", "", m[1]))
            if "Copyright" in text or "build " in text[:12]:
                continue
            yield f"{package} {m[2].split()[-1]}", [text]
