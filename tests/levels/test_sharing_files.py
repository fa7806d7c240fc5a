"""Counts by sharing with little memory; stopped and taken up again."""

import contextlib
import functools
import math
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from parsolve import Puzzle, parameter
from parsolve.errors import OutOfMemory
from parsolve.levels.search import Search
from parsolve.levels.threads import Threads
from parsolve.problem.problem import Problem
from parsolve.search.watch import Watch

LITTLE = 500_000
"""Bytes that are too few for the levels of a cube of 100 steps, and enough for a part of one."""

EVERY = (1 << 64) - 1
"""The greatest hash: each key is compared with the states that have it."""


class Size(NamedTuple):
    size: int
    far: int


@dataclass(frozen=True)
class Cube(Puzzle):
    """Walk in a grid from one corner of a cube to the opposite one: a step forwards, or, where they may be far, two."""

    size: int = parameter(40, "steps in each direction")
    far: int = parameter(1, "how far a step may go")

    state = np.dtype([("x", "u1"), ("y", "u1"), ("z", "u1"), ("move", "u1")])
    children = 6

    def root(self) -> dict[str, Any]:
        return {}

    def tables(self) -> Size:
        return Size(self.size, self.far)

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        for move in range(3 * tables.far):
            row = rows[top]
            step = 1 + move // 3
            row.x, row.y, row.z, row.move = here.x, here.y, here.z, move
            row.x += step * (move % 3 == 0)
            row.y += step * (move % 3 == 1)
            row.z += step * (move % 3 == 2)
            top += max(row.x, row.y, row.z) <= tables.size
        return top

    @staticmethod
    def solved(tables: Any, here: Any) -> Any:
        return min(here.x, here.y, here.z) == tables.size

    @staticmethod
    def key(tables: Any, here: Any) -> Any:
        return np.uint64(here.x) << np.uint64(16) | np.uint64(here.y) << np.uint64(8) | np.uint64(here.z)

    @staticmethod
    def unkey(tables: Any, key: Any, row: Any) -> None:
        row.x, row.y, row.z, row.move = (
            key >> np.uint64(16),
            key >> np.uint64(8) & np.uint64(255),
            key & np.uint64(255),
            0,
        )

    @staticmethod
    def level(tables: Any, here: Any) -> Any:
        return here.x + here.y + here.z


@dataclass(frozen=True)
class Toll(Cube):
    """The same, where each step costs as much as any other: the fewest are the cheapest."""

    state = np.dtype([*((name, "u1") for name in ("x", "y", "z", "move")), ("cost", "u2")])

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        for move in range(3 * tables.far):
            row = rows[top]
            step = 1 + move // 3
            row.x, row.y, row.z, row.move = here.x, here.y, here.z, move
            row.x += step * (move % 3 == 0)
            row.y += step * (move % 3 == 1)
            row.z += step * (move % 3 == 2)
            row.cost = here.cost + 1
            top += max(row.x, row.y, row.z) <= tables.size and row.cost <= limit
        return top


@dataclass(frozen=True)
class Wander(Cube):
    """The same with steps back; those in other directions cost more."""

    graph = "reversible"
    level = None
    state = np.dtype([*((name, "u1") for name in ("x", "y", "z", "move")), ("cost", "u2")])

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        for move in range(6):
            row = rows[top]
            step = 1 - 2 * (move // 3)
            row.x, row.y, row.z, row.move = here.x, here.y, here.z, move
            row.x += step * (move % 3 == 0)
            row.y += step * (move % 3 == 1)
            row.z += step * (move % 3 == 2)
            row.cost = here.cost + 1 + move % 3
            top += max(row.x, row.y, row.z) <= tables.size and row.cost <= limit
        return top


class Lost(Wander):
    """The same, and nothing is said of the graph."""

    graph = "any"


class Wide(Wander):
    """The same with keys of two words."""

    @staticmethod
    def key(tables: Any, here: Any) -> Any:
        return np.uint64(here.x), np.uint64(here.y) << np.uint64(8) | np.uint64(here.z)

    @staticmethod
    def unkey(tables: Any, key: Any, row: Any) -> None:
        row.x, row.y, row.z, row.move = key[0], key[1] >> np.uint64(8), key[1] & np.uint64(255), 0


CUBE, LARGE = Cube(), Cube(100)

WANDERING = [Wander(50), Wide(16), Lost(16)]

MANY = [
    (bits, workers, puzzle)
    for place, puzzle in enumerate((LARGE, Toll(90, 2), *WANDERING))
    for number, bits in enumerate((7, 20, 63))
    for workers in (1, 2, 3)
    if (place + number + workers) % 3 == 1
]
"""Bits of a word, workers and puzzles, each two together."""


def ways(puzzle: Cube) -> int:
    """Return how many sequences of steps there are, all of them as far as a step may go."""
    steps = puzzle.size // puzzle.far
    return math.factorial(3 * steps) // math.factorial(steps) ** 3


class Stopped(Exception):
    """Raised by a stop condition."""


OPEN: list[Search] = []
"""Those of the test that runs."""


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    while OPEN:
        OPEN.pop().close()


def layers_of(puzzle: Puzzle, threads: Threads, folder: Path | None, memory: int = LITTLE, bits: int = 63) -> Search:
    OPEN.append(Search(Problem(puzzle), threads, folder, memory, bits=bits, sampled=EVERY, piece=64, few=64))
    return OPEN[-1]


def ended(layers: Search) -> tuple[int, int, int]:
    for _ in layers.expand():
        pass
    return layers.count, layers.cost, layers.nodes


@functools.cache
def known(puzzle: Puzzle) -> tuple[int, int, int]:
    with Threads(1, Watch()) as threads:
        return ended(layers_of(puzzle, threads, None, 1 << 30))


def taken_up(puzzle: Puzzle, before: Search, folder: Path | None, **more: Any) -> tuple[int, int, int]:
    """Go on from what others have left, with other numbers of threads and parts."""
    assert before.is_whole
    with Threads(3, Watch()) as threads:
        layers = layers_of(puzzle, threads, folder, **more)
        layers.restore([each._replace(data=each.data.copy()) for each in before.kept()])
        layers.count, layers.cost, layers.forward.nodes = before.count, before.cost, before.nodes
        return ended(layers)


@pytest.mark.nightly
@pytest.mark.parametrize(("bits", "workers", "puzzle"), MANY)
def test_levels_that_memory_does_not_hold(tmp_path: Path, bits: int, workers: int, puzzle: Cube) -> None:
    with Threads(workers, Watch()) as threads:
        answer, memory = ended(layers_of(puzzle, threads, None, 1 << 30, bits)), 1 << 21
        with contextlib.suppress(OutOfMemory):
            while True:
                memory = memory * 3 // 4
                assert ended(layers_of(puzzle, threads, None, memory, bits)) == answer
        assert ended(layers_of(puzzle, threads, tmp_path, memory, bits)) == answer
        assert answer[0] == ways(puzzle)
    assert not [*tmp_path.iterdir()]


@pytest.mark.nightly
def test_counts_get_longer_where_buckets_are_divided() -> None:
    """What waits for a later level is as wide as it was: longer counts begin a new block."""
    puzzle = Cube(80, 2)
    with Threads(1, Watch()) as threads:
        assert ended(layers_of(puzzle, threads, None, 1 << 30, bits=3)) == known(puzzle)


def stopping(after: int) -> Callable[[], None]:
    """Return a check that stops when it is asked so often."""
    asked = 0

    def check() -> None:
        nonlocal asked
        asked += 1
        if asked > after:
            raise Stopped

    return check


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("puzzle", "memory"),
    [
        (Cube(20, 2), 1 << 30),
        (Toll(20, 2), 1 << 30),
        (Wander(12), 1 << 30),
        (Wander(40), 1 << 19),
        (Wide(20), 1 << 19),
        (Lost(20), 1 << 19),
    ],
    ids=str,
)
def test_stopped_anywhere(tmp_path: Path, puzzle: Puzzle, memory: int) -> None:
    answer, after, stops = known(puzzle), 1, 0
    while True:
        with Threads(2, Watch(check=stopping(after))) as threads:
            layers = layers_of(puzzle, threads, tmp_path, memory)
            try:
                assert ended(layers) == answer
                break
            except Stopped:
                stops += 1
            assert taken_up(puzzle, layers, tmp_path, memory=memory) == answer
        after += 1 + 25 * stops
    assert stops > 2


@pytest.mark.nightly
def test_a_step_that_does_not_fit_is_not_made(tmp_path: Path) -> None:
    with Threads(2, Watch()) as threads:
        layers = layers_of(LARGE, threads, None)
        with pytest.raises(OutOfMemory):
            ended(layers)
        assert layers.nodes
        assert taken_up(LARGE, layers, None, memory=1 << 30) == known(LARGE)
        assert taken_up(LARGE, layers, tmp_path) == known(LARGE)


@pytest.mark.nightly
def test_writes_and_reads_may_be_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write, read = os.pwrite, os.pread
    monkeypatch.setattr(os, "pwrite", lambda file, data, at: write(file, data[:40], at))
    monkeypatch.setattr(os, "pread", lambda file, size, at: read(file, min(size, 24), at))
    with Threads(2, Watch()) as threads:
        assert ended(layers_of(LARGE, threads, tmp_path)) == known(LARGE)
