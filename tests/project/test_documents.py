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
        withdrawn = ", withdrawn" * is_withdrawn(page)
        expected.append((page.name[:4], title.removeprefix("# "), page.name, withdrawn, dated.split(",")[0]))
    assert rows == expected


def test_the_map_links_each_decision_that_holds() -> None:
    linked = re.findall(r"\]\(docs/decisions/(\d.*?)\)", (ROOT / "ARCHITECTURE.md").read_text())
    assert sorted(linked) == [page.name for page in PAGES if not is_withdrawn(page)]


def test_the_walk_names_what_is_there() -> None:
    package, text = ROOT / "parsolve", " ".join((ROOT / "docs" / "walk.md").read_text().split())
    sources = {str(file.relative_to(package)): file.read_text() for file in package.rglob("*.py")}
    for name, file in re.findall(r"`([^`]+)`(?: in | \()?(?:`([^`]+\.py)`)?", text):  # which says where the name is
        owner, _, last = name.partition("(")[0].rpartition(".")
        wanted = [rf"^class {owner}\b", rf"(?:def |self\.|^    ){last}\b"] if owner else [rf"\b{last}\b"]
        wanted = [rf"^(?:class|def) {last}\b"] if file and not owner else wanted
        if last == "py":
            assert name in sources
        elif last.isidentifier():
            places = [sources[file]] if file else sources.values()
            assert any(all(re.search(each, place, re.M) for each in wanted) for place in places), name


# Words that must not come back: idioms translated word for word, and names that were given up.


WORDS = {
    # an idiom, and what to say instead
    r"(?:come|comes|came) to": "the totals of all searches",
    r"(?:come|comes|came) of": "the result of each search",
    r"(?:go|goes|going|went|gone) on with(?:out)?": "it is resumed, it continues",
    r"worth": "long enough for a pool",
    r"those that there are": "the present ones",
    r"that there (?:is|are) (?:not|already)": "an unknown field",
    r"where there (?:is|are|was|were) (?:none|not)": "None if it is missing",
    r"until nobody": "until no listener is left",
    r"anew": "again",
    r"(?:cannot|that can) be(?=[.,:;)]|$)": "an invalid argument",
    r"(?:it|that) is no (?!longer|more)\w+": "it is not a …",
    r"is no (?:text|plain file)": "is not a text",
    r"taken with it": "what goes along",
    r"to be had": "the system refuses a thread",
    r"it is so": "say what is",
    r"it is none(?! of)": "None if it is invalid",
    r"for whoever": "for a bar or a log",
    r"turned round": "reversed",
    r"(?:has its|have their) turn": "never happens",
    r"but for": "except",
    r"so many(?! \w+ that)": "that many, or the name of the number",
    r"(?:has|have) so few": "with that number of moves",
    r"(?:say|says|said) of": "what it declares",
    r"(?<=, )say(?=[.,:;)])": "for example, such as",
    r"nothing tells": "None while it is unknown",
    r"all the same": "still",
    r"that (?:is|are) there (?:as|twice|several|most|in any case)": "occurs twice",
    r"what there is to": "its reports",
    r"(?:stand|stands|standing) (?:in(?! for\b)|beside|below|above|behind|together)": "are in",
    r"without a (?:look|word)": "without reading them",
    r"as can be": "as few as possible",
    r"the same of": "the same for the west",
    r"would rather": "what `counting` names",
    r"told (?:in one line|at once|with its)": "reported, raised",
    r"belongs? into": "belongs in",
    r"(?:held|holds?) (?:\S+ ){0,11}against": "compared with",
    r"(?:place|memory|rows?|words?) behind": "after",
    r"says? nothing of": "what does not change it",
    # a name that was given up, and today's
    r"coordinator": "root, driver or main process",
    r"crew": "pool",
    r"fingerprints?": "identity",
    r"trampoline": "entry",
}

ANY = re.compile(rf"(?<!\w)(?:{'|'.join(WORDS)})(?!\w)", re.I)


def files() -> Iterator[Path]:
    """Yield the files that people read: the package's and the documents."""
    yield from sorted((ROOT / "parsolve").rglob("*.py"))
    yield from sorted((ROOT / "docs").rglob("*.md"))
    yield from (ROOT / "README.md", ROOT / "ARCHITECTURE.md")


def text_of(file: Path) -> str:
    """Return what a file says, on one line: neither line ends nor comment marks part a phrase."""
    return re.sub(r"[\s#]+", " ", file.read_text())


def test_plain_words() -> None:
    found = [
        f"{file}: …{text[max(0, hit.start() - 50) : hit.end() + 30]}…: say "
        + " or ".join(says for word, says in WORDS.items() if re.compile(word, re.I).match(text, hit.start()))
        for file, text in ((file, text_of(file)) for file in files())
        for hit in ANY.finditer(text)
    ]
    assert not found, "\n".join(found)
