"""The possible moves of the blank, by the cell that it came from."""

import itertools
from functools import cache

import numpy as np

from parsolve.puzzles.sliding.geometry import Array, neighbours

LAST = 128
NEVER = 1 << 62  # beyond any limit, and so is its sum with a bound and a cost


class Turns:
    """All turns of a shape, as lookups for the rules.

    The turns of one arrival (the blank's cell and its previous one) are neighbours, cells ascending. Every arrival has
    the same number of them; if there are fewer possible moves, the last turns are never taken: so the processor can
    predict the number of iterations, and a wrong prediction costs more than two turns. At a dead end the only one leads
    back, because rules look up the tile that would move.

    Attributes:
        arrivals: the first turn of each arrival, by the blank's cell and the cell it came from (None: the start).
        words: uint8[turns]: 4 * the blank's next cell, + LAST at an arrival's last turn.
        taken_words: the same, + LAST at the last possible turn: for rules whose turns cost more than a wrong
            prediction.
        steps: uint64[turns]: the change of move; or NEVER.
        ends: the cells that the tiles of all turns enter and leave, int64[turns] each; equal if the turn is never
            taken, but at a dead end.
    """

    def __init__(self, rows: int, columns: int) -> None:
        near = [neighbours(cell, rows, columns) for cell in range(rows * columns)]
        most = max(1, *(len(each) - 1 for each in near))
        sizes = {
            (cell, came): max(1, len(each)) if came is None else most
            for cell, each in enumerate(near)
            for came in (None, *each)
        }
        self.arrivals = dict(zip(sizes, itertools.accumulate(sizes.values(), initial=0), strict=False))
        turns = []
        for (cell, came), size in sizes.items():
            ways = [each for each in near[cell] if each != came]
            never = cell if ways else near[cell][0]
            for number, to in enumerate([*ways, *[never] * (size - len(ways))]):
                step = NEVER if to == never else self.arrivals[to, cell] - self.arrivals[cell, came]
                turns.append((cell, to, step, number == size - 1, number >= len(ways) - 1))
        cells, nears, steps, last, ending = (np.array(each) for each in zip(*turns, strict=True))
        self.words = (4 * nears | LAST * last).astype(np.uint8)
        self.taken_words = (4 * nears | LAST * ending).astype(np.uint8)
        self.steps = steps.astype(np.uint64)
        self.ends = cells, nears

    @property
    def pairs(self) -> Array:
        """Factors that move a tile from the blank's next cell into its present one: uint64[turns]. For boards of up to
        16 cells, 4 bits each."""
        here, there = (np.uint64(1) << (4 * cells).astype(np.uint64) for cells in self.ends)
        return np.where(here != there, here | there, np.uint64(0))


@cache
def turns_of_shape(rows: int, columns: int) -> Turns:
    """Return the turns of a shape, made once."""
    return Turns(rows, columns)
