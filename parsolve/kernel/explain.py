"""What went wrong in a puzzle's rules, in one plain sentence with file and line: no traceback, nothing of numba's."""

from collections.abc import Callable
from typing import Any

import numba
from numba.core import types as _types
from numba.core.errors import NumbaError

from parsolve.activity import doing
from parsolve.errors import BadPuzzle, RuleRaised
from parsolve.kernel.compile import NO_RETURN
from parsolve.kernel.complaints import first_line, named, why
from parsolve.kernel.functions import compiled
from parsolve.kernel.keys import MOST_WORDS, is_tuple_of_words
from parsolve.puzzle import Puzzle
from parsolve.text import place_of, shown

RETURNS = {
    "weight": "two whole numbers",
    "expand": "top, a whole number",
    "solved": "True or False",
    "key": "a whole number (uint64)",
    "index": "a whole number (uint64)",
    "entry": "a whole number (uint64)",
}
"""What each rule must return."""


def call(kernel: Callable[..., Any], puzzle: Puzzle, *arguments: Any, what: str = "") -> Any:
    """Call a kernel with a puzzle's tables, rows and what else it takes; say which rule fails, and where.

    Args:
        kernel: compiled on its first call.
        puzzle: whose rules it runs.
        arguments: tables, rows, and what else it takes.
        what: what runs, for whoever watches; by default some rule of the puzzle.

    Raises:
        BadPuzzle: a rule does not compile.
        RuleRaised: a rule raises.
    """
    try:
        with doing(what or f"a rule of {type(puzzle).__name__} ('expand' or 'solved'; parsolve check finds the state)"):
            return kernel(*arguments)
    except Exception as error:
        if isinstance(error, NumbaError) or _from_compiler(error):
            raise BadPuzzle(explain(puzzle, arguments[0], arguments[1], error)) from error
        text = f"{type(puzzle).__name__}: a rule raises {type(error).__name__}: {error}"
        raise RuleRaised(f"{text} (parsolve check finds the state)") from error


def explain(puzzle: Puzzle, tables: Any, rows: Any, whole: BaseException) -> str:
    """Return one line that says which rule of a puzzle does not compile, where and why: each is compiled by itself.

    Args:
        puzzle: the puzzle.
        tables: its tables.
        rows: an array of states.
        whole: what the compiler raised for all rules together.
    """
    cls = type(puzzle)
    unknown = next((value for value in tables if not _has_type(value)), None)
    if unknown is not None:
        return f"{cls.__name__}: 'tables' holds {shown(unknown)}, and compiled code reads arrays and numbers alone"
    tables_type, rows_type = numba.typeof(tables), numba.typeof(rows)
    state = rows_type.dtype
    kinds_of = {
        "expand": (tables_type, state, numba.int64, rows_type, numba.int64),
        **dict.fromkeys(("solved", "key", "weight", "index"), (tables_type, state)),
        **dict.fromkeys(("unkey", "unindex"), (tables_type, numba.uint64, state)),
        "entry": (tables_type, numba.uint64),
    }
    for name, kinds in kinds_of.items():
        rule = getattr(cls, name, None)
        if rule is None:
            continue
        try:
            dispatcher = compiled(rule, {})
            dispatcher.compile(kinds)
        except BadPuzzle as error:
            return f"{cls.__name__}: {error}"
        except Exception as error:
            reason = why(rule, error, tables, puzzle.state.names)
            return f"{cls.__name__}: the rule {name!r} does not compile{reason.place(rule)}: {reason.text}"
        wrong = wrong_return(cls, name, dispatcher.nopython_signatures[-1].return_type)
        if wrong:
            return f"{cls.__name__}: {wrong}"
    return f"{cls.__name__}: the rules do not compile: {first_line(whole)}"


def _has_type(value: Any) -> bool:
    """Return whether numba knows what a value is."""
    try:
        numba.typeof(value)
    except ValueError:
        return False
    return True


def wrong_return(cls: type[Puzzle], name: str, kind: Any) -> str:
    """Return what is wrong with the type that a compiled rule returns; empty for nothing.

    Args:
        cls: the puzzle's class.
        name: the rule's name.
        kind: a numba type.
    """
    kinds: Any = _types
    subject = f"the rule {name!r}{place_of(getattr(cls, name))}"
    if name not in RETURNS:
        return ""
    if isinstance(kind, kinds.NoneType):
        return f"{subject} {NO_RETURN[name]}"
    if isinstance(kind, kinds.Optional):
        return f"{subject} returns nothing in some cases: every 'return' must give {RETURNS[name]}, also at its end"
    if name == "weight":
        parts = list(kind) if isinstance(kind, kinds.BaseTuple) else []
        if len(parts) == 2 and all(isinstance(part, kinds.Integer | kinds.Boolean) for part in parts):
            return ""
        return f"{subject} must return {RETURNS[name]}, not {named(str(kind))}"
    if name == "solved" or isinstance(kind, kinds.Integer | kinds.Boolean):
        return ""
    if name == "key" and is_tuple_of_words(kind):
        return ""
    if name == "key" and isinstance(kind, kinds.BaseTuple):
        return f"{subject} {_wrong_tuple(list(kind))}"
    return f"{subject} must return {RETURNS[name]}, not {named(str(kind))} (int64 mixed with uint64 becomes float64)"


def _wrong_tuple(kinds: list[Any]) -> str:
    """Return what is wrong with a tuple that a rule `key` returns, by numba's types of its items."""
    if not kinds:
        return "returns an empty tuple: a key is one uint64, or a tuple of several"
    for number, kind in enumerate(kinds, 1):
        if kind != _types.uint64:
            return f"returns a tuple whose item {number} is {named(str(kind))}: write np.uint64(…) around each"
    return f"returns a tuple of {len(kinds)} uint64: a key has at most {MOST_WORDS}"


def _from_compiler(error: BaseException) -> bool:
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_globals.get("__name__", "").startswith("numba."):
            return True
        trace = trace.tb_next
    return False
