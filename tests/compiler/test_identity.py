"""The identity of a puzzle's rules covers what they do, and nothing else: by functions and values."""

import enum
import functools
import math
import sys
import types
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numba.typed
import numpy as np
import pytest
from digests import of
from samples import WALK

from parsolve.compiler.arguments import kind_of
from parsolve.compiler.identity import CodeIdentity
from parsolve.deepening.kernels import DeepeningKernels
from parsolve.problem.data import digest_of
from parsolve.problem.registry import load_class
from parsolve.problem.rules import rules_of
from parsolve.puzzles import Peg

CONSTANT = 3


def helper(x: int) -> int:
    return x + CONSTANT


def rule(x: int) -> int:
    return helper(x)


def test_it_covers_values(monkeypatch: pytest.MonkeyPatch) -> None:
    before = of(rule)
    monkeypatch.setattr(sys.modules[__name__], "CONSTANT", 4)
    assert of(rule) != before
    monkeypatch.setattr(sys.modules[__name__], "CONSTANT", object())
    assert CodeIdentity({"rule": rule}).opaque
    monkeypatch.undo()
    assert of(rule) == before
    monkeypatch.setattr(sys.modules[__name__], "helper", lambda x: x)
    assert of(rule) != before


def test_it_covers_closures() -> None:
    def example(value: Any) -> Callable[..., Any]:
        def inner(x: Any) -> Any:
            return x + value

        return inner

    assert of(example(1)) == of(example(1)) != of(example(2))
    assert len({of(example(value)) for value in (1, 1.0, True, np.uint64(1), np.int64(1), "1", (1,), [1])}) == 8


REGISTERED: list[Callable[..., int]] = []


def registered(x: int) -> int:
    return x + len(REGISTERED)


def test_a_list_of_functions_that_read_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "REGISTERED", [registered])
    before = CodeIdentity({"it": registered})
    assert (before.change, before.digest) == ("", of(registered))
    REGISTERED.append(rule)
    assert before.change == "REGISTERED"
    assert of(registered) != before.digest


def test_it_covers_defaults() -> None:
    made = [types.FunctionType(rule.__code__, rule.__globals__, "rule", (number,)) for number in (1, 2)]
    assert len(set(map(of, made))) == 2


@functools.cache
def kept(number: int) -> int:
    return number


def test_a_function_that_keeps_its_results_is_seen_through() -> None:
    """Else a kernel of a puzzle whose tables come from one would be compiled in every process."""
    assert of(kept) == of(kept.__wrapped__)


class One(NamedTuple):
    first: int
    second: int


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Other(NamedTuple):
    second: int
    first: int


def test_the_fields_of_a_tuple_are_in_the_name_of_a_kernel() -> None:
    """Else a kernel that reads the first where the second is meant would be taken again."""
    assert str(kind_of(One(1, 2))) != str(kind_of(Other(1, 2)))
    assert str(kind_of((One(1, 2), 1))) != str(kind_of((Other(1, 2), 1)))


def test_values_by_kind() -> None:
    align = np.dtype([("a", "u1"), ("b", "u8")], align=True)
    values = [
        np.zeros(3, np.uint64),
        np.zeros((3, 1), np.uint64),
        np.zeros(3, np.int64),
        np.arange(3, dtype=np.uint64),
        align,
        np.dtype([("a", "u1"), ("b", "u8")]),
        {"a": 1, "b": 2},
        {"a": 1, "b": 3},
        frozenset({"x", "y"}),
        One,
        Other,
        np.add,
        np.subtract,
        np.argsort,
        partial(rule, 1),
        partial(rule, 2),
        numba.types.int64,
        numba.types.uint64,
    ]
    values += [One(1, 2), Other(1, 2), (1, 2), 1 << 20000, 1 << 20001]
    values += [np.array((1, 2), [(first, "u1"), (second, "u1")])[()] for first, second in ("ab", "ba")]
    assert len(set(map(of, values))) == len(values)
    for value in (np.array([1, None]), np.frompyfunc(rule, 1, 1), One(1, 2)._replace):
        assert CodeIdentity({"it": value}).opaque == isinstance(value, np.ndarray | np.ufunc)


def test_options_of_numba_count() -> None:
    assert of(numba.njit(rule)) != of(numba.njit(fastmath=True)(rule))


def test_what_is_not_seen_is_opaque() -> None:
    def importing(x: Any) -> Any:
        import math

        return math.sqrt(x)

    def empty() -> Callable[..., Any]:
        def inner() -> Any:
            return later

        if not inner:
            later = 1
        return inner

    for value in (importing, empty(), object(), [object()], sys.modules[__name__]):
        assert CodeIdentity({"it": value}).opaque


def test_a_function_that_says_it_is_a_standard_one() -> None:
    made = [functools.wraps(math.gcd)(function) for function in (lambda: 1, lambda: 2)]
    assert of(made[0]) != of(made[1])


def test_a_bound_method() -> None:
    first, second = (types.MethodType(rule, number) for number in (1, 2))
    assert of(first) != of(second)


def test_the_lookups_of_a_puzzle_by_kind() -> None:
    """Rules read a NamedTuple by its fields, whatever their order; numba takes each of these as an argument."""
    values = [One(1, 2), Other(1, 2), (1, 2), b"a", b"b", 1j, 2j, {1}, {2}, Colour.RED, Colour.BLUE]
    values += [numba.typed.List([1, number]) for number in (2, 3)]
    assert len({digest_of((value,)) for value in values}) == len(values) - 1  # a typed list is as good as a tuple


def test_no_kernel_of_a_puzzle_is_opaque(puzzle_file: Callable[..., Path]) -> None:
    """Else it is compiled in each process."""
    for cls in (Peg, load_class(f"{puzzle_file(WALK)}:Walk")):
        rules = rules_of(cls, True)
        kernels = rules.kernels(DeepeningKernels)
        for function in (kernels.search, rules.restore, kernels.search_remembering):
            assert function is None or not function.identity.opaque
