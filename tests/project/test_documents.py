"""Links between the documents lead somewhere, and so do those of the pages of the public names."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from shared import ROOT

pytestmark = pytest.mark.plain


DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def anchors_of(document: Path) -> set[str]:
    """The anchors of a document's headings, as they are shown on the web."""
    text = re.sub(r"^```.*?^```", "", document.read_text(), flags=re.M | re.S)
    headings = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_between_documents(document: Path) -> None:
    text = document.read_text()
    links = re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'src="([^"]+)"', text)
    for link in links:
        if re.match(r"https?:|mailto:", link):
            continue
        target, _, anchor = link.partition("#")
        path = document.parent / target if target else document
        assert path.exists(), link
        assert not anchor or anchor in anchors_of(path), link


# Each decision is a page that the index and ARCHITECTURE.md link, with the date and the commit that introduced it.


FOLDER = ROOT / "docs" / "decisions"
PAGES = sorted(page for page in FOLDER.glob("*.md") if page.name != "README.md")


def is_withdrawn(page: Path) -> bool:
    return "\n**Withdrawn.** " in page.read_text()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_decision_has_its_parts(page: Path) -> None:
    title, _, dated, *rest = page.read_text().splitlines()
    assert re.fullmatch(r"# \w.*[^.]", title)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d, commit [0-9a-f]{7}", dated)
    parts = [part for line in rest for part in re.findall(r"^\*\*(.*)\.\*\* ", line)]
    optional = ["Measured", "What would change it", "Withdrawn"]
    assert parts == ["Context", "Decision", "Why", *(part for part in optional if part in parts)]


def test_decisions_are_numbered_and_listed() -> None:
    assert [int(page.name[:4]) for page in PAGES] == list(range(1, len(PAGES) + 1))
    index = (FOLDER / "README.md").read_text()
    rows = re.findall(r"^\| (\d+) \| \[(.*)\]\((.*)\)(, withdrawn)? \| (\S+) \|$", index, re.M)
    expected = []
    for page in PAGES:
        title, _, dated, *_ = page.read_text().splitlines()
        expected.append(
            (
                page.name[:4],
                title.removeprefix("# "),
                page.name,
                ", withdrawn" * is_withdrawn(page),
                dated.split(",")[0],
            )
        )
    assert rows == expected


def test_the_map_links_each_decision_that_holds() -> None:
    linked = re.findall(r"\]\(docs/decisions/(\d.*?)\)", (ROOT / "ARCHITECTURE.md").read_text())
    assert sorted(linked) == [page.name for page in PAGES if not is_withdrawn(page)]


# Words that must not come back: idioms translated word for word, and names that were given up.


WORDS = {
    # an idiom: a sentence that has it, and what to say instead
    r"(?:come|comes|came) to": ("what all searches come to", "the totals of all searches"),
    r"(?:come|comes|came) of": ("what came of each search", "the result of each search"),
    r"(?:go|goes|going|went|gone) on with(?:out)?": ("the job goes on with it", "it is resumed, it continues"),
    r"worth": ("an iteration that is worth a pool", "long enough for a pool"),
    r"those that there are": ("forget those that there are", "the present ones"),
    r"that there (?:is|are) (?:not|already)": ("a field that there is not", "an unknown field"),
    r"where there (?:is|are|was|were) (?:none|not)": ("None where there is none", "None if it is missing"),
    r"until nobody": ("until nobody is told", "until no listener is left"),
    r"anew": ("is searched anew", "again"),
    r"(?:cannot|that can) be(?=[.,:;)]|$)": ("an argument that cannot be", "an invalid argument"),
    r"(?:it|that) is no (?!longer|more)\w+": ("it is no journal", "it is not a …"),
    r"is no (?:text|plain file)": ("the file is no text", "is not a text"),
    r"taken with it": ("what is taken with it", "what goes along"),
    r"to be had": ("no thread is to be had", "the system refuses a thread"),
    r"it is so": ("whether it is so", "say what is"),
    r"it is none(?! of)": ("None where it is none", "None if it is invalid"),
    r"for whoever": ("for whoever shows it", "for a bar or a log"),
    r"turned round": ("batches, turned round", "reversed"),
    r"(?:has its|have their) turn": ("never has its turn", "never happens"),
    r"but for": ("all calls but for the last", "except"),
    r"so many(?! \w+ that)": ("after so many seconds", "that many, or the name of the number"),
    r"(?:has|have) so few": ("solutions that have so few", "with that number of moves"),
    r"(?:say|says|said) of": ("what a puzzle says of its graph", "what it declares"),
    r"(?<=, )say(?=[.,:;)])": ("the disk is full, say.", "for example, such as"),
    r"nothing tells": ("None as long as nothing tells", "None while it is unknown"),
    r"all the same": ("is searched all the same", "still"),
    r"that (?:is|are) there (?:as|twice|several|most|in any case)": ("a piece that is there twice", "occurs twice"),
    r"what there is to": ("takes what there is to tell", "its reports"),
    r"(?:stand|stands|standing) (?:in(?! for\b)|beside|below|above|behind|together)": (
        "texts stand in a page",
        "are in",
    ),
    r"without a (?:look|word)": ("without a look at them", "without reading them"),
    r"as can be": ("as few as can be", "as few as possible"),
    r"the same of": ("the same of the west", "the same for the west"),
    r"would rather": ("whatever it would rather have counted", "what `counting` names"),
    r"told (?:in one line|at once|with its)": ("an error is told at once", "reported, raised"),
    r"belongs? into": ("what changes belongs into a field", "belongs in"),
    r"(?:held|holds?) (?:\S+ ){0,11}against": ("a bound is held against distances", "compared with"),
    r"(?:place|memory|rows?|words?) behind": ("the place behind the array", "after"),
    r"says? nothing of": ("what says nothing of the code", "what does not change it"),
    # a name that was given up, and today's
    r"coordinator": ("the coordinator", "root, driver or main process"),
    r"crew": ("a crew is started", "pool"),
    r"fingerprints?": ("a fingerprint of the rules", "identity"),
    r"trampoline": ("a trampoline", "entry"),
}

PATTERNS = {word: re.compile(rf"(?<!\w){word}(?!\w)", re.I) for word in WORDS}

GOOD = (
    "How many bytes a slice holds. A stand-in stands in for an array. There are so many states that memory ends."
    " It comes first. None if there is none. It goes on. The pool is worthwhile. They said so, whoever they are."
    " The listener is told of lost tasks. Nobody reads it. The same for all. A new pool. The string cannot be empty."
)


def files() -> Iterator[Path]:
    """Yield the files that people read: the package's and the documents."""
    yield from sorted((ROOT / "parsolve").rglob("*.py"))
    yield from sorted((ROOT / "docs").rglob("*.md"))
    yield from (ROOT / "README.md", ROOT / "ARCHITECTURE.md")


def text_of(file: Path) -> str:
    """Return what a file says, on one line: neither line ends nor comment marks part a phrase."""
    return re.sub(r"[\s#]+", " ", file.read_text())


@pytest.mark.parametrize("file", [*files()], ids=lambda file: str(file.relative_to(ROOT)))
def test_plain_words(file: Path) -> None:
    text = text_of(file)
    found = [
        f"…{text[max(0, hit.start() - 50) : hit.end() + 30]}…: say {WORDS[word][1]}"
        for word, pattern in PATTERNS.items()
        for hit in pattern.finditer(text)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("word", WORDS)
def test_each_word_is_found_where_it_is(word: str) -> None:
    assert PATTERNS[word].search(WORDS[word][0])


def test_good_english_is_left_alone() -> None:
    assert [word for word, pattern in PATTERNS.items() if pattern.search(GOOD)] == []
