"""Words of blocks side by side: compiled and as plain Python the same, with and without an instruction for it."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from numba.core import config

from parsolve.compiler.cache import cached
from parsolve.compiler.lanes import WORDS, load, pack


def packed(words: Any, unwanted: Any, into: Any) -> Any:
    found = np.uint64(0)
    for at in range(np.uint64(0), np.uint64(words.size), np.uint64(WORDS)):
        found += pack(into, found, load(words, at), load(unwanted, at))
    return found


def packed_elsewhere(words: Any, unwanted: Any, into: Any) -> Any:
    """The same, compiled as for a processor without the instruction."""
    found = np.uint64(0)
    for at in range(np.uint64(0), np.uint64(words.size), np.uint64(WORDS)):
        found += pack(into, found, load(words, at), load(unwanted, at))
    return found + np.uint64(0)


compiled, compiled_elsewhere = cached(packed), cached(packed_elsewhere)


@pytest.mark.parametrize("way", [compiled, compiled_elsewhere])
def test_wanted_words_lie_side_by_side(way: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    if way is compiled_elsewhere:
        monkeypatch.setattr(config, "CPU_NAME", "generic")

    @settings(deadline=None, max_examples=50)
    @given(some.lists(some.integers(0, 2), min_size=24, max_size=24))
    def each(choice: list[int]) -> None:
        words, unwanted = np.arange(24, dtype=np.uint64) << np.uint64(40), np.array(choice, np.uint64) << np.uint64(63)
        into = np.zeros(24 + WORDS, np.uint64)
        found = int(way(words, unwanted, into))
        assert into[:found].tolist() == words[unwanted == 0].tolist()

    each()
