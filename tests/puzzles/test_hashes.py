"""Every hash spreads the keys that it gets as chance would: those of families, and those that differ in few bits."""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from cases import nightly

from parsolve.compiler.keys import entry_place, entry_size, hash_words, mixed
from parsolve.levels.templates.blocks import bucket_of

pytestmark = pytest.mark.plain

Key = tuple[int, ...]


def place_in_table(words: Sequence[int], places: int) -> int:
    key = tuple(map(np.uint64, words))
    mask = np.uint64(places * entry_size(key) - 1)
    return int(entry_place(key, mixed(key), np.uint64(6), mask)) // entry_size(key)


def place_in_chains(words: Sequence[int], places: int) -> int:
    """The highest bits of this hash are the bucket, those below the place in its table."""
    return int(bucket_of(hash_words(tuple(map(np.uint64, words))), places.bit_length() - 1))


def keys_of_all_kinds() -> Iterator[tuple[int, list[Key]]]:
    """Keys that differ in 12 bits, wherever these are, or in the numbers of two words, each small."""
    for words in (1, 2, 3):
        for word, low in itertools.product(range(words), range(0, 53, 8)):
            others = [7] * words
            made = [(*others[:word], number << low, *others[word + 1 :]) for number in range(1 << 12)]
            yield words, made
        if words > 1:
            grid = itertools.product(range(64), range(64))
            yield words, [(*[0] * (words - 2), *each) for each in grid]


@pytest.mark.parametrize(
    ("place", "most", "part"),
    [
        nightly((place_in_table, 3, 1.0)),
        (place_in_chains, 3, 0.65),  # one multiplication, so that an entry of 4 bytes tells its key
    ],
)
def test_keys_that_differ_in_few_bits(place: Callable[[Sequence[int], int], int], most: int, part: float) -> None:
    for words, keys in keys_of_all_kinds():
        if words <= most:
            for places in (1 << 12, 1 << 16):
                assert_spread(keys, lambda each, places=places: place(each, places), places, part)


def assert_spread(keys: Any, place: Callable[[Any], int], places: int, part: float = 1.0) -> None:
    """The keys take hardly fewer places than they would by chance, or than this part of them."""
    with np.errstate(over="ignore"):
        taken = len({place(each) for each in keys})
    load = len(keys) / places
    free = math.exp(-load)
    deviation = math.sqrt(places * free * (1 - (1 + load) * free))
    least = part * places * (1 - free) - 5 * deviation - 1
    assert taken > least, f"{len(keys)} keys take {taken} of {places} places"
