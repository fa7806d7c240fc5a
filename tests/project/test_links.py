"""Links between the documents lead somewhere, and so do those of the pages of the public names."""

import re
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
