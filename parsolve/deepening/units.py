"""Units: the branches that the parts of a tree begin with.

The tree of a limit is expanded depth by depth until it has enough branches or nothing is left to expand. Solved states
are branches too, and are not expanded. A hash of a branch's moves says which part it belongs to. All this depends on
the rules, the limit and the number of parts alone, so that each machine finds the same units.
"""

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from parsolve.compiler.rows import rows_to_overrun
from parsolve.deepening.kernels import DeepeningKernels
from parsolve.deepening.templates.expand import CUT, NEXT, SOLVED, TOP
from parsolve.errors import BadPuzzle
from parsolve.problem.calling import call
from parsolve.problem.problem import Problem
from parsolve.search.branch import Branch
from parsolve.search.part import BRANCHES

Array = np.ndarray[Any, Any]

STEP = np.uint64(0x9E3779B97F4A7C15)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
"""The constants of splitmix64 (Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014)."""


@dataclass(frozen=True)
class Unit:
    """A branch that a part begins with.

    Attributes:
        branch: it has one row.
        part: the number of its part.
        state: the state in that row, by its fields.
    """

    branch: Branch
    part: int
    state: Any


@dataclass(frozen=True)
class Depth:
    """The states of one depth.

    Attributes:
        rows: record[n].
        parents: int64[n]: the place of each state's parent in the depth above.
        siblings: int64[n]: the size of its block.
        hashes: uint64[n].
    """

    rows: Array
    parents: Array
    siblings: Array
    hashes: Array


class Units:
    """The units of a limit's tree.

    Args:
        problem: the problem.
        limit: the limit.
        of: how many parts the tree has.

    Attributes:
        above: number of states that were expanded.
        cut: whether the limit has cut anything in these.
        is_exhausted: whether nothing is left to expand: each unit is a solved state.

    Raises:
        BadPuzzle: the rules do not compile or break the contract.
    """

    def __init__(self, problem: Problem, limit: int, of: int) -> None:
        self._problem, self._limit, self._of = problem, limit, of
        self.above, self.cut = 0, False
        none = np.zeros(1, np.int64)
        self._depths = [Depth(problem.root.copy(), none, none + 1, seed_of(problem.rules, limit, of))]
        self._solved: list[Array] = []  # by depth: the places of solved states
        found = 0
        while 0 < found + len(self._depths[-1].rows) < BRANCHES * of and len(self._depths[-1].rows):
            below = self._expand(self._depths[-1])
            found += len(self._solved[-1])
            self._depths.append(below)
        self._solved.append(np.arange(len(self._depths[-1].rows)))
        self.is_exhausted = not len(self._solved[-1])

    def _expand(self, depth: Depth) -> Depth:
        """Expand the states of a depth that are not solved, and return those of the next."""
        problem, size = self._problem, len(depth.rows)
        if len(self._depths) > problem.steps(self._limit) + 1:
            raise BadPuzzle(f"{problem.name}: more steps than 'steps' allows (parsolve check finds the state)")
        kernel = problem.compiled_rules.kernels(DeepeningKernels).expand_depth
        most = 2 * problem.children + 2  # within the limit, and without one to see what it cuts
        room = size + max(2 * size, most)
        rows = rows_to_overrun(room + most, problem.state)
        rows[:size] = depth.rows
        counts, at = np.zeros(size, np.int64), np.array([0, size, self.cut], np.int64)
        arguments = problem.puzzle, problem.tables
        while call(kernel, *arguments, rows, self._limit, room, counts, at) < size:
            room *= 2
            larger = rows_to_overrun(room + most, problem.state)
            larger[: at[TOP]] = rows[: at[TOP]]
            rows = larger
        assert at[NEXT] == size
        if counts.max() > problem.children:
            raise BadPuzzle(f"{problem.name}: a state has more children than declared (parsolve check finds the state)")
        is_solved = counts == SOLVED
        self._solved.append(np.flatnonzero(is_solved))
        self.above += size - int(is_solved.sum())
        self.cut = bool(at[CUT])
        children = np.where(is_solved, 0, counts)
        parents = np.repeat(np.arange(size), children)
        below = rows[size : at[TOP]].copy()
        return Depth(below, parents, counts[parents], mixed(depth.hashes[parents], below["move"]))

    def of_parts(self, first: int, last: int) -> list[Unit]:
        """Return the units of successive parts, in depth-first order."""
        units = []
        for number, places in enumerate(self._solved):
            parts = (self._depths[number].hashes[places] % np.uint64(self._of)).astype(np.int64) + 1
            chosen = (first <= parts) & (parts <= last)
            units += self._units(number, places[chosen], parts[chosen])
        return sorted(units, key=lambda unit: unit.branch.order)

    def _units(self, number: int, places: Array, parts: Array) -> list[Unit]:
        """Return units of one depth."""
        moves, sizes, rows = [], [], self._depths[number].rows[places]
        for depth in reversed(self._depths[: number + 1]):
            moves.append(depth.rows["move"][places])
            sizes.append(depth.siblings[places])
            places = depth.parents[places]
        above = ((),) * number
        return [
            Unit(Branch(tuple(path[:-1]), (*above, (path[-1],)), tuple(size)), part, row)
            for path, size, part, row in zip(
                np.stack(moves[::-1], axis=1).tolist(),
                np.stack(sizes[::-1], axis=1).tolist(),
                parts.tolist(),
                rows,
                strict=True,
            )
        ]


def seed_of(rules: str, limit: int, of: int) -> Array:
    """Return the hash of the root, uint64[1]: the first 8 bytes of the SHA-256 of a text, the highest first."""
    digest = hashlib.sha256(f"{rules} {limit} {of}".encode()).digest()
    return np.array([int.from_bytes(digest[:8])], np.uint64)


def mixed(hashes: Array, moves: Array) -> Array:
    """Return the hashes of children from those of their parents, uint64[n], and their moves: splitmix64."""
    mix = hashes + STEP + moves.astype(np.uint64)
    mix = (mix ^ (mix >> np.uint64(30))) * FIRST
    mix = (mix ^ (mix >> np.uint64(27))) * SECOND
    return mix ^ (mix >> np.uint64(31))
