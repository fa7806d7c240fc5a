"""Count and find the bits of a word, for rules and for the functions that make their lookups.

Compiled code uses the processor's own instructions (`lowering`); `parsolve check` and plain Python run the bodies
below. Both take any integer as a word of 64 bits, a negative one as its two's complement, and return the same number.
It is signed, `np.int64` in compiled code, so that it can be added to costs; convert it with `np.uint64(...)` before you
combine it with words.
"""

import operator
from typing import Any

import numpy as np

from parsolve.compiler.marks import lowered

MASK = (1 << 64) - 1

ZERO, ONE, TWO = np.uint64(0), np.uint64(1), np.uint64(2)


@lowered
def bit_count(word: Any) -> int:
    """Return how many bits of a word are set: 0 to 64."""
    return (operator.index(word) & MASK).bit_count()


@lowered
def trailing_zeros(word: Any) -> int:
    """Return the place of the lowest bit that is set, counted from 0; 64 if no bit is set."""
    bits = operator.index(word) & MASK
    return (bits & -bits).bit_length() - 1 if bits else 64
