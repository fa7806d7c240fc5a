"""Each decision is a page that the index and ARCHITECTURE.md link, with the date and the commit that introduced it."""

import re
from pathlib import Path

import pytest
from shared import ROOT

pytestmark = pytest.mark.plain

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
