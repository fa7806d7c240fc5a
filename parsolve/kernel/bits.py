"""Count, find and map the bits of a word, for rules and for the functions that make their tables.

Compiled code uses the processor's own instructions (`lowering.bits`); `parsolve check` and plain Python run the bodies
below. Both take any integer as a word of 64 bits, a negative one as its two's complement, and give the same number. It
is signed, `np.int64` in compiled code, so that it can be added to costs; write `np.uint64(...)` around it to mix it
with words.
"""

import operator
from typing import Any

from parsolve.kernel.marks import taught

WORD = (1 << 64) - 1


@taught
def bit_count(word: Any) -> int:
    """Return how many bits of a word are set: 0 to 64."""
    return (operator.index(word) & WORD).bit_count()


@taught
def trailing_zeros(word: Any) -> int:
    """Return the number of the lowest bit that is set, counted from 0; 64 if there is none."""
    bits = operator.index(word) & WORD
    return (bits & -bits).bit_length() - 1 if bits else 64


@taught
def least_image(images: Any, word: Any, row: Any) -> Any:
    """Return the least of the images of a word by some maps of its bits, such as the symmetries of a board.

    Args:
        images: uint64[rows, maps], the maps a multiple of 8: from row 256 * byte on, the images of the values of that
            byte of the word; then fewer than 256 rows of any meaning.
        word: uint64.
        row: the number of a row whose bits are set in the images as well; 0 for none, because its image is empty.
    """
    least = None
    for column in range(images.shape[1]):
        image = images[row, column]
        for byte in range(images.shape[0] >> 8):
            image |= images[256 * byte + (operator.index(word) >> 8 * byte & 255), column]
        least = image if least is None else min(least, image)
    return least
