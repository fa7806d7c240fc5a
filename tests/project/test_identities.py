"""The identities of the built-in puzzles: random edits change those that they should, and no others."""

import importlib.util
import json
import subprocess
import sys
from typing import Any

import pytest
from shared import ROOT

pytestmark = pytest.mark.processes

MUTANTS = ROOT / "tests" / "project" / "mutants.py"

SCRIPT = ROOT / "scripts" / "identities.py"


@pytest.mark.nightly
def test_what_a_puzzle_does_changes_the_right_identities() -> None:
    """Of the classes that reach the edited function, of the kernels whose rules do, and of nothing else."""
    done = subprocess.run([sys.executable, MUTANTS, "120", "120"], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    found = [each for each in map(json.loads, done.stdout.splitlines()) if "raises" not in each]
    assert sum(edit["used"] > 0 for edit in found) > 120 // 16
    assert [edit for edit in found if edit["wrong"]] == []


def test_the_accepted_identities() -> None:
    """A failure says what the change costs users: if it is meant, `scripts/identities.py --accept`."""
    done = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stdout + done.stderr


def test_what_a_change_costs_is_told() -> None:
    spec = importlib.util.spec_from_file_location("identities", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    before: Any = {"peg": {"rules": "1", "data": "2", "kernels": {"search": "3", "restore": "4"}}}
    now: Any = {"peg": {"rules": "0", "data": "2", "kernels": {"search": "0", "restore": "4"}}}
    assert script.changes(before, before) == []
    assert script.changes(before, now) == [
        "peg: rules: jobs that were begun cannot be resumed",
        "peg: kernels (search): the kernels are compiled again",
    ]
    assert len(script.changes(before, {})) == 3
