"""Work on blocks of 512 lanes of bits: vectors in compiled code (`lowering`); in plain Python a block is
uint64[8]. Blocks have the operators & | ^ ~, and << and >> of every word by an uint64."""

from typing import Any

import numpy as np

from parsolve.compiler.marks import lowered

WORDS = 8  # of 64 bits each, in a block
LANES = 64 * WORDS


@lowered
def load(array: Any, index: Any) -> Any:
    """Return the block that starts at array[index]."""
    return array.reshape(-1)[int(index) : int(index) + WORDS].copy()


@lowered
def store(array: Any, index: Any, value: Any) -> Any:
    """Write a block at array[index]."""
    array.reshape(-1)[int(index) : int(index) + WORDS] = value


@lowered
def fill(word: Any) -> Any:
    """Return the block of eight copies of a word."""
    return np.full(WORDS, word, np.uint64)


@lowered
def add_counts(sums: Any, lanes: Any) -> Any:
    """Return the sums plus the bit counts of the eight words."""
    return sums + np.bitwise_count(lanes)


@lowered
def total(sums: Any) -> Any:
    """Return the sum of the eight words."""
    return sums.sum()


@lowered
def pack(array: Any, index: Any, words: Any, unwanted: Any) -> Any:
    """Write the words that are 0 in `unwanted` side by side from array[index] on, and return how many they are.

    What is there up to array[index + 7] is overwritten.
    """
    wanted = words[unwanted == 0]
    array.reshape(-1)[int(index) : int(index) + wanted.size] = wanted
    return np.uint64(wanted.size)


@lowered
def any_lane(lanes: Any) -> Any:
    """Return whether a bit of a block is set: one test, whereas a sum takes twenty instructions."""
    return lanes.any()
