"""The states of a puzzle by their ids: numbers, or keys of one word."""

from collections.abc import Callable
from typing import Any

import numpy as np

from parsolve.errors import BadPuzzle
from parsolve.levels.kernels import DenseKernel, LayerKernel
from parsolve.levels.store import Array, Expander, inspected
from parsolve.levels.threads import Threads
from parsolve.problem.calling import call
from parsolve.problem.problem import Problem


class Coding:
    """The ids of a puzzle's states, and the compiled way back from an id, `write_states`."""

    rules: tuple[str, str]
    """The names of the rules that give the id of a state and the state of an id."""

    def __init__(
        self,
        problem: Problem,
        threads: Threads,
        kernel: LayerKernel | DenseKernel,
        write_states: Callable[..., None],
    ) -> None:
        self.problem, self._threads, self._tables = problem, threads, problem.tables
        self._inspect_rows, self._write_states = kernel.inspect_rows, write_states
        self.expander = Expander(problem, kernel.expand_layer, 1, threads.watch.check)

    def ids_of(self, rows: Array) -> Array:
        """Return the ids of some states: uint64[n]; see `look`."""
        return self.look(rows)[0]

    def look(self, rows: Array) -> tuple[Array, Array]:
        """Return the ids of some states, uint64[n], and whether they are solved, bool[n].

        Raises:
            BadPuzzle: an id has several words, or is a number that is not below the puzzle's size.
        """
        ids, solved = inspected(self.problem, self._inspect_rows, rows)
        if ids.shape[1] > 1:
            there, back = self.rules
            text = f"{back!r} is the way back from one word, and {there!r} gives {ids.shape[1]}"
            raise BadPuzzle(f"{self.problem.name}: {text}")
        return self.checked(ids[:, 0]), solved

    def checked(self, ids: Array) -> Array:
        """Return valid ids unchanged; raise BadPuzzle if one is invalid."""
        return ids

    def states_of(self, ids: Array) -> tuple[Array, Array]:
        """Return the states of some ids, record[n], and whether they are solved, bool[n]."""
        rows, flags = np.zeros(len(ids), self.problem.state), np.zeros(len(ids), np.bool_)
        self._call(self._write_states, rows, ids, flags, (np.uint64(0),))
        return rows, flags

    def _call(self, kernel: Callable[..., Any], *arguments: Any) -> Any:
        return call(kernel, self.problem.puzzle, self._tables, *arguments)
