"""From a puzzle's plain rules to compiled kernels.

Each template is made anew for each puzzle class, with the rules injected as its globals: a factory of closures
would never be cached. One kernel serves every instance of a class, because tables are arguments.
"""

import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numba
from numba.core.errors import NumbaError

from parsolve.errors import BadPuzzle
from parsolve.kernel import fingerprint, search
from parsolve.kernel.cache import KernelCache
from parsolve.puzzle import Puzzle


class Kernel(NamedTuple):
    """The compiled functions of a puzzle class; see the templates for their arguments."""

    search: Callable[..., int]
    restore: Callable[..., int]
    fingerprint: str


_kernels: dict[type[Puzzle], Kernel] = {}


def kernel_of(cls: type[Puzzle], compiling: Callable[[], None] = lambda: None) -> Kernel:
    """The kernel of a puzzle class; made on first use, compiled on its first call with new argument types.

    Args:
        cls: the puzzle class.
        compiling: called when the cache does not hold a kernel and it must be compiled.
    """
    if cls not in _kernels:
        source = fingerprint.of_class(cls)
        # A class typed into the main module is another class in every process, and so are its types.
        cacheable = not source.opaque and cls.__module__ != "__main__"
        sources = f"{source.digest()} {fingerprint.of_files(sorted(Path(__file__).parent.glob('*.py')))}"
        helpers: dict[types.FunctionType, Any] = {}
        rules = {
            "expand": compiled(cls.expand, helpers, forceinline=True),
            "expand_far": compiled(cls.expand, helpers),
            "solved": compiled(cls.solved, helpers, forceinline=True),
        }

        def kernel(template: Callable[..., Any], **names: Any) -> Any:
            dispatcher = numba.njit(nogil=True)(_with_globals(template, names))
            name = f"{cls.__name__}-{template.__name__}"
            dispatcher._cache = KernelCache(name, sources if cacheable else "", compiling)
            return dispatcher

        _kernels[cls] = Kernel(
            kernel(
                search.search,
                walk_watching=numba.njit(nogil=True)(_with_globals(search.walk, rules | {"watch": True})),
                walk_fast=numba.njit(nogil=True)(_with_globals(search.walk, rules | {"watch": False})),
            ),
            kernel(search.restore, **rules),
            source.digest(),
        )
    return _kernels[cls]


def compiled(rule: Callable[..., Any], helpers: dict[types.FunctionType, Any], **options: Any) -> Any:
    """A rule as a numba dispatcher, and with it the plain functions that it calls by name.

    Args:
        rule: a plain function, or one that its author has already compiled.
        helpers: the functions compiled so far, so that each is compiled once.
        options: for `numba.njit`.
    """
    if not isinstance(rule, types.FunctionType):
        return rule
    names = {}
    for name in rule.__code__.co_names:
        value = rule.__globals__.get(name)
        if isinstance(value, types.FunctionType):
            if value not in helpers and value is not rule:
                helpers[value] = compiled(value, helpers)
            if value in helpers:
                names[name] = helpers[value]
    return numba.njit(**options)(_with_globals(rule, names))


def _with_globals(function: Callable[..., Any], names: dict[str, Any]) -> types.FunctionType:
    assert isinstance(function, types.FunctionType)
    made = types.FunctionType(
        function.__code__,
        function.__globals__ | names,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__module__ = function.__module__
    made.__qualname__ = function.__qualname__
    return made


def call(kernel: Callable[..., int], puzzle: Puzzle, *arguments: Any) -> int:
    """Call a kernel; where it does not compile, say which rule and where.

    Raises:
        BadPuzzle: a rule does not compile.
    """
    try:
        return kernel(*arguments)
    except NumbaError as error:
        raise BadPuzzle(explain(puzzle, error)) from None


def explain(puzzle: Puzzle, error: NumbaError) -> str:
    """One line that says which rule of a puzzle does not compile, and where."""
    name = type(puzzle).__name__
    text = "\n".join(_messages(error))
    rule, place = "a rule", ""
    for candidate in ("expand", "solved", "key"):
        function = getattr(type(puzzle), candidate, None)
        code = getattr(function, "__code__", None)
        if code is None:
            continue
        lines = _lines_of(code)
        for part in text.split('File "')[1:]:
            file, _, rest = part.partition('", line ')
            digits = rest.split(":", 1)[0].split(")", 1)[0].split(",", 1)[0].strip()
            if digits.isdigit() and Path(file).name == Path(code.co_filename).name and int(digits) in lines:
                rule, place = f"the rule {candidate!r}", f" ({Path(file).name}, line {digits})"
    said = [line.strip() for line in text.splitlines() if line.strip()]
    boring = (
        "Failed in nopython",
        "During:",
        "There are",
        "- Of which",
        "File ",
        "<source",
        "raised from",
        "No match",
    )
    reasons = [line for line in said if not line.startswith(boring)]
    reason = reasons[0] if reasons else "unknown reason"
    return f"{name}: {rule} does not compile{place}: {reason}"


def _messages(error: BaseException) -> Iterator[str]:
    yield str(error)
    if error.__cause__ is not None:
        yield from _messages(error.__cause__)


def _lines_of(code: types.CodeType) -> set[int]:
    return {line for _, _, line in code.co_lines() if line is not None} | {code.co_firstlineno}
