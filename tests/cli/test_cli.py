"""The command line: every command of the README, what it prints where, and its exit codes."""

import platform
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Run

import parsolve
from parsolve.cli import COMMANDS

pytestmark = pytest.mark.mission


@pytest.mark.processes
@pytest.mark.parametrize("words", ["--help", "list", "list --json", "--version", "completion bash"])
def test_help_and_list_import_neither_numpy_nor_numba(tmp_path: Path, words: str) -> None:
    done = subprocess.run(
        [sys.executable, "-OO", "-X", "importtime", "-m", "parsolve", *words.split()],  # docstrings are only help
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "parsolve" in imported
    assert not imported & {"numpy", "numba", "psutil", "tqdm"}


@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS), ("solve", "peg")])
def test_help_has_examples(run_here: Run, command: tuple[str, ...]) -> None:
    text = run_here(*command, "--help").stdout
    assert "usage: parsolve" in text
    assert "examples:\n  parsolve " in text
    assert len(text.splitlines()) > 5


def test_help_by_other_names(run_here: Run) -> None:
    assert run_here("help").stdout == run_here("--help").stdout
    assert run_here("help", "tables", "build").stdout == run_here("tables", "build", "--help").stdout
    assert run_here("help", "run").stdout == run_here("run", "--help").stdout
    for words in (("help", "peg"), ("peg", "--help"), ("peg", "-h")):
        assert run_here(*words).stdout == run_here("solve", "peg", "--help").stdout


def test_versions(run_here: Run) -> None:
    import numba

    version = f"parsolve {parsolve.__version__} (Python {platform.python_version()}, numba {numba.__version__})\n"
    assert run_here("--version").stdout == version


def test_the_help_fits_a_small_screen(run_here: Run) -> None:
    text = run_here("--help").stdout
    assert len(text.splitlines()) <= 50
    assert max(map(len, text.splitlines())) <= 80
