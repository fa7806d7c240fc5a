"""Peg solitaire with a key of two words: on the largest boards, and where of symmetric solutions one is taken."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from parsolve.puzzles.peg import Peg, Tables, bits
from parsolve.puzzles.peg_jumps import EIGHT

expand_jumps = Peg.expand


@dataclass(frozen=True)
class PegWide(Peg):
    """Jump pegs over pegs until one is left. A run of jumps by one peg is one move, in one bracket."""

    # `ties`: the symmetries, a bit each, by which the jumps so far are their own image.
    state = np.dtype([("pegs", "u8"), ("move", "u2"), ("ties", "u2"), ("cost", "u1"), ("bound", "u1"), ("last", "u1")])

    def root(self) -> dict[str, Any]:
        return super().root() | {"ties": (1 << len(self.symmetries) - 1) - 1 if self.unique else 0}

    def tables(self) -> Tables:
        others = self.symmetries[1:] if self.unique else ()
        jumps = range(len(self.layout.jumps))
        earlier = [bits([each.jumps[jump] < jump for each in others]) for jump in jumps]
        same = [bits([each.jumps[jump] == jump for each in others]) for jump in jumps]
        return super().tables()._replace(earlier=np.array(earlier, np.uint16), same=np.array(same, np.uint16))

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        end, kept = expand_jumps(tables, here, limit, rows, top), top
        # Of a solution and its images the first in depth-first order is taken. Where a symmetry that maps the jumps so
        # far onto themselves maps the next one onto an earlier jump, there is an image before.
        for number in range(top, end):
            child = rows[number]
            if here.ties & tables.earlier[child.move] == 0:
                row = rows[kept]
                row.pegs = child.pegs
                row.last = child.last
                row.cost = child.cost
                row.bound = child.bound
                row.move = child.move
                row.ties = here.ties & tables.same[child.move]
                kept += 1
        return kept

    @staticmethod
    def key(tables: Any, here: Any) -> Any:
        return here.pegs, np.uint64(here.last) | (np.uint64(here.ties) << EIGHT)
