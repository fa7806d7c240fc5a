"""States by row, number and key: their children, the way there and back, and the errors of what they show."""

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from parsolve.compiler.keys import MOST_WORDS
from parsolve.compiler.rows import rows_to_overrun
from parsolve.errors import BadPuzzle
from parsolve.levels.kernels import DenseKernel, RowsKernel
from parsolve.levels.templates import rowwise as kernel_code
from parsolve.problem.calling import call_kernel
from parsolve.problem.problem import Problem

Array = np.ndarray[Any, Any]

CHUNK = 1 << 18
"""Children that are written between two checks of the memory."""


def misdeclared(problem: Problem, text: str) -> BadPuzzle:
    """Return the error of a declaration that a search has found to be wrong."""
    return BadPuzzle(f"{problem.name}: {text} (parsolve check finds the state)")


def crowded(problem: Problem) -> BadPuzzle:
    """Return the error of a state with too many children."""
    text = f"a state has more than {problem.children} children (parsolve check finds it)"
    return BadPuzzle(f"{problem.name}: {text}: let 'children' allow more, or take the engine deepening")


class Coding:
    """The ids of a puzzle's states: keys, or numbers.

    Args:
        problem: the problem.
        check: called before each piece of children; any exception it raises ends the search.
        numbered: whether ids are numbers.

    Attributes:
        rules: the names of the rules that give the id of a state and the state of an id.
    """

    def __init__(self, problem: Problem, check: Callable[[], None] = lambda: None, numbered: bool = False) -> None:
        self.problem, self._check = problem, check
        rules = problem.compiled_rules
        self._kernel: DenseKernel | RowsKernel = rules.kernels(DenseKernel) if numbered else rules.kernels(RowsKernel)
        self.rules = ("index", "unindex") if numbered or problem.key_rule == "index" else ("key", "unkey")

    @cached_property
    def words(self) -> int:
        """Words of an id."""
        return int(self.look(self.problem.root)[0].shape[1])

    def look(self, rows: Array) -> tuple[Array, Array]:
        """Return the ids of some states, uint64[n, words], and whether they are solved, bool[n]."""
        ids, solved = np.zeros(len(rows) * MOST_WORDS, np.uint64), np.zeros(len(rows), np.bool_)
        words = call_kernel(self._kernel.inspect_rows, self.problem.puzzle, self.problem.tables, rows, ids, solved) or 1
        return ids[: len(rows) * words].reshape(-1, words), solved

    def shown(self, number: int) -> Any:
        """Return an id as messages show it."""
        return number

    def ids_of(self, rows: Array) -> Array:
        """Return the ids of some states, if these have one word: uint64[n]."""
        return self.look(rows)[0][:, 0]

    def states_of(self, ids: Array) -> tuple[Array, Array]:
        """Return the states of some ids, uint64[n * words]: record[n], and whether they are solved, bool[n]."""
        like = (np.uint64(0),) * self.words
        size = len(ids) // len(like)
        rows, solved = np.zeros(size, self.problem.state), np.zeros(size, np.bool_)
        call_kernel(self._kernel.write_rows, self.problem.puzzle, self.problem.tables, rows, ids, solved, like)
        return rows, solved

    @cached_property
    def _room(self) -> tuple[Array, Array, Array]:
        size = CHUNK + self.problem.children
        rows = rows_to_overrun(size, self.problem.state)
        return rows, np.zeros(size, np.int64), np.zeros((size, self.words), np.uint64)

    def children(self, rows: Array, past_solved: bool) -> Iterator[tuple[Array, Array, Array]]:
        """Yield the children of rows in pieces: record[n]; the places of their parents in `rows`; their ids,
        uint64[n, words]. Each piece overwrites the one before."""
        problem = self.problem
        out_rows, out_parents, out_ids = self._room
        tally = np.zeros(2, np.int64)
        while tally[kernel_code.READ] < len(rows):
            self._check()
            how = out_ids.reshape(-1), tally, CHUNK - 1, past_solved, problem.children
            expand = self._kernel.expand_level
            if not call_kernel(expand, problem.puzzle, problem.tables, rows, out_rows, out_parents, *how):
                raise crowded(problem)
            written = int(tally[kernel_code.WRITTEN])
            yield out_rows[:written], out_parents[:written], out_ids[:written]
