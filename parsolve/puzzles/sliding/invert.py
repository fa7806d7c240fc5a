"""Sliding tiles bounded by Invert Distance.

Read row by row, a horizontal move keeps the order of the tiles, and a vertical one moves a tile past columns - 1
others: it changes the number of inversions by at most columns - 1, with the same parity. That is a lower bound on the
vertical moves. Read column by column, the same argument bounds the horizontal moves. Manhattan distance also bounds the
moves of each axis, so the greater of both counts, axis by axis.

Ken'ichiro Takahashi, Puzzle Laboratory, "How to solve the 15-puzzle: ID, Invert Distance".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from parsolve.compiler.bits import bit_count
from parsolve.puzzle.core import State
from parsolve.puzzles.sliding.board import FOUR, ONE, TILE, Board, write_siblings
from parsolve.puzzles.sliding.geometry import packed

NIBBLES = np.uint64(0x0F0F0F0F0F0F0F0F)
HIGH = np.uint64(0x8080808080808080)
EACH = np.uint64(0x0101010101010101)


class Tables(NamedTuple):
    """The lookups of the rules; see `Turns` for turns."""

    word: np.ndarray[Any, Any]  # uint8[turns]
    pair: np.ndarray[Any, Any]  # uint64[turns]
    step: np.ndarray[Any, Any]  # uint64[turns]
    turned_word: np.ndarray[Any, Any]  # uint64[turns]: like `word` without LAST, for the cells column by column
    turned_pair: np.ndarray[Any, Any]  # uint64[turns]
    vertical: np.ndarray[Any, Any]  # uint8[turns]
    first: np.ndarray[Any, Any]  # uint64[turns]: 4 * the first cell that the tile passes
    passed: np.ndarray[Any, Any]  # uint64[turns]: the mask of the cells that it passes, from there
    wide: np.ndarray[Any, Any]  # int64[turns]: the number of such cells
    forward: np.ndarray[Any, Any]  # int64[turns]: 1 towards the last cell, otherwise -1; never taken: 0
    axis: np.ndarray[Any, Any]  # int64[turns]: the beginning of `needed` for the turn's axis
    gain: np.ndarray[Any, Any]  # int64[turns * 16]: the change of Manhattan distance
    needed: np.ndarray[Any, Any]  # uint8[2 * 128]: by axis and inversions, the moves needed
    goal: np.uint64


@dataclass(frozen=True)
class InvertDistance(Board):
    """Slide tiles into the blank until they are in order, bounded by Invert Distance and Manhattan distance.

    Tiles are held by their rank at the goal: row by row in `cells`, column by column in `turned`. `upright` and `level`
    are for the vertical and the horizontal moves: inversions << 8 | Manhattan distance.
    """

    state = np.dtype(
        [
            ("cells", "u8"),
            ("turned", "u8"),
            ("upright", "u2"),
            ("level", "u2"),
            ("move", "u2"),
            ("cost", "u1"),
            ("bound", "u1"),
        ]
    )

    @cached_property
    def ranks(self) -> list[int]:
        """The rank of each tile at the goal, row by row, from 1; 0 for the blank."""
        return ranked(self.homes)

    @cached_property
    def turned_ranks(self) -> list[int]:
        """The ranks column by column."""
        return ranked([self.turned(home) for home in self.homes])

    def turned(self, cell: int) -> int:
        """Return a cell's place, column by column."""
        rows, columns = self.rows_and_columns
        return cell % columns * rows + cell // columns

    def ranks_in(self, tiles: Sequence[int]) -> tuple[list[int], list[int]]:
        """Return the ranks of the tiles row by row, and the others column by column."""
        turned = [0] * len(tiles)
        for cell, tile in enumerate(tiles):
            turned[self.turned(cell)] = self.turned_ranks[tile]
        return [self.ranks[tile] for tile in tiles], turned

    def position(self, tiles: Sequence[int]) -> dict[str, Any]:
        cells, turned = self.ranks_in(tiles)
        return {**super().position(tiles), "cells": packed(cells), "turned": packed(turned)}

    def root(self, *distances: Any) -> dict[str, Any]:
        known, bound = [], 0
        manhattan = self.manhattan_by_axis(self.start_tiles)
        for ranks, width, far in zip(self.ranks_in(self.start_tiles), self.widths, manhattan, strict=True):
            inverted = inversions(ranks)
            known.append(inverted << 8 | far)
            bound += max(far, moves_for(inverted, width))
        return {**self.position(self.start_tiles), "upright": known[0], "level": known[1], "bound": bound}

    @property
    def widths(self) -> tuple[int, int]:
        """The number of tiles that a vertical move passes, and a horizontal one."""
        rows, columns = self.rows_and_columns
        return columns - 1, rows - 1

    def tiles_of(self, state: State) -> list[int]:
        return [self.ranks.index(state["cells"] >> 4 * cell & 15) for cell in range(len(self.start_tiles))]

    def tables(self, *distances: Any) -> Tables:
        cells, nears = self.ways.ends
        turned = np.array([self.turned(cell) for cell in range(len(self.homes))])
        enters, leaves = (np.where(self.ways.vertical, ends, turned[ends]) for ends in (cells, nears))
        wide = np.maximum(abs(enters - leaves) - 1, 0)
        by_rank = [0] * 16
        for tile, rank in enumerate(self.ranks):
            by_rank[rank] = tile
        corners = (ONE << (4 * turned[ends]).astype(np.uint64) for ends in (cells, nears))
        return Tables(
            self.ways.words,
            self.ways.pairs,
            self.ways.steps,
            (4 * turned[nears]).astype(np.uint64),
            np.where(cells != nears, np.bitwise_or(*corners), np.uint64(0)),
            self.ways.vertical.astype(np.uint8),
            (4 * (np.minimum(enters, leaves) + 1) % 64).astype(np.uint64),
            (ONE << (4 * wide).astype(np.uint64)) - ONE,
            wide,
            np.sign(enters - leaves),
            np.where(self.ways.vertical, 0, 128),
            self.gains().reshape(-1, 16)[:, by_rank].ravel(),
            np.array([moves_for(inverted, width) for width in self.widths for inverted in range(128)], np.uint8),
            np.uint64(self.position(self.goal_tiles)["cells"]),
        )

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        return write_siblings(tables, here, limit, rows, top, inverted_bound)


def inverted_bound(tables: Any, here: Any, row: Any, turn: Any, tile: Any) -> Any:
    """Write the tiles column by column and the fields of both axes, and return the bound; see `write_siblings`."""
    turned_tile = (here.turned >> tables.turned_word[turn]) & TILE
    vertical = tables.vertical[turn]
    line, mine = (here.cells, tile) if vertical else (here.turned, turned_tile)
    own, other = (here.upright, here.level) if vertical else (here.level, here.upright)
    # The passed tiles of higher rank: in the even cells and in the odd ones, a byte each.
    passed = (line >> tables.first[turn]) & tables.passed[turn]
    each = mine * EACH
    higher = bit_count((((passed & NIBBLES) | HIGH) - each) & HIGH) + bit_count(
        ((((passed >> FOUR) & NIBBLES) | HIGH) - each) & HIGH
    )
    inverted = (np.int64(own) >> 8) + tables.forward[turn] * (2 * higher - tables.wide[turn])
    manhattan = (np.int64(own) & 255) + tables.gain[(turn << FOUR) | tile]
    known = inverted << 8 | manhattan
    row.turned = here.turned ^ (turned_tile * tables.turned_pair[turn])
    row.upright = known if vertical else np.int64(other)
    row.level = np.int64(other) if vertical else known
    bound = max(manhattan, np.int64(tables.needed[tables.axis[turn] + inverted])) + max(
        np.int64(other) & 255, np.int64(tables.needed[128 - tables.axis[turn] + (np.int64(other) >> 8)])
    )
    return np.uint64(bound)


def ranked(homes: Sequence[int]) -> list[int]:
    """Return the rank of each tile by its home, from 1; 0 for the blank, the first of them."""
    return [0, *(1 + sum(other < home for other in homes[1:]) for home in homes[1:])]


def inversions(ranks: Sequence[int]) -> int:
    """Return the number of pairs of ranks in the wrong order, without the blank."""
    tiles = [rank for rank in ranks if rank]
    return sum(a > b for i, a in enumerate(tiles) for b in tiles[i + 1 :])


def moves_for(inverted: int, width: int) -> int:
    """Return the fewest moves that undo some inversions, if each passes `width` tiles; 0 if that is unknown."""
    if width == 0:
        return 0
    moves = -(-inverted // width)
    return moves + (width % 2 == 1 and (inverted - moves) % 2 == 1)
