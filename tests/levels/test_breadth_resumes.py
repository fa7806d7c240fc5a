"""Breadth-first search stopped again and again, and resumed from its journal: the same answer by every store."""

import itertools
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cases import nightly, some
from conftest import ROOT
from test_sharing import Paid
from worlds.places import Keyed, Spread

import parsolve
from parsolve.errors import OutOfMemory
from parsolve.journal.journal import Journal
from parsolve.levels.search import Search
from parsolve.levels.threads import Threads
from parsolve.problem.problem import Problem
from parsolve.puzzle import Puzzle
from parsolve.puzzles import Jugs, Sliding
from parsolve.puzzles.peg.chains import PegChains
from parsolve.search.result import Result
from parsolve.search.watch import UNWATCHED

PUZZLES: dict[str, Puzzle] = {
    "numbers": Sliding(shape="2x4", start="4 5 6 7 0 1 2 3"),
    "keys": Keyed(300, 1, 3, kind="reversible"),
    "keys of any graph": Keyed(300, 1, 3, kind="any"),
    "keys of a bipartite graph": Keyed(300, 2, 3, kind="bipartite"),
    "large keys": Spread(300, 1, 3, kind="any"),
    "costs": Paid(8),
    "both ends": PegChains("triangle15", "4", "4"),
    "rows": Jugs(),
}


def answer(found: Result) -> Any:
    iterations = [(each.limit, each.nodes, each.solutions) for each in found.iterations]
    return found.status, found.cost, found.count, found.nodes, iterations, [*found.paths]


def after(checks: int) -> Callable[[], bool]:
    """Return what stops a search that has asked that often."""
    asked = itertools.count()
    return lambda: next(asked) >= checks


def search(
    puzzle: Puzzle,
    journal: Path | None = None,
    checks: int = 1 << 60,
    workers: int = 2,
    spill: Path | None = None,
    max_memory: int | None = None,
) -> Result:
    how = {"journal": journal, "cancel": after(checks), "spill": spill, "max_memory": max_memory}
    return parsolve.solve(puzzle, engine="breadth", want="all", workers=workers, **how)  # type: ignore[arg-type]


class Unnumbered(Sliding):
    """Sliding tiles by key alone."""

    index = unindex = size = None


FARTHEST = "0 5 3 2 1 9 4 8 7 6"


@pytest.mark.nightly
def test_more_keys_than_memory(tmp_path: Path) -> None:
    problem = Problem(Unnumbered(shape="2x5", start=FARTHEST, bound="none"))

    def states(threads: Threads, folder: Path | None) -> int:
        return sum(Search(problem, threads, folder, 4 << 20, counts=False, keeps=True, past=True).expand())

    with Threads(2, UNWATCHED) as threads:
        with pytest.raises(OutOfMemory):
            states(threads, None)
        assert states(threads, tmp_path) == 1_814_400
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("name", "spills"),
    [
        *some(((name, False) for name in PUZZLES), 7),
        *some(((name, True) for name in ("both ends", "rows", "large keys", "costs")), 4),
    ],
)
def test_stopped_anywhere(tmp_path: Path, name: str, spills: bool) -> None:
    puzzle, journal, stops, checks = PUZZLES[name], tmp_path / "it.sqlite", 0, 1
    known = answer(search(puzzle))
    spill = tmp_path / "states" if spills else None
    while (found := search(puzzle, journal, checks, 1 + stops % 3, spill)).status == "stopped":
        stops += 1
        checks += 1 + stops // 2
    assert answer(found) == known
    assert stops > 3


WRITING_SLOWLY = """
import sys, time
sys.path.insert(0, {root!r})
import parsolve.journal.journal as journal
write = journal.write_levels
def slowly(*arguments):
    time.sleep(2)
    return write(*arguments)
journal.write_levels = slowly
from parsolve.cli.terminal.reporter import SearchReporter
from parsolve.system.activity import current as activity
tell = SearchReporter.progress_made
def progress_made(screen, progress):
    tell(screen, progress)
    if progress.nodes > 20:
        activity.allow(0.0, "the time is up")
SearchReporter.progress_made = progress_made
from parsolve.cli import entry
sys.argv[0] = "parsolve"
entry()
"""


@pytest.mark.processes
@pytest.mark.parametrize("engine", [nightly("sharing"), "breadth"])
def test_a_checkpoint_is_written_to_its_end(tmp_path: Path, engine: str) -> None:
    """Once a command whose time was up was ended half a second later, and what it had found was lost. Here the time is
    up when some levels are known."""
    puzzle = {"sharing": ("langford", "--n", "8"), "breadth": ("eight", "--bound", "none")}[engine]
    words = ("count", *puzzle, "--engine", engine, "--journal", "it.sqlite", "--timeout", "1h", "--workers", "1")
    program = WRITING_SLOWLY.format(root=str(ROOT))
    ended = subprocess.run([sys.executable, "-c", program, *words], cwd=tmp_path, capture_output=True, text=True)
    assert ended.returncode == 3, ended.stderr
    with Journal(tmp_path / "it.sqlite") as journal:
        kept = journal.level_checkpoint(journal.jobs()[0])
    assert kept is not None
