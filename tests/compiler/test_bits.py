"""Counting and finding bits: compiled and as plain Python the same."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from shared import ROOT

from parsolve.compiler import bits
from parsolve.compiler.atomics import item_in
from parsolve.compiler.bits import ONE, bit_count, trailing_zeros
from parsolve.compiler.cache import DoesNotCompile, cached
from parsolve.compiler.identity import CodeIdentity
from parsolve.compiler.kernelfile import of_compiler
from parsolve.compiler.syntax import of_file


def both(word: Any) -> Any:
    return bit_count(word), bits.trailing_zeros(word)


compiled_both = cached(both)

KINDS = (np.uint64, np.int64, np.uint32, np.int32, np.uint16, np.int16, np.uint8, np.int8)


@settings(deadline=None)  # the first word of a kind compiles
@given(some.data())
def test_compiled_and_plain_agree(data: some.DataObject) -> None:
    kind = data.draw(some.sampled_from(KINDS))
    info = np.iinfo(kind)
    word = kind(data.draw(some.integers(int(info.min), int(info.max))))
    assert compiled_both(word) == both(word)


def test_each_bit() -> None:
    for number in range(64):
        for word in (1 << number, (1 << 64) - (1 << number)):
            assert both(word) == compiled_both(np.uint64(word))
            assert trailing_zeros(word) == number
        assert bit_count((1 << number) - 1) == number
    assert both(0) == compiled_both(0) == compiled_both(np.uint64(0)) == (0, 64)


def test_a_number_is_signed() -> None:
    """Added to an int64 it stays whole."""
    less = cached(lambda word: (bit_count(word) - 2, trailing_zeros(word) - 2))
    assert less(np.uint64(1)) == (-1, -2)
    assert [type(each) for each in less(np.uint64(1))] == [int, int]


def test_what_is_no_integer_is_refused() -> None:
    with pytest.raises(TypeError):
        bit_count(1.5)
    with pytest.raises(DoesNotCompile):
        cached(both)(1.5)


def test_a_kernel_depends_on_what_they_are_compiled_to() -> None:
    assert not CodeIdentity({"both": both}).opaque
    taught = of_file(ROOT / "parsolve" / "compiler" / "lowering" / "basics.py")
    assert taught
    assert taught in of_compiler()


# One of several arrays, chosen without a jump: compiled and as plain Python the same.


def items(arrays: Any, first: Any, found: Any) -> Any:
    """Write the items of all arrays, the last array's first."""
    number, at = np.uint64(len(arrays)), 0
    while number:
        number -= ONE
        for place in range(len(found) // len(arrays)):
            found[at] = item_in(arrays, number, first + np.uint64(place))
            at += 1
    return at


@pytest.mark.parametrize("dtype", [np.uint8, np.uint64])
@pytest.mark.parametrize("count", [1, 2, 5])
def test_one_of_several_arrays(count: int, dtype: Any) -> None:
    """Some of them are read-only, as pattern databases are."""
    every = np.arange(10 * count, dtype=dtype).reshape(count, 10)
    arrays = tuple(np.array(each) for each in every)
    arrays[-1].flags.writeable = False
    for do in (items, cached(items)):
        found = np.zeros(6 * count, dtype)
        assert do(arrays, np.uint64(4), found) == found.size
        assert found.tolist() == every[::-1, 4:].ravel().tolist()
