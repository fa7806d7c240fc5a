"""The engine sharing on toy puzzles, as plain Python."""

import contextlib
import math
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from toys import Coins, Grid, Side

import parsolve
from parsolve import Puzzle, parameter
from parsolve.check import check
from parsolve.errors import BadInput, BadPuzzle, Damaged
from parsolve.problem.problem import Problem
from parsolve.search.progress import Progress
from parsolve.search.watch import Listener

pytestmark = pytest.mark.plain


@dataclass(frozen=True)
class Paid(Coins):
    """Coins, by what has been paid."""

    @staticmethod
    def level(tables, here):
        return 255 - here.left


@dataclass(frozen=True)
class Ladder(Puzzle):
    """Climb by rungs, each with the left or the right foot."""

    rungs: int = parameter(9, "how many there are")

    state = np.dtype([("rung", "u2"), ("move", "u1")])
    children = 2

    def root(self):
        return {}

    def tables(self):
        return Side(self.rungs)

    @staticmethod
    def expand(tables, here, limit, rows, top):
        for move in range(2):
            row = rows[top]
            row.rung, row.move = here.rung + 1, move
            top += 1
        return top

    @staticmethod
    def solved(tables, here):
        return here.rung == tables.size

    @staticmethod
    def key(tables, here):
        return here.rung

    @staticmethod
    def unkey(tables, key, row):
        row.rung, row.move = key, 0

    @staticmethod
    def level(tables, here):
        return here.rung


def count(puzzle: Puzzle) -> int | None:
    return parsolve.solve(puzzle, want="count", engine="sharing", workers=1).count


def test_levels_far_apart() -> None:
    """The central Delannoy numbers, A001850."""
    for size, paths in enumerate((3, 13, 63, 321, 1683, 8989, 48639), 1):
        assert count(Grid(size, diagonal=True)) == paths


def test_a_root_that_is_solved() -> None:
    found = parsolve.solve(Grid(0), want="count", engine="sharing", workers=1)
    assert (found.status, found.count, found.nodes) == ("solved", 1, 0)


def test_progress() -> None:
    seen: list[tuple[int | None, int, int]] = []

    class Watching(Listener):
        def progress_made(self, progress: Progress) -> None:
            seen.append((progress.level, progress.nodes, progress.waiting))
            assert (progress.share, progress.left) == (1, None)

    parsolve.solve(Grid(3), want="count", engine="sharing", workers=1, listener=Watching())
    assert seen == [(1, 1, 2), (2, 3, 4), (3, 6, 6), (4, 10, 6), (5, 13, 4), (6, 15, 0)]


def test_a_level_must_rise() -> None:
    class Flat(Grid):
        @staticmethod
        def level(tables, here):
            return here.x

    with pytest.raises(BadPuzzle, match="'level' does not rise: a move leads from level 0 to 0"):
        count(Flat())
    assert "'level' does not rise from 0 by a move that leads to level 0" in str(check(Flat()).faults[0])


def test_states_of_one_key_have_one_level() -> None:
    class Uneven(Grid):
        @staticmethod
        def key(tables, here):
            return np.uint64(here.x), np.uint64(here.y % 5)

    assert any("at another one with its key" in str(fault) for fault in check(Uneven()).faults)
    with pytest.raises(BadPuzzle, match="'key' merges states with different ways on, or 'level' or 'graph' is wrong"):
        count(Uneven(40))


def test_states_of_one_key_whose_children_have_one_sum_of_keys() -> None:
    class Wide(Ladder):
        """The left foot leads to where rungs lead to both neighbours, and not twice straight on: no key tells that."""

        state = np.dtype([("rung", "u2"), ("place", "u2"), ("wide", "u1"), ("move", "u1")])

        def root(self):
            return {"place": 50}

        @staticmethod
        def expand(tables, here, limit, rows, top):
            for move in range(2):
                row = rows[top]
                row.rung, row.place, row.move = here.rung + 1, here.place + here.wide * (2 * move - 1), move
                row.wide = move
                top += 1
            return top

        @staticmethod
        def key(tables, here):
            return here.rung << 8 | here.place

        @staticmethod
        def unkey(tables, key, row):
            row.rung, row.place, row.wide, row.move = key >> np.uint64(8), key & np.uint64(255), 0, 0

    with pytest.raises(BadPuzzle, match="'key' merges states with different ways on, or 'level' or 'graph' is wrong"):
        count(Wide(1000))


def test_the_way_back_leads_to_the_key() -> None:
    class Lost(Grid):
        @staticmethod
        def unkey(tables, key, row):
            row.x, row.y, row.move = key[1], key[0], 0

    with pytest.raises(BadPuzzle, match="'unkey' gives a state with another key"):
        count(Lost(40))


def test_what_sharing_names_is_counted() -> None:
    class Other(Grid):
        def sharing(self) -> Puzzle:
            return Grid(self.size)

    class Nothing(Grid):
        def sharing(self) -> Puzzle:
            return None  # type: ignore[return-value]

    assert count(Other(5, True)) == math.comb(10, 5)
    shared = Problem(Other(5, True), "count").for_sharing
    assert shared.for_sharing is shared
    with pytest.raises(BadPuzzle, match="'sharing' must return a puzzle, not None"):
        count(Nothing())


def test_a_level_needs_a_key() -> None:
    class Keyless(Grid):
        key = None
        unkey = None

    with pytest.raises(BadPuzzle, match="'level' needs 'key', the key of a state"):
        Problem(Keyless())


def test_refusals() -> None:
    def refused(puzzle: Puzzle, text: str, **more: object) -> None:
        with pytest.raises(BadInput, match=text):
            parsolve.solve(puzzle, workers=1, **{"engine": "sharing", "want": "count"} | more)  # type: ignore[arg-type]

    class Flat(Grid):
        level = None

    assert count(Coins())
    refused(Flat(), "gives no level that every move raises .* and no costs")
    refused(Paid(), "a folder for files .* deepening: take the engine breadth", engine="deepening", spill="there")
    refused(Paid(), "a limit is not for the engine sharing: take the engine deepening", limit=5)


def test_counts_of_any_size_are_kept(tmp_path: Path) -> None:
    """Once more than 308 digits were taken for damage."""
    puzzle = Ladder(1100)
    for _ in range(2):
        found = parsolve.solve(puzzle, want="count", engine="sharing", workers=1, journal=tmp_path / "it.sqlite")
        assert found.count == 2**1100


@pytest.mark.parametrize(
    "change", ["data = zeroblob(length(data))", "level = level + 1", "words = 2", "data = 'text'", None]
)
def test_damaged_entries_are_refused(change: str | None, tmp_path: Path) -> None:
    path = tmp_path / "it.sqlite"
    asked = iter(range(7))
    stop: Any = {"journal": path, "cancel": lambda: next(asked, None) is None}
    assert parsolve.solve(Grid(6), want="count", engine="sharing", workers=1, **stop).status == "stopped"
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM entries" if change is None else f"UPDATE entries SET {change}")
    with pytest.raises(Damaged, match=r"entries .*"):
        parsolve.solve(Grid(6), want="count", engine="sharing", workers=1, journal=path)
