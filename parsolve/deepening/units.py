"""Units: the branches that the parts of a tree begin with.

The tree of a limit is expanded round by round, from the states with the least rank on, until it has enough branches or
nothing is left to expand. Solved states are branches too, and are not expanded. A hash of a branch's moves says which
part it belongs to. All this depends on the rules, the limit and the number of parts alone, so that each machine finds
the same units. Whoever changes which units there are raises the version of journals.
"""

import hashlib
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from parsolve.compiler.rows import rows_to_overrun
from parsolve.deepening.kernels import DeepeningKernels
from parsolve.deepening.templates.expand import CUT, SOLVED, TOP
from parsolve.errors import BadPuzzle
from parsolve.problem.calling import call
from parsolve.problem.problem import Problem
from parsolve.search.branch import Branch
from parsolve.search.part import BRANCHES, Part

Array = np.ndarray[Any, Any]

STEP = np.uint64(0x9E3779B97F4A7C15)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
"""The constants of splitmix64 (Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014)."""


class Units:
    """The units of a part of a limit's tree.

    Args:
        problem: the problem.
        limit: the limit.
        part: the part, or several successive ones.

    Attributes:
        branches: the units, each of one row, in depth-first order.
        above: nodes above the units that count here: all of them in the first part, none in another.
        cut: see `Outcome.cut`, in these.

    Raises:
        BadPuzzle: the rules do not compile or break the contract.
    """

    def __init__(self, problem: Problem, limit: int, part: Part) -> None:
        self._problem, self._limit = problem, limit
        self._expanded, self.cut = 0, 0
        # All states by their number: that of the parent, the move, and the size of the block.
        self._parents: list[Array] = [np.zeros(1, np.int64)]
        self._moves: list[Array] = [problem.root["move"]]
        self._siblings: list[Array] = [np.ones(1, np.int64)]
        self._size = 1
        none = np.zeros(1, np.int64)
        whole = States(problem.root.copy(), none, none, seed_of(problem.rules, limit, part.of))
        # By rank, so that a round touches no other states than its own.
        open_: dict[int, list[States]] = {int(rank_of(whole.rows)[0]): [whole]}
        solved: list[States] = []
        number = 1
        while open_ and number < BRANCHES * part.of:
            states = States.together(open_.pop(min(open_)))
            found, below = self._expand(states)
            number += len(below) + len(found) - len(states)
            solved.append(found)
            ranks = rank_of(below.rows)
            for rank in np.unique(ranks).tolist():
                open_.setdefault(rank, []).append(below.chosen(ranks == rank))
        self.above = self._expanded if 1 in part else 0
        states = States.together([*solved, *itertools.chain.from_iterable(open_.values())])
        parts = (states.hashes % np.uint64(part.of)).astype(np.int64) + 1
        self.branches = self._branches(states.chosen((part.first <= parts) & (parts <= part.last)))

    def _expand(self, states: "States") -> "tuple[States, States]":
        """Expand states; return those that are solved, and the children of the others."""
        problem, size = self._problem, len(states)
        kernel = problem.compiled_rules.kernels(DeepeningKernels).expand_rows
        most = 2 * problem.children + 2  # within the limit, and without one to see what it cuts
        room = size + max(2 * size, most)
        rows = rows_to_overrun(room + most, problem.state)
        rows[:size] = states.rows
        counts, at = np.zeros(size, np.int64), np.array([0, size, self.cut], np.int64)
        while call(kernel, problem.puzzle, problem.tables, rows, self._limit, room, counts, at) < size:
            room *= 2
            larger = rows_to_overrun(room + most, problem.state)
            larger[: at[TOP]] = rows[: at[TOP]]
            rows = larger
        if counts.max() > problem.children:
            raise BadPuzzle(f"{problem.name}: a state has more children than declared (parsolve check finds the state)")
        is_solved = counts == SOLVED
        self._expanded += size - int(is_solved.sum())
        self.cut = int(at[CUT])
        parents = np.repeat(np.arange(size), np.where(is_solved, 0, counts))
        below = rows[size : at[TOP]].copy()
        depths = states.depths[parents] + 1
        if problem.says_steps and depths.max(initial=0) > problem.steps(self._limit) + 1:
            raise BadPuzzle(f"{problem.name}: there are more moves than 'steps' allows (parsolve check finds where)")
        numbers = np.arange(self._size, self._size + len(below))
        self._size += len(below)
        self._parents.append(states.numbers[parents])
        self._moves.append(below["move"])
        self._siblings.append(counts[parents])
        hashes = mixed(states.hashes[parents], below["move"])
        return states.chosen(is_solved), States(below, numbers, depths, hashes)

    def _branches(self, chosen: "States") -> list[Branch]:
        parents, moves, siblings = (np.concatenate(each) for each in (self._parents, self._moves, self._siblings))
        # Of each state its own, its parent's and so on: int64[levels, units].
        at, up = chosen.numbers, [chosen.numbers]
        for _ in range(int(chosen.depths.max(initial=0))):
            at = parents[at]
            up.append(at)
        lines = np.array(up).T
        branches = []
        for depth, path, sizes in zip(
            chosen.depths.tolist(), moves[lines].tolist(), siblings[lines].tolist(), strict=True
        ):
            *above, own = path[depth::-1]
            branches.append(Branch(tuple(above), (*((),) * depth, (own,)), tuple(sizes[depth::-1])))
        return sorted(branches, key=lambda branch: branch.order)


@dataclass(frozen=True)
class States:
    """Some states of the tree.

    Attributes:
        rows: record[n].
        numbers: int64[n]: their numbers, in the order in which they were found.
        depths: int64[n]: the number of moves from the root.
        hashes: uint64[n].
    """

    rows: Array
    numbers: Array
    depths: Array
    hashes: Array

    def __len__(self) -> int:
        return len(self.rows)

    def chosen(self, which: Array) -> "States":
        """Return some of them."""
        return States(*(getattr(self, name)[which] for name in vars(self)))

    @staticmethod
    def together(several: "Sequence[States]") -> "States":
        """Return the states of several, at least one, as one."""
        first, *others = several
        if not others:
            return first
        return States(*(np.concatenate([getattr(each, name) for each in several]) for name in vars(first)))


def rank_of(rows: Array) -> Array:
    """Return the ranks of states, int64[n]: those with the least are expanded first, because most is below them.

    Below a state of the same cost and a greater bound there is less, but not as much less as a greater cost means:
    15-puzzles have parts of half the deviation by this rank that they have depth by depth.
    """
    return 2 * rows["cost"].astype(np.int64) + rows["bound"].astype(np.int64)


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
