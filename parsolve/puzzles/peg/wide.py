"""Peg solitaire with a key of two words: on the largest boards, and for counting symmetric solutions once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from parsolve.puzzles.peg.abstraction import HOLE, least_image
from parsolve.puzzles.peg.feasible import LAST_BITS, PegFeasible
from parsolve.puzzles.peg.game import EIGHT, ONE
from parsolve.puzzles.peg.moves import PegMoves, Tables, bits
from parsolve.puzzles.peg.symmetries import Symmetry

expand_jumps, expand_feasible = PegMoves.expand, PegFeasible.expand

LAST, LOW = np.uint64(LAST_BITS), np.uint64((1 << LAST_BITS) - 1)


@dataclass(frozen=True)
class Tied(PegMoves):
    """Base class of puzzles whose states hold ties: the symmetries, a bit each, that map the jumps so far onto
    themselves; none of them if every solution counts."""

    state = np.dtype([("pegs", "u8"), ("move", "u2"), ("ties", "u2"), ("cost", "u1"), ("bound", "u1"), ("last", "u1")])

    def root(self, *feasible: Any) -> dict[str, Any]:
        return super().root(*feasible) | {"ties": (1 << len(self._others)) - 1}

    def tables(self, *feasible: Any) -> Tables:
        jumps = range(len(self.layout.jumps))
        earlier = [bits([each.jumps[jump] < jump for each in self._others]) for jump in jumps]
        same = [bits([each.jumps[jump] == jump for each in self._others]) for jump in jumps]
        tables = super().tables(*feasible)
        return tables._replace(earlier=np.array(earlier, np.uint16), same=np.array(same, np.uint16))

    @property
    def _others(self) -> Sequence[Symmetry]:
        """The symmetries of which a solution is to be the first image, without the identity."""
        return self.symmetries[1:] if self.unique else ()


@dataclass(frozen=True)
class PegWide(Tied):
    """Peg solitaire with a key of two words."""

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        return keep_first(tables, here.ties, rows, top, expand_jumps(tables, here, limit, rows, top))

    @staticmethod
    def key(tables: Any, here: Any) -> Any:
        return here.pegs, np.uint64(here.last) | (np.uint64(here.ties) << EIGHT)


def keep_first(tables: Any, ties: Any, rows: Any, top: Any, end: Any) -> Any:
    """Keep the children that lead to the first image of a solution, and return where they end.

    If a symmetry maps the jumps so far onto themselves and the next one onto an earlier jump, an image comes first. The
    children are in the rows from `top` to `end`; `ties` are their parent's.
    """
    for number in range(top, end):
        child = rows[number]
        child.ties = ties & tables.same[child.move]
        rows[top] = child
        top += ties & tables.earlier[child.move] == 0
    return top


@dataclass(frozen=True)
class PegUnique(Tied, PegFeasible):
    """Peg solitaire on feasible boards; only the first image of each solution counts."""

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        return keep_first(tables, here.ties, rows, top, expand_feasible(tables, here, limit, rows, top))

    # Without ties every solution from here on counts, and so it does from the images of this state. With ties it may
    # not.
    @staticmethod
    def key(tables: Any, here: Any) -> Any:
        last, ties = np.uint64(here.last), np.uint64(here.ties)
        if ties:
            return here.pegs | last << tables.size | ties << (tables.size + LAST)
        return least_image(tables.images, here.pegs, HOLE + last)

    @staticmethod
    def unkey(tables: Any, key: Any, row: Any) -> Any:
        row.pegs = key & ((ONE << tables.size) - ONE)
        row.last = key >> tables.size & LOW
        row.ties = key >> (tables.size + LAST)
        row.move = 0
