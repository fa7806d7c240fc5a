"""Figures of the documents are those of the results; each page is reached, and the site is built."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from shared import ROOT

pytestmark = pytest.mark.plain


def test_every_document_is_reached() -> None:
    """Each page stands in a list of contents, as far as files of the repository are listed one by one."""
    listed = set(re.findall(r"^(?:.*<)?([\w./-]+?)>?$", (ROOT / "docs" / "index.md").read_text(), re.M))
    assert {page.stem for page in (ROOT / "docs").glob("*.md")} - {"index"} <= listed


@pytest.mark.parametrize("document", ["README.md", "docs/results.md"])
def test_figures_are_those_of_the_results(document: str) -> None:
    """A bold number in a line with a table of results is a bold number there."""
    found = 0
    for line in re.split(r"\n(?=\n|\|)", (ROOT / document).read_text()):
        if link := re.search(r"\((?:\.\./)?(results/[\w/-]+\.md)\)", line):
            for figure in re.findall(r"\*\*[\d.]+\*\*", line):
                assert figure in (ROOT / link[1]).read_text(), line
                found += 1
    assert found > 5


def test_the_readme_fits_on_three_screens() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 110


# The site is built without a warning, and what people look for is two clicks from its first page.


@pytest.mark.nightly
def test_two_clicks(tmp_path: Path, compiled: None) -> None:
    pytest.importorskip("sphinx", reason="Sphinx is not installed")
    options = ("--quiet", "--fail-on-warning", "--fresh-env", "-c", ROOT / "docs", "-d", tmp_path / "doctrees")
    site = tmp_path / "site"
    subprocess.run([sys.executable, "-m", "sphinx", *options, "-b", "html", ROOT, site], check=True, timeout=300)
    front = (site / "docs" / "index.html").read_text()
    first = {link.partition("#")[0] for link in re.findall(r'href="([^":]+\.html[^"]*)"', front)}
    pages = {link: (site / "docs" / link).read_text() for link in first}
    for wanted in (
        ("resume.html", "On another machine"),
        ("reference/solve.html", 'id="cmdoption-parsolve-solve-slack"'),
        ("your-own-puzzle.html", 'id="key"'),
        ("exit-codes.html", "stopped by a limit"),
    ):
        assert wanted[1] in pages[wanted[0]]
    assert "docs/index.html" in (site / "index.html").read_text()
    assert "parsolve.Result.to_dict" in (site / "docs" / "reference" / "python.html").read_text()
