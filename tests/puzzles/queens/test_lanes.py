"""Words of blocks side by side: compiled and as plain Python the same, with and without an instruction for it."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from numba.core import config

from parsolve.compiler.cache import cached
from parsolve.puzzles.queens.quadrants import lanes
from parsolve.puzzles.queens.quadrants.lanes import WORDS, fill, load, pack


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


def test_blocks_of_lanes() -> None:
    words = np.arange(24, dtype=np.uint64).reshape(2, 12)
    assert load(words, np.uint64(9)).tolist() == list(range(9, 17))
    lanes.store(words, 4, fill(np.uint64(7)))
    assert words.ravel().tolist() == [0, 1, 2, 3, *[7] * 8, *range(12, 24)]
    one, two = load(words, 0), load(words, 8)
    assert lanes.least(two) == 7
    assert lanes.smaller(one, two).tolist() == [0, 1, 2, 3, 7, 7, 7, 7]
    assert lanes.but_not(one, two).tolist() == [0, 0, 0, 0, 3, 2, 1, 0]
    assert lanes.any_lane(lanes.but_not(one, two))
    assert not lanes.any_lane(lanes.but_not(one, one))
    assert lanes.up(one, np.uint64(62)).tolist() == [0, 1 << 62, 2 << 62, 3 << 62, *[3 << 62] * 4]
    assert lanes.total(lanes.add_counts(one, two)) == 34 + 24
    assert pack(words, np.uint64(3), fill(np.uint64(5)), load(np.array([0, 1, 0, 0, 9, 9, 9, 0], np.uint64), 0)) == 4
    assert words.ravel()[:7].tolist() == [0, 1, 2, 5, 5, 5, 5]
