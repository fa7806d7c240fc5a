"""The rules of exact cover with symmetries that map solutions onto solutions, only one of which is taken."""

from collections import namedtuple
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from parsolve.compiler.bits import bit_count, trailing_zeros
from parsolve.puzzles.exact_cover.bounded import ONE, SIX, WITHIN
from parsolve.puzzles.exact_cover.covering import Covering, Tables, bits_of, expand_cover, multiple

Things = tuple[int, ...]
"""A set of things, rising."""


class Symmetries(NamedTuple):
    """The images of things under each symmetry but the identity. Options mean things, such as a piece in a place.

    Several options may mean one thing, and an option none. Only the lexicographically least image of each solution
    counts: the one with the least thing that is not in both. A symmetry may count for some solutions only: those whose
    numbers of things of certain sets are within bounds.
    """

    things: Sequence[int]  # by option: its thing, or the number of things
    images: Sequence[Sequence[int]]  # by symmetry and thing; the number of things if no solution for which the
    # symmetry counts has the thing; the inverse of each symmetry is included
    required: Sequence[Sequence[tuple[Things, int, int]]] = ()  # by symmetry: sets, and how many things of each
    is_unique: bool = True  # whether only the least image is a solution
    is_symmetric: bool = False  # whether only solutions that a symmetry maps onto themselves count

    @property
    def number(self) -> int:
        """The number of things."""
        return len(self.images[0]) if self.images else 0


NOTHING = Symmetries((), ())
"""No symmetries: every solution is taken."""


DistinctTables = namedtuple(  # type: ignore[misc]
    "DistinctTables", [*Tables._fields, "things", "images", "back", "required", "sets", "is_unique", "is_symmetric"]
)
"""The lookups of the rules, and those of `Symmetries`:

things: uint32[options + 1]; the last one is that of no option.
images: uint32[symmetries, things]; of one dimension without symmetries: see `bounds`.
back: uint32[symmetries, things]: the thing whose image each is.
required: uint32[symmetries, ..., 3]: sets with bounds.
sets: uint64[..., words]: a bit for each thing.
is_unique, is_symmetric: bool.
"""


class Distinct(Covering):
    """Base class of exact cover problems with symmetries. A state also holds which things are taken, a bit each."""

    @property
    def symmetric_things(self) -> Symmetries:
        """The things that are compared with their images once all is covered."""
        return NOTHING

    @property
    def state(self) -> Any:
        words = multiple(self.symmetric_things.number + 1, 64) // 64
        return np.dtype([*super().state.descr, ("taken", "u8", (words,))])

    def tables(self) -> Any:
        things, images, required, is_unique, is_symmetric = self.symmetric_things
        number = self.symmetric_things.number
        forth = np.array(images, np.uint32).reshape(len(images), number)
        back = np.full_like(forth, number)
        for one, other in zip(forth, back, strict=True):
            other[one[one < number]] = np.flatnonzero(one < number)
        sets = [*dict.fromkeys([(), *(each for every in required for each, _, _ in every)])]
        place = {each: place for place, each in enumerate(sets)}
        most = max(map(len, required), default=0)
        padded = [[*every, *[((), 0, 0)] * (most - len(every))] for every in required]
        bounds = [[(place[each], low, high) for each, low, high in every] for every in padded]
        words = self.state["taken"].shape[0]
        return DistinctTables(  # type: ignore[call-arg]
            *super().tables(),
            np.array([*things, number], np.uint32),
            forth if len(forth) else forth.reshape(0),
            back,
            np.array(bounds, np.uint32).reshape(len(required), most, 3),
            np.array([bits_of([*each], words) for each in sets], np.uint64),
            np.bool_(is_unique),
            np.bool_(is_symmetric),
        )

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        end = expand_cover(tables, here, rows, top, tables.bounds)
        for number in range(top, end):
            row = rows[number]
            row.taken = here.taken
            if tables.images.shape[0] > 0:
                thing = np.uint64(tables.things[row.move])
                row.taken[thing >> SIX] |= ONE << (thing & WITHIN)
        return end

    @staticmethod
    def solved(tables: Any, here: Any) -> Any:
        return here.left == 0 and is_accepted(tables, here.taken, tables.images)


def is_accepted(tables: Any, taken: Any, images: Any) -> Any:
    """Return whether a solution counts, given its things `taken`: uint64[...], a bit each; `images`: of the tables."""
    if images.ndim == 1:
        return not tables.is_symmetric
    things = np.uint64(images.shape[1])
    is_symmetric = False
    for symmetry in range(images.shape[0]):
        if not is_counted(tables, taken, symmetry):
            continue
        # The least thing that is not in the image, and the least that is only in the image.
        lost, gained = things, things
        for word in range(taken.size):
            left = taken[word]
            while left:
                thing = np.uint64(word) << SIX | np.uint64(trailing_zeros(left))
                left &= left - ONE
                if thing == things:  # an option without a thing
                    continue
                before = np.uint64(tables.back[symmetry, thing])
                if lost == things and taken[before >> SIX] >> (before & WITHIN) & ONE == 0:
                    lost = thing
                after = np.uint64(images[symmetry, thing])
                if after < gained and taken[after >> SIX] >> (after & WITHIN) & ONE == 0:
                    gained = after
        if lost == gained:
            is_symmetric = True
        elif tables.is_unique and gained < lost:
            return False
    return is_symmetric or not tables.is_symmetric


def is_counted(tables: Any, taken: Any, symmetry: Any) -> Any:
    """Return whether a symmetry counts for a solution, given its things; see `Symmetries.required`."""
    for place in range(tables.required.shape[1]):
        each = tables.required[symmetry, place, 0]
        number = 0
        for word in range(taken.size):
            number += bit_count(taken[word] & tables.sets[each, word])
        if number < tables.required[symmetry, place, 1] or number > tables.required[symmetry, place, 2]:
            return False
    return True
