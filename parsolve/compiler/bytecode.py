"""Read a function's bytecode: its source may have been edited since it was loaded."""

import dis
import types
from collections.abc import Iterator
from typing import Any


def plain(function: Any) -> Any:
    """Return the plain function behind one that its author has compiled, or the function itself."""
    return getattr(function, "py_func", function)


def global_names(function: types.FunctionType) -> list[str]:
    """Return the names of the globals that a function reads, in order, without attributes."""
    return list(dict.fromkeys(each.argval for each in dis.get_instructions(function) if each.opname == "LOAD_GLOBAL"))


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


def reached(function: Any) -> Iterator[types.FunctionType]:
    """Yield a function, and each that it calls by name, directly or not."""
    seen: set[types.FunctionType] = set()
    open_ = [plain(function)]
    while open_:
        function = open_.pop(0)
        if not isinstance(function, types.FunctionType) or function in seen:
            continue
        seen.add(function)
        yield function
        open_ += [plain(function.__globals__.get(name)) for name in global_names(function)]


def instructions_of(rule: Any) -> Iterator[tuple[types.FunctionType, dis.Instruction, int]]:
    """Yield the instructions of a function, and of each that it calls by name, with the function and the line."""
    for function in reached(rule):
        for instruction, line in _instructions(function.__code__):
            yield function, instruction, line


def _instructions(code: types.CodeType) -> Iterator[tuple[dis.Instruction, int]]:
    line = code.co_firstlineno
    for instruction in dis.get_instructions(code):
        line = (instruction.positions.lineno if instruction.positions else None) or line
        yield instruction, line
        if isinstance(instruction.argval, types.CodeType):
            yield from _instructions(instruction.argval)
