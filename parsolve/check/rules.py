"""A puzzle's rules, compiled and as plain Python, held against each other at one state."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numba
import numpy as np

from parsolve.check.endless import on_time
from parsolve.check.faults import Fault, Key, State, text_of
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
            if cls.index is not None:
                self._compile_numbering(helpers)
            if cls.unkey is not None:
                unkey = compiled(cls.unkey, helpers)

                def write_keyed(tables: Any, rows: Any, key: Any) -> Any:
                    unkey(tables, key, rows[0])

                self._unkey = self._compiled("unkey", write_keyed, numba.uint64)
        except BadPuzzle:
            raise
        except Exception as error:
            raise BadPuzzle(explain(self.puzzle, self.tables, self.room, error)) from error

    def _compile_numbering(self, helpers: dict[Any, Any]) -> None:
        cls: Any = type(self.puzzle)
        index, unindex = compiled(cls.index, helpers), compiled(cls.unindex, helpers)

        def index_of(tables: Any, rows: Any) -> Any:
            return index(tables, rows[0])

        def write_state(tables: Any, rows: Any, number: Any) -> Any:
            unindex(tables, number, rows[0])

        self._index = self._compiled("index", index_of)
        self._unindex = self._compiled("unindex", write_state, numba.uint64)
        if cls.entry is not None:
            entry = compiled(cls.entry, helpers)

            def entry_of(tables: Any, rows: Any, number: Any) -> Any:
                return entry(tables, number)

            self._entry = self._compiled("entry", entry_of, numba.uint64)

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

    def key(self, row: Any) -> Key | None:
        """Return the key of a row, by the compiled rule; None where the puzzle gives none."""
        if self._key is None:
            return None
        key = self._run("key", self._key, row)
        return tuple(map(int, key)) if isinstance(key, tuple) else int(key)

    def index(self, row: Any) -> int:
        """Return the number of a row, by the compiled rule."""
        return int(self._run("index", self._index, row))

    def unindex(self, number: int) -> Any:
        """Return the row of a number, by the compiled rule; it must be below the puzzle's size. Cost and bound are 0
        if the rule does not set them."""
        nothing = np.zeros((), self.dtype)
        self._run("unindex", self._unindex, nothing, np.uint64(number), at=f"the number {number}")
        return self.room[0].copy()

    def unkey(self, key: int) -> Any:
        """Return the row of a key of one word, by the compiled rule. Cost and bound are 0 if the rule does not set
        them."""
        nothing = np.zeros((), self.dtype)
        self._run("unkey", self._unkey, nothing, np.uint64(key), at=f"the key {key}")
        return self.room[0].copy()

    def entry(self, number: int) -> int:
        """Return the place of a number in the table of distances, by the compiled rule."""
        nothing = np.zeros((), self.dtype)
        return int(self._run("entry", self._entry, nothing, np.uint64(number), at=f"the number {number}"))

    def state(self, row: Any) -> State:
        """Return a row by the fields that the puzzle has."""
        return {name: row[name].tolist() for name in self._declared}

    def own_fields(self, row: Any) -> State:
        """Return a row by the puzzle's own fields."""
        return {name: row[name].tolist() for name in self.problem.own_fields}

    def _run(self, name: str, kernel: Callable[..., Any], row: Any, *more: Any, at: str = "") -> Any:
        self.room[:1] = row
        what = f"{name!r} of {type(self.puzzle).__name__}, compiled, at {at or text_of(self.state(row))}"
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
                if self.plain.has("index"):
                    yield from self._faults_of_number(state, row)
                if self.plain.has("key"):
                    key = self.plain.key(state)
                    if key != self.key(row):
                        yield "key", Fault(f"'key' is {key} as Python, {self.key(row)} compiled", state)
                yield from self._faults_among(every, state, row)
                for limit in range(spent_and_needed(state), spent_and_needed(state) + 3):
                    yield from self._faults_of_limit(every, limit, state, row)
        except Exception as error:
            yield fault_of(error, state)

    def _faults_of_number(self, state: State, row: Any) -> Iterator[tuple[str, Fault]]:
        number, made = self.plain.index(state), self.index(row)
        if number != made:
            yield "index", Fault(f"'index' is {number} as Python, {made} compiled", state)
        elif 0 <= number < (self.problem.size or 0):
            again, made_again = self.plain.unindex(number), self.state(self.unindex(number))
            if again != made_again:
                text = f"'unindex' of {number}, the number of this state, gives {again} as Python"
                yield "unindex", Fault(f"{text}, {made_again} compiled", state)
            if self.plain.has("entry") and (entry := self.plain.entry(number)) != self.entry(number):
                yield "entry", Fault(f"'entry' of {number} is {entry} as Python, {self.entry(number)} compiled", state)

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
