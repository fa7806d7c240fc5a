"""Peg solitaire on feasible boards, counting symmetric solutions once."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from parsolve.compiler.bits import least_image
from parsolve.puzzles.peg.feasible import LAST_BITS, PegFeasible
from parsolve.puzzles.peg.jumps import ONE
from parsolve.puzzles.peg.rules import Tables
from parsolve.puzzles.peg.wide import PegWide, all_ties, keep_first, with_ties

expand_feasible = PegFeasible.expand

LAST, LOW = np.uint64(LAST_BITS), np.uint64((1 << LAST_BITS) - 1)


@dataclass(frozen=True)
class PegUnique(PegFeasible):
    """Peg solitaire on feasible boards; only the first image of each solution counts."""

    state = PegWide.state

    def root(self, *feasible: Any) -> dict[str, Any]:
        return super().root() | {"ties": all_ties(self)}

    def tables(self, *feasible: Any) -> Tables:
        return with_ties(self, super().tables(*feasible))

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
        return least_image(tables.images, here.pegs, tables.hole + last)

    @staticmethod
    def unkey(tables: Any, key: Any, row: Any) -> Any:
        row.pegs = key & ((ONE << tables.size) - ONE)
        row.last = key >> tables.size & LOW
        row.ties = key >> (tables.size + LAST)
        row.move = 0
