"""States by row, number and key: their children, the way there and back, and the errors of what they show."""

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from parsolve.compiler.keys import MOST_WORDS
from parsolve.compiler.rows import rows_to_overrun
from parsolve.errors import BadInput, BadPuzzle
from parsolve.levels.kernels import RowsKernel, way_back
from parsolve.levels.templates.blocks import BLOCK, Form
from parsolve.problem.calling import call_kernel
from parsolve.problem.data import Array
from parsolve.problem.problem import Problem

CHUNK = 1 << 18
"""Children that are written between two checks of the memory."""

BITS = 63
"""Bits in a word of a count: two such numbers and a carry fit in 64."""


class Misdeclared(BadPuzzle):
    """A declaration that a search has found to be wrong.

    Attributes:
        text: what is wrong.
        kind: the rule or method that is declared, if that is known.
        row: the state that shows it, if that is known.
    """

    def __init__(self, problem: Problem, text: str, kind: str = "", row: Any = None) -> None:
        at = "" if row is None else f": at {own_fields(problem, row)}"
        super().__init__(f"{problem.name}: {text}{at} (parsolve check finds the state)")
        self.kind, self.text, self.row = kind, text, row


def own_fields(problem: Problem, row: Any) -> str:
    """Return a state by the puzzle's own fields, for messages."""
    return " ".join(f"{name}={row[name].tolist()}" for name in problem.own_fields)


def crowded(problem: Problem) -> BadPuzzle:
    """Return the error of a state with too many children."""
    text = f"a state has more than {problem.children} children (parsolve check finds it)"
    return BadPuzzle(f"{problem.name}: {text}: let 'children' allow more, or take the engine deepening")


class Coding:
    """The ids of a puzzle's states: keys, or numbers.

    Args:
        problem: the problem.
        check: called before each piece of children; any exception it raises ends the search.

    Attributes:
        names: those of the rules that give the id of a state and the state of an id.
    """

    is_numbered = False

    def __init__(self, problem: Problem, check: Callable[[], None] = lambda: None) -> None:
        self.problem, self._check = problem, check
        self._kernel = problem.compiled_rules.kernels(RowsKernel.of_numbers if self.is_numbered else RowsKernel.of)
        self.names = ("index", "unindex") if self.is_numbered or problem.key_rule == "index" else ("key", "unkey")

    @cached_property
    def words(self) -> int:
        """Words of an id."""
        return int(self.look(self.problem.root)[0].shape[1])

    @cached_property
    def form(self) -> Form:
        """The form of ids as entries."""
        return Form((np.uint64(0),) * self.words, self.words, 0)

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

    def keys_of(self, rows: Array) -> Array:
        """Return the keys of some states, uint64[n, words]; without words if the puzzle has none."""
        return Coding(self.problem).look(rows)[0] if self.problem.key_rule else np.zeros((len(rows), 0))

    def states_of(self, ids: Array) -> tuple[Array, Array]:
        """Return the states of some ids, uint64[n * words]: record[n], and whether they are solved, bool[n]."""
        size, like = len(ids) // self.words, self.form.like
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
        at = 0
        while at < len(rows):
            self._check()
            columns = rows, out_rows, out_parents, out_ids.reshape(-1)
            how = at, past_solved, problem.children
            at, written = call_kernel(self._kernel.expand_level, problem.puzzle, problem.tables, *columns, *how)
            if written < 0:
                raise crowded(problem)
            yield out_rows[:written], out_parents[:written], out_ids[:written]


class NumberCoding(Coding):
    """The numbers of a puzzle's states."""

    is_numbered = True
    states_in = Coding.states_of  # its entries are numbers

    def look(self, rows: Array) -> tuple[Array, Array]:
        """Return the same as `Coding.look`; raise BadPuzzle if 'index' gives several words, or a number beyond."""
        ids, solved = super().look(rows)
        if ids.shape[1] > 1:
            text = f"'unindex' is the way back from one word, and 'index' gives {ids.shape[1]}"
            raise BadPuzzle(f"{self.problem.name}: {text}")
        greatest = int(ids.max(initial=0))
        if greatest >= (self.problem.size or 0):
            raise self.beyond(greatest)
        return ids, solved

    def beyond(self, number: int) -> Misdeclared:
        """Return the error of a number that is too large."""
        number -= (number >> 63) << 64  # a negative number
        return Misdeclared(self.problem, f"'index' gives {number}, 'size' says below {self.problem.size}")


class EntryCoding(Coding):
    """The entries of a search by levels, which begin with keys.

    Args:
        problem, check: see `Coding`.
        counts: whether entries have numbers of ways.

    Attributes:
        by_cost: whether a level is a cost, and a number of moves without cost.
        has_rows: whether entries have their rows: there is no way back from a key.
    """

    def __init__(self, problem: Problem, check: Callable[[], None], counts: bool) -> None:
        if problem.compiled_rules.key is None:
            raise BadInput(f"{problem.name} gives no key, which a search by levels needs")
        super().__init__(problem, check)
        self._counts, self.by_cost = counts, not (counts and problem.rises)
        self.has_rows = way_back(type(problem.puzzle)) is None

    @cached_property
    def form(self) -> Form:
        """The form of entries."""
        problem, words, costs = self.problem, self.words, int(self.problem.has_cost and not self.by_cost)
        head = words + costs + (-(-problem.state.itemsize // 8) if self.has_rows else 0)
        if head + 4 > BLOCK:
            text = "its states are too large for a search by levels: take the engine deepening"
            raise BadInput(f"{problem.name}: {text}")
        return Form((np.uint64(0),) * words, head, BITS if self._counts else 0, costs)

    def entries_of(self, rows: Array, keys: Array) -> Array:
        """Return states, record[n], with their keys, uint64[n, words], as entries, with one way to each."""
        form, size = self.form, self.problem.state.itemsize
        octets = np.zeros((len(rows), 8 * (form.head - form.costs - self.words)), np.uint8)
        octets[:, :size] = rows.view(np.uint8).reshape(-1, size)[:, : octets.shape[1]]
        costs = rows["cost"].astype(np.uint64).reshape(-1, 1)[:, : form.costs]
        ones = np.ones((len(rows), form.least - form.head), np.uint64)
        return np.concatenate((keys, costs, octets.view(np.uint64), ones), axis=1).reshape(-1)

    def states_in(self, entries: Array) -> tuple[Array, Array]:
        """Return the states of some entries without counts, uint64[n * head]: record[n], and whether they are solved,
        bool[n]."""
        form, state = self.form, self.problem.state
        table = entries.reshape(-1, form.head)
        if not self.has_rows:
            return self.states_of(table[:, : self.words].reshape(-1))
        octets = np.ascontiguousarray(table[:, self.words + form.costs :]).view(np.uint8)
        rows = np.ascontiguousarray(octets[:, : state.itemsize]).reshape(-1).view(state)
        return rows, self.look(rows)[1]
