"""The interface of the stores of breadth-first search: layers, and the children of some states.

A store holds the states of a puzzle in the form that its rules allow: by number, by key, or whole. In each form a state
has a unique id.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from parsolve.compiler.keys import MOST_WORDS
from parsolve.compiler.rows import rows_to_overrun
from parsolve.errors import BadInput, BadPuzzle
from parsolve.levels.kernels import layer_kernel
from parsolve.levels.templates import layer as kernel_code
from parsolve.problem.calling import call
from parsolve.problem.problem import Problem
from parsolve.search.checkpoint import Entries

Array = np.ndarray[Any, Any]

CHUNK = 1 << 18
"""Children that are written between two checks of the memory."""

FEW = 8
"""Maximum number of different costs that are searched for one by one, which is faster."""

Place = tuple[int, int]
"""A layer's cost and number of steps."""


class Unsuited(BadPuzzle):
    """Raised if a puzzle's moves do not suit a store."""


class TooLarge(Unsuited):
    """Raised if a puzzle's keys have more bits than a store keeps."""


@dataclass(frozen=True)
class Layer:
    """The states first reached at one cost after one number of steps."""

    cost: int
    steps: int
    states: int  # how many
    solved: bool  # whether any of them is

    @property
    def place(self) -> Place:
        return self.cost, self.steps


class Kept(Protocol):
    """A search with checkpoints.

    Attributes:
        form: form of the checkpoint: one word.
        between: called between two steps of a search, when it may be kept.
        finished: number of finished layers.
        bytes_kept: maximum number of bytes that `kept` yields.
    """

    form: str
    between: Callable[[], None]

    @property
    def finished(self) -> int: ...

    @property
    def bytes_kept(self) -> int: ...

    def kept(self) -> Iterator[Entries]:
        """Yield the checkpoint of a search; between two steps, or after it was stopped."""
        ...

    def restore(self, arrays: Mapping[tuple[int, int], Array]) -> None:
        """Restore a checkpoint, uint64[n] by level and words, before the search, which yields all layers again.

        Raises:
            OutOfMemory: it does not fit.
            KeyError, ValueError, IndexError: it is not of this search.
        """
        ...


class Store(Kept, Protocol):
    """States by layer.

    Attributes:
        declared: the declarations that must be true, for messages.
        is_whole: whether `kept` yields a complete checkpoint.
    """

    declared: str

    @property
    def is_whole(self) -> bool: ...

    def search(self) -> Iterator[Layer]:
        """Search from the root, not past solved states, and keep the layers.

        Raises:
            Unsuited: the puzzle's moves do not suit this store.
            OutOfMemory: the next layer does not fit.
            BadPuzzle: it breaks the contract.
        """
        ...

    def prove(self) -> None:
        """Compare the puzzle's declarations with what the search has met; raise BadPuzzle if one is wrong."""
        ...

    def candidates(self, layer: Layer, known: Mapping[Place, Array]) -> tuple[Array, Array, Array]:
        """Return all states of a layer that are solved or have a known child, possibly with others.

        Args:
            layer: a layer that has been searched.
            known: ascending ids, by place; places without any are left out.

        Returns:
            record[n], in no order; their ids; and whether they are solved, bool[n].
        """
        ...

    def children(self, rows: Array) -> Iterator[tuple[Array, Array, Array]]:
        """Yield the children of unsolved states in pieces: record[n]; the place of each one's parent in `rows`; their
        ids. Each piece overwrites the one before.

        Raises:
            BadPuzzle: a state has more children than the puzzle declares.
        """
        ...


class Expander:
    """Expands rows in pieces.

    Args:
        problem: the problem.
        kernel: `templates.layer.expand_layer`, compiled for the problem.
        words: words of an id.
        check: called before each piece; any exception it raises ends the search.
        watch_memory: called with the bytes that are needed in addition to those of a piece.
    """

    def __init__(
        self,
        problem: Problem,
        kernel: Callable[..., bool],
        words: int,
        check: Callable[[], None],
        watch_memory: Callable[[int], None] = lambda more: None,
    ) -> None:
        self._problem, self._kernel, self._check, self._watch_memory = problem, kernel, check, watch_memory
        size = CHUNK + problem.children
        rows = rows_to_overrun(size, problem.state)
        self._room = rows, np.zeros(size, np.int64), np.zeros((size, words), np.uint64)

    def children(self, rows: Array, past_solved: bool) -> Iterator[tuple[Array, Array, Array]]:
        """Yield the children of rows; see `Store`. Their ids are uint64[n, words]. Each piece overwrites the one
        before."""
        problem = self._problem
        out_rows, out_parents, out_ids = self._room
        tally = np.zeros(4, np.int64)
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
            self._watch_memory(3 * sum(array[:written].nbytes for array in self._room))
            yield out_rows[:written], out_parents[:written], out_ids[:written]


def nothing() -> None:
    """Do nothing: the hook between two steps of a search that is not kept."""


def by_cost(rows: Array) -> Iterator[tuple[int, Any]]:
    """Yield the costs of some rows, ascending, each with the selection of its rows."""
    costs = rows["cost"]
    if not len(rows):
        return
    least, most = int(costs.min()), int(costs.max())
    if least == most:
        yield least, slice(None)
        return
    for cost in range(least, most + 1) if most - least < FEW else sorted(set(costs.tolist())):
        here = costs == cost
        if here.any():
            yield cost, here


def inspected(problem: Problem, kernel: Callable[..., int], rows: Array) -> tuple[Array, Array]:
    """Return the ids of some rows, uint64[n, words], by `templates.layer.inspect_rows`, and whether they are solved."""
    ids, solved = np.zeros(len(rows) * MOST_WORDS, np.uint64), np.zeros(len(rows), np.bool_)
    words = call(kernel, problem.puzzle, problem.tables, rows, ids, solved) or 1
    return ids[: len(rows) * words].reshape(-1, words), solved


def is_keyed_by_word(problem: Problem) -> bool:
    """Return whether a puzzle gives the way back from a key of one word."""
    if type(problem.puzzle).unkey is None or (kernel := layer_kernel(problem.compiled_rules)) is None:
        return False
    return len(inspected(problem, kernel.inspect_rows, problem.root)[0][0]) == 1


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
