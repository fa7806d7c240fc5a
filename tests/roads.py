"""A puzzle whose lookups are read from a file, and whose lower bound is the table of an abstraction of them."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from worlds.plain import cheapest

ROADS = '''
"""The cheapest ways from the first place to the last, on roads that a file names."""
import os
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
import numpy as np
from parsolve import Puzzle, parameter

class Tables(NamedTuple):
    first: np.ndarray
    ends: np.ndarray
    last: int
    distances: np.ndarray

def roads():
    pairs = [tuple(map(int, line.split())) for line in Path(os.environ["ROADS"]).read_text().splitlines()]
    return sorted({*pairs, *((b, a) for a, b in pairs)})

def tables_of(distances):
    pairs = roads()
    starts, ends = zip(*pairs)
    last = max(starts)
    first = np.searchsorted(starts, np.arange(last + 2)).astype(np.uint32)
    distances.flags.writeable = False  # as a table is, so that one kernel is enough
    return Tables(first, np.array(ends, np.uint32), last, distances)

@dataclass(frozen=True)
class Back(Puzzle):
    """The distance of each place from the last."""
    state = np.dtype([("place", "u4"), ("cost", "u2"), ("bound", "u2"), ("move", "u1")])
    children = 100
    graph = "reversible"

    @property
    def size(self):
        return max(roads())[0] + 1

    def root(self, *distances):
        return {"place": 0}

    def goals(self):
        return [{"place": max(roads())[0]}]

    def tables(self, *distances):
        return tables_of(np.zeros(self.size, np.uint8))

    @staticmethod
    def expand(tables, here, limit, rows, top):
        place = here.place
        for number in range(tables.first[place], tables.first[place + 1]):
            row = rows[top]
            row.place = tables.ends[number]
            row.cost = here.cost + 1
            row.bound = tables.distances[tables.ends[number]]
            row.move = number - tables.first[place]
            top += row.cost + row.bound <= limit
        return top

    @staticmethod
    def solved(tables, here):
        return here.place == tables.last

    @staticmethod
    def key(tables, here):
        return np.uint64(here.place)

    @staticmethod
    def index(tables, here):
        return np.uint64(here.place)

    @staticmethod
    def unindex(tables, number, row):
        row.place = number

@dataclass(frozen=True)
class Roads(Back):
    """The same with the distance as lower bound."""
    size = index = unindex = None
    bounded: bool = parameter(True, "whether by the distances", only_bounds=True)

    def goals(self):
        return []

    def abstractions(self):
        return [Back()] if self.bounded else []

    def tables(self, *distances):
        return tables_of(distances[0] if distances else np.zeros(max(roads())[0] + 1, np.uint8))
'''


def write_roads(file: Path, pairs: Iterable[tuple[int, int]]) -> None:
    """Write roads between places, for $ROADS."""
    file.write_text("".join(f"{a} {b}\n" for a, b in pairs))


def ways(pairs: Sequence[tuple[int, int]]) -> int:
    """The number of cheapest ways from place 0 to the last, by plain search."""
    near = {(start, end) for pair in pairs for start, end in (pair, pair[::-1])}
    last = max(map(max, pairs))

    def moves(place: int) -> list[tuple[int, int, int]]:
        return [(end, end, 1) for start, end in near if start == place]

    return cheapest(0, moves, lambda place: place == last).count


def ladder(rungs: int) -> list[tuple[int, int]]:
    """Roads with 2^rungs cheapest ways: from each of its places two lead to the next."""
    pairs = []
    for rung in range(rungs):
        place = 3 * rung
        pairs += [(place, place + 1), (place, place + 2), (place + 1, place + 3), (place + 2, place + 3)]
    return pairs
