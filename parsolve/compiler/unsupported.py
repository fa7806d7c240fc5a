"""Say where and why a rule does not compile: what rules cannot have, or numba's own words.

What they have is found in their bytecode: their source may have been edited since they were loaded.
"""

import dis
import re
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from parsolve.compiler.reach import reached
from parsolve.text import place_of

LIST = "a list: use numbers, the bits of a number, or an array in 'tables'"
SET = "a set: use the bits of a number"
DICT = "a dict: use an array in 'tables', looked up by a number"
TEXT = "a text: 'show' and 'render' make texts, uncompiled"
COMPREHENSION = "a generator expression: use a loop"
CLOSURE = "a function inside the rule: write it outside of the class, and call it by its name"

UNSUPPORTED = {
    **dict.fromkeys(("BUILD_LIST", "list", "sorted", "<listcomp>"), LIST),
    **dict.fromkeys(("BUILD_SET", "set", "frozenset", "<setcomp>"), SET),
    **dict.fromkeys(("BUILD_MAP", "BUILD_CONST_KEY_MAP", "dict", "<dictcomp>"), DICT),
    **dict.fromkeys(("FORMAT_VALUE", "FORMAT_SIMPLE", "BUILD_STRING", "str"), TEXT),
    "<genexpr>": COMPREHENSION,
    "print": "print: to look for a bug, run the rules as plain Python, which prints: NUMBA_DISABLE_JIT=1 parsolve …",
    "PUSH_EXC_INFO": "a 'try' or a 'with': a rule opens nothing, and tests in advance for what would raise an error",
    "RETURN_GENERATOR": "'yield': write the children into 'rows', and return 'top'",
    "LOAD_BUILD_CLASS": "a class: define it outside of the rule",
}
"""What no rule can have, by the instruction, by the builtin that it loads, or by the code that it loads."""

BORING = ("Failed in nopython", "During:", "There are", "- Of which", "File ", "<source", "raised from", "^")


def unsupported_in(rule: Any) -> str:
    """Return what a rule, or a function that it calls, has that no rule can have, and where; empty if it has nothing of
    that kind."""
    for function, instruction, line in instructions_of(rule):
        if text := _unsupported(instruction):
            return f"{place_of(function, line)} has {text}"
    return ""


def _unsupported(instruction: dis.Instruction) -> str:
    if isinstance(instruction.argval, types.CodeType):
        return UNSUPPORTED.get(instruction.argval.co_name, CLOSURE)
    return UNSUPPORTED.get(instruction.argval if instruction.opname == "LOAD_GLOBAL" else instruction.opname, "")


def reason(rule: Any, error: Exception) -> str:
    """Return where and why a rule does not compile, in numba's words."""
    text = f"'state' has no field {error}" if isinstance(error, KeyError) else str(error)
    return f" does not compile{_place(rule, text)}: {first_line(text)}"


def first_line(text: str) -> str:
    """Return the line of a message of numba's that says what is wrong, with the next one if it ends with a colon."""
    lines = [line for each in text.splitlines() if (line := each.strip()) and not line.startswith(BORING)]
    return " ".join(lines[: 2 if lines[0].endswith(":") else 1]) if lines else "unknown reason"


def _place(rule: Any, text: str) -> str:
    """Return the innermost place in a rule's functions that a message names, or else that of a name that it quotes."""
    places = [*re.findall(r'File "([^"]+)", line (\d+)', text), *re.findall(r"(\S+\.py) \((\d+)\)", text)]
    for file, line in places:
        for function in functions_of(rule):
            if Path(function.__code__.co_filename).name == Path(file).name:
                return place_of(function, int(line))
    quoted = re.findall(r"'(\w+)'", text)
    found = ((function, line) for function, each, line in instructions_of(rule) if each.argval in quoted)
    return place_of(*next(found, (rule, None)))


def plain(function: Any) -> Any:
    """Return the plain function behind one that its author has compiled, or the function itself."""
    return getattr(function, "py_func", function)


def returns_nothing(function: Any) -> bool:
    """Return whether a function returns None wherever it returns."""
    function = plain(function)
    if not isinstance(function, types.FunctionType):
        return False
    before: dis.Instruction | None = None
    seen = False
    for instruction in dis.get_instructions(function):
        if instruction.opname in ("RETURN_VALUE", "RETURN_CONST"):
            loads = before if instruction.opname == "RETURN_VALUE" and not instruction.is_jump_target else instruction
            if loads is None or loads.argrepr != "None":  # Python 3.15 has other constants than those of the code
                return False
            seen = True
        before = instruction
    return seen


def functions_of(rule: Any) -> Iterator[types.FunctionType]:
    """Yield a function, and each that it reaches, directly or not."""
    seen, open_ = set[types.FunctionType](), [rule]
    while open_:
        function = plain(open_.pop(0))
        if not isinstance(function, types.FunctionType) or function in seen:
            continue
        seen.add(function)
        yield function
        open_ += [value for _, value in reached(function)]


def instructions_of(rule: Any) -> Iterator[tuple[types.FunctionType, dis.Instruction, int]]:
    """Yield the instructions of a function, and of each that it reaches, with the function and the line."""
    for function in functions_of(rule):
        line = function.__code__.co_firstlineno
        for instruction in dis.get_instructions(function):
            line = (instruction.positions.lineno if instruction.positions else None) or line
            yield function, instruction, line
