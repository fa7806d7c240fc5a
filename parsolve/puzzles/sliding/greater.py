"""Sliding tiles bounded by the greater of linear conflict and Walking Distance.

Each is high in positions where the other is low: the greater takes a third of the nodes of either.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from parsolve.puzzles.sliding import conflict, walking
from parsolve.puzzles.sliding.conflict import LinearConflict, change
from parsolve.puzzles.sliding.siblings import write_siblings
from parsolve.puzzles.sliding.walking import WalkingDistance, walked


class Tables(NamedTuple):
    """The lookups of the rules; see the tables of both for the shared fields."""

    word: np.ndarray[Any, Any]  # uint8[turns]
    pair: np.ndarray[Any, Any]  # uint64[turns]
    step: np.ndarray[Any, Any]  # uint64[turns]
    conflict: conflict.Tables
    walking: walking.Tables
    goal: np.uint64


@dataclass(frozen=True)
class ConflictAndWalking(LinearConflict, WalkingDistance):
    """Slide tiles into the blank until they are in order, bounded by the greater of linear conflict and Walking
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
        return write_siblings(tables, here, limit, rows, top, greater)


def greater(tables: Any, here: Any, row: Any, turn: Any, tile: Any) -> Any:
    """Write the contents and the lines of a child, and return its bound; see `write_siblings`."""
    by_conflict = np.uint64(np.int64(here.conflict) + change(tables.conflict, here, row, turn, tile))
    row.conflict = np.uint8(by_conflict)
    return max(walked(tables.walking, here, row, turn, tile), by_conflict)
