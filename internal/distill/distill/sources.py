"""The training sources: which texts are read, how, and how many passages each may give at most.

Nothing here is an evaluation set or a gallery of skills. Licences are listed in SOURCES.md.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    """One source of text.

    name: Debian package, or owner/repository for a git source.
    reader: which reader of readers.py understands its files.
    globs: the files to read, relative to the unpacked package or the checked-out commit.
    cap: the most passages taken (a deterministic sample beyond that).
    commit: for git sources, the pinned commit; licence files were read at that commit.
    """

    name: str
    reader: str
    globs: tuple[str, ...]
    cap: int = 6000
    commit: str = ""


def _html(cap: int, *names: str) -> list[Source]:
    return [Source(n, "html", ("**/*.html", "**/*.htm"), cap) for n in names]


DEBIAN = [
    Source("wordnet-base", "wordnet", ("usr/share/wordnet/data.*",), 50_000),
    Source("dict-gcide", "dictd", ("**/*.index",), 12_000),
    Source("dict-foldoc", "dictd", ("**/*.index",), 20_000),
    Source("dict-jargon", "dictd", ("**/*.index",), 5_000),
    Source("dict-elements", "dictd", ("**/*.index",), 500),
    Source("linux-doc-6.1", "rst", ("**/*.rst", "**/*.rst.txt", "**/*.rst.gz", "**/*.txt.gz"), 8_000),
    Source("vim-runtime", "rst", ("**/doc/*.txt",), 2_000),
    Source("perl-doc", "pod", ("**/*.pod",), 5_000),
    Source("manpages", "man", ("**/man[0-9]/*.gz",), 4_000),
    Source("manpages-dev", "man", ("**/man[0-9]/*.gz",), 4_000),
    Source("systemd", "man", ("**/man[0-9]/*.gz",), 3_000),
    Source("libssl-doc", "man", ("**/man[0-9]/*.gz",), 3_000),
    *_html(5_000, "python3.11-doc", "python-pandas-doc", "python-scipy-doc", "python-sklearn-doc",
           "python-statsmodels-doc", "python-astropy-doc", "erlang-doc", "libreoffice-help-en-us",
           "postgresql-doc-15", "sagemath-doc"),
]


def _openstax(book: str, commit: str, cap: int = 9_000) -> Source:
    return Source(f"openstax/osbooks-{book}", "cnxml", ("modules/*/index.cnxml",), cap, commit)


def _cnx(book: str, commit: str) -> Source:
    return Source(f"cnx-user-books/cnxbook-{book}", "cnxml", ("modules/*/index.cnxml",), 4_000, commit)


GIT = [
    _openstax("anatomy-physiology", "b0058a743bdd2cc08196abaaa7d5469970c0d80c"),
    _openstax("astronomy", "63157f370b09c06a4cc12832384aaaf4de1ced3b", 6_000),
    _openstax("chemistry-bundle", "32c719622fbb7a0ca729cd645c1df4cf4e7d5b3a"),
    _openstax("college-physics-bundle", "f98d7a792138a6133fe7267d17e70aa04e9ccbed"),
    _openstax("introduction-sociology", "d35d5f3bdac40f93607d600134865d4f13ce1f9b", 4_000),
    _openstax("introductory-statistics-bundle", "50ec91749080bb040b57bb40c34337cacc994cba", 5_000),
    _openstax("microbiology", "ecf34dad129d686703780e87ab5aa2e59c577a6a"),
    _openstax("principles-economics-bundle", "cd31beb103fffbc09cc81ebfe117d8c40cc12d1a"),
    _openstax("principles-finance", "3b7fc65c527ef51dbee24689691f19947fb72fb2"),
    _openstax("psychology", "e061043bf2f9e86ace51c4e8dc9555160f60a99d", 6_000),
    _openstax("university-physics-bundle", "db44eb99e9aa1d918fd8cf182f82ccdece9c7b11"),
    _openstax("us-history", "046331cfcea0ac1b1a8fd461b3e6aae638845af3", 4_000),
    _openstax("life-liberty-and-pursuit-happiness", "acb6fbe2744dd112187b6aff5946cfe969410fca", 4_000),
    _cnx("ece-320-spring-2004", "4eae3330ef"),
    _cnx("elec-301-projects-fall-2006", "bf31a559e0"),
    _cnx("fundamentals-of-electrical-engineering-i", "4af1d28e70"),
    _cnx("information-and-signal-theory", "afbf44e0a7"),
    _cnx("microcontroller-and-embedded-systems-laboratory", "694025f88e"),
    _cnx("programming-fundamentals-a-modular-structured-approach", "0dc17628b1"),
    _cnx("signals-and-systems", "5b461daacd"),
    _cnx("statistical-signal-processing", "c3b33811a5"),
    Source("DiseaseOntology/HumanDiseaseOntology", "obo",
           ("src/ontology/subsets/*.obo",), 12_000, "9fbefd6651"),
    Source("obophenotype/uberon", "obo", ("subsets/*.obo", "*.obo"), 12_000, "52817eeaa3"),
    Source("OHDSI/TheBookOfOhdsi", "markdown", ("*.Rmd",), 2_000, "4ef7abb6cd"),
    Source("OpenFAST/openfast", "rst", ("docs/**/*.rst",), 4_000, "2895884d2b"),
    Source("barbagroup/AeroPython", "ipynb", ("lessons/*.ipynb",), 1_000, "b87af31c9d"),
    Source("su2code/su2code.github.io", "markdown", ("**/*.md",), 3_000, "0d42dd11d0"),
    Source("tldr-pages/tldr", "tldr", ("pages/*/*.md",), 8_000, "08e345f426"),
]


def cap_of(name: str) -> int:
    """The most records that the source of this name may give."""
    special = {"descriptions": DESCRIPTIONS_CAP, "go": GO_COMMENTS_CAP}
    return special.get(name) or next((s.cap for s in DEBIAN + GIT if s.name == name), 0)


# The descriptions of every package of the distribution's index, and Go's own documentation comments.
DESCRIPTIONS_CAP = 45_000
GO_COMMENTS_CAP = 5_000
