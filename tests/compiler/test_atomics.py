"""One of several arrays, chosen without a jump: compiled and as plain Python the same."""

from typing import Any

import numpy as np
import pytest

from parsolve.compiler.atomics import item_in
from parsolve.compiler.cache import cached

ONE = np.uint64(1)


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
def test_compiled_and_plain_agree(count: int, dtype: Any) -> None:
    """Some of them are read-only, as pattern databases are."""
    every = np.arange(10 * count, dtype=dtype).reshape(count, 10)
    arrays = tuple(np.array(each) for each in every)
    arrays[-1].flags.writeable = False
    for do in (items, cached(items)):
        found = np.zeros(6 * count, dtype)
        assert do(arrays, np.uint64(4), found) == found.size
        assert found.tolist() == every[::-1, 4:].ravel().tolist()
