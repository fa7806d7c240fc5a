"""What went wrong in a puzzle's rules, in one plain sentence with file and line: no traceback, nothing of numba's."""

import builtins
import re
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numba
from numba.core import types as _types
from numba.core.errors import NumbaError, UnsupportedBytecodeError

from parsolve.activity import doing
from parsolve.errors import BadPuzzle, RuleRaised
from parsolve.kernel.bytecode import attribute_line, global_line, globals_on, lines_of, plain, reached
from parsolve.kernel.compile import NO_RETURN
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

_MANUAL = "see docs/your-own-puzzle.md"


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
            why = _why(rule, error, tables, puzzle.state.names)
            return f"{cls.__name__}: the rule {name!r} does not compile{why.place(rule)}: {why.text}"
        wrong = wrong_return(cls, name, dispatcher.nopython_signatures[-1].return_type)
        if wrong:
            return f"{cls.__name__}: {wrong}"
    return f"{cls.__name__}: the rules do not compile: {_first_line(whole)}"


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
        return f"{subject} must return {RETURNS[name]}, not {_named(str(kind))}"
    if name == "solved" or isinstance(kind, kinds.Integer | kinds.Boolean):
        return ""
    if name == "key" and is_tuple_of_words(kind):
        return ""
    if name == "key" and isinstance(kind, kinds.BaseTuple):
        return f"{subject} {_wrong_tuple(list(kind))}"
    return f"{subject} must return {RETURNS[name]}, not {_named(str(kind))} (int64 mixed with uint64 becomes float64)"


def _wrong_tuple(kinds: list[Any]) -> str:
    """Return what is wrong with a tuple that a rule `key` returns, by numba's types of its items."""
    if not kinds:
        return "returns an empty tuple: a key is one uint64, or a tuple of several"
    for number, kind in enumerate(kinds, 1):
        if kind != _types.uint64:
            return f"returns a tuple whose item {number} is {_named(str(kind))}: write np.uint64(…) around each"
    return f"returns a tuple of {len(kinds)} uint64: a key has at most {MOST_WORDS}"


class _Why(NamedTuple):
    text: str
    function: Any = None
    line: int | None = None

    def place(self, rule: Any) -> str:
        """Where: file and line, and the function if it is not the rule itself."""
        if self.line is None:
            return ""
        place = place_of(self.function or rule, self.line)
        helper = self.function is not None and self.function is not plain(rule)
        return f"{place[:-1]}, in {self.function.__name__!r})" if helper else place


def _why(rule: Any, error: Exception, tables: Any, fields: tuple[str, ...]) -> _Why:
    """Return why a rule does not compile, and where."""
    if isinstance(error, KeyError) and error.args and isinstance(error.args[0], str):
        return _unknown_field(rule, error.args[0], fields)
    function, line = _innermost(rule, str(error))
    text = _sentence(str(error), _first_line(error), function, line, tables)
    return _Why(text, function, line or _line_of_name(rule, text))


def _unknown_field(rule: Any, name: str, fields: tuple[str, ...]) -> _Why:
    text = f"{name!r} is no field of 'state', which has {', '.join(fields)}"
    for function in reached(rule):
        line = attribute_line(function, name)
        if line is not None:
            return _Why(text, function, line)
    return _Why(text)


def _sentence(whole: str, first: str, function: Any, line: int | None, tables: Any) -> str:
    """Return numba's message as a sentence for somebody who does not know numba."""
    if found := re.match(r"Untyped global name '(\w+)'", first):
        return _untyped(function, found[1])
    if found := re.match(r"Unknown attribute '(\w+)' of type (.*)", first):
        return _attribute(found[1], found[2], tables)
    if "readonly array" in first + whole and "setitem" in whole:
        names = globals_on(function, line) if function and line else []
        which = f"the global array {names[0]!r}" if names else "a global array"
        return f"it writes into {which}, which rules only read: what changes belongs into a field of 'state'"
    if found := re.search(r">>> \w+\((.*)\)\s*$", whole, re.M):
        hint = f"(int64 mixed with uint64 becomes float64) {_MANUAL}" if "float64" in found[1] else _MANUAL
        return f"compiled code cannot do this with {_named(found[1]) or 'nothing'}{_quoted(function, line)}; {hint}"
    if found := re.match(r"Can't unify return type from the following types: (.*)", first):
        return f"it returns values of different types ({_named(found[1])}): every 'return' must give the same"
    if found := re.match(r"Cannot unify (.*) and (.*) for '([\w$]+)[.\d]*'", first):
        name = f"the variable {found[3].partition('.')[0]!r}" if "$" not in found[3] else "a value"
        return f"{name} is {_named(found[1])} in one place and {_named(found[2])} in another: use one type"
    if first.startswith("Cannot bind"):
        return f"a function is called with other arguments than it takes{_quoted(function, line)}"
    if first.startswith("The use of yield in a closure"):
        return f"compiled code knows no generator expressions: use a loop{_quoted(function, line)}"
    if found := re.match(r"Cannot cast (.*) to (.*?)(?::|$)", first):
        return f"{_named(found[1])} is given where {_named(found[2])} belongs{_quoted(function, line)}"
    if found := re.match(r"(?:NameError: )?(name '\w+' is not defined)", first):
        return found[1]
    return f"{_named(first)}{_quoted(function, line)}; {_MANUAL}"


def _untyped(function: Any, name: str) -> str:
    value = function.__globals__.get(name, getattr(builtins, name, None)) if function else None
    if isinstance(value, types.FunctionType):
        if value is function:
            return f"{name!r} calls itself, which compiled code cannot: use a loop"
        return f"{name!r} cannot be compiled: {_MANUAL}"
    if value is getattr(builtins, name, _unknown_field):
        return f"compiled code does not know Python's {name!r}: use numbers, arrays, loops and your own functions"
    if isinstance(value, type):
        return f"{name!r} is a class: a helper is a plain function outside of any class, called by its name"
    return (
        f"the global {name!r} is a {type(value).__name__}, which compiled code cannot read: what rules look up belongs"
        " into 'tables', as arrays and numbers"
    )


def _attribute(name: str, kind: str, tables: Any) -> str:
    if kind.startswith(f"{type(tables).__name__}("):
        return f"the tables have no {name!r}, they have {', '.join(getattr(tables, '_fields', ())) or 'no names'}"
    if kind.startswith("Module("):
        return f"a function of another file is imported by its name: from … import {name}"
    return f"{_named(kind)} has no {name!r} in compiled code"


def _named(kind: str) -> str:
    """Return numba's names of types in a text as a reader of Python knows them."""
    kind = re.sub(r"Literal\[(\w+)\]\([^)]*\)", r"\1", kind)
    kind = re.sub(r"(?:readonly )?array\((\w+), (\d)d, \w\)", r"array of \1", kind)
    kind = re.sub(r"UniTuple\((\w+) x (\d+)\)", r"a tuple of \2 \1", kind)
    kind = re.sub(r"Record\(.*", "a state", kind)
    kind = re.sub(r"type\(CPUDispatcher\(<function (\w+)[^>]*>\)\)", r"the function \1", kind)
    kind = re.sub(r"Function\(<(?:built-in )?\w+ '?([\w.]+)'?[^>]*>\)", r"\1", kind)
    kind = re.sub(r"<(?:class|function|built-in function) '?([\w.]+)'?[^>]*>", r"\1", kind)
    return (
        kind.replace("unicode_type", "text").replace("reflected list", "list").replace("nopython mode", "compiled code")
    )


def _quoted(function: Any, line: int | None) -> str:
    """Return ` in: SOURCE` of a line of a function."""
    if function is None or line is None:
        return ""
    try:
        source = Path(function.__code__.co_filename).read_text().split("\n")[line - 1].strip()
    except (OSError, UnicodeError, IndexError):
        return ""
    return f" in: {source}"


def _innermost(rule: Any, text: str) -> tuple[Any, int | None]:
    """Return the function and line that a message of numba's names first: the innermost."""
    places = [*re.findall(r'File "([^"]+)", line (\d+)', text), *re.findall(r"(\S+\.py) \((\d+)\)", text)]
    for file, number in places:
        for function in reached(rule):
            same = Path(function.__code__.co_filename).name == Path(file).name
            if same and int(number) in lines_of(function):
                return function, int(number)
    return None, None


def _line_of_name(rule: Any, text: str) -> int | None:
    """Return the line where a rule reads a global that a message quotes."""
    for name in re.findall(r"'(\w+)'", text):
        line = global_line(rule, name)
        if line is not None:
            return line
    return None


def _first_line(error: BaseException) -> str:
    """Return the line of numba's long message that says what is wrong."""
    if not isinstance(error, NumbaError | UnsupportedBytecodeError | NameError):
        return f"{type(error).__name__}: {error}"
    boring = ("Failed in nopython", "During:", "There are", "- Of which", "File ", "<source", "raised from", ">>>", "^")
    lines = [line.strip() for line in str(error).splitlines()]
    line = next((line for line in lines if line and not line.startswith(boring)), "unknown reason")
    return line.removesuffix("Raised from None").rstrip(". ")


def _from_compiler(error: BaseException) -> bool:
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_globals.get("__name__", "").startswith("numba."):
            return True
        trace = trace.tb_next
    return False
