"""The possible moves of the blank, by the cell that it came from."""

from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np

from parsolve.puzzles.sliding.geometry import neighbours

Array = np.ndarray[Any, Any]

LAST = 128
NEVER = 1 << 62  # beyond any limit, and so is its sum with a bound and a cost


class Turn(NamedTuple):
    """A move of the blank from a cell, not back to its previous one."""

    cell: int
    near: int  # the blank's next cell
    gain: int  # its increment of the arrival's number
    last: bool  # whether it is the last of its arrival
    taken: bool  # False if it only pads its arrival


class Turns:
    """All turns of a shape, as lookups for the rules.

    The turns of one arrival (the blank's cell and its previous one) are neighbours, cells ascending. Every arrival has
    the same number of them; if there are fewer possible moves, the last turns are never taken: so the processor can
    predict the number of iterations, and a wrong prediction costs more than two turns.

    Attributes:
        arrivals: the first turn of each arrival, by the blank's cell and the cell it came from (None: the start).
        words: uint8[turns]: 4 * the blank's next cell, + LAST at an arrival's last turn.
        taken_words: the same, + LAST at the last possible turn: for rules whose turns cost more than a wrong
            prediction.
        steps: uint64[turns]: the change of move; or NEVER.
        ends: the cells that the tiles of all turns enter and leave, int64[turns] each; equal if the turn is never
            taken.
        vertical: which turns lead from one row into another: bool[turns].
    """

    def __init__(self, rows: int, columns: int) -> None:
        self._near = [neighbours(cell, rows, columns) for cell in range(rows * columns)]
        self._most = max(1, *(len(near) - 1 for near in self._near))
        self.arrivals: dict[tuple[int, int | None], int] = {}
        number = 0
        for cell, near in enumerate(self._near):
            for came in (None, *near):
                self.arrivals[cell, came] = number
                number += self._size(cell, came)
        self.words = np.array([4 * turn.near | LAST * turn.last for turn in self.all], np.uint8)
        ends = [
            turn.last or not after.taken for turn, after in zip(self.all, [*self.all[1:], self.all[0]], strict=True)
        ]
        self.taken_words = np.array(
            [4 * turn.near | LAST * end for turn, end in zip(self.all, ends, strict=True)], np.uint8
        )
        self.steps = np.array([turn.gain % (1 << 64) if turn.taken else NEVER for turn in self.all], np.uint64)
        cells, nears = (np.array(each) for each in zip(*((turn.cell, turn.near) for turn in self.all), strict=True))
        self.ends = cells, nears
        self.vertical: Array = cells % columns == nears % columns

    def _size(self, cell: int, came: int | None) -> int:
        """Return the number of turns of an arrival: the same for all except the start's."""
        return max(1, len(self._near[cell])) if came is None else self._most

    @cached_property
    def pairs(self) -> Array:
        """Factors that move a tile from the blank's next cell into its present one: uint64[turns]. For boards of up to
        16 cells, 4 bits each."""
        return np.array([1 << 4 * turn.cell | 1 << 4 * turn.near if turn.taken else 0 for turn in self.all], np.uint64)

    @cached_property
    def all(self) -> list[Turn]:
        """The turns of all arrivals, in their order."""
        turns = []
        for (cell, came), first in self.arrivals.items():
            ways = [near for near in self._near[cell] if near != came]
            every = self._size(cell, came)
            for number in range(every):
                if number < len(ways):
                    near = ways[number]
                    turns.append(Turn(cell, near, self.arrivals[near, cell] - first, number == every - 1, True))
                else:
                    turns.append(Turn(cell, cell, 0, number == every - 1, False))
        return turns


@cache
def turns_of_shape(rows: int, columns: int) -> Turns:
    """Return the turns of a shape, made once."""
    return Turns(rows, columns)
