"""A puzzle's rules, compiled and as plain Python, held against each other at one state."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numba
import numpy as np

from parsolve.check.endless import on_time
from parsolve.check.faults import Fault, State, text_of
from parsolve.check.plain import PlainRules, fault_of
from parsolve.errors import BadPuzzle
from parsolve.kernel.compile import compiled
from parsolve.kernel.explain import call, explain, wrong_return
from parsolve.kernel.rows import rows_to_overrun
from parsolve.kernel.search import NO_LIMIT
from parsolve.problem import Problem


class Rules:
    """A puzzle's rules, compiled and plain.

    Args:
        problem: the problem.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem, self.puzzle = problem, problem.puzzle
        self.dtype = problem.state
        self.names: tuple[str, ...] = self.dtype.names or ()
        self._declared: tuple[str, ...] = problem.declared.names
        self.tables = problem.tables
        self.root = problem.root[0]
        self.plain = PlainRules(problem)
        self.room = rows_to_overrun(1 + problem.children, self.dtype)

    def compile(self) -> None:
        """Compile the rules; before, none of them can be run but as plain Python.

        Raises:
            BadPuzzle: a rule does not compile, or returns what it must not.
        """
        cls = type(self.puzzle)
        helpers: dict[Any, Any] = {}
        try:
            expand, solved = compiled(cls.expand, helpers), compiled(cls.solved, helpers)

            def children(tables: Any, rows: Any, limit: Any) -> Any:
                return expand(tables, rows[0], limit, rows, 1)

            def is_solved(tables: Any, rows: Any) -> Any:
                return solved(tables, rows[0])

            self._children = self._compiled("expand", children, numba.int64)
            self._solved = self._compiled("solved", is_solved)
            self._key: Callable[..., Any] | None = None
            if cls.key is not None:
                key = compiled(cls.key, helpers)

                def key_of(tables: Any, rows: Any) -> Any:
                    return key(tables, rows[0])

                self._key = self._compiled("key", key_of)
        except BadPuzzle:
            raise
        except Exception as error:
            raise BadPuzzle(explain(self.puzzle, self.tables, self.room, error)) from error

    def _compiled(self, name: str, function: Callable[..., Any], *more: Any) -> Any:
        dispatcher = numba.njit(nogil=True)(function)
        dispatcher.compile((numba.typeof(self.tables), numba.typeof(self.room), *more))
        wrong = wrong_return(type(self.puzzle), name, dispatcher.nopython_signatures[0].return_type)
        if wrong:
            raise BadPuzzle(f"{type(self.puzzle).__name__}: {wrong}")
        return dispatcher

    def children(self, row: Any, limit: int = NO_LIMIT) -> np.ndarray[Any, Any]:
        """Return the children of a row, by the compiled rule."""
        end = self._run("expand", self._children, row, limit)
        return self.room[1:end].copy()

    def solved(self, row: Any) -> bool:
        """Return whether a row is solved, by the compiled rule."""
        return bool(self._run("solved", self._solved, row))

    def key(self, row: Any) -> int | None:
        """Return the key of a row, by the compiled rule; None where the puzzle gives none."""
        return None if self._key is None else int(self._run("key", self._key, row))

    def state(self, row: Any) -> State:
        """Return a row by the fields that the puzzle has."""
        return {name: row[name].tolist() for name in self._declared}

    def _run(self, name: str, kernel: Callable[..., Any], row: Any, *more: Any) -> Any:
        self.room[:1] = row
        what = f"{name!r} of {type(self.puzzle).__name__}, compiled, at {text_of(self.state(row))}"
        return on_time(what, lambda: call(kernel, self.puzzle, self.tables, self.room, *more, what=what))

    def faults_at(self, row: Any) -> Iterator[tuple[str, Fault]]:
        """Yield what the plain rules do wrong at one state, each with its kind."""
        state = self.state(row)
        try:
            with np.errstate(over="ignore"):
                every = self.plain.children(state)
                solved = self.plain.solved(state)
                if solved != self.solved(row):
                    yield "solved", Fault(f"'solved' is {solved} as Python, but not compiled", state)
                if self.plain.has_key:
                    key = self.plain.key(state)
                    if key != self.key(row):
                        yield "key", Fault(f"'key' is {key} as Python, {self.key(row)} compiled", state)
                yield from self._faults_among(every, state, row)
                for limit in range(spent_and_needed(state), spent_and_needed(state) + 3):
                    yield from self._faults_of_limit(every, limit, state, row)
        except Exception as error:
            yield fault_of(error, state)

    def _faults_among(self, every: Sequence[State], state: State, row: Any) -> Iterator[tuple[str, Fault]]:
        if len(every) > self.puzzle.children:
            text = f"'expand' gives {len(every)} children, 'children' says at most {self.puzzle.children}"
            yield "children", Fault(text, state)
        moves = [child["move"] for child in every]
        if any(a >= b for a, b in itertools.pairwise(moves)):
            yield "moves", Fault(f"the moves of the children are not distinct and rising: {moves}", state)
        for child in every:
            if child.get("cost", 0) < state.get("cost", 0):
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
        fits = [child["move"] for child in every if spent_and_needed(child) <= limit]
        for how, given in (
            ("as Python", [child["move"] for child in self.plain.children(state, limit)]),
            ("compiled", self.children(row, limit)["move"].tolist()),
        ):
            if given != fits:
                text = f"at limit {limit} 'expand' gives the moves {given} {how}; those that can meet it are {fits}"
                yield "limit", Fault(text, state)


def spent_and_needed(state: State) -> int:
    """Return cost + bound of a state; each is 0 where the puzzle has no such field."""
    return int(state.get("cost", 0)) + int(state.get("bound", 0))
