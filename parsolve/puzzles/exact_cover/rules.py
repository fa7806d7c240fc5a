"""The rules of exact cover with colours (Knuth's algorithms X and C), on bit sets of options and counts of items.

A state holds the open options, a bit each, and their number for each primary item. Taking an option is one and-not with
the row of its conflicts; each option removed by that is subtracted from the counts of its items. If a count becomes 0
there is no child.
"""

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from parsolve.compiler.bits import trailing_zeros
from parsolve.errors import BadInput
from parsolve.puzzle import Puzzle
from parsolve.puzzles.exact_cover.counted import Counted
from parsolve.puzzles.exact_cover.instance import Instance
from parsolve.text import nearest, shown

COVERED = np.uint16(0xFFFF)
"""The count of a covered item; it falls by the options that covering it removes, at most `MOST_OPTIONS`."""

_FEW = 4
"""Words of a small problem's options. Sizes are rounded up, because each needs a kernel, which takes 2 s to compile."""

ONE, SIX = np.uint64(1), np.uint64(6)


class Tables(NamedTuple):
    """The lookups of the rules. An option is a number, and a bit in the words of a set of options."""

    conflicts: np.ndarray[Any, Any]  # uint64[options, words]: the options that exclude it, itself included
    options: np.ndarray[Any, Any]  # uint64[primary items, words]: the options of each item
    first: np.ndarray[Any, Any]  # uint32[options + 1]: the beginning of an option's items
    items: np.ndarray[Any, Any]  # uint16[...]: the primary items of all options


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
        bounds = instance.bounds or ((1, 1),) * len(instance.primary)
        once = {name: item for item, name in enumerate(instance.primary) if bounds[item] == (1, 1)}
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
        """Return the moves of a solution, in no order, from the ascending options of a solution of `sharing`."""
        return list(options)

    @property
    def state(self) -> Any:
        """A state, whose size depends on the numbers of options and items."""
        words, counts = self._words, multiple(len(self.instance.primary), 64)
        return np.dtype([("options", "u8", (words,)), ("counts", "u2", (counts,)), ("left", "u2"), ("move", "u2")])

    @property
    def _words(self) -> int:
        words = multiple(len(self.instance.options), 64) // 64
        return _FEW if words <= _FEW else multiple(words, 16)

    @property
    def _repeated(self) -> frozenset[int]:
        """The items that several options may cover, which do not exclude each other."""
        return frozenset()

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
        return max(1, *map(len, self._options_of))

    def limits(self) -> Sequence[int]:
        return (0,)

    def steps(self, limit: int) -> int:
        return len(self.instance.primary)

    def root(self) -> dict[str, Any]:
        instance = self.instance
        options = [number for number in range(len(instance.options)) if instance.primary_of(number)]
        counts = np.full(self.state["counts"].shape, COVERED)
        counts[: len(instance.primary)] = [*map(len, self._options_of)]
        words = bits_of(options, self._words)
        return {"options": words.tolist(), "counts": counts.tolist(), "left": len(instance.primary)}

    def tables(self) -> Tables:
        instance, words = self.instance, self._words
        conflicts = np.zeros((len(instance.options), words), np.uint64)
        for item, colours in _colours(instance).items():
            if item in self._repeated:
                continue
            every = bits_of([option for options in colours.values() for option in options], words)
            for colour, options in colours.items():
                conflicts[options] |= every & ~bits_of(options, words) if colour else every
        items = [instance.primary_of(option) for option in range(len(instance.options))]
        for option in range(len(items)):
            conflicts[option] |= bits_of([option], words)
        return Tables(
            conflicts,
            np.array([bits_of(options, words) for options in self._options_of], np.uint64).reshape(-1, words),
            np.cumsum([0, *map(len, items)]).astype(np.uint32),
            np.array([item for each in items for item in each], np.uint16),
        )

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        chosen = fewest(here.counts)
        for word in range(tables.options.shape[1]):
            free = here.options[word] & tables.options[chosen, word]
            while free:
                option = np.uint64(word) << SIX | np.uint64(trailing_zeros(free))
                free &= free - ONE
                if take(tables, here, rows[top], option):
                    top += 1
        return top

    @staticmethod
    def solved(tables: Any, here: Any) -> Any:
        return here.left == 0


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
    row.move = option
    begin, end = np.uint64(tables.first[option]), np.uint64(tables.first[option + ONE])
    row.left = here.left - np.uint16(end - begin)
    for place in range(begin, end):
        row.counts[tables.items[place]] = COVERED
    for word in range(tables.conflicts.shape[1]):
        removed = here.options[word] & tables.conflicts[option, word]
        row.options[word] = here.options[word] ^ removed
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


def bits_of(numbers: list[int], words: int) -> np.ndarray[Any, Any]:
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
