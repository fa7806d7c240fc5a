"""Exact cover with bounds (Knuth's algorithm M): items that are covered as often as their bounds allow.

A state counts, for each primary item, its open options, how many more of them are needed, and how many more there is
room for. The item with the fewest ways to go on is next: its first open option is taken, or left out. So no two paths
take the same options, and a path holds few states however many options an item has.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from parsolve.compiler.bits import trailing_zeros
from parsolve.puzzle import parameter
from parsolve.puzzles.cover import dlx
from parsolve.puzzles.cover.listed import Listed
from parsolve.puzzles.exact_cover.instance import Instance
from parsolve.puzzles.exact_cover.rules import COVERED, ONE, SIX

WITHIN = np.uint64(63)


@dataclass(frozen=True)
class Bounded(Listed):
    """Choose options so that each item is covered as often as its bounds allow. A move takes the option of that number;
    the number of options leaves out the first open option of the next item."""

    file: str = parameter("1:2|a\na\na\n", "a problem in Knuth's text format", text_file=True, most=1 << 24)
    order: str = parameter("", "items that the engine sharing covers first, in this order")

    @cached_property
    def written(self) -> Instance:
        return dlx.read(self.file)

    @property
    def _bounds(self) -> Sequence[tuple[int, int]]:
        return self.instance.bounds or ((1, 1),) * len(self.instance.primary)

    @property
    def _repeated(self) -> frozenset[int]:
        return frozenset(item for item, (_, most) in enumerate(self._bounds) if most > 1)

    @property
    def state(self) -> Any:
        plain = super().state
        counts = plain["counts"].shape
        return np.dtype(
            [*((name, plain[name]) for name in plain.names), ("need", "u2", counts), ("room", "u2", counts)]
        )

    children = 2

    def steps(self, limit: int) -> int:
        return len(self.instance.options)

    def root(self) -> dict[str, Any]:
        held = [len(options) for options in self._options_of]
        root = super().root()
        counts, need, room = root["counts"], [1] * len(root["counts"]), [0] * len(root["counts"])
        for item, ((least, most), options) in enumerate(zip(self._bounds, held, strict=True)):
            need[item], room[item] = least, min(most, options)
            if least > options:  # no solution: no option is open
                root["options"] = [0] * len(root["options"])
                counts[item], need[item] = 0, 1
            elif not options:
                counts[item], need[item] = int(COVERED), 1
                root["left"] -= 1
        return {**root, "need": need, "room": room}

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        option = first_open(tables, here, fewest_ways(here.counts, here.need))
        if option < np.uint64(tables.conflicts.shape[0]):
            top += take(tables, here, rows[top], option)
            top += leave_out(tables, here, rows[top], option)
        return top

    def unfolded(self, options: Sequence[int]) -> list[int]:
        """Return the moves of a solution, in their order."""
        tables, taken = self.tables(), {*options}
        rows = np.zeros(2, self.state).view(np.recarray)
        for name, value in self.root().items():
            rows[0][name] = value
        moves: list[int] = []
        while rows[len(moves) % 2].left:
            here, row = rows[len(moves) % 2], rows[(len(moves) + 1) % 2]
            option = first_open(tables, here, fewest_ways(here.counts, here.need))
            change = take if option in taken else leave_out
            change(tables, here, row, option)
            moves.append(int(row.move))
        return moves


def fewest_ways(counts: Any, need: Any) -> Any:
    """Return the item with the fewest ways to go on, among equals the first; see `rules.fewest`."""
    least = np.uint32(0xFFFFFFFF)
    for item in range(counts.size):
        ways = np.uint32(counts[item]) + np.uint32(1) - np.uint32(need[item])
        least = min(least, np.uint32(ways << np.uint32(16) | np.uint32(item)))
    return np.int64(least & np.uint32(0xFFFF))


def first_open(tables: Any, here: Any, item: Any) -> Any:
    """Return the first open option of an item; the number of options if there is none."""
    option = np.uint64(tables.conflicts.shape[0])
    for word in range(tables.options.shape[1] - 1, -1, -1):
        free = here.options[word] & tables.options[item, word]
        if free:
            option = np.uint64(word) << SIX | np.uint64(trailing_zeros(free))
    return option


def take(tables: Any, here: Any, row: Any, option: Any) -> Any:
    """Write the state after an option is taken into `row`; return False if an item then has too few options."""
    copy(here, row)
    row.move = option
    begin, end = np.uint64(tables.first[option]), np.uint64(tables.first[option + ONE])
    for place in range(begin, end):
        item = tables.items[place]
        row.need[item] -= np.uint16(row.need[item] > 0)
        row.room[item] -= np.uint16(1)
        if row.room[item] == 0:
            close(row, item)
    for word in range(tables.conflicts.shape[1]):
        removed = tables.conflicts[option, word]
        for place in range(begin, end):
            item = tables.items[place]
            if row.room[item] == 0:
                removed |= tables.options[item, word]
        removed &= here.options[word]
        row.options[word] = here.options[word] ^ removed
        while removed:
            gone = np.uint64(word) << SIX | np.uint64(trailing_zeros(removed))
            removed &= removed - ONE
            if not remove(tables, row, gone):
                return False
    return True


def leave_out(tables: Any, here: Any, row: Any, option: Any) -> Any:
    """Write the state after an option is left out into `row`; return False if an item then has too few options."""
    copy(here, row)
    row.move = tables.conflicts.shape[0]
    row.options = here.options
    row.options[option >> SIX] ^= ONE << (option & WITHIN)
    return remove(tables, row, option)


def copy(here: Any, row: Any) -> None:
    """Copy the counts of a state."""
    row.counts = here.counts
    row.need = here.need
    row.room = here.room
    row.left = here.left


def remove(tables: Any, row: Any, option: Any) -> Any:
    """Count an option less for its items; return False if one of them then has too few."""
    is_enough = True
    for place in range(tables.first[option], tables.first[option + ONE]):
        item = tables.items[place]
        row.counts[item] -= np.uint16(1)
        is_enough &= row.counts[item] >= row.need[item]
        if row.counts[item] == 0:
            close(row, item)
    return is_enough


def close(row: Any, item: Any) -> None:
    """Mark an item that no open option covers, and that needs none."""
    row.counts[item] = COVERED
    row.need[item] = 1
    row.left -= np.uint16(1)
