"""A puzzle's rules as plain Python, on stand-ins and a budget."""

from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np

from parsolve.check.endless import Endless, on_budget, on_time
from parsolve.check.faults import Fault, State, text_of
from parsolve.check.standins import Beyond, Here, Misuse, Rows, UnknownField, plain_tables
from parsolve.kernel.bytecode import plain
from parsolve.kernel.compile import NO_RETURN
from parsolve.kernel.search import NO_LIMIT
from parsolve.problem import Problem
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
        self._rules = {name: getattr(type(problem.puzzle), name, None) for name in ("expand", "solved", "key")}
        self._dropped = False  # whether the last expansion wrote rows and kept none

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

    def key(self, state: State) -> int:
        """Return the key of a state.

        Raises:
            Misuse: the rule breaks the contract.
        """
        key = self._call("key", state)
        if not _is_whole(key):
            raise Misuse(f"'key' must return a whole number, not {key!r} (int64 mixed with uint64?)")
        return int(key)

    @property
    def has_key(self) -> bool:
        """Whether the puzzle gives a key."""
        return self._rules["key"] is not None

    def walk(self, root: State, most: int) -> Iterator[tuple[str, Fault]]:
        """Run the rules breadth-first from the root, and yield what cannot be run at all, each with its kind.

        Args:
            root: the first state.
            most: how many states to visit.
        """
        queue, seen = deque([root]), {repr(root)}
        for _ in range(most):
            if not queue:
                return
            state = queue.popleft()
            children: list[State] = []
            try:
                with np.errstate(over="ignore"):
                    solved = self.solved(state)
                    if self.has_key:
                        self.key(state)
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

    def _call(self, name: str, state: State, *arguments: Any) -> Any:
        rule, here = plain(self._rules[name]), Here(self._dtype, {field: state[field] for field in self._dtype.names})
        returned = on_time(
            f"{name!r} of {self._name}, as Python, at {text_of(state)}",
            lambda: on_budget(name, lambda: rule(self._tables, here, *arguments)),
        )
        if returned is None:
            raise Nothing(f"the rule {name!r}{place_of(rule)} {NO_RETURN[name]}")
        return returned


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
