"""Kernels as C functions: arguments and results of every kind, names that do not meet, and what is refused."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import Mock

import numpy as np
import pytest
from conftest import Run
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import WALK
from toys import Coins

from parsolve.compiler.arguments import kind_of
from parsolve.compiler.cache import DoesNotCompile, KernelRaised, cached, compiled
from parsolve.errors import BadPuzzle
from parsolve.problem.calling import call_kernel

STATE = np.dtype([("place", "u8"), ("cost", "u2"), ("cells", "u1", (3,))], align=True)


class Pair(NamedTuple):
    numbers: Any
    word: Any


def described(pair: Any, board: Any, rows: Any, flag: Any, weight: Any) -> Any:
    total = np.int64(0)
    for row in range(board.shape[0]):
        for column in range(board.shape[1]):
            total += np.int64(board[row, column]) * (row - column)
    for number in range(rows.size):
        total += np.int64(rows[number].place) - np.int64(rows[number].cost) + np.int64(rows[number].cells[1])
        rows[number].cost += 1
    pair.numbers[0] = total
    return total, pair.word ^ np.uint64(1), not flag, weight * 2, pair.numbers[1:]


native = cached(described)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=5),
    st.integers(0, 2**64 - 1),
    st.integers(0, 4),
    st.integers(0, 4),
    st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99), st.integers(0, 99)), max_size=4),
    st.booleans(),
    st.floats(allow_nan=False, allow_infinity=False, width=32),
)
def test_each_kind(
    numbers: list[int], word: int, height: int, width: int, states: list[tuple[int, ...]], flag: bool, weight: float
) -> None:
    """Arrays of one dimension, of two and of states, some empty; numbers of each kind; a tuple with a name."""
    board = np.arange(height * width, dtype=np.uint8).reshape(height, width)
    rows = np.zeros(len(states), STATE)
    for row, (place, cost, cell) in zip(rows, states, strict=True):
        row["place"], row["cost"], row["cells"] = place, cost, (0, cell, 0)
    pair = Pair(np.array(numbers), np.uint64(word))
    expected = sum(int(board[y, x]) * (y - x) for y in range(height) for x in range(width))
    expected += sum(place - cost + cell for place, cost, cell in states)
    total, other, negated, doubled, rest = native(pair, board, rows, flag, weight)
    assert (total, other, negated, doubled) == (expected, word ^ 1, not flag, weight * 2)
    assert [type(each) for each in (total, other, negated, doubled)] == [int, int, bool, float]
    assert rest.tolist() == numbers[1:]
    assert pair.numbers.tolist() == [expected, *numbers[1:]]
    assert rows["cost"].tolist() == [cost + 1 for _, cost, _ in states]


def first(array: Any) -> Any:
    return array[0]


def test_the_same_array_with_other_items() -> None:
    """A block keeps the address of the last array: another one may have the same place in Python's memory."""
    kernel = cached(first)
    for number in range(200):
        assert kernel(np.full(1 + number % 7, number)) == number
    assert kernel(np.array([1.5])) == 1.5
    assert kernel(np.array([2], np.uint8)) == 2


def write(array: Any) -> None:
    array[0] = 1


def test_an_array_that_must_not_be_written() -> None:
    array = np.zeros(1)
    array.flags.writeable = False
    with pytest.raises(DoesNotCompile):
        cached(write)(array)
    assert array[0] == 0


def same(array: Any) -> Any:
    return array


def weighed(number: Any, times: Any = 2, least: Any = None) -> Any:
    return number * times + (1 if least is None else least)


def with_defaults(number: Any) -> Any:
    return weighed(number) + weighed(number, least=number) + weighed(number, 3, None)


def test_arguments_that_are_left_out() -> None:
    assert cached(with_defaults)(5) == with_defaults(5)


def test_what_a_refused_kernel_has_read_serves_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    helpers = dict[Any, Any]()
    with monkeypatch.context() as patch:
        patch.setitem(globals(), "weighed", lambda number, times=1, least=0: number)
        with pytest.raises(BadPuzzle):
            compiled(with_defaults, "it", helpers, Mock(side_effect=[None, BadPuzzle]))(5)
    assert compiled(with_defaults, "it", helpers)(5) == with_defaults(5)


def shared(most: Any) -> Any:
    total = 0
    for size in range(1, most):
        made = np.ones(size, np.int64)
        again = same(same(made))
        other = np.zeros(size, np.int64)  # in the memory of `made`, if anything has given it back
        total += again[size - 1] + again[size // 2 :].size + other[size - 1]
    return total


def test_arrays_of_a_kernel_live_until_their_last_use() -> None:
    """Their users are counted in the functions that make arrays or return them, and not in others."""
    assert cached(shared)(30) == shared(30)


def sorted_copy(numbers: Any, times: Any) -> Any:
    for _ in range(times):
        made = np.zeros(numbers.size, numbers.dtype)
        for number in range(numbers.size):
            made[number] = numbers[numbers.size - 1 - number]
        numbers = made
    return numbers, times, numbers[:1], times > 1


def test_memory_of_a_kernel_of_its_own() -> None:
    """Its layout is that of numba's own: `compiler` stands in for numba's runtime."""
    numbers = np.arange(1000)
    again, times, first, several = cached(sorted_copy)(numbers, 1001)
    assert again.tolist() == numbers[::-1].tolist()
    assert (times, first.tolist(), several) == (1001, [999], True)


@pytest.mark.parametrize("value", ["text", None, [1], {}, 1j, 1 << 64, np.zeros((3, 2)).T, np.array(["a", None])])
def test_what_is_no_argument(value: Any) -> None:
    with pytest.raises(TypeError):
        kind_of(value)
    with pytest.raises(TypeError):
        kind_of((1, value))


def listed(number: Any) -> Any:
    found = [number]
    found.append(number + 1)
    return len(found)


def test_what_an_object_file_cannot_have() -> None:
    with pytest.raises(DoesNotCompile, match=r"it needs .*, which compiled rules cannot have: use numbers"):
        cached(listed)(1)


@pytest.mark.parametrize(
    ("function", "argument"), [(lambda number: number * 1j, 2), (lambda rows: rows.copy(), np.zeros(3, STATE))]
)
def test_what_cannot_leave_compiled_code(function: Callable[[Any], Any], argument: Any) -> None:
    with pytest.raises(BadPuzzle, match=r"^a kernel returns .*: real numbers, arrays of numbers and tuples"):
        cached(function)(argument)


def divided(one: Any, other: Any) -> Any:
    return one // other


def test_what_a_kernel_raises() -> None:
    kernel = cached(divided)
    assert kernel(7, 2) == 3
    with pytest.raises(KernelRaised):
        kernel(7, 0)
    assert kernel(-7, 2) == -4


def alike(factor: int) -> Callable[[Any], Any]:
    def inner(number: Any) -> Any:
        return number * factor

    return inner


def test_functions_of_one_name() -> None:
    """In one process, and compiled each by itself."""
    kernels = [cached(alike(factor)) for factor in (1, 2)]
    assert [kernel(10) for kernel in kernels] == [10, 20]


def slow_sum(numbers: Any, times: Any) -> Any:
    total = np.int64(0)
    for _ in range(times):
        for number in numbers:
            total = (total * 3 + number) % 1_000_003
    return total


def test_threads_have_arguments_of_their_own() -> None:
    kernel = cached(slow_sum)
    inputs = [np.arange(size) for size in (5, 50, 500)]
    alone = [[kernel(numbers, times) for times in range(50)] for numbers in inputs]
    found: list[list[int]] = [[] for _ in inputs]

    def call(place: int) -> None:
        found[place] = [kernel(inputs[place], times) for times in range(50)]

    threads = [threading.Thread(target=call, args=(place,)) for place in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == alone


def test_no_name_of_a_file_or_class_is_in_a_kernel(run: Run, puzzle_file: Callable[..., Path]) -> None:
    puzzle_file(WALK, "one.py")
    puzzle_file(WALK.replace("Tables", "Lookups").replace("Walk", "Stroll"), "other.py")
    run("count", "one.py:Walk")
    assert "compiling" not in run("count", "other.py:Stroll").stderr


def test_what_a_listener_raises_is_no_fault_of_the_puzzle() -> None:
    def compiling(*_: Any) -> None:
        raise ValueError("a listener's")

    with pytest.raises(ValueError, match=r"^a listener's$"):
        call_kernel(compiling, Coins(), (), ())
