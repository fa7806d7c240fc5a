"""A puzzle's rules, compiled and as plain Python, compared with each other at one state."""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from parsolve.check.endless import on_time
from parsolve.check.faults import Fault, Key, State, text_of
from parsolve.check.plain import PlainRules, fault_of, words_from
from parsolve.compiler.cache import CompiledFunction
from parsolve.compiler.keys import MOST_WORDS
from parsolve.compiler.rows import rows_to_overrun
from parsolve.errors import NotReproducible
from parsolve.problem.calling import call
from parsolve.problem.problem import Problem
from parsolve.problem.states import NO_LIMIT


class Rules:
    """A puzzle's rules: the methods run the compiled rules of their names, `plain` has the uncompiled ones.

    Args:
        problem: the problem.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem, self.puzzle = problem, problem.puzzle
        self.dtype = problem.state
        self._declared: tuple[str, ...] = problem.declared.names
        self.tables = problem.tables
        self.root = problem.root[0]
        self.plain = PlainRules(problem)
        self.room = rows_to_overrun(1 + problem.children, self.dtype)
        self._words = np.zeros(MOST_WORDS, np.uint64)

    def compile(self) -> None:
        """Compile the rules; before that, only the plain rules can run.

        Raises:
            BadPuzzle: a rule does not compile, or returns a value of a wrong type.
        """
        self._compiled = self.problem.compiled_rules.single
        number, words = np.uint64(0), self._words
        more = {
            "expand": (NO_LIMIT, 1),
            "key": (words,),
            **dict.fromkeys(("entry", "unindex"), (number,)),
        }
        if self.plain.has("unkey"):
            more["unkey"] = (words_from(self.plain.key(self.state(self.root))),)
        for name, rule in self._compiled.items():
            if isinstance(rule, CompiledFunction):
                call(rule.ready, self.puzzle, self.tables, self.room, *more.get(name, ()))

    def children(self, row: Any, limit: int = NO_LIMIT) -> np.ndarray[Any, Any]:
        end = self._run("expand", row, limit, 1)
        return self.room[1:end].copy()

    def replay(self, moves: Sequence[int]) -> list[Any]:
        """Return the rows along a path of moves from the root.

        Raises:
            NotReproducible: a move is missing.
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
        return bool(self._run("solved", row))

    def key(self, row: Any) -> Key | None:
        """Return the key of a row; None if the puzzle has none."""
        if "key" not in self._compiled:
            return None
        number = self._run("key", row, self._words)
        return tuple(self._words[:number].tolist()) if number > 1 else int(self._words[0])

    def name(self, row: Any) -> Key | None:
        """Return what searches know a state by: its key or its number; None if the puzzle gives neither."""
        return self.index(row) if self.problem.key_rule == "index" else self.key(row)

    def index(self, row: Any) -> int:
        return int(self._run("index", row))

    def entry(self, number: int) -> int:
        return int(self._call("entry", np.uint64(number), at=f"the number {number}"))

    # Cost and bound are 0 if the following rules do not set them.

    def unindex(self, number: int) -> Any:
        return self._written("unindex", np.uint64(number), f"the number {number}")

    def unkey(self, key: Key) -> Any:
        return self._written("unkey", words_from(key), f"the key {key}")

    def level(self, row: Any) -> int:
        return int(self._run("level", row))

    def reverse(self, row: Any) -> Any:
        self.room[1:2] = np.zeros((), self.dtype)
        self._run("reverse", row)
        return self.room[1].copy()

    def state(self, row: Any) -> State:
        """Return a row by the fields of the puzzle's state."""
        return {name: row[name].tolist() for name in self._declared}

    def own_fields(self, row: Any) -> State:
        """Return a row by the puzzle's own fields."""
        return {name: row[name].tolist() for name in self.problem.own_fields}

    def _run(self, name: str, row: Any, *more: Any) -> Any:
        self.room[:1] = row
        return self._call(name, *more, at=text_of(self.state(row)))

    def _written(self, name: str, number: Any, at: str) -> Any:
        self.room[:1] = np.zeros((), self.dtype)
        self._call(name, number, at=at)
        return self.room[0].copy()

    def _call(self, name: str, *arguments: Any, at: str) -> Any:
        what = f"{name!r} of {type(self.puzzle).__name__}, compiled, at {at}"
        rule = self._compiled[name]
        return on_time(what, lambda: call(rule, self.puzzle, self.tables, self.room, *arguments, what=what))

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
            if self.plain.has("index"):
                yield from self._faults_of_number(state, row)
            if self.plain.has("key"):
                key = self.plain.key(state)
                if key != self.key(row):
                    yield Fault("key", f"'key' is {key} as Python, {self.key(row)} compiled", state)
            if self.plain.has("level") and (level := self.plain.level(state)) != self.level(row):
                yield Fault("level", f"'level' is {level} as Python, {self.level(row)} compiled", state)
            yield from self._faults_among(every, state, row)
            for limit in range(spent_and_needed(state), spent_and_needed(state) + 3):
                yield from self._faults_of_limit(every, limit, state, row)
        except Exception as error:
            yield fault_of(error, state)

    def _faults_of_number(self, state: State, row: Any) -> Iterator[Fault]:
        number, made = self.plain.index(state), self.index(row)
        if number != made:
            yield Fault("index", f"'index' is {number} as Python, {made} compiled", state)
        elif 0 <= number < (self.problem.size or 0):
            again, made_again = self.plain.unindex(number), self.state(self.unindex(number))
            if again != made_again:
                text = f"'unindex' of {number}, the number of this state, gives {again} as Python"
                yield Fault("unindex", f"{text}, {made_again} compiled", state)
            if self.plain.has("entry") and (entry := self.plain.entry(number)) != self.entry(number):
                yield Fault("entry", f"'entry' of {number} is {entry} as Python, {self.entry(number)} compiled", state)

    def _faults_among(self, every: Sequence[State], state: State, row: Any) -> Iterator[Fault]:
        if len(every) > self.puzzle.children:
            text = f"'expand' gives {len(every)} children, 'children' says at most {self.puzzle.children}"
            yield Fault("children", text, state)
        moves = [child["move"] for child in every]
        if any(a >= b for a, b in itertools.pairwise(moves)):
            yield Fault("moves", f"the moves of the children are not distinct and rising: {moves}", state)
        for child in every:
            if child.get("cost", 0) < state.get("cost", 0):
                yield Fault("cost", f"the cost falls to {child['cost']} by move {child['move']}", state)
        made = [self.state(child) for child in self.children(row)]
        if made != every:
            differ = (pair for pair in zip(every, made, strict=False) if pair[0] != pair[1])
            plain, compiled = next(differ, (len(every), len(made)))
            text = f"'expand' gives {plain} as Python, {compiled} compiled (int64 mixed with uint64?)"
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
