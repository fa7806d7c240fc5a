"""Sliding tiles bounded by Walking Distance, or by the greater of it and linear conflict.

The vertical moves are at least those that bring each tile into its home row, if any tile in the rows next to the
blank's can move: the distance of the rows' contents. The horizontal moves likewise, by columns. Ken'ichiro Takahashi,
Puzzle Laboratory, "How to solve the 15-puzzle: WD, Walking Distance".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from parsolve.puzzles.sliding import conflict
from parsolve.puzzles.sliding.abstractions import RowContents
from parsolve.puzzles.sliding.board import FOUR, Board, write_siblings
from parsolve.puzzles.sliding.conflict import LinearConflict, change
from parsolve.puzzles.sliding.geometry import packed
from parsolve.puzzles.sliding.row_contents import NO_MOVE, contents, key_of

NUMBER = np.uint64((1 << 24) - 1)
DISTANCE = np.uint64(24)


class Tables(NamedTuple):
    """The lookups of the rules; see `Turns` for turns. Contents are a number, with their distance above 24 bits."""

    word: np.ndarray[Any, Any]  # uint8[turns]
    pair: np.ndarray[Any, Any]  # uint64[turns]
    step: np.ndarray[Any, Any]  # uint64[turns]
    vertical: np.ndarray[Any, Any]  # uint8[turns]
    first: np.ndarray[Any, Any]  # uint64[turns]: the beginning of `following` for the turn's axis
    moves: np.ndarray[Any, Any]  # uint64[turns]: the number of moves of contents on that axis
    move: np.ndarray[Any, Any]  # uint64[turns * 16]: that move
    following: np.ndarray[Any, Any]  # uint32[moves]: the next contents, of rows, then of columns if they differ
    goal: np.uint64


@dataclass(frozen=True)
class WalkingDistance(Board):
    """Slide tiles into the blank until they are in order, bounded by Walking Distance."""

    state = np.dtype(
        [("cells", "u8"), ("upright", "u4"), ("level", "u4"), ("move", "u2"), ("cost", "u1"), ("bound", "u1")]
    )

    @cached_property
    def axes(self) -> list[RowContents]:
        """The abstractions: rows, then columns."""
        rows, columns = self.rows_and_columns
        row, column = divmod(self.homes[0], columns)
        return [RowContents(rows, columns, row), RowContents(columns, rows, column)]

    def abstractions(self) -> list[RowContents]:
        return list(dict.fromkeys(self.axes))  # one if rows and columns have the same goal

    def numbers(self, tiles: Sequence[int]) -> list[int]:
        """Return the numbers of the contents of the rows and of the columns."""
        _, columns = self.rows_and_columns
        numbers = []
        for number, axis in enumerate(self.axes):
            lines = [divmod(cell, columns)[number] for cell in range(len(tiles))]
            counts = [[0] * axis.rows for _ in range(axis.rows)]
            for cell, tile in enumerate(tiles):
                if tile:
                    counts[lines[cell]][lines[self.homes[tile]]] += 1
            key = key_of(axis.rows, axis.columns, counts, lines[tiles.index(0)])
            keys = contents(axis.rows, axis.columns, axis.home).keys
            numbers.append(int(np.searchsorted(keys, np.uint64(key))))
        return numbers

    def position(self, tiles: Sequence[int]) -> dict[str, Any]:
        upright, level = self.numbers(tiles)
        return {**super().position(tiles), "upright": upright, "level": level}

    def root(self, *distances: Any) -> dict[str, Any]:
        fields = self.position(self.start_tiles)
        far = [int(distances[0][fields["upright"]]), int(distances[-1][fields["level"]])]
        known = {name: fields[name] | distance << 24 for name, distance in zip(("upright", "level"), far, strict=True)}
        return {**fields, **known, "bound": sum(far)}

    def tables(self, *distances: Any) -> Tables:
        _, columns = self.rows_and_columns
        parts = [
            with_distances(contents(axis.rows, axis.columns, axis.home).following, table)
            for axis, table in zip(self.abstractions(), distances, strict=True)
        ]
        (cells, nears), lines = self.ways.ends, [axis.rows for axis in self.axes]
        homes = np.zeros((2, 16), np.int64)
        homes[:, : len(self.homes)] = np.divmod(self.homes, columns)
        way = (nears > cells) * np.where(self.ways.vertical, *lines)
        move = way[:, None] + np.where(self.ways.vertical[:, None], *homes)
        return Tables(
            self.ways.words,
            self.ways.pairs,
            self.ways.steps,
            self.ways.vertical.astype(np.uint8),
            np.where(self.ways.vertical, 0, sum(part.size for part in parts[:-1])).astype(np.uint64),
            (2 * np.where(self.ways.vertical, *lines)).astype(np.uint64),
            move.astype(np.uint64).ravel(),
            np.concatenate(parts),
            np.uint64(packed(self.goal_tiles)),
        )

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        return write_siblings(tables, here, limit, rows, top, walked)


def walked(tables: Any, here: Any, row: Any, turn: Any, tile: Any) -> Any:
    """Write the contents of a child, and return its bound; see `write_siblings`."""
    upright, level = contents_after(tables, turn, tile, np.uint64(here.upright), np.uint64(here.level))
    row.upright = np.uint32(upright)
    row.level = np.uint32(level)
    return (upright >> DISTANCE) + (level >> DISTANCE)


def contents_after(tables: Any, turn: Any, tile: Any, upright: Any, level: Any) -> Any:
    """Return the contents of rows and columns after a move, with their distances: uint64, uint64.

    Args:
        tables: the puzzle's tables.
        turn, tile: the move.
        upright, level: the contents before, uint64.
    """
    own = upright if tables.vertical[turn] else level
    place = tables.first[turn] + (own & NUMBER) * tables.moves[turn] + tables.move[(turn << FOUR) | tile]
    after = np.uint64(tables.following[place])
    return (after, level) if tables.vertical[turn] else (upright, after)


def with_distances(following: np.ndarray[Any, Any], distances: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the next contents, with their distances above 24 bits: uint32[moves]; 0 if there are none."""
    there = following != NO_MOVE
    numbers = np.where(there, following, 0)
    return np.where(there, numbers | distances[numbers].astype(np.uint32) << np.uint32(24), 0).astype(np.uint32)


class BothTables(NamedTuple):
    """The lookups of the rules; see the tables of both for the shared fields."""

    word: np.ndarray[Any, Any]  # uint8[turns]
    pair: np.ndarray[Any, Any]  # uint64[turns]
    step: np.ndarray[Any, Any]  # uint64[turns]
    conflict: conflict.Tables
    walking: Tables
    goal: np.uint64


@dataclass(frozen=True)
class ConflictAndWalking(LinearConflict, WalkingDistance):
    """Slide tiles into the blank until they are in order, bounded by the greater of linear conflict and Walking
    Distance: each is high where the other is low, and the greater takes a third of the nodes of either."""

    # `conflict` is the bound by linear conflict.
    state = np.dtype(
        [
            ("cells", "u8"),
            ("across", "u8"),
            ("down", "u8"),
            ("upright", "u4"),
            ("level", "u4"),
            ("move", "u2"),
            ("cost", "u1"),
            ("bound", "u1"),
            ("conflict", "u1"),
        ]
    )

    def root(self, *distances: Any) -> dict[str, Any]:
        fields, conflict = WalkingDistance.root(self, *distances), LinearConflict.root(self)["bound"]
        return {**fields, "bound": max(fields["bound"], conflict), "conflict": conflict}

    def tables(self, *distances: Any) -> Any:
        passed, walked = LinearConflict.tables(self), WalkingDistance.tables(self, *distances)
        return BothTables(passed.word, passed.pair, passed.step, passed, walked, passed.goal)

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        return write_siblings(tables, here, limit, rows, top, greater)


def greater(tables: Any, here: Any, row: Any, turn: Any, tile: Any) -> Any:
    """Write the contents and the lines of a child, and return its bound; see `write_siblings`."""
    by_conflict = np.uint64(np.int64(here.conflict) + change(tables.conflict, here, row, turn, tile))
    row.conflict = np.uint8(by_conflict)
    return max(walked(tables.walking, here, row, turn, tile), by_conflict)
