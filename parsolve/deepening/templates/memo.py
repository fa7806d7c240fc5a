"""Remember finished subtrees in the transposition table."""

from typing import Any, NamedTuple

import numpy as np

from parsolve.compiler.atomics import prefetch
from parsolve.compiler.bits import ONE, TWO
from parsolve.compiler.keys import folded, hashed, key_in, store_words, words_of
from parsolve.compiler.marks import inlined
from parsolve.search.cuts import NOTHING

UNKNOWN = -1


class Memo(NamedTuple):
    """The transposition table: finished subtrees by key and room left; a new entry replaces the old one in its place.

    An entry is 4 words if a key is one, 8 up to five words, otherwise 16, which is two cache lines: all words of the
    key; (room + 1) << 1, plus 1 if the limit may have cut the subtree, 0 if the place is free; the solutions below; and
    a checksum of all of these. Processes share the table without locks: an entry that two of them write at once does
    not match its checksum.
    """

    entries: np.ndarray[Any, Any]  # uint64[2^k], at least 16
    before: np.ndarray[Any, Any]  # int64[levels]: the solutions found before the current row of a level
    whole: np.ndarray[Any, Any]  # uint8[levels]: whether this run has searched that row from its beginning


@inlined
def room_left(limit: Any, here: Any) -> Any:
    """Return the second part of the entry of a state, uint64, without the bit that says whether the limit has cut."""
    return np.uint64(limit - here.cost + 1) << ONE


@inlined
def known_solutions(memo: Any, words: Any, left: Any, was_cut: Any) -> Any:
    """Return the number of solutions below a state, int64, or UNKNOWN.

    Args:
        memo: a `Memo`.
        words: of the key, as a tuple.
        left: see `room_left`.
        was_cut: whether the limit has cut something in this iteration: until then only entries that it has not cut
            are used.
    """
    _, _, known, below, is_whole = entry_of(memo, words, left)
    if is_whole and (known == left or known == left | np.uint64(was_cut)):
        return np.int64(below)
    return UNKNOWN


@inlined
def store_solutions(memo: Any, words: Any, left: Any, found: Any, run: Any) -> Any:
    """Remember the number of solutions below a state; return whether it agrees with what was known, where it must.

    Args:
        memo, words, left: see `known_solutions`.
        found: the number of solutions.
        run: RUN.
    """
    below = np.uint64(found)
    after, mix, known, other, is_whole = entry_of(memo, words, left)
    agrees = other == below or known | ONE != left | ONE or not is_whole or run.cheaper != 0
    left |= np.uint64(run.cut != NOTHING)
    store_words(memo.entries, after - np.uint64(len(words)), words)
    memo.entries[after], memo.entries[after + ONE] = left, below
    memo.entries[after + TWO] = hashed(hashed(mix, left), below)
    return agrees


@inlined
def entry_of(memo: Any, words: Any, left: Any) -> Any:
    """Return the place after the key of an entry, the key's folded words, the two words there, and whether the entry is
    whole and has that key."""
    mix = folded(words)
    place = slot_of(memo, words, mix, left)
    after = place + np.uint64(len(words))
    known, below = memo.entries[after], memo.entries[after + ONE]
    is_its = words_of(key_in(memo.entries, place, words)) == words
    return after, mix, known, below, is_its and memo.entries[after + TWO] == hashed(hashed(mix, known), below)


@inlined
def fetch_entry(memo: Any, words: Any, left: Any) -> Any:
    """Begin to load the entry of a state into the processor's cache."""
    prefetch(memo.entries, slot_of(memo, words, folded(words), left))


@inlined
def slot_of(memo: Any, words: Any, mix: Any, left: Any) -> Any:
    """Return the slot of a key, where its entry begins, uint64; `mix` is `folded(words)`."""
    size = 4 if len(words) == 1 else 8 if len(words) <= 5 else 16
    return hashed(mix, left) * np.uint64(size) & np.uint64(memo.entries.size - 1)
