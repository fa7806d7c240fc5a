"""The rules of exact cover with colours (Knuth's algorithms X and C), on bit sets of options and counts of items.

A state holds the open options, a bit each, and their number for each primary item. Taking an option removes the options
that its items and colours exclude; each of these is subtracted from the counts of its items. If a count becomes 0 there
is no child. With bounds the rules are those of `bounded`.
"""

import itertools
import math
from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from parsolve.compiler.bits import trailing_zeros
from parsolve.errors import BadInput
from parsolve.puzzle.core import Puzzle
from parsolve.puzzles.exact_cover.bounded import COVERED, ONE, SIX, expand_bounded
from parsolve.puzzles.exact_cover.counted import Counted
from parsolve.puzzles.exact_cover.instance import Instance
from parsolve.text import nearest, shown

_FEW = 4
"""Words of a small problem's options. Sizes are rounded up, because each needs a kernel, which takes 2 s to compile."""

MUCH = 1 << 27
"""Bytes of a process from which `memory` says them."""

FEW_OPTIONS = 1 << 14
"""Maximum number of options that each have a set of conflicts: 32 MB."""

Array = np.ndarray[Any, Any]


class Tables(NamedTuple):
    """The lookups of the rules. An option is a number, and a bit in the words of a set of options."""

    conflicts: Array  # uint64[..., words]: sets of options that are excluded together
    options: Array  # uint64[primary items, words]: the options of each item
    first: Array  # uint32[options + 1]: the beginning of an option's items
    items: Array  # uint16[...]: the primary items of all options
    begin: Array  # uint32[options + 1]: the beginning of an option's conflicts
    excluded: Array  # uint32[...]: the conflicts of all options, as numbers of these sets
    bounds: Array  # empty, of two dimensions if there are bounds: numba leaves out what that excludes


class Covering(Puzzle):
    """Base class of puzzles that are exact cover problems. A move takes the option of that number.

    The item with the fewest open options is covered first, among equals the first; its options are tried in order.
    """

    @property
    @abstractmethod
    def instance(self) -> Instance:
        """The problem."""

    @property
    def shared(self) -> Instance:
        """A problem with as many solutions, possibly with bounds, for the engine `sharing`."""
        return self.instance

    order: str = ""
    """The items that the engine `sharing` covers first, in this order."""

    @cached_property
    def _counted(self) -> Counted:
        return Counted.of(self.shared, self.first)

    @cached_property
    def first(self) -> list[int]:
        """The numbers of the items in `order`.

        Raises:
            BadInput: one of them is not covered once, or occurs twice.
        """
        instance = self.shared
        named = enumerate(zip(instance.primary, instance.coverings, strict=True))
        once = {name: item for item, (name, covering) in named if covering == (1, 1)}
        found: dict[int, None] = {}
        for name in self.order.split():
            if name not in once:
                raise BadInput(f"order: there is no item {shown(name)} that is covered once{nearest(name, once)}")
            if once[name] in found:
                raise BadInput(f"order: the item {shown(name)} occurs twice: name it once")
            found[once[name]] = None
        return list(found)

    def sharing(self) -> Puzzle:
        return self._counted

    def unshared(self, moves: Sequence[int]) -> list[int]:
        return self.unfolded(self._counted.taken(moves))

    def unfolded(self, options: Sequence[int]) -> list[int]:
        """Return the moves of a solution, in no order, from its options."""
        if not self.instance.bounds:
            return list(options)
        tables, limit, rows = self.tables(), self.limits()[-1], self._rows_from(self.root())
        left, out = {*options}, len(self.instance.options)  # to leave an option out; to end is the move after it
        moves: list[int] = []
        while rows[0].left:
            children = {int(row.move): row for row in rows[1 : self.expand(tables, rows[0], limit, rows, 1)]}
            taken = left & children.keys()
            moves.append(min(taken or ({out + 1} if not left and out + 1 in children else {out})))
            left -= taken
            rows[0] = children[moves[-1]]
        return moves

    def _rows_from(self, root: dict[str, Any]) -> Any:
        """Return rows for a state and its children, the first of them a root."""
        rows = np.zeros(2 + self.children, self.state).view(np.recarray)
        for name, value in root.items():
            rows[0][name] = value
        return rows

    @property
    def state(self) -> Any:
        """A state, whose size depends on the numbers of options and items, and on whether these have bounds."""
        words, counts = self._words, multiple(len(self.instance.primary), 64)
        numbers = ("u2", (counts if self.instance.bounds else 1,))
        fields = [("options", "u8", (words,)), ("counts", "u2", (counts,)), ("need", *numbers), ("room", *numbers)]
        return np.dtype([*fields, ("left", "u2"), ("move", "u2")])

    @property
    def _words(self) -> int:
        words = multiple(len(self.instance.options), 64) // 64
        return _FEW if words <= _FEW else multiple(words, 16)

    @cached_property
    def _options_of(self) -> list[list[int]]:
        """The options of each primary item."""
        options: list[list[int]] = [[] for _ in self.instance.primary]
        for option in range(len(self.instance.options)):
            for item in self.instance.primary_of(option):
                options[item].append(option)
        return options

    @property
    def children(self) -> int:
        return 2 if self.instance.bounds else max(1, *map(len, self._options_of))

    @property
    def memory(self) -> str:
        """What a process may need, as text, if it is much: its lookups, and the children of a path's states."""
        lookups = sum(each.nbytes for each in self.tables())
        size = lookups + self.state.itemsize * self.children * (1 + self._most)
        return f"; a process may need up to {size >> 20:,} MB of memory" if size >= MUCH else ""

    def limits(self) -> Sequence[int]:
        return (0,)

    def steps(self, limit: int) -> int:
        return self._most

    @cached_property
    def _most(self) -> int:
        """Maximum number of moves."""
        # An item counts as one part of its smallest option: the items of an option count as one or more.
        if self.instance.bounds:
            return len(self.instance.options)
        sizes = [len(self.instance.primary_of(option)) for option in range(len(self.instance.options))]
        shares = Counter(min((sizes[option] for option in options), default=1) for options in self._options_of)
        return max(1, math.floor(sum(Fraction(number, size) for size, number in shares.items())))

    def root(self) -> dict[str, Any]:
        instance = self.instance
        options = [number for number in range(len(instance.options)) if instance.primary_of(number)]
        counts = np.full(self.state["counts"].shape, COVERED)
        counts[: len(instance.primary)] = [*map(len, self._options_of)]
        words = bits_of(options, self._words)
        root = {"options": words.tolist(), "counts": counts.tolist(), "left": len(instance.primary)}
        return self._bounded(root) if instance.bounds else root

    def _bounded(self, root: dict[str, Any]) -> dict[str, Any]:
        """Return a root with how often each item must, and how often it may be covered."""
        counts, need, room = root["counts"], [1] * len(root["counts"]), [0] * len(root["counts"])
        for item, (least, most) in enumerate(self.instance.bounds):
            held = counts[item]
            need[item], room[item] = least, min(most, held)
            if least > held:  # no solution: no option is open
                root["options"] = [0] * len(root["options"])
                counts[item], need[item] = 0, 1
            elif not held:
                counts[item], need[item] = int(COVERED), 1
                root["left"] -= 1
        return {**root, "need": need, "room": room}

    def tables(self) -> Tables:
        instance, words = self.instance, self._words
        conflicts, sets = self._conflicts()
        items = [instance.primary_of(option) for option in range(len(instance.options))]
        return Tables(
            conflicts,
            np.array([bits_of(options, words) for options in self._options_of], np.uint64).reshape(-1, words),
            *_listed(items, np.uint16),
            *_listed(sets, np.uint32),
            np.zeros((0, 0) if instance.bounds else 0),
        )

    def _conflicts(self) -> tuple[Array, list[list[int]]]:
        """Return sets of options, one for each option or for each item's colour, and by option those it excludes."""
        number, words = len(self.instance.options), self._words
        repeated = {item for item, (_, most) in enumerate(self.instance.bounds) if most > 1}
        every = {item: colours for item, colours in _colours(self.instance).items() if item not in repeated}
        is_own = number <= FEW_OPTIONS or sum(map(len, every.values())) > number
        conflicts = np.zeros((number if is_own else sum(map(len, every.values())), words), np.uint64)
        sets = [[option] if is_own else [] for option in range(number)]
        at = 0
        for colours in every.values():
            held = bits_of([option for options in colours.values() for option in options], words)
            for colour, options in colours.items():
                excluded = held & ~bits_of(options, words) if colour else held
                conflicts[options if is_own else at] |= excluded
                for option in () if is_own else options:
                    sets[option].append(at)
                at += 1
        return conflicts, sets

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        return expand_cover(tables, here, rows, top, tables.bounds)

    @staticmethod
    def solved(tables: Any, here: Any) -> Any:
        return here.left == 0


def expand_cover(tables: Any, here: Any, rows: Any, top: Any, bounds: Any) -> Any:
    """Do what `expand` does; `bounds`: those of the tables."""
    if bounds.ndim > 1:
        return expand_bounded(tables, here, rows, top)
    chosen = fewest(here.counts)
    for word in range(tables.options.shape[1]):
        free = here.options[word] & tables.options[chosen, word]
        while free:
            option = np.uint64(word) << SIX | np.uint64(trailing_zeros(free))
            free &= free - ONE
            if take(tables, here, rows[top], option):
                top += 1
    return top


def fewest(counts: Any) -> Any:
    """Return the item with the fewest open options, among equals the first.

    Count and item are compared as one number, without a branch: LLVM can vectorise that.
    """
    least = np.uint32(0xFFFFFFFF)
    for item in range(counts.size):
        least = min(least, np.uint32(np.uint32(counts[item]) << np.uint32(16) | np.uint32(item)))
    return np.int64(least & np.uint32(0xFFFF))


def take(tables: Any, here: Any, row: Any, option: Any) -> Any:
    """Write the state after an option is taken into `row`; return False if an item then has no options left."""
    row.counts = here.counts
    row.need[0] = row.room[0] = 0  # without bounds
    row.move = option
    begin, end = np.uint64(tables.first[option]), np.uint64(tables.first[option + ONE])
    row.left = here.left - np.uint16(end - begin)
    for place in range(begin, end):
        row.counts[tables.items[place]] = COVERED
    if here.options.size > FEW_OPTIONS // 64:  # a constant of the kernel
        return take_sets(tables, here, row, option)
    for word in range(tables.conflicts.shape[1]):
        removed = here.options[word] & tables.conflicts[option, word]
        row.options[word] = here.options[word] ^ removed
        if not lessen(tables, row, word, removed):
            return False
    return True


def take_sets(tables: Any, here: Any, row: Any, option: Any) -> Any:
    """Write the open options after an option is taken, if these are many; return False if an item has none left."""
    row.options = here.options
    for place in range(tables.begin[option], tables.begin[option + ONE]):
        conflict = np.uint64(tables.excluded[place])
        for word in range(tables.conflicts.shape[1]):
            removed = row.options[word] & tables.conflicts[conflict, word]
            row.options[word] ^= removed
            if not lessen(tables, row, word, removed):
                return False
    return True


def lessen(tables: Any, row: Any, word: Any, removed: Any) -> Any:
    """Count the removed options of a word less for their items; return False if one of these has none left."""
    while removed:
        gone = np.uint64(word) << SIX | np.uint64(trailing_zeros(removed))
        removed &= removed - ONE
        for place in range(tables.first[gone], tables.first[gone + ONE]):
            item = tables.items[place]
            row.counts[item] -= np.uint16(1)
            if row.counts[item] == 0:
                return False
    return True


def multiple(number: int, step: int) -> int:
    """Return the least positive multiple of a step that is at least a number."""
    return max(1, -(-number // step)) * step


def bits_of(numbers: list[int], words: int) -> Array:
    """Return a set of numbers as uint64[words], a bit each."""
    flags = np.zeros(64 * words, np.uint8)
    flags[numbers] = 1
    return np.packbits(flags, bitorder="little").view("<u8").astype(np.uint64)


def _colours(instance: Instance) -> dict[int, dict[str, list[int]]]:
    """Return the options of each item by the colour that they give it; no colour is empty."""
    found: dict[int, dict[str, list[int]]] = {}
    for number, option in enumerate(instance.options):
        for item, colour in option:
            found.setdefault(item, {}).setdefault(colour, []).append(number)
    return found


def _listed(lists: Sequence[Sequence[int]], kind: type[np.unsignedinteger[Any]]) -> tuple[Array, Array]:
    """Return where each list begins in all of them, and these."""
    return np.cumsum([0, *map(len, lists)]).astype(np.uint32), np.fromiter(itertools.chain.from_iterable(lists), kind)
