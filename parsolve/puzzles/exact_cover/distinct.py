"""The rules of exact cover where symmetries map solutions onto solutions, and of these one is taken."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from parsolve.kernel.bits import trailing_zeros
from parsolve.puzzles.exact_cover.rules import ONE, SIX, Covering, multiple

expand_cover = Covering.expand

WITHIN = np.uint64(63)


class Symmetries(NamedTuple):
    """The images of things under each symmetry but the identity. Options mean things, such as a piece in a place.

    Several options may mean one thing, and an option none. Of a solution and its images the least counts: the one with
    the least thing that is not in both.
    """

    things: Sequence[int]  # by option: what it stands for, or the number of things
    images: Sequence[Sequence[int]]  # by symmetry and thing; for each symmetry there is also the one that undoes it
    is_unique: bool = True  # whether only the least image is a solution
    is_symmetric: bool = False  # whether only what a symmetry maps onto itself is a solution

    @property
    def number(self) -> int:
        """How many things there are."""
        return len(self.images[0]) if self.images else 0


NOTHING = Symmetries((), ())
"""Where every solution is taken."""


class DistinctTables(NamedTuple):
    """What the rules look up. The first fields are those of `Tables`."""

    conflicts: np.ndarray[Any, Any]
    options: np.ndarray[Any, Any]
    first: np.ndarray[Any, Any]
    items: np.ndarray[Any, Any]
    things: np.ndarray[Any, Any]  # uint32[options]: see `Symmetries`
    images: np.ndarray[Any, Any]  # uint32[symmetries, things]
    inverse: np.ndarray[Any, Any]  # uint8[symmetries]: the symmetry that undoes each
    is_unique: np.bool_
    is_symmetric: np.bool_


class Distinct(Covering):
    """Base class of exact cover problems with symmetries. A state also holds which things are taken, a bit each."""

    @property
    def symmetric_things(self) -> Symmetries:
        """What is compared with its images, once all is covered."""
        return NOTHING

    @property
    def state(self) -> Any:
        plain = super().state
        words = multiple(self.symmetric_things.number + 1, 64) // 64
        return np.dtype([*((name, plain[name]) for name in plain.names), ("taken", "u8", (words,))])

    def tables(self) -> DistinctTables:  # type: ignore[override]
        things, images, is_unique, is_symmetric = self.symmetric_things
        numbers = np.array(images, np.uint32).reshape(len(images), self.symmetric_things.number)
        every = np.arange(numbers.shape[1])
        inverse = [int(np.argmax([np.array_equal(other[one], every) for other in numbers])) for one in numbers]
        return DistinctTables(
            *super().tables(),
            np.array(things, np.uint32),
            numbers,
            np.array(inverse, np.uint8),
            np.bool_(is_unique),
            np.bool_(is_symmetric),
        )

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        end = expand_cover(tables, here, limit, rows, top)
        for number in range(top, end):
            row = rows[number]
            row.taken = here.taken
            if tables.images.shape[0] > 0:
                thing = np.uint64(tables.things[row.move])
                row.taken[thing >> SIX] |= ONE << (thing & WITHIN)
        return end

    @staticmethod
    def solved(tables: Any, here: Any) -> Any:
        return here.left == 0 and is_accepted(tables, here.taken)


def is_accepted(tables: Any, taken: Any) -> Any:
    """Return whether a solution counts, by the things in it, `taken`: uint64[...], a bit each."""
    things = np.uint64(tables.images.shape[1])
    is_symmetric = False
    for symmetry in range(tables.images.shape[0]):
        # The least thing that its image has not, and the least that only its image has.
        lost, gained = things, things
        for word in range(taken.size):
            left = taken[word]
            while left:
                thing = np.uint64(word) << SIX | np.uint64(trailing_zeros(left))
                left &= left - ONE
                if thing == things:  # an option that stands for nothing
                    continue
                before = np.uint64(tables.images[tables.inverse[symmetry], thing])
                if lost == things and taken[before >> SIX] >> (before & WITHIN) & ONE == 0:
                    lost = thing
                after = np.uint64(tables.images[symmetry, thing])
                if after < gained and taken[after >> SIX] >> (after & WITHIN) & ONE == 0:
                    gained = after
        if lost == gained:
            is_symmetric = True
        elif tables.is_unique and gained < lost:
            return False
    return is_symmetric or not tables.is_symmetric
