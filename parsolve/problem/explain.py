"""Say in one plain sentence, with file and line, what is wrong with a puzzle's rules."""

from types import FunctionType
from typing import Any

import numba
from numba import types

from parsolve.compiler.arguments import kind_of
from parsolve.compiler.compiler import dispatcher_of, linked, numba_type
from parsolve.compiler.complaints import first_line, named, why
from parsolve.compiler.keys import MOST_WORDS
from parsolve.compiler.lowering.keys import is_tuple_of_words
from parsolve.compiler.marks import Inner
from parsolve.compiler.rows import rows_to_overrun
from parsolve.compiler.unsupported import statement_in
from parsolve.errors import BadPuzzle
from parsolve.problem.limits import NO_LIMIT
from parsolve.puzzle import RULES, Puzzle
from parsolve.text import place_of

LOOKED_AT = 4096
"""Maximum number of states at which rules are run again, to find what a rule has raised."""


def explain(puzzle: Puzzle, tables: Any, rows: Any, whole: BaseException) -> str:
    """Return one line that says which rule does not compile, where and why: each rule is compiled alone.

    Args:
        puzzle: the puzzle.
        tables: its lookups.
        rows: an array of states.
        whole: the compiler's error for all rules together.
    """
    cls = type(puzzle)
    tables_type, rows_type = numba_type(kind_of(tables)), numba_type(kind_of(rows))
    state = rows_type.dtype
    kinds_of = {
        **dict.fromkeys(("expand", "propose"), (tables_type, state, numba.int64, rows_type, numba.int64)),
        "admit": (tables_type, state, numba.int64),
        **dict.fromkeys(("solved", "key", "level", "weight", "index"), (tables_type, state)),
        **dict.fromkeys(("unkey", "unindex"), (tables_type, numba.uint64, state)),
        "entry": (tables_type, numba.uint64),
    }
    for name, kinds in kinds_of.items():
        rule = getattr(cls, name, None)
        if rule is None:
            continue
        try:
            dispatcher = dispatcher_of(Inner(rule), {})
            dispatcher.compile(kinds)
        except BadPuzzle as error:
            return f"{cls.__name__}: {error}"
        except Exception as error:
            if (found := statement_in(rule)) is not None:
                return f"{cls.__name__}: the rule {name!r}{place_of(found.function, found.line)} has {found.text}"
            reason = why(rule, error, tables, puzzle.state.names)
            return f"{cls.__name__}: the rule {name!r} does not compile{reason.place(rule)}: {reason.text}"
        if (found := statement_in(rule)) is not None:  # 'yield' compiles
            return f"{cls.__name__}: the rule {name!r}{place_of(found.function, found.line)} has {found.text}"
        returned = dispatcher.nopython_signatures[-1].return_type
        wrong = wrong_return(cls, name, returned)
        if wrong:
            return f"{cls.__name__}: {wrong}"
        if name == "key" and is_tuple_of_words(returned):
            kinds_of["unkey"] = (tables_type, returned, state)
    return f"{cls.__name__}: the rules do not compile: {first_line(whole)}"


def exception_of(puzzle: Puzzle, tables: Any, rows: Any) -> Exception | None:
    """Return what a compiled rule raises at one of some states; None if no rule raises again.

    Args:
        puzzle: the puzzle.
        tables: its lookups.
        rows: record[...]: the array of the kernel that has failed; rows that are entirely 0 are skipped.
    """
    room = rows_to_overrun(1 + puzzle.children, rows.dtype)
    more = {**dict.fromkeys(("expand", "propose"), (NO_LIMIT, room, 0)), "admit": (NO_LIMIT,)}
    for name in ("solved", "expand", "propose", "admit", "key", "level", "index", "weight"):
        rule = getattr(type(puzzle), name, None)
        if rule is None:
            continue
        compiled = numba.njit(linked(rule, {})) if isinstance(rule, FunctionType) else rule
        for row in rows[:LOOKED_AT]:
            if row.tobytes().strip(b"\0"):
                try:
                    compiled(tables, row, *more.get(name, ()))
                except Exception as error:
                    return error
    return None


def wrong_return(cls: type[Puzzle], name: str, kind: Any) -> str:
    """Return what is wrong with the type that a compiled rule returns; empty if it is right.

    Args:
        cls: the puzzle's class.
        name: the rule's name.
        kind: a numba type.
    """
    subject = f"the rule {name!r}{place_of(getattr(cls, name))}"
    declared = RULES[name]
    if not declared.returns:
        return ""
    if isinstance(kind, types.NoneType):
        return f"{subject} {declared.returning_nothing}"
    if isinstance(kind, types.Optional):
        return f"{subject} returns nothing in some cases: every 'return' must give {declared.returns}, also at its end"
    if name == "weight":
        parts = list(kind) if isinstance(kind, types.BaseTuple) else []
        if len(parts) == 2 and all(isinstance(part, types.Integer | types.Boolean) for part in parts):
            return ""
        return f"{subject} must return {declared.returns}, not {named(str(kind))}"
    if name in ("solved", "admit") and isinstance(kind, types.Array):
        return f"{subject} must return {declared.returns}, not {named(str(kind))}: compare numbers, in a loop"
    if name in ("solved", "admit") or isinstance(kind, types.Integer | types.Boolean):
        return ""
    if name == "key" and is_tuple_of_words(kind):
        return ""
    if name == "key" and isinstance(kind, types.BaseTuple):
        return f"{subject} {_wrong_tuple(list(kind))}"
    hint = " (int64 mixed with uint64 becomes float64)" if isinstance(kind, types.Float) else ""
    return f"{subject} must return {declared.returns}, not {named(str(kind))}{hint}"


def _wrong_tuple(kinds: list[Any]) -> str:
    """Return what is wrong with a tuple that a rule `key` returns, by numba's types of its items."""
    if not kinds:
        return "returns an empty tuple: a key is one uint64, or a tuple of several"
    for number, kind in enumerate(kinds, 1):
        if kind != types.uint64:
            return f"returns a tuple whose item {number} is {named(str(kind))}: write np.uint64(…) around each"
    return f"returns a tuple of {len(kinds)} uint64: a key has at most {MOST_WORDS}"
