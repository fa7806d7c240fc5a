"""Breadth-first search over keys with layers in files: the same layers, paths and farthest states as in memory."""

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from journals import Remembering
from worlds.places import Graph

import parsolve
from parsolve.errors import OutOfMemory
from parsolve.levels.explore import Explored, explore
from parsolve.levels.files import LevelFile
from parsolve.levels.pieces import HEAD
from parsolve.levels.search import Search
from parsolve.levels.threads import Threads
from parsolve.problem.problem import Problem
from parsolve.puzzle import Puzzle
from parsolve.puzzles import Sliding
from parsolve.search.watch import UNWATCHED, Watch

pytestmark = pytest.mark.nightly

GRAPHS: dict[str, Graph] = {
    "graded": Graph(4_000, 1, 3, kind="graded"),
    "bipartite": Graph(120_000, 1, 3, kind="bipartite"),
    "reversible": Graph(120_000, 2, 3, kind="reversible"),
    "any": Graph(120_000, 3, 3, kind="any"),
}


class Unnumbered(Sliding):
    """Sliding tiles by key alone; their graph is all that it is said to be."""

    index = unindex = size = None


class Reversible(Unnumbered):
    graph = "reversible"


class Unknown(Unnumbered):
    graph = "any"


class BothEnds(Unnumbered):
    def taken_back(self) -> Puzzle:
        return Unnumbered(shape=self.shape, start=self.start, bound="none")


TILES: list[type[Unnumbered]] = [Unnumbered, Reversible, Unknown]


def tiles(kind: type[Unnumbered]) -> Puzzle:
    """Return a puzzle of 1,814,400 states, one of the farthest from the goal."""
    return kind(shape="2x5", start="0 5 3 2 1 9 4 8 7 6", bound="none")


LITTLE, PLENTY = 1 << 21, 1 << 30
"""Bytes that are too few for the widest layers of these, and enough for all."""


@pytest.fixture(autouse=True)
def _memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """The memory that a test allows is for what it searches: what this process has taken already does not count."""
    monkeypatch.setattr("parsolve.search.budget.memory_left", lambda most: most)


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is written to files of levels."""
    found: list[Any] = []
    write = LevelFile.write

    def noted(self: LevelFile, packed: Any) -> None:
        found.append(packed)
        write(self, packed)

    monkeypatch.setattr(LevelFile, "write", noted)
    return found


def too_little(search: Callable[[int], Any], memory: int = PLENTY // 100) -> int:
    """Return an amount of memory that does not suffice."""
    while True:
        try:
            search(memory)
        except OutOfMemory:
            return memory
        memory = memory * 3 // 4


CASES = [(kind, starts, keep) for kind in GRAPHS for starts, keep in itertools.product((1, 3), (False, True))]
"""Graphs, numbers of starts, and whether all layers are kept."""


@pytest.mark.parametrize(("kind", "starts", "keep"), CASES)
def test_layers_that_memory_does_not_hold(
    tmp_path: Path, written: list[Any], kind: str, starts: int, keep: bool
) -> None:
    problem = Problem(GRAPHS[kind])

    def layers(threads: Threads, memory: int, folder: Path | None) -> list[list[int]]:
        found, how = list[list[int]](), {"counts": False, "past": True}
        start = Search(problem, threads, memory=1 << 20, **how).states_of(np.arange(starts, dtype=np.uint64))[0]
        it = Search(problem, threads, folder, memory, piece=64, few=64, keeps=keep, start=start, **how)
        it.seen = lambda _, level: found.append(sorted(level.entries().tolist()))
        assert sum(it.expand()) == sum(map(len, found))
        if keep:
            assert found == [sorted(level.entries().tolist()) for level in it.settled.values()]
        return found

    for workers in (1, 3):
        with Threads(workers, UNWATCHED) as threads:
            known = layers(threads, PLENTY, None)
            memory = too_little(lambda memory: layers(threads, memory, None))
            assert not written
            with_files = [] if kind == "graded" and not keep else [layers(threads, memory, tmp_path)]
            assert bool(written) == bool(with_files)
            assert with_files in ([], [known])
            written.clear()
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("kind", [*TILES, BothEnds])
def test_paths_with_layers_in_files(tmp_path: Path, written: list[Any], kind: type[Unnumbered]) -> None:
    def paths(memory: int, spill: Path | None = None) -> Any:
        how: Any = {"max_memory": memory, "spill": spill}
        found = parsolve.solve(tiles(kind), engine="breadth", want="all", workers=2, **how)
        return found.cost, found.count, found.nodes, [*found.paths]

    known, memory = paths(PLENTY), too_little(paths)
    assert not written
    assert paths(memory, tmp_path) == known
    assert written


def answers(found: Explored) -> Any:
    return found.start, found.depths, sorted(found.farthest)


def after(checks: int) -> Callable[[], None]:
    """Return a check that stops the search when it is asked that often."""
    asked = itertools.count()

    def check() -> None:
        if next(asked) >= checks:
            raise Stopped

    return check


class Stopped(Exception):
    """Raised by a stop condition."""


def halves(store: Remembering) -> set[int]:
    """Return the levels of which a checkpoint holds what is not expanded, and what is."""
    pieces = set() if store.kept is None else {each.level for each in store.kept.entries() if each.words != HEAD}
    return {level // 2 for level in pieces if level >= 0 and level % 2 and level - 1 in pieces}


@pytest.mark.parametrize("kind", TILES)
def test_stopped_in_the_middle_of_a_layer_in_files(tmp_path: Path, written: list[Any], kind: type[Unnumbered]) -> None:
    puzzle, store = tiles(kind), Remembering()
    known = explore(puzzle, threads=2)
    found, stops, middles = None, 0, set[int]()
    while found is None:
        try:
            watch = Watch(check=after(100 + 150 * stops), max_memory=LITTLE)
            found = explore(puzzle, watch, threads=1 + stops % 2, spill=tmp_path, store=store)
        except Stopped:
            stops += 1
            middles |= halves(store)
    assert answers(found) == answers(known)
    assert stops > 3
    assert middles
    assert written
    assert not [*tmp_path.iterdir()]
