"""States by row, number and key: their children, the way there and back, and the errors of what they show."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from parsolve.compiler.keys import MOST_WORDS
from parsolve.compiler.rows import rows_to_overrun
from parsolve.errors import BadPuzzle
from parsolve.levels.kernels import DenseKernel, LayerKernel
from parsolve.levels.templates import layer as kernel_code
from parsolve.levels.threads import Threads
from parsolve.problem.calling import call
from parsolve.problem.problem import Problem

Array = np.ndarray[Any, Any]

CHUNK = 1 << 18
"""Children that are written between two checks of the memory."""


class Expander:
    """Expands rows in pieces.

    Args:
        problem: the problem.
        kernel: `templates.layer.expand_layer`, compiled for the problem.
        words: words of an id.
        check: called before each piece; any exception it raises ends the search.
    """

    def __init__(self, problem: Problem, kernel: Callable[..., bool], words: int, check: Callable[[], None]) -> None:
        self._problem, self._kernel, self._check = problem, kernel, check
        size = CHUNK + problem.children
        rows = rows_to_overrun(size, problem.state)
        self._room = rows, np.zeros(size, np.int64), np.zeros((size, words), np.uint64)

    def children(self, rows: Array, past_solved: bool) -> Iterator[tuple[Array, Array, Array]]:
        """Yield the children of rows in pieces: record[n]; the places of their parents in `rows`; their ids,
        uint64[n, words]. Each piece overwrites the one before."""
        problem = self._problem
        out_rows, out_parents, out_ids = self._room
        tally = np.zeros(2, np.int64)
        while tally[kernel_code.READ] < len(rows):
            self._check()
            how = out_ids.reshape(-1), tally, CHUNK - 1, past_solved, problem.children
            if not call(self._kernel, problem.puzzle, problem.tables, rows, out_rows, out_parents, *how):
                raise crowded(problem)
            written = int(tally[kernel_code.WRITTEN])
            yield out_rows[:written], out_parents[:written], out_ids[:written]


def inspected(problem: Problem, kernel: Callable[..., int], rows: Array) -> tuple[Array, Array]:
    """Return the ids of some rows, uint64[n, words], by `templates.layer.inspect_rows`, and whether they are solved."""
    ids, solved = np.zeros(len(rows) * MOST_WORDS, np.uint64), np.zeros(len(rows), np.bool_)
    words = call(kernel, problem.puzzle, problem.tables, rows, ids, solved) or 1
    return ids[: len(rows) * words].reshape(-1, words), solved


def made_of(problem: Problem, kernel: Callable[..., None], ids: Array, like: tuple[Any, ...]) -> tuple[Array, Array]:
    """Return the states of some ids, by `templates.layer.write_rows`, and whether they are solved."""
    size = len(ids) // len(like)
    rows, solved = np.zeros(size, problem.state), np.zeros(size, np.bool_)
    call(kernel, problem.puzzle, problem.tables, rows, ids, solved, like)
    return rows, solved


def looked_at(problem: Problem, rows: Array) -> tuple[Array, Array]:
    """Return the keys of some rows, uint64[n, words], and whether they are solved."""
    return inspected(problem, problem.compiled_rules.kernels(LayerKernel).inspect_rows, rows)


def expander_of(problem: Problem) -> Expander:
    """Return what expands rows of a puzzle with a key."""
    kernel = problem.compiled_rules.kernels(LayerKernel).expand_layer
    return Expander(problem, kernel, looked_at(problem, problem.root)[0].shape[1], lambda: None)


def is_keyed_by_word(problem: Problem) -> bool:
    """Return whether a puzzle gives the way back from a key of one word."""
    if type(problem.puzzle).unkey is None or not problem.key_rule:
        return False
    words: int = looked_at(problem, problem.root)[0].shape[1]
    return words == 1


def misdeclared(problem: Problem, text: str) -> BadPuzzle:
    """Return the error of a declaration that a search has found to be wrong."""
    return BadPuzzle(f"{problem.name}: {text} (parsolve check finds the state)")


def crowded(problem: Problem) -> BadPuzzle:
    """Return the error of a state with too many children."""
    text = f"a state has more than {problem.children} children (parsolve check finds it)"
    return BadPuzzle(f"{problem.name}: {text}: let 'children' allow more, or take the engine deepening")


def scalars(ids: Array) -> Array:
    """Return ids, uint64[n, words], as n values that can be compared and sorted."""
    words = ids.shape[1]
    return ids[:, 0] if words == 1 else np.ascontiguousarray(ids).view(np.dtype((np.void, 8 * words)))[:, 0]


class Coding:
    """The ids of a puzzle's states, and the compiled way back from an id, `write_states`.

    Attributes:
        rules: the names of the rules that give the id of a state and the state of an id.
    """

    def __init__(
        self,
        problem: Problem,
        threads: Threads,
        kernel: LayerKernel | DenseKernel,
        write_states: Callable[..., None],
        rules: tuple[str, str],
    ) -> None:
        self.problem, self.rules = problem, rules
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
        return made_of(self.problem, self._write_states, ids, (np.uint64(0),))


def coding_by_key(problem: Problem, threads: Threads) -> Coding:
    """Return the coding by the keys of a puzzle with a way back from them."""
    kernel = problem.compiled_rules.kernels(LayerKernel)
    assert kernel.write_rows is not None
    rules = ("index", "unindex") if problem.key_rule == "index" else ("key", "unkey")
    return Coding(problem, threads, kernel, kernel.write_rows, rules)
