"""Turn an error of numba's into a sentence for readers who do not know numba.

Only its text is read: `tests/numba_texts.json` has examples of each kind.
"""

import builtins
import re
import types
from pathlib import Path
from typing import Any, NamedTuple

from numba.core.errors import NumbaError, UnsupportedBytecodeError

from parsolve.compiler.bytecode import attribute_line, global_line, globals_on, lines_of, plain, reached
from parsolve.text import place_of

_MANUAL = "see docs/your-own-puzzle.md"


class Why(NamedTuple):
    """Why a rule does not compile.

    Attributes:
        text: a sentence.
        function: the rule, or a helper that it calls; None if that is unknown.
        line: the line of its file; None if that is unknown.
    """

    text: str
    function: Any = None
    line: int | None = None

    def place(self, rule: Any) -> str:
        """Return ` (FILE, line N)`, with the function if it is not the rule itself; empty if it is unknown."""
        if self.line is None:
            return ""
        place = place_of(self.function or rule, self.line)
        helper = self.function is not None and self.function is not plain(rule)
        return f"{place[:-1]}, in {self.function.__name__!r})" if helper else place


def why(rule: Any, error: Exception, tables: Any, fields: tuple[str, ...]) -> Why:
    """Return why a rule does not compile, and where.

    Args:
        rule: the rule.
        error: what numba raised.
        tables: the puzzle's lookups.
        fields: the names of the state's fields.
    """
    if isinstance(error, KeyError) and error.args and isinstance(error.args[0], str):
        return _unknown_field(rule, error.args[0], fields)
    function, line = _innermost(rule, str(error))
    text = _sentence(str(error), first_line(error), function, line, tables)
    return Why(text, function, line or _line_of_name(rule, text))


def _unknown_field(rule: Any, name: str, fields: tuple[str, ...]) -> Why:
    text = f"{name!r} is not a field of 'state', which has {', '.join(fields)}"
    for function in reached(rule):
        line = attribute_line(function, name)
        if line is not None:
            return Why(text, function, line)
    return Why(text)


def _sentence(whole: str, first: str, function: Any, line: int | None, tables: Any) -> str:
    """Return numba's message as a sentence."""
    if found := re.match(r"Untyped global name '(\w+)'", first):
        return _untyped(function, found[1])
    if found := re.match(r"The use of an? .* type, assigned to variable '(\w+)' in globals", first):
        return _untyped(function, found[1])
    if found := re.match(r"Unknown attribute '(\w+)' of type (.*)", first):
        return _attribute(found[1], found[2], tables)
    if "readonly array" in first + whole and "setitem" in whole:
        names = globals_on(function, line) if function and line else []
        which = f"the global array {names[0]!r}" if names else "a global array"
        return f"it writes into {which}, which rules may only read: what changes belongs in a field of 'state'"
    if found := re.search(r">>> \w+\((.*)\)\s*$", whole, re.M):
        hint = f"(int64 mixed with uint64 becomes float64) {_MANUAL}" if "float64" in found[1] else _MANUAL
        return f"compiled code cannot do this with {named(found[1]) or 'nothing'}{_quoted(function, line)}; {hint}"
    if found := re.match(r"Can't unify return type from the following types: (.*)", first):
        return f"it returns values of different types ({named(found[1])}): every 'return' must give the same"
    if found := re.match(r"Cannot unify (.*) and (.*) for '([\w$]+)[.\d]*'", first):
        name = f"the variable {found[3].partition('.')[0]!r}" if "$" not in found[3] else "a value"
        return f"{name} is {named(found[1])} in one place and {named(found[2])} in another: use one type"
    if first.startswith("Type of variable '$"):
        return (
            f"compiled code cannot find the type of a value: use one statement after another{_quoted(function, line)}"
        )
    if first.startswith("Cannot bind"):
        return f"a function is called with other arguments than it takes{_quoted(function, line)}"
    if first.startswith("The use of yield in a closure"):
        return f"compiled code has no generator expressions: use a loop{_quoted(function, line)}"
    if found := re.match(r"Cannot cast (.*) to (.*?)(?::|$)", first):
        return f"{named(found[1])} is given where {named(found[2])} belongs{_quoted(function, line)}"
    if first.startswith("ImportError: scipy"):
        return "compiled rules have no linear algebra, such as np.dot of floats or np.linalg: compute it in 'tables'"
    if found := re.match(r"NotImplementedError: (\w+)$", first):
        return f"compiled code has no {found[1]}; {_MANUAL}"
    if found := re.search(r"No definition for lowering (\w+)\(.*\)\.(\w+) = ", first):
        return f"it writes {found[2]!r} of {found[1]}, which is only read: what a move changes belongs in 'state'"
    if found := re.match(r"(?:NameError: )?name '(\w+)' is not defined", first):
        hint = ": what a rule reads of the parameters belongs in 'tables'" if found[1] == "self" else ""
        return f"name {found[1]!r} is not defined{hint}"
    return f"{named(first)}{_quoted(function, line)}; {_MANUAL}"


def _untyped(function: Any, name: str) -> str:
    value = function.__globals__.get(name, getattr(builtins, name, None)) if function else None
    if isinstance(value, types.FunctionType):
        if value is function:
            return f"{name!r} calls itself, which compiled code cannot do: use a loop"
        return f"{name!r} cannot be compiled: {_MANUAL}"
    if value is getattr(builtins, name, _unknown_field):
        return f"compiled code does not know Python's {name!r}: use numbers, arrays, loops and your own functions"
    if isinstance(value, type):
        return f"{name!r} is a class: a helper is a plain function outside of any class, called by its name"
    return (
        f"the global {name!r} is a {type(value).__name__}, which compiled code cannot read: what rules look up belongs"
        " in 'tables', as arrays and numbers"
    )


def _attribute(name: str, kind: str, tables: Any) -> str:
    if kind.startswith(f"{type(tables).__name__}("):
        return f"the tables have no {name!r}, they have {', '.join(getattr(tables, '_fields', ())) or 'no names'}"
    if kind.startswith("Module("):
        return f"a function of another file is imported by its name: from … import {name}"
    if kind.startswith(("Tuple(", "UniTuple(")) and tables and not hasattr(tables, "_fields"):
        return f"'tables' returns a plain tuple, whose items have no names such as {name!r}: return a NamedTuple"
    if named(kind) == "the rows":
        return f"the rows have no {name!r}: a child is written into rows[top], and then 'top' is raised by 1"
    hint = ": call bit_count of parsolve.compiler.bits" if name == "bit_count" else ""
    return f"{named(kind)} has no {name!r} in compiled code{hint}"


def named(kind: str) -> str:
    """Replace numba's names of types in a text by names that a reader of Python knows."""
    kind = re.sub(r"Literal\[(\w+)\]\([^)]*\)", r"\1", kind)
    kind = re.sub(r"(?:reflected )?list\((\w+)\)(?:<iv=[^>]*>)?", r"a list of \1", kind)
    kind = re.sub(r"(?:readonly )?array\((\w+), (\d)d, \w\)", r"array of \1", kind)
    kind = re.sub(r"UniTuple\((\w+) x (\d+)\)", r"a tuple of \2 \1", kind)
    kind = re.sub(r"(?:unaligned )?array\((?:unaligned )?Record\(.*", "the rows", kind)
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
    """Return the innermost function and line that a message of numba's names."""
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


def first_line(error: BaseException) -> str:
    """Return the line of numba's message that says what is wrong."""
    if not isinstance(error, NumbaError | UnsupportedBytecodeError | NameError):
        return f"{type(error).__name__}: {error}"
    boring = ("Failed in nopython", "During:", "There are", "- Of which", "File ", "<source", "raised from", ">>>", "^")
    lines = [line.strip() for line in str(error).splitlines()]
    line = next((line for line in lines if line and not line.startswith(boring)), "unknown reason")
    return line.removesuffix("Raised from None").rstrip(". ")
