"""A puzzle's rules, compiled and as plain Python, compared with each other at one state."""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from parsolve.check.endless import on_time
from parsolve.check.faults import Fault, Key, text_of
from parsolve.check.plain import GIVEN, PlainRules, fault_of, words_from
from parsolve.compiler.cache import CompiledFunction
from parsolve.compiler.keys import MOST_WORDS
from parsolve.compiler.rows import rows_to_overrun
from parsolve.errors import BadPuzzle
from parsolve.levels.states import own_fields
from parsolve.problem.calling import call_kernel
from parsolve.problem.costs import NO_LIMIT
from parsolve.problem.problem import Problem
from parsolve.puzzle.core import State


class ComparedRules:
    """A puzzle's rules: the methods run the compiled rules of their names, `plain` has the uncompiled ones."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.puzzle = problem, problem.puzzle
        self.dtype = problem.state
        self._declared: tuple[str, ...] = problem.declared.names
        self.tables = problem.tables
        self.root = problem.root[0]
        self.plain = PlainRules(problem)
        self.room = rows_to_overrun(1 + problem.children, self.dtype)
        self._words = np.zeros(MOST_WORDS, np.uint64)
        self._known: dict[tuple[str, bytes, int], Any] = {}

    def compile(self) -> None:
        """Compile the rules; before that, only the plain rules can run.

        Raises:
            BadPuzzle: a rule does not compile, or returns a value of a wrong type; or there is no key for `unkey`.
        """
        more: dict[str, tuple[Any, ...]] = dict.fromkeys(("entry", "unindex"), (np.uint64(0),))
        if self.plain.has("unkey"):
            root = self.state(self.root)
            try:
                more["unkey"] = (words_from(self.plain.value("key", root)),)
            except Exception as error:
                raise BadPuzzle(str(fault_of(error, root))) from error
        for name, rule in self.problem.compiled_rules.single.items():
            if isinstance(rule, CompiledFunction):
                call_kernel(rule.ready, self.puzzle, self.tables, self.room, *more.get(name, self._more(name)))

    def children(self, row: Any, limit: int = NO_LIMIT) -> np.ndarray[Any, Any]:
        """Return the children of a row, which are not to be changed."""
        children: np.ndarray[Any, Any] = self._run("expand", row, limit)
        return children

    def solved(self, row: Any) -> bool:
        return bool(self._run("solved", row))

    def value(self, rule: str, row: Any) -> Key:
        """Return what `key`, `index` or `level` returns."""
        value: Key = self._run(rule, row)
        return value

    def entry(self, number: Key) -> int:
        return int(self._call("entry", words_from(number), at=f"the number {number}"))

    def made(self, rule: str, given: Key) -> Any:
        """Return the row that `unkey` or `unindex` makes of a key or a number. Cost and bound are 0 if it sets none."""
        self.room[:1] = np.zeros((), self.dtype)
        self._call(rule, words_from(given), at=f"{GIVEN[rule]} {given}")
        return self.room[0].copy()

    def state(self, row: Any) -> State:
        """Return a row by the fields of the puzzle's state."""
        return {name: row[name].tolist() for name in self._declared}

    def text(self, row: Any) -> str:
        """Return a row by the puzzle's own fields."""
        return own_fields(self.problem, row)

    def _run(self, name: str, row: Any, limit: int = NO_LIMIT) -> Any:
        """Return what a rule gives for a row. It is called once for each."""
        at = name, row.tobytes(), limit
        if at not in self._known:
            self.room[0], self.room[1] = row, np.zeros((), self.dtype)
            end = self._call(name, *self._more(name, limit), at=text_of(self.state(row)))
            if name == "expand":
                self._known[at] = self.room[1:end].copy()
            elif name == "key":
                self._known[at] = tuple(self._words[:end].tolist()) if end > 1 else int(self._words[0])
            else:
                self._known[at] = int(end)
        return self._known[at]

    def _more(self, name: str, limit: int = NO_LIMIT) -> tuple[Any, ...]:
        """Return what a rule takes besides the tables and the row."""
        return {"expand": (limit, 1), "key": (self._words,)}.get(name, ())

    def _call(self, name: str, *arguments: Any, at: str) -> Any:
        what = f"{name!r} of {type(self.puzzle).__name__}, compiled, at {at}"
        rule = self.problem.compiled_rules.single[name]
        return on_time(what, lambda: call_kernel(rule, self.puzzle, self.tables, self.room, *arguments, what=what))

    def solved_faults(self, row: Any) -> Iterator[Fault]:
        """Yield the fault of the plain rule `solved` at one state, if there is one."""
        state = self.state(row)
        try:
            solved = self.plain.solved(state)
            if solved != self.solved(row):
                yield Fault("solved", f"'solved' is {solved} as Python, but not compiled", state)
        except Exception as error:
            yield fault_of(error, state)

    def faults_at(self, row: Any) -> Iterator[Fault]:
        """Yield the faults of the other plain rules at one state."""
        state = self.state(row)
        try:
            every = self.plain.children(state)
            for rule, what, as_python, compiled in self._values(state, row):
                if as_python != compiled:
                    yield Fault(rule, f"{what} {as_python} as Python, {compiled} compiled", state)
            yield from self._faults_among(every, state, row)
            for limit in range(spent_and_needed(state), spent_and_needed(state) + 3):
                yield from self._faults_of_limit(every, limit, state, row)
        except Exception as error:
            yield fault_of(error, state)

    def _values(self, state: State, row: Any) -> Iterator[tuple[str, str, Any, Any]]:
        """Yield what rules give for keys, numbers and levels: the rule, its part of a message, what it gives as
        Python, and compiled."""
        plain = self.plain
        for rule in filter(plain.has, ("key", "index", "level")):
            value, back = plain.value(rule, state), f"un{rule}"
            yield rule, f"{rule!r} is", value, self.value(rule, row)
            if rule == "index" and not plain.is_number(value):
                continue
            if back in GIVEN and plain.has(back):
                what = f"{back!r} of {value}, {GIVEN[back]} of this state, gives"
                yield back, what, plain.made(back, value), self.state(self.made(back, value))
            if rule == "index" and plain.has("entry"):
                yield "entry", f"'entry' of {value} is", plain.entry(value), self.entry(value)

    def crowded(self, children: int, state: State) -> Fault:
        """Return the fault of a state with too many children."""
        text = f"'expand' gives {children} children, 'children' says at most {self.puzzle.children}"
        return Fault("children", text, state)

    def _faults_among(self, every: Sequence[State], state: State, row: Any) -> Iterator[Fault]:
        if len(every) > self.puzzle.children:
            yield self.crowded(len(every), state)
        moves = [child["move"] for child in every]
        if any(a >= b for a, b in itertools.pairwise(moves)):
            yield Fault("moves", f"the moves of the children are not distinct and rising: {moves}", state)
        made = [self.state(child) for child in self.children(row)]
        if made != every:
            differ = (pair for pair in zip(every, made, strict=False) if pair[0] != pair[1])
            as_python, compiled = next(differ, (len(every), len(made)))
            text = f"'expand' gives {as_python} as Python, {compiled} compiled (int64 mixed with uint64?)"
            yield Fault("compiled", text, state)

    def _faults_of_limit(self, every: Sequence[State], limit: int, state: State, row: Any) -> Iterator[Fault]:
        fits = [child["move"] for child in every if spent_and_needed(child) <= limit]
        for how, given in (
            ("as Python", [child["move"] for child in self.plain.children(state, limit)]),
            ("compiled", self.children(row, limit)["move"].tolist()),
        ):
            if given != fits:
                text = f"at limit {limit} 'expand' gives the moves {given} {how}; those that can meet it are {fits}"
                yield Fault("limit", text, state)


def spent_and_needed(state: State) -> int:
    """Return cost + bound of a state; a missing field counts as 0."""
    return int(state.get("cost", 0)) + int(state.get("bound", 0))
