"""Sliding tiles bounded by the greater of linear conflict and Walking Distance.

Each is high where the other is low: the nodes are a third of either's.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from parsolve.puzzles.sliding import conflict, walking
from parsolve.puzzles.sliding.board import BOUND, COST, FOUR, ONE, SHIFT, TILE
from parsolve.puzzles.sliding.conflict import LinearConflict, change
from parsolve.puzzles.sliding.turns import LAST
from parsolve.puzzles.sliding.walking import DISTANCE, WalkingDistance, contents_after


class Tables(NamedTuple):
    """What the rules look up; see the tables of both for what they share."""

    word: np.ndarray[Any, Any]  # uint8[turns]
    pair: np.ndarray[Any, Any]  # uint64[turns]
    step: np.ndarray[Any, Any]  # uint64[turns]
    conflict: conflict.Tables
    walking: walking.Tables
    goal: np.uint64


@dataclass(frozen=True)
class ConflictAndWalking(LinearConflict, WalkingDistance):
    """Slide tiles into the blank until they stand in order, bounded by the greater of linear conflict and Walking
    Distance."""

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
        return Tables(passed.word, passed.pair, passed.step, passed, walked, passed.goal)

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        cells, across, down = here.cells, here.across, here.down
        upright, level = np.uint64(here.upright), np.uint64(here.level)
        base = (np.uint64(here.cost) + ONE) << COST | np.uint64(here.move)
        beyond = np.uint64(limit - here.cost) << BOUND
        turn = np.uint64(here.move)
        top = np.uint64(top)
        while True:
            word = tables.word[turn]
            tile = (cells >> (np.uint64(word) & SHIFT)) & TILE
            place = (turn << FOUR) | tile
            after_upright, after_level = contents_after(tables.walking, turn, tile, upright, level)
            walked = (after_upright >> DISTANCE) + (after_level >> DISTANCE)
            after_across = across ^ tables.conflict.across[place]
            after_down = down ^ tables.conflict.down[place]
            passed = np.uint64(
                np.int64(here.conflict) + change(tables.conflict, turn, place, across, down, after_across, after_down)
            )
            sum_ = base + tables.step[turn] + (max(walked, passed) << BOUND)
            row = rows[top]
            row.cells = cells ^ (tile * tables.pair[turn])
            row.across, row.down = after_across, after_down
            row.upright, row.level = np.uint32(after_upright), np.uint32(after_level)
            row.move = np.uint16(sum_)
            row.cost = np.uint8(sum_ >> COST)
            row.bound = np.uint8(sum_ >> BOUND)
            row.conflict = np.uint8(passed)
            top += np.uint64(sum_ < beyond)
            turn += ONE
            if word & LAST:
                break
        return np.int64(top)
