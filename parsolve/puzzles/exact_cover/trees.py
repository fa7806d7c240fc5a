"""Options in a tree by the bits that must be free for them, so that one test rules out all that share some."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from operator import and_
from typing import NamedTuple

BRANCH = 3
"""Options from which on it pays to test first what they share."""


class Test(NamedTuple):
    """Bits of which none may be set. If one is, the tests below, which follow, are left out."""

    bits: int
    below: int
    option: int  # which one is free if this test and those above hold; -1 where tests below say so


def tests(options: Iterable[int], blocks: Mapping[int, int], known: int) -> list[Test]:
    """Return the tests of some options.

    Args:
        options: their numbers.
        blocks: by option, the bits of which none may be set.
        known: bits that are free.
    """
    return _tree([(blocks[option] & ~known, option) for option in options])


def _tree(left: list[tuple[int, int]]) -> list[Test]:
    """Return the tests of options, each with its bits: those with the most frequent bit first, and so on."""
    found = []
    while left:
        (bit, often), *_ = Counter(bit for bits, _ in left for bit in bits_of(bits)).most_common(1) or [(0, 0)]
        if often < BRANCH:
            return found + [Test(bits, 0, option) for bits, option in left]
        branch = [each for each in left if each[0] >> bit & 1]
        left = [each for each in left if not each[0] >> bit & 1]
        shared = reduce(and_, (bits for bits, _ in branch))
        below = _tree([(bits & ~shared, option) for bits, option in branch])
        found += [Test(shared, len(below), -1), *below]
    return found


def bits_of(bits: int) -> Iterator[int]:
    """Yield the numbers of some bits, rising."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low
