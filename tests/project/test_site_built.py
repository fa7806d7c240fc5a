"""The site is built without a warning, and what people look for is two clicks from its first page."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

pytestmark = pytest.mark.nightly


def test_two_clicks(tmp_path: Path) -> None:
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
