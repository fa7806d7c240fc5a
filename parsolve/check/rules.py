"""A puzzle's rules, compiled and as plain Python, held against each other at one state."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numba
import numpy as np

from parsolve.check.faults import Fault, State
from parsolve.check.standins import Here, Misuse, Rows, plain_tables
from parsolve.kernel.compile import call, compiled
from parsolve.kernel.rows import rows_to_overrun
from parsolve.kernel.search import NO_LIMIT
from parsolve.problem import Problem


class Rules:
    """A puzzle's rules, compiled and plain.

    Raises:
        BadPuzzle: a rule does not compile.
    """

    def __init__(self, problem: Problem) -> None:
        cls = type(problem.puzzle)
        self.problem, self.puzzle = problem, problem.puzzle
        self.dtype = problem.state
        self.names: tuple[str, ...] = self.dtype.names or ()
        self.tables = problem.tables
        self.plain_tables = plain_tables(self.tables)
        self.room = rows_to_overrun(1 + problem.children, self.dtype)
        helpers: dict[Any, Any] = {}
        expand, solved = compiled(cls.expand, helpers), compiled(cls.solved, helpers)

        def children(tables: Any, rows: Any, limit: Any) -> Any:
            return expand(tables, rows[0], limit, rows, 1)

        def is_solved(tables: Any, rows: Any) -> Any:
            return solved(tables, rows[0])

        self._children: Callable[..., int] = numba.njit(nogil=True)(children)
        self._solved: Callable[..., bool] = numba.njit(nogil=True)(is_solved)
        self._key: Callable[..., Any] | None = None
        if cls.key is not None:
            key = compiled(cls.key, helpers)

            def key_of(tables: Any, rows: Any) -> Any:
                return key(tables, rows[0])

            self._key = numba.njit(nogil=True)(key_of)

    def children(self, row: Any, limit: int = NO_LIMIT) -> np.ndarray[Any, Any]:
        """The children of a row, by the compiled rule."""
        self.room[:1] = row
        end = call(self._children, self.puzzle, self.tables, self.room, limit)
        return self.room[1:end].copy()

    def solved(self, row: Any) -> bool:
        """Whether a row is solved, by the compiled rule."""
        self.room[:1] = row
        return bool(call(self._solved, self.puzzle, self.tables, self.room))

    def key(self, row: Any) -> int | None:
        """The key of a row, by the compiled rule; None where the puzzle gives none."""
        if self._key is None:
            return None
        self.room[:1] = row
        return int(call(self._key, self.puzzle, self.tables, self.room))

    def state(self, row: Any) -> State:
        """A row as a dictionary."""
        return {name: int(row[name]) for name in self.names}

    def faults_at(self, row: Any) -> Iterator[tuple[str, Fault]]:
        """What the plain rules do wrong at one state, each with its kind."""
        state = self.state(row)
        try:
            with np.errstate(over="ignore"):
                every = self._plain_children(row, NO_LIMIT)
                solved = self.puzzle.solved(self.plain_tables, Here(self.dtype, state))
                if bool(solved) != self.solved(row):
                    yield "solved", Fault(f"'solved' is {solved} as Python, but not compiled", state)
                if self.puzzle.key is not None:
                    key = self.puzzle.key(self.plain_tables, Here(self.dtype, state))
                    if int(key) != self.key(row):
                        yield "key", Fault(f"'key' is {int(key)} as Python, {self.key(row)} compiled", state)
                yield from self._faults_among(every, state, row)
                for limit in range(state["cost"] + state["bound"], state["cost"] + state["bound"] + 3):
                    yield from self._faults_of_limit(every, limit, state, row)
        except Misuse as misuse:
            yield str(misuse)[:30], Fault(str(misuse), state)
        except Exception as error:
            yield "raises", Fault(f"a rule raises {type(error).__name__} as Python: {error}", state)

    def _plain_children(self, row: Any, limit: int) -> list[State]:
        rows = Rows(self.dtype, self.problem.added_fields)
        top = self.puzzle.expand(self.plain_tables, Here(self.dtype, self.state(row)), limit, rows, 1)
        return [rows.written(number) for number in range(1, int(top))]

    def _faults_among(self, every: Sequence[State], state: State, row: Any) -> Iterator[tuple[str, Fault]]:
        if len(every) > self.puzzle.children:
            text = f"'expand' gives {len(every)} children, 'children' says at most {self.puzzle.children}"
            yield "children", Fault(text, state)
        moves = [child["move"] for child in every]
        if any(a >= b for a, b in itertools.pairwise(moves)):
            yield "moves", Fault(f"the moves of the children are not distinct and rising: {moves}", state)
        for child in every:
            if child["cost"] < state["cost"]:
                yield "cost", Fault(f"the cost falls to {child['cost']} by move {child['move']}", state)
        made = [self.state(child) for child in self.children(row)]
        if made != list(every):
            which = next(
                (pair for pair in zip(every, made, strict=False) if pair[0] != pair[1]),
                (len(every), len(made)),
            )
            text = f"'expand' gives {which[0]} as Python, {which[1]} compiled (int64 mixed with uint64?)"
            yield "compiled", Fault(text, state)

    def _faults_of_limit(
        self, every: Sequence[State], limit: int, state: State, row: Any
    ) -> Iterator[tuple[str, Fault]]:
        fits = [child["move"] for child in every if child["cost"] + child["bound"] <= limit]
        for how, given in (
            ("as Python", [child["move"] for child in self._plain_children(row, limit)]),
            ("compiled", self.children(row, limit)["move"].tolist()),
        ):
            if given != fits:
                text = f"at limit {limit} 'expand' gives the moves {given} {how}; those that can meet it are {fits}"
                yield "limit", Fault(text, state)
