"""A command whose kernels are kept imports no numba, nor do its workers."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cases import nightly
from conftest import Run

pytestmark = pytest.mark.processes

SPAWNED = """
import parsolve
from parsolve.puzzles import Sliding
if __name__ == "__main__":
    at_once = parsolve.Tuning(head_start=0, head_start_beside_workers=0, worthwhile=0, worthwhile_forked=0)
    puzzle = Sliding(start="8 6 7 2 5 4 3 0 1", bound="none")
    print(parsolve.solve(puzzle, want="count", workers=2, tuning=at_once).count)
"""

JOBS = """
[[job]]
name = "queens"
puzzle = "queens"
n = [6, 8]
want = "count"
"""

EVERY_IMPORT = {"PYTHONPROFILEIMPORTTIME": "1"}
"""Python then names each module that it imports on standard error, in all processes that are started."""


def imported(stderr: str) -> set[str]:
    return set(re.findall(r"^import time:.*\| +(\S+)$", stderr, re.M))


@pytest.mark.parametrize(
    "words",
    [
        ("solve", "eight", "--workers", "2"),
        ("count", "queens", "--n", "8"),
        ("explore", "five"),
        nightly((("estimate", "five"),)),
        nightly((("bench", "queens", "--n", "6", "--methods", "bits", "--workers", "1", "--rounds", "1"),)),
        ("run", "jobs.toml", "--journal", "it.sqlite"),
        ("solve", "eight", "--engine", "breadth"),
    ],
    ids=" ".join,
)
def test_no_command(words: tuple[str, ...], run_process: Run, tmp_path: Path) -> None:
    (tmp_path / "jobs.toml").write_text(JOBS)
    modules = imported(run_process(*words, env=EVERY_IMPORT).stderr)
    if "numba" in modules:  # it has compiled what it needs
        (tmp_path / "it.sqlite").unlink(missing_ok=True)
        modules = imported(run_process(*words, env=EVERY_IMPORT).stderr)
    assert "parsolve.compiler.objects" in modules
    assert "numba" not in modules


@pytest.mark.nightly
def test_no_spawned_worker(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(SPAWNED)
    command, env = [sys.executable, "main.py"], os.environ | EVERY_IMPORT | {"PARSOLVE_START_METHOD": "spawn"}
    for _ in range(2):
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=True)
        assert done.stdout == "40\n"
        if "numba" not in imported(done.stderr):
            break  # else it has compiled what it needs
    assert len(re.findall(r"\| +parsolve.compiler.objects$", done.stderr, re.M)) >= 2
    assert "numba" not in imported(done.stderr)


@pytest.mark.nightly
def test_short_searches_on_two_workers_compile_each_kernel_once(run_process: Run, tmp_path: Path) -> None:
    """They end before a worker could have compiled what it alone needs, and before a branch is cut to be restored."""
    place = tmp_path / "cache"
    place.mkdir(mode=0o700)
    kept = []
    for _ in range(3):
        words = ("count", "queens", "--n", "12", "--method", "bits", "--workers", "2")
        done = run_process(*words, env={"PARSOLVE_CACHE_DIR": str(place)})
        kept.append({file.name: file.stat().st_ino for file in place.glob("*.kernel")})
        assert ("compiling" in done.stderr) == (len(kept) == 1)
        assert [*place.glob(".draft*")] == []
    assert sorted(name.partition("-")[0] for name in kept[0]) == ["search"]
    assert all(each == kept[0] for each in kept)
