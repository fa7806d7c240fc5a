"""The identities of the built-in puzzles: random edits change those that they should, and no others."""

import importlib.util
import json
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from shared import ROOT

import parsolve

pytestmark = pytest.mark.processes

MUTANTS = ROOT / "tests" / "project" / "mutants.py"

SCRIPT = ROOT / "scripts" / "identities.py"


def edits(kind: str, number: int) -> list[dict[str, Any]]:
    """Return the results of random edits of the built-in puzzles."""
    done = subprocess.run(
        [sys.executable, MUTANTS, kind, str(number), str(number)], capture_output=True, text=True, check=False
    )
    assert not done.returncode, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.nightly
def test_how_a_puzzle_is_written_changes_no_identity() -> None:
    found = edits("neutral", 100)
    assert len(found) == 100
    assert any("moved" in edit["what"] for edit in found)
    assert [edit for edit in found if edit["wrong"]] == []


@pytest.mark.nightly
def test_what_a_puzzle_does_changes_the_right_identities() -> None:
    """Of the classes that reach the edited function, of the kernels whose rules do, and of nothing else."""
    found = [edit for edit in edits("telling", 120) if "raises" not in edit]
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


def commented(text: str) -> str:
    """Return a source with a comment after its first line and another docstring in each function that has one."""
    text = re.sub(r'( +)"""[A-Z][^"\n]*\."""\n', r'\1"""Another text."""\n', text)
    return text + f"\n# {random.random()}\n"


def copy_of(folder: Path, edit: Callable[[Path, str], str]) -> dict[str, str]:
    """Return the environment in which a copy of the package is used whose files are edited."""
    package = Path(parsolve.__file__).parent
    shutil.copytree(package, folder / "parsolve")
    for file in (folder / "parsolve").rglob("*.py"):
        text = file.read_text()
        if (edited := edit(file, text)) != text:
            file.write_text(edited)
    (folder / "scripts").mkdir()
    shutil.copy(SCRIPT, folder / "scripts")
    (folder / "tests").mkdir()
    shutil.copy(ROOT / "tests" / "identities.json", folder / "tests")
    return {"PYTHONPATH": str(folder)}


@pytest.mark.nightly
def test_no_docstring_is_in_an_identity(tmp_path: Path) -> None:
    """Of no file of the package: all are edited at once."""
    env = copy_of(tmp_path, lambda file, text: commented(text))
    done = subprocess.run(
        [sys.executable, tmp_path / "scripts" / "identities.py"], env=env, capture_output=True, text=True, check=False
    )
    assert done.stdout == "all identities are those that were accepted\n", done.stderr


@pytest.mark.nightly
def test_an_intrinsic_is_in_the_identity_of_kernels_alone(tmp_path: Path) -> None:
    def edit(file: Path, text: str) -> str:
        return text.replace("llvm.ctpop.i64", "llvm.ctpop.i65") if file.match("lowering/bits.py") else text

    env = copy_of(tmp_path, edit)
    done = subprocess.run(
        [sys.executable, tmp_path / "scripts" / "identities.py"], env=env, capture_output=True, text=True, check=False
    )
    assert "kernels" in done.stdout, done.stderr
    assert "begun" not in done.stdout
    assert "tables" not in done.stdout
