"""A small part of each attack: random instances against plain brute force, files that were tampered with,
and edits between searches."""

import random
import subprocess
import sys

import pytest
from conftest import ROOT
from worlds.compare import differences
from worlds.instances import FAMILIES

pytestmark = pytest.mark.nightly

SCRIPTS = ROOT / "scripts"

CHOSEN = ("graphs Numbered", "graphs Bounded")
"""Those of families are in tests/puzzles."""


@pytest.mark.parametrize("name", CHOSEN)
def test_random_instances(name: str) -> None:
    make, _ = FAMILIES[name]
    for number in range(6):
        random_ = random.Random(number)
        instance = make(random_)
        assert [*differences(instance, random_)] == [], instance.puzzle


@pytest.mark.parametrize(("part", "number"), [("files", "3"), ("edits", "1")])
def test_files_and_edits(part: str, number: str) -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPTS / "attack.py"), part, "--number", number, "--seed", "2"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 differences" in done.stdout
