"""Links between the documents lead somewhere, and so do those of the pages of the public names."""

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

pytestmark = pytest.mark.processes


@pytest.mark.nightly
def test_pages_of_the_public_names(tmp_path: Path) -> None:
    pytest.importorskip("pdoc", reason="pdoc is not installed")
    subprocess.run([sys.executable, ROOT / "scripts" / "api", tmp_path], check=True, timeout=120)
    assert "iter_solutions" in (tmp_path / "parsolve.html").read_text()
