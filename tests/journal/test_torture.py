"""Runs that are killed again and again give the known answer."""

import subprocess
import sys

import pytest
from conftest import ROOT

pytestmark = pytest.mark.nightly

SCRIPT = ROOT / "scripts" / "torture.py"


def test_ten_kills() -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--kills", "10", "--seed", "5", "--short"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 differences" in done.stdout
