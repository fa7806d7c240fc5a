"""A puzzle's rules, compiled and as plain Python, held against each other at one state."""

import itertools
import types
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import numba
import numpy as np

from parsolve.check.endless import on_time
from parsolve.check.faults import Fault, Key, State, text_of
from parsolve.check.plain import PlainRules, fault_of
from parsolve.errors import BadPuzzle, NotReproducible
from parsolve.kernel import functions
from parsolve.kernel.explain import call, explain, wrong_return
from parsolve.kernel.rows import rows_to_overrun
from parsolve.kernel.search import NO_LIMIT
from parsolve.problem import Problem
from parsolve.puzzle import Puzzle


@cache
def compiled_rules(cls: type[Puzzle]) -> dict[str, Any]:
    """Return a class's rules by name, to be compiled once for each type of their arguments.

    Each is kept in the kernel cache by itself: classes that share a rule, and an edit of another one, compile nothing.

    Raises:
        BadPuzzle: functions call each other in a circle.
    """
    helpers: dict[Any, Any] = {}
    names = ("expand", "solved", "key", "index", "unindex", "entry", "unkey", "reverse")
    rules: dict[str, Any] = {name: getattr(cls, name) for name in names if getattr(cls, name) is not None}
    if cls.index is None:  # an entry is that of a number
        rules.pop("entry", None)
    for name, rule in rules.items():
        if isinstance(rule, types.FunctionType):
            rules[name] = functions.kept(functions.compiled(rule, helpers, nogil=True), f"check-{name}")
        else:  # its author has compiled it: its options are his
            rules[name] = numba.njit(nogil=True)(_wrapper(name, rule))
    return rules


def _wrapper(name: str, rule: Any) -> Callable[..., Any]:
    def expanded(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        return rule(tables, here, limit, rows, top)

    def of_one(tables: Any, one: Any) -> Any:
        return rule(tables, one)

    def written(tables: Any, number: Any, row: Any) -> Any:
        rule(tables, number, row)

    wrappers: dict[str, Callable[..., Any]] = {
        "expand": expanded,
        "unindex": written,
        "unkey": written,
        "reverse": written,
    }
    return wrappers.get(name, of_one)


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
        self._compiled: dict[str, Callable[..., Any]]
        try:
            rules = compiled_rules(type(self.puzzle))
            if numba.config.DISABLE_JIT:
                self._compiled = rules
                return
            tables, rows = numba.typeof(self.tables), numba.typeof(self.room)
            kinds_of = {
                "expand": (tables, rows.dtype, numba.int64, rows, numba.int64),
                "entry": (tables, numba.uint64),
                **dict.fromkeys(("unindex", "unkey"), (tables, numba.uint64, rows.dtype)),
                "reverse": (tables, rows.dtype, rows.dtype),
            }
            # Called past the dispatcher, which would look at the types of tables and rows each time, for 0.3 ms.
            self._compiled = {}
            for name, dispatcher in rules.items():
                kinds = kinds_of.get(name, (tables, rows.dtype))
                dispatcher.compile(kinds)
                made = dispatcher.overloads[kinds]
                wrong = wrong_return(type(self.puzzle), name, made.signature.return_type)
                if wrong:
                    raise BadPuzzle(f"{type(self.puzzle).__name__}: {wrong}")
                self._compiled[name] = made.entry_point
        except BadPuzzle:
            raise
        except Exception as error:
            raise BadPuzzle(explain(self.puzzle, self.tables, self.room, error)) from error

    def children(self, row: Any, limit: int = NO_LIMIT) -> np.ndarray[Any, Any]:
        """Return the children of a row, by the compiled rule."""
        end = self._run("expand", row, limit, self.room, 1)
        return self.room[1:end].copy()

    def replay(self, moves: Sequence[int]) -> list[Any]:
        """Return the rows along a path of moves from the root, by the compiled rule.

        Raises:
            NotReproducible: a move is not there.
        """
        rows = [self.root]
        for move in moves:
            children = self.children(rows[-1])
            found = children[children["move"] == move]
            if not len(found):
                raise NotReproducible(f"{self.problem.name}: move {len(rows) - 1} of a solution is not there")
            rows.append(found[0])
        return rows

    def solved(self, row: Any) -> bool:
        """Return whether a row is solved, by the compiled rule."""
        return bool(self._run("solved", row))

    def key(self, row: Any) -> Key | None:
        """Return the key of a row, by the compiled rule; None where the puzzle gives none."""
        if "key" not in self._compiled:
            return None
        key = self._run("key", row)
        return tuple(map(int, key)) if isinstance(key, tuple) else int(key)

    def index(self, row: Any) -> int:
        """Return the number of a row, by the compiled rule."""
        return int(self._run("index", row))

    def unindex(self, number: int) -> Any:
        """Return the row of a number, by the compiled rule; it must be below the puzzle's size. Cost and bound are 0
        if the rule does not set them."""
        return self._written("unindex", number, f"the number {number}")

    def unkey(self, key: int) -> Any:
        """Return the row of a key of one word, by the compiled rule. Cost and bound are 0 if the rule does not set
        them."""
        return self._written("unkey", key, f"the key {key}")

    def reverse(self, row: Any) -> Any:
        """Return the image of a row, by the compiled rule. Cost and bound are 0 if it does not set them."""
        self.room[1:2] = np.zeros((), self.dtype)
        self._run("reverse", row, self.room[1])
        return self.room[1].copy()

    def entry(self, number: int) -> int:
        """Return the place of a number in the table of distances, by the compiled rule."""
        return int(self._call("entry", np.uint64(number), at=f"the number {number}"))

    def state(self, row: Any) -> State:
        """Return a row by the fields that the puzzle has."""
        return {name: row[name].tolist() for name in self._declared}

    def own_fields(self, row: Any) -> State:
        """Return a row by the puzzle's own fields."""
        return {name: row[name].tolist() for name in self.problem.own_fields}

    def _run(self, name: str, row: Any, *more: Any) -> Any:
        self.room[:1] = row
        return self._call(name, self.room[0], *more, at=text_of(self.state(row)))

    def _written(self, name: str, number: int, at: str) -> Any:
        self.room[:1] = np.zeros((), self.dtype)
        self._call(name, np.uint64(number), self.room[0], at=at)
        return self.room[0].copy()

    def _call(self, name: str, *arguments: Any, at: str) -> Any:
        what = f"{name!r} of {type(self.puzzle).__name__}, compiled, at {at}"
        return on_time(what, lambda: call(self._compiled[name], self.puzzle, self.tables, *arguments, what=what))

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
