"""Read a function's bytecode: its source may have been edited since it was loaded."""

import dis
import types
from collections.abc import Iterator
from typing import Any


def plain(function: Any) -> Any:
    """Return the plain function behind one that its author has compiled, or the function itself."""
    return getattr(function, "py_func", function)


def global_names(function: Any) -> list[str]:
    """Return the names of the globals that a function reads, in order, without attributes."""
    return list(dict.fromkeys(name for name, _ in _named(function, "LOAD_GLOBAL")))


def global_line(function: Any, name: str) -> int | None:
    """Return the line where a function first reads a global; None if it does not."""
    return next((line for other, line in _named(function, "LOAD_GLOBAL") if other == name), None)


def globals_on(function: Any, line: int) -> list[str]:
    """Return the names of the globals that a function reads on a line."""
    return [name for name, other in _named(function, "LOAD_GLOBAL") if other == line]


def attribute_line(function: Any, name: str) -> int | None:
    """Return the line where a function first reads or writes an attribute; None if it does not."""
    return next((line for other, line in _named(function, "LOAD_ATTR", "STORE_ATTR") if other == name), None)


def lines_of(function: Any) -> set[int]:
    """Return the numbers of a function's lines."""
    return {line for _, _, line in plain(function).__code__.co_lines() if line}


def returns_nothing(function: Any) -> bool:
    """Return whether a function returns None wherever it returns."""
    function = plain(function)
    if not isinstance(function, types.FunctionType) or None not in function.__code__.co_consts:
        return False
    before: dis.Instruction | None = None
    seen = False
    for instruction in dis.get_instructions(function):
        if instruction.opname in ("RETURN_VALUE", "RETURN_CONST"):
            loads = before if instruction.opname == "RETURN_VALUE" and not instruction.is_jump_target else instruction
            constant = loads is not None and loads.opname in ("LOAD_CONST", "RETURN_CONST")
            if not constant or loads is None or loads.argval is not None:
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


def _named(function: Any, *operations: str) -> Iterator[tuple[str, int]]:
    function = plain(function)
    if not isinstance(function, types.FunctionType):
        return
    line = function.__code__.co_firstlineno
    for instruction in dis.get_instructions(function):
        position = instruction.positions
        line = (position.lineno if position else None) or line
        if instruction.opname in operations or (instruction.opname == "LOAD_METHOD" and "LOAD_ATTR" in operations):
            yield instruction.argval, line
