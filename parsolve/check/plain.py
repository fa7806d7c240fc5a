"""A puzzle's rules as plain Python, on stand-ins and a budget."""

from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np

from parsolve.check.endless import ALL_LINES, ENTRIES, LINES, MOST_TIMES, SECONDS, on_budget, on_time
from parsolve.check.faults import FATAL, Fault, Key, text_of
from parsolve.check.standins import CheckedRow, CheckedRows, CheckedState, Misuse, plain_tables, written
from parsolve.compiler.unsupported import plain
from parsolve.problem.costs import NO_LIMIT
from parsolve.problem.problem import Problem
from parsolve.puzzle.core import RULES, State
from parsolve.text import place_of, raised_at

GIVEN = {"unkey": "the key", "unindex": "the number"}
"""From what a rule makes a state."""


class PlainRules:
    """The rules of a puzzle as plain Python. Each raises Misuse if it breaks the contract."""

    def __init__(self, problem: Problem) -> None:
        self._name, self._dtype, self._tables = problem.name, problem.declared, plain_tables(problem.tables)
        self._rules = {name: getattr(type(problem.puzzle), name, None) for name in RULES}
        self._size = problem.size
        entries = sum(each.size for each in problem.tables if isinstance(each, np.ndarray))
        self._times = 1 + min(entries // ENTRIES, MOST_TIMES - 1)
        self._lines = 0  # lines run so far

    def has_run(self, part: float = 1) -> bool:
        """Whether this part of the budget for all calls is used: then the states so far are enough."""
        return self._lines >= part * ALL_LINES

    def children(self, state: State, limit: int = NO_LIMIT, rows: CheckedRows | None = None) -> list[State]:
        """Return the children of a state, which the rule writes into new rows, or into given ones."""
        rows = rows or CheckedRows(self._dtype)
        top = self._call("expand", state, limit, rows, 1)
        if not _is_whole(top) or int(top) < 1:
            raise Misuse(f"'expand' must return top, at least what it was given (1), not {top!r}", "type")
        return [written(rows[number]) for number in range(1, int(top))]

    def solved(self, state: State) -> bool:
        solved = self._call("solved", state)
        if not _is_whole(solved):
            raise Misuse(f"'solved' must return True or False, not {solved!r}", "type")
        return bool(solved)

    def value(self, rule: str, state: State) -> Key:
        """Return what `key`, `index` or `level` returns."""
        value = self._call(rule, state)
        if rule == "key" and isinstance(value, tuple) and value and all(map(_is_whole, value)):
            return tuple(map(int, value))
        return _whole(rule, value)

    def entry(self, number: Key) -> int:
        return _whole("entry", self._run("entry", f"the number {number}", words_from(number)))

    def made(self, rule: str, given: Key) -> State:
        """Return the state that `unkey` or `unindex` writes."""
        row = CheckedRow(self._dtype, rule)
        self._run(rule, f"{GIVEN[rule]} {given}", words_from(given), row)
        return written(row)

    def has(self, rule: str) -> bool:
        """Whether the puzzle gives a rule."""
        return self._rules[rule] is not None

    def is_number(self, number: Any) -> bool:
        """Whether a number is below the puzzle's size."""
        return bool(0 <= number < (self._size or 0))

    def walk(self, root: State, most: int) -> Iterator[Fault]:
        """Run the rules breadth-first from the root, and yield faults that prevent running.

        Args:
            root: the first state.
            most: how many states to visit; fewer if the rules take long, see `has_run`.
        """
        queue, seen = deque([root]), {repr(root)}
        for _ in range(most):
            if not queue or self.has_run(0.5):
                return
            state = queue.popleft()
            children, rows = list[State](), CheckedRows(self._dtype)
            try:
                solved = self.solved(state)
                if self.has("key"):
                    self.value("key", state)
                if self.has("index"):
                    yield from self._numbering_faults(state)
                if not solved:
                    children = self.children(state, rows=rows)
                    if state is root and rows.touched and not children:  # without rows it has no move, and no solution
                        text = "the root is not solved and has no children at any limit: does 'expand' step 'top'?"
                        yield Fault("root", text, root)
            except Exception as error:
                yield (fault := fault_of(error, state))
                if fault.kind in FATAL:
                    return
            for child in children:
                if (identity := repr(child)) not in seen:
                    seen.add(identity)
                    queue.append(child)

    def _numbering_faults(self, state: State) -> Iterator[Fault]:
        """Yield faults that prevent running at the number of a state, and at the state made from it."""
        number = self.value("index", state)
        if not self.is_number(number):
            return  # compiled, `unindex` is not called with this number
        if self.has("entry"):
            self.entry(number)
        again = self.made("unindex", number)
        try:
            self.children(again)
            self.solved(again)
        except Exception as error:
            # Cost and bound are not those of `expand`: only faults that harm memory or never end count.
            if (fault := fault_of(error, again)).kind in FATAL:
                yield fault

    def _call(self, name: str, state: State, *arguments: Any) -> Any:
        return self._run(name, text_of(state), CheckedState(self._dtype, state, name), *arguments)

    def _run(self, name: str, at: str, *arguments: Any) -> Any:
        rule = plain(self._rules[name])
        with np.errstate(over="ignore"):
            returned, lines = on_time(
                f"{name!r} of {self._name}, as Python, at {at}",
                lambda: on_budget(name, lambda: rule(self._tables, *arguments), self._times * LINES),
                self._times * SECONDS,
            )
        self._lines += lines
        if returned is None and RULES[name].returns:
            raise Misuse(f"the rule {name!r}{place_of(rule)} {RULES[name].returning_nothing}", "nothing")
        return returned


def words_from(key: Key) -> Any:
    """Return a key as rules take it: uint64, or a tuple of several."""
    return tuple(map(np.uint64, key)) if isinstance(key, tuple) else np.uint64(key)


def fault_of(error: Exception, state: State) -> Fault:
    """Return the fault of a rule's exception."""
    if isinstance(error, Misuse):
        return Fault(error.kind, str(error), state)
    kind = "beyond" if isinstance(error, IndexError) else "raises"  # compiled, it is foreign memory
    return Fault(kind, f"a rule raises {type(error).__name__} as Python: {error}{raised_at(error)}", state)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer | np.bool_)


def _whole(name: str, value: Any) -> int:
    if not _is_whole(value):
        raise Misuse(f"{name!r} must return a whole number, not {value!r} (int64 mixed with uint64?)", "type")
    return int(value)
