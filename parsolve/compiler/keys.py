"""Keys of one or several words, as the templates use them.

A rule `key` returns one integer or a tuple of uint64. `words_of` makes a tuple of either. Its length is known when a
kernel is compiled, and LLVM unrolls the loops over it, so a key of one word costs no more than a number.
"""

from typing import Any

import numpy as np

from parsolve.compiler.bits import MASK
from parsolve.compiler.marks import inlined, lowered

MOST_WORDS = 13
"""The most words of a key: an entry of the transposition table has three more, and then fills two cache lines."""

MIX = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: D. E. Knuth, TAOCP 3, 6.4
SPREAD = np.uint64(0xBF58476D1CE4E5B9)
"""An odd number that spreads ids over 64 bits: the first multiplier of the generator SplitMix64 (G. L. Steele, D. Lea,
C. H. Flood, OOPSLA 2014). It is not MIX, which chooses the bucket of a key."""

ZERO, HALF = np.uint64(0), np.uint64(32)


@lowered
def words_of(key: Any) -> Any:
    """Return a key as a tuple of uint64."""
    return key if isinstance(key, tuple) else (np.uint64(int(key) & MASK),)


@lowered
def key_in(array: Any, place: Any, like: Any) -> Any:
    """Return the key that an array, uint64[...], holds from a place on, as `unkey` takes it: one word, or a tuple.

    Args:
        like: any key, as a tuple: its length is known when this is compiled.
    """
    words = tuple(np.uint64(array[place + number]) for number in range(len(like)))
    return words[0] if len(words) == 1 else words


@lowered
def key_of(words: Any) -> Any:
    """Return a key, a tuple, as `unkey` takes it: one word, or the tuple."""
    return words[0] if len(words) == 1 else words


@inlined
def hashed(word: Any, more: Any) -> Any:
    """Return the hash of two words, uint64 each: each of its bits depends on all bits of both.

    The first is mixed before the other is added. Both are often small numbers, of which many pairs have one sum.
    """
    mix = (word ^ (word >> HALF)) * MIX
    mix = (mix ^ (mix >> HALF) ^ more) * SPREAD
    return mix ^ (mix >> HALF)


@inlined
def folded(words: Any) -> Any:
    """Return one word made of all words of a key."""
    mix = words[0]
    for number in range(1, len(words)):
        mix = (mix ^ (mix >> HALF)) * MIX ^ words[number]
    return mix


@inlined
def hash_words(words: Any) -> Any:
    """Return the hash of a key, uint64, whose high bits depend on all bits of it: of one word it is a product alone."""
    return words[0] * MIX if len(words) == 1 else hashed(folded(words), ZERO)


@lowered
def store_words(array: Any, place: Any, words: Any) -> None:
    """Write the words of a key into an array: uint64[...], from a place on."""
    for number in range(len(words)):
        array[place + np.uint64(number)] = words[number]


@inlined
def hash_of_id(number: Any) -> Any:
    """Return the hash of a state's id, uint64: by it every level, thread and run chooses the same states."""
    return number * SPREAD


def choose(chosen: Any, number: Any) -> Any:
    """Append an id to a list, uint64[any], whose first word is its length, if there is room."""
    place = chosen[0] + np.uint64(1)
    if place < np.uint64(chosen.size):
        chosen[0], chosen[place] = place, number
