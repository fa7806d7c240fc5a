"""The solutions of a count by sharing, in order, from any number on: a walk down by the numbers of solutions below."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from parsolve.compiler.rows import rows_to_overrun
from parsolve.errors import BadPuzzle
from parsolve.levels.backward import Below
from parsolve.levels.kernels import ArrangeKernel, EntriesKernel
from parsolve.levels.states import crowded
from parsolve.problem.calling import call_kernel
from parsolve.problem.hooks import call_method
from parsolve.problem.problem import Problem
from parsolve.problem.states import NO_LIMIT
from parsolve.text import shown

REMEMBERED = 1 << 14
"""States whose moves are remembered: most paths share their states with earlier ones."""


class Way(NamedTuple):
    """A move that leads to solutions."""

    move: int
    number: int  # number of solutions
    level: int
    row: bytes  # the row of the state; empty if it is solved


class Walk:
    """The solutions of a puzzle, in depth-first order of the puzzle that is counted.

    Args:
        below: the numbers of solutions below the states of a count, which has found some.
    """

    def __init__(self, below: Below) -> None:
        self._below, self._counted = below, below.counted
        self._problem = self._counted.problem
        kernel = self._problem.compiled_rules.kernels(EntriesKernel)
        self._write_ways = kernel.write_shortest if self._counted.coding.by_cost else kernel.write_ways
        most = self._problem.children
        self._rows = rows_to_overrun(1 + most, self._problem.state)
        self._keys = np.zeros(most * self._counted.coding.words, np.uint64)
        self._levels, self._ends = np.zeros(most, np.int64), np.zeros(most, np.bool_)
        self._ways = lru_cache(REMEMBERED)(self._found_ways)

    def paths(self, skip: int = 0) -> Iterator[tuple[int, ...]]:
        """Yield the solutions as moves, from a number on.

        Args:
            skip: how many are left out; they are not visited.
        """
        if not self._counted.nodes:  # the root is solved
            yield from [()][skip:]
            return
        # With an explicit stack instead of recursion: paths may be longer than Python's stack.
        stack = [iter(self._ways(self._problem.root.tobytes(), self._counted.lowest))]
        path: list[int] = []
        while stack:
            way = next(stack[-1], None)
            if way is None:
                stack.pop()
            elif way.number <= skip:
                skip -= way.number
            else:
                path[len(stack) - 1 :] = [way.move]
                if not way.row:
                    yield tuple(path)
                else:
                    stack.append(iter(self._ways(way.row, way.level)))

    def _found_ways(self, row: bytes, level: int) -> list[Way]:
        """Return the moves from a state that lead to solutions."""
        problem, counted = self._problem, self._counted
        self._rows[:1] = np.frombuffer(row, problem.state)
        limit = NO_LIMIT if counted.coding.by_cost else counted.cost  # rows may have a bound
        arguments = self._rows, self._keys, self._levels, self._ends, level, limit, problem.children
        number = call_kernel(self._write_ways, problem.puzzle, problem.tables, *arguments)
        if number < 0:
            raise crowded(problem)
        rows = self._rows[1 : number + 1]
        ways = []
        columns = rows["move"], rows["cost"], self._levels[:number], self._ends[:number]
        every = zip(*(each.tolist() for each in columns), strict=True)
        for child, (move, cost, its_level, is_end) in enumerate(every):
            if not is_end:
                below = self._below.number(its_level, self._keys, child, cost)
                if below:
                    ways.append(Way(move, below, its_level, rows[child].tobytes()))
            elif not problem.has_cost or cost == counted.cost:
                ways.append(Way(move, 1, its_level, b""))
        return ways


def unshared(problem: Problem, paths: Iterable[tuple[int, ...]], cost: int | None) -> Iterator[tuple[int, ...]]:
    """Yield solutions of a puzzle, of some cost, for those of the puzzle that is counted instead.

    Raises:
        BadPuzzle: `unshared` gives none.
    """
    rows, arrange = rows_to_overrun(1 + problem.children, problem.state), problem.compiled_rules.kernels(ArrangeKernel)
    for path in paths:
        given = call_method(problem.given, "unshared", path)
        try:
            moves = np.array([*given], np.int64)
        except (TypeError, ValueError, OverflowError):
            raise BadPuzzle(f"{problem.name}: 'unshared' must return moves, not {shown(given)}") from None
        rows[:1] = problem.root
        done = call_kernel(arrange.arrange_moves, problem.puzzle, problem.tables, rows, moves)
        if done <= len(moves) or (problem.has_cost and int(rows["cost"][0]) != cost):
            text = f"'unshared' gives {shown([*given])}, which is not a solution of this puzzle"
            raise BadPuzzle(f"{problem.name}: {text}")
        yield tuple(moves.tolist())
