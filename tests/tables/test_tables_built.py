"""Tables of distances are built once, by whoever needs them first, and building can be stopped."""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from at_once import AT_ONCE
from conftest import Run
from samples import TOWERS
from tabled import Builds, forget, lend_kernels, plain_distances, tables_in

import parsolve
from parsolve.problem.problem import Problem
from parsolve.search.progress import Progress
from parsolve.search.watch import Watch
from parsolve.tables import store
from parsolve.tables.databases import supply, supply_later

pytestmark = pytest.mark.processes

pytest_plugins = ["tabled"]

# Built once.


def test_a_table_is_built_once(towers: Any, place: Path) -> None:
    listener = Builds()
    first = parsolve.solve(towers(4, 3), workers=1, listener=listener)
    assert listener.begun == listener.done == ["Disks(disks=3)"]
    (file,) = tables_in(place)
    made = file.stat().st_ino
    for forgets in (False, True):
        if forgets:
            forget()
        assert parsolve.solve(towers(4, 3), workers=1, listener=listener).paths == first.paths
    assert len(listener.begun) == 1
    assert file.stat().st_ino == made
    assert file.stat().st_mode & 0o077 == 0


# Shared.


@pytest.mark.parametrize("kept", [True, False])
def test_workers_use_the_table(
    towers: Any, place: Path, start_method: str, monkeypatch: pytest.MonkeyPatch, kept: bool
) -> None:
    """Those of a pool, also where there is no folder: then they build it."""
    if kept:
        lend_kernels(place, towers(5, 4))
    else:
        place.write_text("a file")
    found = parsolve.solve(towers(5, 4), workers=2, budget=50, tuning=AT_ONCE)
    assert (found.cost, found.count) == (13, 40)
    assert len(tables_in(place)) == kept


@pytest.mark.nightly
def test_several_processes_build_the_same_table_at_once(place: Path, towers: Any) -> None:
    lend_kernels(place, towers(5, 5))
    words = ("count", "towers.py:Towers", "--disks", "5", "--known", "5", "--quiet")
    command = [sys.executable, "-m", "parsolve", *words]
    processes = [
        subprocess.Popen(command, cwd=place.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    outputs = {process.communicate(timeout=100) for process in processes}
    assert [process.returncode for process in processes] == [0] * 2
    ((out, err),) = outputs
    assert (out, err) == ("40\n", "")
    assert len(tables_in(place)) == 1
    assert not list(place.glob(".draft-*"))


class Enough(Exception):
    """Raised by a stop condition."""


@pytest.mark.parametrize("looks", [1, 2, 20])
def test_an_interrupted_build_leaves_nothing(towers: Any, place: Path, looks: int) -> None:
    left = looks

    def stop() -> None:
        nonlocal left
        left -= 1
        if left <= 0:
            raise Enough

    for puzzle in (towers(7, 5), towers(7, 6)):
        left = looks
        with pytest.raises(Enough):
            supply(Problem(puzzle), Watch(check=stop))
        assert not [file for file in (*place.glob("*"), *place.glob(".*")) if file.suffix != ".syntax"]
        assert not store._kept


def test_the_time_ends_while_a_table_is_built(
    towers: Any, place: Path, monkeypatch: pytest.MonkeyPatch, run_here: Run, puzzle_file: Callable[..., Path]
) -> None:
    def endless(problem: Problem, watch: Watch) -> Any:
        while True:
            watch.check()
            watch.listener.progress_made(Progress(0))
            time.sleep(0.05)

    monkeypatch.setattr("parsolve.levels.dense.distances", endless)
    assert parsolve.solve(towers(4, 3), workers=1, timeout=0.3).message == "the time is up: timeout 0.3 s"
    assert parsolve.solve(towers(4, 3), workers=1, cancel=lambda: True).message == "cancelled"
    puzzle_file(TOWERS, "towers.py")
    done = run_here("count", "towers.py:Towers", "--disks", "4", "--workers", "1", "--timeout", "0.6s", code=3)
    assert done.stderr.count("building the table of Disks(disks=3) (once; kept for the next time)") == 1
    assert done.stderr.splitlines()[-1] == "parsolve: the time is up: --timeout 0.6 s"
    assert not tables_in(place)


@pytest.mark.nightly
def test_a_puzzle_of_the_main_module(place: Path, tmp_path: Path) -> None:
    """Its class is another in every process, its table the same."""
    script = tmp_path / "script.py"
    script.write_text(TOWERS + "\nimport parsolve\nprint(*parsolve.distances(Disks(2)))\n")
    for _ in range(2):
        done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True, timeout=100)
        assert list(map(int, done.stdout.split())) == plain_distances(2)[::-1], done.stderr
    assert len(tables_in(place)) == 1


def test_a_problem_is_not_searched_without_its_tables(place: Path, towers: Any) -> None:
    with pytest.raises(parsolve.ParsolveError, match="Towers was not supplied with its pattern databases"):
        _ = Problem(towers(4, 3)).root


def test_tables_that_nothing_needs_are_not_built(place: Path, towers: Any) -> None:
    listener = Builds()
    problem = supply_later(Problem(towers(4, 3)), Watch(listener))
    assert not listener.begun
    assert len(problem.distances[0]) == 4**3
    assert listener.done == ["Disks(disks=3)"]
