"""What commands print is what is kept of them: two small groups of `scripts/goldens.py`."""

import subprocess
import sys

import pytest
from conftest import ROOT

pytestmark = pytest.mark.nightly


def test_outputs_are_those_that_were_accepted() -> None:
    words = [ROOT / "scripts" / "goldens.py", "rows", "machine"]
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
