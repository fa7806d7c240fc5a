"""Runs that are killed again and again give the known answer."""

import subprocess
import sys

import pytest
from conftest import ROOT

pytestmark = pytest.mark.nightly

SCRIPT = ROOT / "scripts" / "torture.py"


@pytest.mark.parametrize("words", [("--short",), ("--batch",)])
def test_ten_kills(words: tuple[str, ...]) -> None:
    """Of workers, fork servers and main processes, with another number of workers and start method each time."""
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--kills", "10", "--seed", "5", *words],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 differences" in done.stdout
