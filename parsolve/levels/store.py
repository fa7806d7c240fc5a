"""Rows of states: their children, their keys, and the errors of what they show."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from parsolve.compiler.keys import MOST_WORDS
from parsolve.compiler.rows import rows_to_overrun
from parsolve.errors import BadInput, BadPuzzle
from parsolve.levels.kernels import layer_kernel
from parsolve.levels.templates import layer as kernel_code
from parsolve.problem.calling import call
from parsolve.problem.problem import Problem

Array = np.ndarray[Any, Any]

CHUNK = 1 << 18
"""Children that are written between two checks of the memory."""


class Unsuited(BadPuzzle):
    """Raised if a puzzle's moves do not suit a store."""


class TooLarge(Unsuited):
    """Raised if a puzzle's keys have more bits than a store keeps."""


class Expander:
    """Expands rows in pieces.

    Args:
        problem: the problem.
        kernel: `templates.layer.expand_layer`, compiled for the problem.
        words: words of an id.
        check: called before each piece; any exception it raises ends the search.
    """

    def __init__(
        self,
        problem: Problem,
        kernel: Callable[..., bool],
        words: int,
        check: Callable[[], None],
    ) -> None:
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
            if not call(
                self._kernel,
                problem.puzzle,
                problem.tables,
                rows,
                out_rows,
                out_parents,
                out_ids.reshape(-1),
                tally,
                CHUNK - 1,
                past_solved,
                problem.children,
            ):
                raise crowded(problem)
            written = int(tally[kernel_code.WRITTEN])
            yield out_rows[:written], out_parents[:written], out_ids[:written]


def nothing() -> None:
    """Do nothing: the hook between two steps of a search that is not kept."""


def inspected(problem: Problem, kernel: Callable[..., int], rows: Array) -> tuple[Array, Array]:
    """Return the ids of some rows, uint64[n, words], by `templates.layer.inspect_rows`, and whether they are solved."""
    ids, solved = np.zeros(len(rows) * MOST_WORDS, np.uint64), np.zeros(len(rows), np.bool_)
    words = call(kernel, problem.puzzle, problem.tables, rows, ids, solved) or 1
    return ids[: len(rows) * words].reshape(-1, words), solved


def looked_at(problem: Problem, rows: Array) -> tuple[Array, Array]:
    """Return the keys of some rows, uint64[n, words], and whether they are solved."""
    kernel = layer_kernel(problem.compiled_rules)
    assert kernel is not None
    return inspected(problem, kernel.inspect_rows, rows)


def expander_of(problem: Problem, check: Callable[[], None] = nothing) -> "Expander":
    """Return what expands rows of a puzzle with a key."""
    kernel = layer_kernel(problem.compiled_rules)
    assert kernel is not None
    return Expander(problem, kernel.expand_layer, looked_at(problem, problem.root)[0].shape[1], check)


def is_keyed_by_word(problem: Problem) -> bool:
    """Return whether a puzzle gives the way back from a key of one word."""
    if type(problem.puzzle).unkey is None or not problem.key_rule:
        return False
    words: int = looked_at(problem, problem.root)[0].shape[1]
    return words == 1


def needs_ids(problem: Problem) -> BadInput:
    """Return the error of states that can only be kept whole, if they should be in files."""
    return BadInput(
        f"{problem.name} is searched by whole states, which --spill cannot hold: that takes numbers of states, or a way"
        " back from keys of one word, and moves of one cost or a graded graph"
    )


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
