"""Find what a rule has that compiled code cannot have, such as a list: in its bytecode, with the line."""

import dis
import types
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from parsolve.compiler.bytecode import plain, reached
from parsolve.errors import BadPuzzle


class NeedsLibrary(BadPuzzle):
    """A compiled function calls what no object file has.

    Args:
        function: its name.
        symbols: the functions of numba's library that it needs.
    """

    def __init__(self, function: str, symbols: set[str]) -> None:
        needed = ", ".join(sorted(symbols))
        super().__init__(f"{function!r} needs {needed}, which compiled rules cannot have: use numbers and arrays alone")
        self.symbols = symbols


_MEMORY = "compiled rules have no memory of their own"


class Found(NamedTuple):
    """What compiled code cannot have.

    Attributes:
        text: what it is, and what to write instead.
        function: the function that has it.
        line: the line of its file.
    """

    text: str
    function: Any
    line: int


STATEMENTS = {
    "IMPORT_NAME": "an import: write it at the top of the file",
    "STORE_GLOBAL": "a global that is written: a rule only reads; what a move changes belongs in 'state'",
    "DELETE_GLOBAL": "a global that is deleted: leave that out",
    "DELETE_FAST": "'del': leave it out",
    "LOAD_BUILD_CLASS": "a class: define it outside of the rule",
    "CHECK_EXC_MATCH": "an 'except' for a kind of error: ask beforehand whether it would come",
    "BEFORE_WITH": "'with': a rule opens nothing; what it looks up belongs in 'tables'",
    "RETURN_GENERATOR": "'yield': write the children into 'rows', and return 'top'",
}
"""What no rule can have, by the instruction."""

GENERATOR = "a generator expression: use a loop"

LIST = f"a list: {_MEMORY}; use numbers, the bits of a number, or an array in 'tables'"
SET = f"a set: {_MEMORY}; use the bits of a number"
DICT = f"a dict: {_MEMORY}; use an array in 'tables', looked up by a number"
TEXT = f"a text: {_MEMORY}; 'show' and 'render' make texts, uncompiled"
PRINT = "print: to look for a bug, run the rules as plain Python, which prints: NUMBA_DISABLE_JIT=1 parsolve …"
RANDOM = "random numbers: a rule must give the same each time; what is drawn once belongs in 'tables'"
ARRAY = "{}, which makes an array: {}; write a loop, or calculate it once in 'tables'"

INSTRUCTIONS = {
    **dict.fromkeys(("BUILD_LIST", "LIST_APPEND", "LIST_EXTEND"), LIST),
    **dict.fromkeys(("BUILD_SET", "SET_ADD", "SET_UPDATE"), SET),
    **dict.fromkeys(("BUILD_MAP", "MAP_ADD", "BUILD_CONST_KEY_MAP"), DICT),
    **dict.fromkeys(("FORMAT_VALUE", "FORMAT_SIMPLE", "BUILD_STRING"), TEXT),
}

NAMES = {"list": LIST, "sorted": LIST, "set": SET, "frozenset": SET, "dict": DICT, "str": TEXT, "print": PRINT}

SYMBOLS: list[tuple[Callable[[str], bool], str]] = [
    (lambda name: name.startswith("PySys_"), PRINT),
    (lambda name: "random" in name or "rnd" in name, RANDOM),
    (lambda name: name.startswith("numba_dict"), DICT),
    (lambda name: name == "NRT_MemInfo_varsize_alloc", SET),
    (lambda name: name == "NRT_MemInfo_varsize_realloc", LIST),
]
"""What some functions of numba's library are needed for."""


def statement_in(rule: Any) -> Found | None:
    """Return a statement of a rule, or of a function that it calls, that no rule can have."""
    for function, instruction, line in _instructions(rule):
        if isinstance(instruction.argval, types.CodeType) and instruction.argval.co_name == "<genexpr>":
            return Found(GENERATOR, function, line)
        if instruction.opname in STATEMENTS:
            return Found(STATEMENTS[instruction.opname], function, line)
    return None


def memory_in(rule: Any, symbols: set[str]) -> Found | None:
    """Return what in a rule, or in a function that it calls, needs memory or Python.

    Args:
        rule: the rule.
        symbols: the functions of numba's library that it needs.
    """
    found = [*_taking_memory(rule)]
    likely = [text for matches, text in SYMBOLS if any(map(matches, symbols))]
    return next((each for text in likely for each in found if each.text == text), found[0] if found else None)


def _taking_memory(rule: Any) -> Iterator[Found]:
    for function, instruction, line in _instructions(rule):
        name = instruction.opname
        if name in INSTRUCTIONS:
            yield Found(INSTRUCTIONS[name], function, line)
        elif name in ("LOAD_GLOBAL", "LOAD_NAME") and instruction.argval in NAMES:
            yield Found(NAMES[instruction.argval], function, line)
        elif name in ("LOAD_METHOD", "LOAD_ATTR") and _is_of_numpy(function, line):
            if instruction.argval == "random":
                yield Found(RANDOM, function, line)
            elif callable(getattr(np, instruction.argval, None)) and not isinstance(
                getattr(np, instruction.argval), type | np.ufunc
            ):
                yield Found(ARRAY.format(f"np.{instruction.argval}", _MEMORY), function, line)


def _is_of_numpy(function: Any, line: int) -> bool:
    """Return whether a line of a function reads the module numpy."""
    return any(
        function.__globals__.get(each.argval) is np
        for each, other in _of(function.__code__)
        if each.opname == "LOAD_GLOBAL" and other == line
    )


def _instructions(rule: Any) -> Iterator[tuple[types.FunctionType, dis.Instruction, int]]:
    for function in reached(plain(rule)):
        for instruction, line in _of(function.__code__):
            yield function, instruction, line


def _of(code: types.CodeType) -> Iterator[tuple[dis.Instruction, int]]:
    """Yield the instructions of a function with their lines, those of comprehensions as well."""
    line = code.co_firstlineno
    for instruction in dis.get_instructions(code):
        line = (instruction.positions.lineno if instruction.positions else None) or line
        yield instruction, line
        if isinstance(instruction.argval, types.CodeType):
            yield from _of(instruction.argval)
