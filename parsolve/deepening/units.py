"""Units: the branches that the parts of a tree begin with.

The tree without a limit is expanded round by round, from the states with the least rank on, until it has enough
branches or nothing is left to expand. Solved states are branches too, and are not expanded. A hash of a branch's moves
says which part it belongs to. All this depends on the rules and the number of parts alone, so that each machine finds
the same units at every limit: a part has nothing at the limits between one and the least that this has cut off. Whoever
changes which units there are raises the version of journals.
"""

import hashlib
import itertools
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from parsolve.compiler.rows import rows_to_overrun
from parsolve.deepening.kernels import DeepeningKernels
from parsolve.deepening.templates.expand import SOLVED, TOP
from parsolve.errors import BadPuzzle
from parsolve.problem.calling import call_kernel
from parsolve.problem.data import Array
from parsolve.problem.digests import rules_digest
from parsolve.problem.problem import Problem
from parsolve.search.branch import Branch
from parsolve.search.cuts import NEXT, NOTHING
from parsolve.search.part import BRANCHES, Part

MOST_STATES = 16
"""The most states that are made for each branch: the tree may have hardly any branches."""

STEP = np.uint64(0x9E3779B97F4A7C15)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
"""The constants of SplitMix64 (Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014)."""


class Units:
    """The units of a part of a tree.

    Args:
        problem: the problem.
        part: the part, or several successive ones.
        check: called repeatedly; any exception it raises ends the expansion.

    Raises:
        BadPuzzle: the rules do not compile or break the contract.
    """

    def __init__(self, problem: Problem, part: Part, check: Callable[[], None] = lambda: None) -> None:
        self._problem = problem
        # All states by their number: that of the parent, the move, and the size of the block.
        self._parents: list[Array] = [np.zeros(1, np.int64)]
        self._moves: list[Array] = [problem.root["move"]]
        self._siblings: list[Array] = [np.ones(1, np.int64)]
        self._size = 1
        none = np.zeros(1, np.int64)
        seed = int.from_bytes(hashlib.sha256(f"{rules_digest(problem)} {part.of}".encode()).digest()[:8])
        whole = States(problem.root.copy(), none, none, none, np.array([seed], np.uint64))
        # By rank, so that a round touches no other states than its own.
        open_: dict[int, list[States]] = {int(rank_of(whole.rows)[0]): [whole]}
        above, solved = [], []
        number, enough = 1, BRANCHES * part.of
        while open_ and number < enough and self._size < MOST_STATES * enough:
            check()
            states = States.together(open_.pop(min(open_)))
            is_solved, below = self._expand(states)
            number += below.rows.size - int((~is_solved).sum())
            above.append(states.limits[~is_solved])
            solved.append(states.chosen(is_solved))
            ranks = rank_of(below.rows)
            for rank in np.unique(ranks).tolist():
                open_.setdefault(rank, []).append(below.chosen(ranks == rank))
        states = States.together([*solved, *itertools.chain.from_iterable(open_.values())])
        parts = (states.hashes % np.uint64(part.of)).astype(np.int64) + 1
        mine = states.chosen((part.first <= parts) & (parts <= part.last))
        units = zip(mine.limits.tolist(), self._branches(mine), strict=True)
        self._units = sorted(units, key=lambda unit: unit[1].order)
        self._above = np.concatenate(above) if 1 in part else none[:0]
        self._all = np.concatenate([self._above, mine.limits])

    def within(self, limit: int) -> tuple[list[Branch], int, int]:
        """Return the units that a limit reaches, each of one row, in depth-first order; the nodes above units that
        count here, all of them in the first part and none in another; and the cut of what it does not reach."""
        beyond = self._all[self._all > limit]
        cut = NOTHING if not beyond.size else int(beyond.min()) if type(self._problem.puzzle).jumps else NEXT
        return [branch for least, branch in self._units if least <= limit], int((self._above <= limit).sum()), cut

    def _expand(self, states: "States") -> "tuple[Array, States]":
        """Expand states; return which of them are solved, and the children of the others."""
        problem, size = self._problem, states.rows.size
        kernel = problem.compiled_rules.kernels(DeepeningKernels).expand_rows
        most = problem.children + 1
        room = size + max(2 * size, most)
        rows = rows_to_overrun(room + most, problem.state)
        rows[:size] = states.rows
        counts, at = np.zeros(size, np.int64), np.array([0, size], np.int64)
        while call_kernel(kernel, problem.puzzle, problem.tables, rows, room, counts, at) < size:
            room *= 2
            larger = rows_to_overrun(room + most, problem.state)
            larger[: at[TOP]] = rows[: at[TOP]]
            rows = larger
        if counts.max() > problem.children:
            raise BadPuzzle(f"{problem.name}: a state has more children than declared (parsolve check finds the state)")
        is_solved = counts == SOLVED
        parents = np.repeat(np.arange(size), np.where(is_solved, 0, counts))
        below = rows[size : at[TOP]].copy()
        numbers = np.arange(self._size, self._size + len(below))
        self._size += len(below)
        self._parents.append(states.numbers[parents])
        self._moves.append(below["move"])
        self._siblings.append(counts[parents])
        limits = np.maximum(states.limits[parents], below["cost"].astype(np.int64) + below["bound"].astype(np.int64))
        hashes = splitmix(states.hashes[parents], below["move"])
        return is_solved, States(below, numbers, states.depths[parents] + 1, limits, hashes)

    def _branches(self, chosen: "States") -> list[Branch]:
        parents, moves, siblings = (np.concatenate(each) for each in (self._parents, self._moves, self._siblings))
        # Of each state its own, its parent's and so on: int64[levels, units].
        at, up = chosen.numbers, [chosen.numbers]
        for _ in range(int(chosen.depths.max(initial=0))):
            at = parents[at]
            up.append(at)
        lines = np.array(up).T
        branches = []
        columns = chosen.depths.tolist(), moves[lines].tolist(), siblings[lines].tolist()
        for depth, path, sizes in zip(*columns, strict=True):
            *above, own = path[depth::-1]
            branches.append(Branch(tuple(above), (*((),) * depth, (own,)), tuple(sizes[depth::-1])))
        return branches


class States(NamedTuple):
    """Some states of the tree.

    Attributes:
        rows: record[n].
        numbers: int64[n]: their numbers, in the order in which they were found.
        depths: int64[n]: the number of moves from the root.
        limits: int64[n]: the least limit that reaches them.
        hashes: uint64[n].
    """

    rows: Array
    numbers: Array
    depths: Array
    limits: Array
    hashes: Array

    def chosen(self, which: Array) -> "States":
        """Return some of them."""
        return States(*(each[which] for each in self))

    @staticmethod
    def together(several: "Sequence[States]") -> "States":
        """Return the states of several, at least one, as one."""
        return States(*map(np.concatenate, zip(*several, strict=True)))


def rank_of(rows: Array) -> Array:
    """Return the ranks of states, int64[n]: those with the least are expanded first, because most is below them.

    Below a state of the same cost and a greater bound there is less, but not as much less as a greater cost means:
    15-puzzles have parts of half the deviation by this rank that they have depth by depth.
    """
    return 2 * rows["cost"].astype(np.int64) + rows["bound"].astype(np.int64)


def splitmix(hashes: Array, moves: Array) -> Array:
    """Return the hashes of children from those of their parents, uint64[n], and their moves, by SplitMix64."""
    mix = hashes + STEP + moves.astype(np.uint64)
    mix = (mix ^ (mix >> np.uint64(30))) * FIRST
    mix = (mix ^ (mix >> np.uint64(27))) * SECOND
    return mix ^ (mix >> np.uint64(31))
