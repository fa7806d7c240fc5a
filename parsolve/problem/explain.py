"""Say in one plain sentence, with file and line, what is wrong with a puzzle's rules."""

from types import FunctionType
from typing import Any

import numba
from numba import types

from parsolve.compiler.arguments import kind_of
from parsolve.compiler.compiler import compiling, dispatcher_of, linked, numba_type, self_contained
from parsolve.compiler.lowering.words import is_tuple_of_words
from parsolve.compiler.marks import Inner
from parsolve.compiler.rows import rows_to_overrun
from parsolve.compiler.unsupported import first_line, reason, unsupported_in
from parsolve.problem.costs import NO_LIMIT
from parsolve.puzzle.core import RULES, Puzzle
from parsolve.text import place_of

LOOKED_AT = 4096
"""Maximum number of states at which rules are run again, to find what a rule has raised."""


@compiling()
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
    kind_by = {"tables": tables_type, "rows": rows_type, "limit": numba.int64, "top": numba.int64}
    kind_by |= {"here": state, "row": state, "key": numba.uint64, "number": numba.uint64}
    for name, declared in RULES.items():
        rule = getattr(cls, name, None)
        if rule is None:
            continue
        kinds = tuple(kind_by[argument] for argument in declared.arguments)
        try:
            dispatcher = dispatcher_of(Inner(rule), {})
            dispatcher.compile(kinds)
            returned = dispatcher.nopython_signatures[-1].return_type
            wrong = _wrong_return(cls, name, returned)
            self_contained(dispatcher.overloads[kinds].library)
        except Exception as error:
            wrong = reason(rule, error)
        if wrong:
            return f"{cls.__name__}: the rule {name!r}{unsupported_in(rule) or wrong}"
        if name == "key" and is_tuple_of_words(returned):
            kind_by["key"] = returned
    return f"{cls.__name__}: the rules do not compile: {first_line(str(whole))}"


def exception_of(puzzle: Puzzle, tables: Any, rows: Any) -> Exception | None:
    """Return what a compiled rule raises at one of some states; None if no rule raises again.

    Args:
        puzzle: the puzzle.
        tables: its lookups.
        rows: record[...]: the array of the kernel that has failed; rows that are entirely 0 are skipped.
    """
    given = {"tables": tables, "limit": NO_LIMIT, "rows": rows_to_overrun(1 + puzzle.children, rows.dtype), "top": 0}
    for name, declared in RULES.items():
        rule = getattr(type(puzzle), name, None)
        if rule is None or "here" not in declared.arguments:
            continue
        with compiling():
            compiled = numba.njit(linked(rule, {})) if isinstance(rule, FunctionType) else rule
        for row in rows[:LOOKED_AT]:
            if row.tobytes().strip(b"\0"):
                try:
                    compiled(*((given | {"here": row})[argument] for argument in declared.arguments))
                except Exception as error:
                    return error
    return None


def _wrong_return(cls: type[Puzzle], name: str, kind: Any) -> str:
    """Return where and why the numba type that a compiled rule returns is wrong; empty if it is right."""
    place, declared = place_of(getattr(cls, name)), RULES[name]
    if not declared.returns:
        return ""
    if isinstance(kind, types.NoneType):
        return f"{place} {declared.returning_nothing}"
    if name == "weight":
        right = isinstance(kind, types.BaseTuple) and len(kind) == 2 and all(map(_is_whole, kind))
    elif name == "solved":
        right = not isinstance(kind, types.Array | types.Optional | types.Generator)
    else:
        right = _is_whole(kind) or (name == "key" and is_tuple_of_words(kind))
    hint = " (int64 mixed with uint64 becomes float64)" if isinstance(kind, types.Float) else ""
    return "" if right else f"{place} must return {declared.returns}, not {kind}{hint}"


def _is_whole(kind: Any) -> bool:
    return isinstance(kind, types.Integer | types.Boolean)
