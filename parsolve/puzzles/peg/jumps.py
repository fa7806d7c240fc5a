"""The jumps that can be made on a peg solitaire board: looked up by the bytes of a position."""

from collections.abc import Sequence
from typing import Any

import numpy as np

WORD = 64
"""The number of jumps in one word."""

# Fixed-width constants: compiled code would turn an int64 beside a uint64 into something signed, or a float.
ZERO, ONE = np.uint64(0), np.uint64(1)
BYTE, EIGHT = np.uint64(255), np.uint64(8)
ALL = np.uint64((1 << 64) - 1)


def agreeing(table: Any, pegs: Any, word: Any) -> Any:
    """Return the patterns of a word that agree with the pegs: a bit each, by a table from `by_byte`."""
    found = ALL
    for byte in range(table.shape[1]):
        found &= table[word, byte, pegs & BYTE]
        pegs >>= EIGHT
    return found


def by_byte(patterns: Sequence[tuple[int, int]], holes: int) -> np.ndarray[Any, Any]:
    """Return the patterns that agree with a byte of the pegs; those that agree with every byte agree with the pegs.

    A pattern is the holes that must hold pegs and those that must not, a bit a hole. The table is uint64[words, bytes,
    256]: for a word of 64 patterns, by byte of the pegs and its value, a bit each.
    """
    words, bytes_ = max(1, -(-len(patterns) // WORD)), -(-holes // 8)
    table = np.zeros((words, bytes_, 256), np.uint64)
    values = np.arange(256)
    for number, (pegs, gaps) in enumerate(patterns):
        for byte in range(bytes_):
            must, must_not = pegs >> 8 * byte & 255, gaps >> 8 * byte & 255
            agree = (values & must == must) & (values & must_not == 0)
            table[number // WORD, byte] |= agree.astype(np.uint64) << np.uint64(number % WORD)
    return table
