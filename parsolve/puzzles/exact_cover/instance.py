"""An exact cover problem as checked data."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from parsolve.errors import BadInput
from parsolve.text import shown

MOST_ITEMS = 4096
"""Maximum number of primary items: a state holds two bytes for each."""

MOST_SECONDARY = 1 << 16

LONGEST_NAME = 1000
"""Maximum number of characters of an item's name."""

MOST_OPTIONS = (1 << 16) - 2
"""Maximum number of options: a move has two bytes, and leaving an option out is a move, too."""

MOST_COST = (1 << 31) - 1

MOST_ENTRIES = 1 << 20
"""Maximum number of items of all options together."""


class Instance(NamedTuple):
    """Items, and the options that cover them. Items are numbered, the primary ones first."""

    primary: tuple[str, ...]
    secondary: tuple[str, ...]
    options: tuple[tuple[tuple[int, str], ...], ...]  # for each item its number and its colour, empty for none
    bounds: tuple[tuple[int, int], ...] = ()  # minimum and maximum coverings of each primary item; () for once
    costs: tuple[int, ...] = ()  # of each option; () if none costs anything

    @property
    def coverings(self) -> tuple[tuple[int, int], ...]:
        """The minimum and maximum coverings of each primary item."""
        return self.bounds or ((1, 1),) * len(self.primary)

    def words(self, option: int) -> list[str]:
        """Return the items of an option as text, such as `a` or `b:red`."""
        names = self.primary + self.secondary
        return [f"{names[item]}:{colour}" if colour else names[item] for item, colour in self.options[option]]

    def primary_of(self, option: int) -> list[int]:
        """Return the numbers of an option's primary items."""
        return [item for item, _ in self.options[option] if item < len(self.primary)]


class Builder:
    """Collects items and options one by one, and checks each.

    Every solution covers a primary item once, or as often as the bounds before its name allow, such as 2|a or 1:3|a;
    and a secondary item at most once, or any number of times in one colour.

    Raises:
        BadInput: a name is invalid or not unique, there are too many, or no primary ones.
    """

    def __init__(self, primary: Iterable[str], secondary: Iterable[str] = ()) -> None:
        names = list(primary)
        self.secondary = tuple(secondary)
        for what, given, most in (("primary", names, MOST_ITEMS), ("secondary", self.secondary, MOST_SECONDARY)):
            if len(given) > most:
                raise BadInput(f"{len(given):,} {what} items are too many: {most:,} at most")
        for name in (*names, *self.secondary):
            if len(name) > LONGEST_NAME:
                raise BadInput(f"the name {shown(name)} has {len(name):,} characters; {LONGEST_NAME:,} are possible")
        every = [_bounded(name) for name in names]
        self.primary = tuple(name for name, _ in every)
        self._bounds = tuple(bound for _, bound in every) if {bound for _, bound in every} != {(1, 1)} else ()
        self._number: dict[str, int] = {}
        self._options: list[tuple[tuple[int, str], ...]] = []
        self._costs: list[int] = []
        self._entries = 0
        for name in self.primary + self.secondary:
            if not name or any(c.isspace() or c in ":|" for c in name):
                raise BadInput(f"the item {shown(name)} is not a name: names have no spaces, no : and no |")
            if name in self._number:
                raise BadInput(f"the item {shown(name)} occurs twice: give each item its own name")
            self._number[name] = len(self._number)
        if not self.primary:
            raise BadInput("there are no primary items: name what every solution covers")

    def add(self, words: Sequence[str], cost: int = 0) -> None:
        """Add an option: its items, secondary ones with a colour or without, such as `b:red`; and its cost.

        Raises:
            BadInput: an item is unknown or not unique, a primary one has a colour, there are too many options, or the
                cost is not from 0 to 2^31 - 1.
        """
        if not 0 <= cost <= MOST_COST:
            raise BadInput(f"the cost {cost:,} is not possible: costs are whole numbers from 0 to {MOST_COST:,}")
        self._entries += len(words)
        if len(self._options) == MOST_OPTIONS or self._entries > MOST_ENTRIES:
            raise BadInput(f"these are too many options: at most {MOST_OPTIONS:,}, with {MOST_ENTRIES:,} items in all")
        option = []
        for word in words:
            name, colon, colour = word.partition(":")
            number = self._number.get(name)
            if number is None:
                raise BadInput(f"there is no item {shown(name)}: name it among the items first")
            if colon and number < len(self.primary):
                raise BadInput(f"the item {shown(name)} has a colour, but is primary: only secondary ones have colours")
            if colon and (not colour or any(c.isspace() or c in ":|" for c in colour)):
                raise BadInput(f"{shown(word)} has no colour after the colon, or one with a space, : or |")
            option.append((number, colour))
        if not option:
            raise BadInput("an option without items covers nothing: leave it out")
        if len({item for item, _ in option}) < len(option):
            raise BadInput(f"an option has one item twice: {shown(' '.join(words))}")
        self._options.append(tuple(option))
        self._costs.append(cost)

    def finish(self) -> Instance:
        """Return the problem."""
        costs = tuple(self._costs) if any(self._costs) else ()
        return Instance(self.primary, self.secondary, tuple(self._options), self._bounds, costs)


def _bounded(name: str) -> tuple[str, tuple[int, int]]:
    """Return the name of a primary item, and its minimum and maximum number of coverings."""
    parts = re.fullmatch(r"(?:(\d{1,9}):)?(\d{1,9})\|(.+)", name, re.ASCII)
    if not parts:
        return name, (1, 1)
    most = int(parts[2])
    least = most if parts[1] is None else int(parts[1])
    if not least <= most or not most:
        raise BadInput(
            f"the item {shown(name)} is covered at least {least} and at most {most} times, which is impossible"
        )
    return parts[3], (least, most)
