"""Count and find the bits of a word, for the rules of puzzles and the tables that they look things up in.

Compiled code uses the processor's own instructions (see `intrinsics`); `parsolve check` and plain Python run the bodies
below. Both take any integer as a word of 64 bits, a negative one as its two's complement, and give the same number. It
is signed, `np.int64` in compiled code, so that it can be added to costs; write `np.uint64(...)` around it to mix it
with words.
"""

import operator
from typing import Any

WORD = (1 << 64) - 1


def bit_count(word: Any) -> int:
    """Return how many bits of a word are set: 0 to 64."""
    return (operator.index(word) & WORD).bit_count()


def trailing_zeros(word: Any) -> int:
    """Return the number of the lowest bit that is set, counted from 0; 64 if there is none."""
    bits = operator.index(word) & WORD
    return (bits & -bits).bit_length() - 1 if bits else 64
