"""BranchStack: the stack of a depth-first walk: it grows with the limits, a branch is loaded into it, and what is left
of one is read from it."""

from typing import Any

import numpy as np

from parsolve.compiler.rows import rows_to_overrun
from parsolve.deepening.templates.bounds import MOST_NEAR
from parsolve.errors import BadPuzzle, NotReproducible
from parsolve.problem.calling import call_kernel
from parsolve.problem.costs import MOST_STEPS, NO_LIMIT
from parsolve.problem.problem import Problem
from parsolve.problem.templates.restore import Stack
from parsolve.search.branch import Branch

MOST_LEVELS = MOST_STEPS + 1
"""The most levels of a stack: the root's, and one for each move."""


class BranchStack:
    """The stack of one problem's walks.

    Args:
        problem: the problem.
        largest: see `Searcher`.

    Attributes:
        rows: record[...], the first one the root.
        levels: the blocks of the rows.
        size: the number of levels that there is room for.
        room: uint64: the last row at which a block may end.
        has_cut: whether the bound has cut rows off the branch that is loaded.
    """

    def __init__(self, problem: Problem, largest: int) -> None:
        self._problem, self._children = problem, problem.children
        # Behind the levels, what a subtree's solutions are listed by, and the parents of states near one.
        self._behind = max(largest, int(MOST_NEAR))
        self.rows, self.levels = np.zeros(0, problem.state), Stack(*np.zeros((2, 0), np.uint64))
        self.size = 0
        self.room = np.uint64(0)
        self.has_cut = False
        self._needed = 0  # levels, where nothing says how many there are
        self._limit = 0  # of the branch that is loaded
        self._held: Branch | None = None

    def make_room(self, limit: int, branch: Branch | None) -> int:
        """Have room for the walks of a limit, from a branch on; return how many levels they have at most."""
        problem = self._problem
        size = min(problem.costs.steps(limit) + 2, MOST_LEVELS)
        if not problem.costs.has_steps:
            least = 0 if branch is None else len(branch.path) + 2
            if least > max(size, self._needed):
                self._needed = 2 * least
            size = min(max(size, self._needed), MOST_LEVELS)
        if size > self.size:
            # A block of children for each level, and some more: a puzzle whose `steps` are slightly too few can run on.
            room = size * self._children + 4 * self._children + 64
            self.room, self.size = np.uint64(room), size
            if room + self._behind > self.rows.size:
                # For the next limits too: each allocation costs system calls and fresh pages.
                number = (4 * room if problem.has_cost else room) + self._behind
                self.rows = rows_to_overrun(number, problem.state)
                self.levels = Stack(np.zeros(number + 2, np.uint64), np.zeros(number + 2, np.uint64))
                self._held = None
        self.rows[:1] = problem.root
        if branch is None:
            self._held = None
        return size

    def need_more(self, limit: int, depth: int, width: int) -> None:
        """Have twice as many levels from the next walk on, if these were too few for the one that ended at a depth.

        Args:
            width: of a path in the solution buffer; 0 without one.

        Raises:
            BadPuzzle: the puzzle says how many there are, has more children than it says, or goes on for ever.
        """
        number = int(self.levels.ends[depth])
        is_full = number + self._children > self.room or 0 < width <= depth
        if self._problem.costs.has_steps or not is_full or number > 1 + depth * self._children:
            raise self._no_room(limit)
        if depth > MOST_STEPS:
            text = f"a path has more than {MOST_STEPS:,} moves: do moves lead in a circle?"
            raise BadPuzzle(f"{self._problem.name}: {text}")
        self._needed = 2 * self.size

    def load(self, branch: Branch, limit: int) -> int | None:
        """Load a branch, unless the last walk has left it here, and return its last level; None if another bound leaves
        nothing of it.

        Raises:
            NotReproducible: the branch is not one of this puzzle and limit.
        """
        held, self._held, self.has_cut = self._held, None, False
        if branch is held and limit == self._limit:
            return len(branch.path)
        self._limit = limit
        try:
            return self._restore(branch)
        except NotReproducible:
            if not self._problem.bound_may_change:
                raise
        left, self.has_cut = self._within_bound(branch), True
        return None if left is None else self._restore(left)

    def rest(self, depth: int) -> Branch | None:
        """Return what is left where a walk has stopped, and hold it for the next one; None if nothing is.

        Raises:
            BadPuzzle: the rules break the contract.
        """
        moves = self.rows["move"]
        nexts = self.levels.nexts[: depth + 1].tolist()
        ends = self.levels.ends[: depth + 1].tolist()
        while nexts and nexts[-1] == ends[-1]:
            nexts.pop()
            ends.pop()
        if not nexts:
            return None
        if nexts[-1] > ends[-1]:
            text = "must return top, at least what it was given (parsolve check finds the state)"
            raise BadPuzzle(f"{self._problem.name}: 'expand' {text}")
        starts = [0, *ends[:-1]]
        self._held = Branch(
            path=tuple(int(moves[at - 1]) for at in nexts[:-1]),
            pending=tuple(tuple(moves[at:end].tolist()) for at, end in zip(nexts, ends, strict=True)),
            sizes=tuple(end - start for start, end in zip(starts, ends, strict=True)),
        )
        return self._held

    def falls(self, depth: int) -> bool:
        """Return whether the costs along the path of a walk that has stopped fall."""
        costs = self.rows["cost"][self.levels.nexts[: depth + 1] - 1].astype(np.int64)
        return bool((np.diff(costs) < 0).any())

    def replay_arguments(self, branch: Branch, limit: int) -> tuple[Any, ...]:
        """Return the arguments of a replay of a branch, after the lookups."""
        pending = np.array([move for moves in branch.pending for move in moves], np.int64)
        first = np.cumsum([0, *map(len, branch.pending)], dtype=np.int64)
        return self.rows, self.levels, limit, int(self.room), np.array(branch.path, np.int64), first, pending

    def play(self, branch: Branch, limit: int) -> int:
        """Replay a branch, and return its last level."""
        self._held = None
        problem, arguments = self._problem, self.replay_arguments(branch, limit)
        level: int = call_kernel(problem.compiled_rules.restore, problem.puzzle, problem.tables, *arguments)
        if level == len(branch.pending) + 1:
            raise self._no_room(limit)
        if level < 0:
            raise self._not_there(-1 - level)
        return level

    def _restore(self, branch: Branch) -> int:
        if not branch.path:  # the whole tree: spares loading a second kernel
            self.levels.nexts[0], self.levels.ends[0] = 0, 1
            return 0
        return self.play(branch, self._limit)

    def _within_bound(self, branch: Branch) -> Branch | None:
        """Return a branch without the rows that the bound now cuts off; None if none is left."""
        path, pending = branch.path, [*branch.pending]
        for level in range(1, len(pending)):
            needed = {*pending[level], *path[level : level + 1]}
            if not needed <= self._moves_after(path[:level], NO_LIMIT):
                raise self._not_there(level)
            there = self._moves_after(path[:level], self._limit)
            pending[level] = tuple(move for move in pending[level] if move in there)
            if level < len(path) and path[level] not in there:
                path, pending = path[:level], pending[: level + 1]
                break
        while pending and not pending[-1]:
            pending.pop()
        if not pending:
            return None
        return Branch(path[: len(pending) - 1], tuple(pending), branch.sizes[: len(pending)])

    def _moves_after(self, path: tuple[int, ...], limit: int) -> set[int]:
        """Return the moves of the children of the last state of a path, the root's own move first."""
        levels = len(path) + 1
        self.play(Branch(path, ((),) * levels, (1,) * levels), limit)
        begin, end = self.levels.ends[levels - 2 : levels].tolist()
        return {*self.rows["move"][begin:end].tolist()}

    def _not_there(self, level: int) -> NotReproducible:
        text = f"move {level} of a branch is not there at limit {self._limit}"
        return NotReproducible(f"{self._problem.name}: {text}")

    def _no_room(self, limit: int) -> BadPuzzle:
        steps = f" and {self._problem.costs.steps(limit)} steps" if self._problem.costs.has_steps else ""
        text = f"more rows than {self._children} children{steps} allow (parsolve check finds the state)"
        return BadPuzzle(f"{self._problem.name}: {text}")
