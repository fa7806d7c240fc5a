"""A puzzle's rules as plain Python, on stand-ins and a budget."""

from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np

from parsolve.check.endless import ALL_LINES, ENTRIES, LINES, MOST_TIMES, SECONDS, Endless, on_budget, on_time
from parsolve.check.faults import Fault, Key, State, text_of
from parsolve.check.standins import Beyond, Here, Misuse, Row, Rows, UnknownField, plain_tables
from parsolve.kernel.bytecode import plain
from parsolve.kernel.rules import NO_RETURN
from parsolve.kernel.search import NO_LIMIT
from parsolve.problem.problem import Problem
from parsolve.problem.verify import RULES
from parsolve.text import place_of, raised_at

FATAL = ("endless", "nothing", "beyond")
"""Kinds of faults after which the compiled rules cannot be run."""


class Nothing(Misuse):
    """A rule returns nothing."""


class PlainRules:
    """The rules of a puzzle as plain Python.

    Args:
        problem: the problem.
    """

    def __init__(self, problem: Problem) -> None:
        self._name, self._dtype, self._tables = problem.name, problem.declared, plain_tables(problem.tables)
        self._rules = {name: getattr(type(problem.puzzle), name, None) for name in RULES}
        self._size = problem.size
        self._dropped = False  # whether the last expansion wrote rows and kept none
        entries = sum(each.size for each in problem.tables if isinstance(each, np.ndarray))
        self._times = 1 + min(entries // ENTRIES, MOST_TIMES - 1)
        self._lines = 0  # that have run

    def has_run(self, part: float = 1) -> bool:
        """Whether a part of the lines have run that all calls may run together: then the states so far are enough."""
        return self._lines >= part * ALL_LINES

    def children(self, state: State, limit: int = NO_LIMIT) -> list[State]:
        """Return the children of a state.

        Raises:
            Misuse: the rule breaks the contract.
        """
        rows = Rows(self._dtype)
        top = self._call("expand", state, limit, rows, 1)
        if not _is_whole(top) or int(top) < 1:
            raise Misuse(f"'expand' must return top, at least what it was given (1), not {top!r}")
        self._dropped = top == 1 and rows.touched
        return [rows.written(number) for number in range(1, int(top))]

    def solved(self, state: State) -> bool:
        """Return whether a state is solved.

        Raises:
            Misuse: the rule breaks the contract.
        """
        solved = self._call("solved", state)
        if not isinstance(solved, bool | np.bool_) and not _is_whole(solved):
            raise Misuse(f"'solved' must return True or False, not {solved!r}")
        return bool(solved)

    def key(self, state: State) -> Key:
        """Return the key of a state.

        Raises:
            Misuse: the rule breaks the contract.
        """
        key = self._call("key", state)
        if isinstance(key, tuple) and key and all(map(_is_whole, key)):
            return tuple(map(int, key))
        return self._whole("key", key)

    def index(self, state: State) -> int:
        """Return the number of a state.

        Raises:
            Misuse: the rule breaks the contract.
        """
        return self._whole("index", self._call("index", state))

    def unindex(self, number: int) -> State:
        """Return the state of a number; its cost and bound are 0 if the rule does not set them.

        Raises:
            Misuse: the rule breaks the contract.
        """
        return self._written("unindex", number, f"the number {number}")

    def unkey(self, key: int) -> State:
        """Return the state of a key of one word; its cost and bound are 0 if the rule does not set them.

        Raises:
            Misuse: the rule breaks the contract.
        """
        return self._written("unkey", key, f"the key {key}")

    def _written(self, rule: str, word: int, at: str) -> State:
        given = {name: 0 for name in ("cost", "bound") if name in self._dtype.names}
        row = Row(self._dtype, rule, given)
        self._run(rule, at, np.uint64(word), row)
        return row.state()

    def reverse(self, state: State) -> State:
        """Return the image of a state by `reverse`; its cost and bound are 0 if the rule does not set them.

        Raises:
            Misuse: the rule breaks the contract.
        """
        given = {name: 0 for name in ("cost", "bound") if name in self._dtype.names}
        row = Row(self._dtype, "reverse", given)
        self._call("reverse", state, row)
        return row.state()

    def entry(self, number: int) -> int:
        """Return the place of a number in the table of distances.

        Raises:
            Misuse: the rule breaks the contract.
        """
        return self._whole("entry", self._run("entry", f"the number {number}", np.uint64(number)))

    def has(self, rule: str) -> bool:
        """Whether the puzzle gives a rule."""
        return self._rules[rule] is not None

    def walk(self, root: State, most: int) -> Iterator[tuple[str, Fault]]:
        """Run the rules breadth-first from the root, and yield what cannot be run at all, each with its kind.

        Args:
            root: the first state.
            most: how many states to visit; fewer where the rules take long, see `has_run`.
        """
        queue, seen = deque([root]), {repr(root)}
        for _ in range(most):
            if not queue or self.has_run(0.5):
                return
            state = queue.popleft()
            children: list[State] = []
            try:
                with np.errstate(over="ignore"):
                    solved = self.solved(state)
                    if self.has("key"):
                        self.key(state)
                    if self.has("index"):
                        yield from self._numbering_faults(state)
                    if not solved:
                        children = self.children(state)
                        if state is root and self._dropped:  # else there is no move: it has no solution
                            text = "the root is not solved and has no children at any limit: does 'expand' step 'top'?"
                            yield "root", Fault(text, root)
            except Exception as error:
                kind, fault = fault_of(error, state)
                yield kind, fault
                if kind in FATAL:
                    return
            for child in children:
                if (identity := repr(child)) not in seen:
                    seen.add(identity)
                    queue.append(child)

    def _numbering_faults(self, state: State) -> Iterator[tuple[str, Fault]]:
        """Yield what cannot be run at all at the number of a state, and at the state that it is turned back into."""
        number = self.index(state)
        if not 0 <= number < (self._size or 0):
            return  # compiled, `unindex` is not called with it
        if self.has("entry"):
            self.entry(number)
        again = self.unindex(number)
        try:
            self.children(again)
            self.solved(again)
        except Exception as error:
            # Cost and bound are not what `expand` would have made: only what harms the memory or never ends counts.
            kind, fault = fault_of(error, again)
            if kind in FATAL:
                yield kind, fault

    def _call(self, name: str, state: State, *arguments: Any) -> Any:
        here = Here(self._dtype, {field: state[field] for field in self._dtype.names})
        return self._run(name, text_of(state), here, *arguments)

    def _run(self, name: str, at: str, *arguments: Any) -> Any:
        rule = plain(self._rules[name])
        returned, lines = on_time(
            f"{name!r} of {self._name}, as Python, at {at}",
            lambda: on_budget(name, lambda: rule(self._tables, *arguments), self._times * LINES),
            self._times * SECONDS,
        )
        self._lines += lines
        if returned is None and name in NO_RETURN:
            raise Nothing(f"the rule {name!r}{place_of(rule)} {NO_RETURN[name]}")
        return returned

    @staticmethod
    def _whole(name: str, value: Any) -> int:
        if not _is_whole(value):
            raise Misuse(f"{name!r} must return a whole number, not {value!r} (int64 mixed with uint64?)")
        return int(value)


def fault_of(error: Exception, state: State) -> tuple[str, Fault]:
    """Return the fault that an exception of a rule is, and its kind."""
    if isinstance(error, Endless):
        return "endless", Fault(str(error), state)
    if isinstance(error, Nothing):
        return "nothing", Fault(str(error), state)
    if isinstance(error, Beyond):
        return "beyond", Fault(str(error), state)
    if isinstance(error, UnknownField):
        return "field", Fault(str(error), state)
    if isinstance(error, Misuse):
        return str(error)[:30], Fault(str(error), state)
    return "raises", Fault(f"a rule raises {type(error).__name__} as Python: {error}{raised_at(error)}", state)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer | np.bool_)
