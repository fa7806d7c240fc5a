"""The rules of cheapest covers: exact cover with bounds, and options with costs.

A state is one of `bounded`, with its cost. Of the items that must still be covered, the one with the fewest ways to go
on is next: its first open option is taken, or left out. Once no item must, the solution ends, or one more option is
taken.
"""

import math
from abc import abstractmethod
from collections import namedtuple
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from parsolve.compiler.bits import bit_count, trailing_zeros
from parsolve.errors import BadInput
from parsolve.puzzle.core import Puzzle
from parsolve.puzzles.exact_cover.bounded import (
    ONE,
    SIX,
    WITHIN,
    ZERO,
    copy_counts,
    first_open,
    leave_out,
    number_of_options,
    take,
)
from parsolve.puzzles.exact_cover.counted import Costed, Counted
from parsolve.puzzles.exact_cover.covering import bits_of
from parsolve.puzzles.exact_cover.distinct import Distinct, DistinctTables
from parsolve.puzzles.exact_cover.instance import Instance

DEAREST = np.int64((1 << 32) - 1)
"""Instead of a greater cost."""

SCALE = np.uint64(14)
"""Shares are counted in parts of 1 / 2^SCALE, rounded down."""

ENOUGH = np.uint64(1 << 48)
"""A sum of shares that is above every limit."""

NONE = np.int64(-1)
"""Instead of an item: none must be covered any more."""


CheapestTables = namedtuple(  # type: ignore[misc]
    "CheapestTables", [*DistinctTables._fields, "costs", "covers"]
)
"""The lookups of the rules; uint32[options]: what each option costs; uint64[options, item words]: the primary items of
each, a bit each."""


class Cheapest(Distinct):
    """Base class of exact cover problems with bounds and costs. A move takes the option of that number, or leaves one
    out, or ends the solution; the last two have the numbers after the options'."""

    children = 3

    @property
    @abstractmethod
    def problem(self) -> Instance:
        """The problem, whose items may have bounds."""

    @cached_property
    def instance(self) -> Instance:
        return self.problem._replace(bounds=self.problem.coverings)

    @property
    def state(self) -> Any:
        plain = super().state
        items = plain["counts"].shape[0]
        return np.dtype(
            [
                *plain.descr,
                ("needy", "u8", (items // 64,)),  # the items that must still be covered, a bit each
                ("shares", "u8", (items,)),  # see `remaining`
                ("more", "u1"),  # whether one more option must be taken
                ("cost", "u4"),
                ("bound", "u4"),
            ]
        )

    def limits(self) -> Sequence[int]:
        step = math.gcd(*self.instance.costs) or 1
        return range(-(-self._root["bound"] // step) * step, 1 << 33, step)  # greater ones are refused

    def steps(self, limit: int) -> int:
        return super().steps(limit) + 1

    def root(self) -> dict[str, Any]:
        return self._root

    @cached_property
    def _root(self) -> dict[str, Any]:
        needy = [item for item, (least, _) in enumerate(self.instance.bounds) if least]
        root = {**super().root(), "needy": bits_of(needy, self.state["needy"].shape[0]).tolist()}
        bound = remaining(self.tables(), self._rows_from(root)[0]) if any(root["options"]) else 0
        return {**root, "bound": min(int(bound), int(DEAREST))}

    def tables(self) -> Any:
        words = self.state["needy"].shape[0]
        covers = [bits_of(self.instance.primary_of(option), words) for option in range(len(self.instance.options))]
        return CheapestTables(  # type: ignore[call-arg]
            *super().tables(),
            np.array(self.instance.costs, np.uint32),
            np.array(covers, np.uint64).reshape(-1, words),
        )

    @cached_property
    def _counted(self) -> Counted:
        return Costed.of(self.shared, self.first)

    def sharing(self) -> Puzzle:
        if self.symmetric_things.number:
            raise BadInput("the engine sharing does not compare covers with their images: take the engine deepening")
        return super().sharing()

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        item = neediest(here)
        is_enough = item == NONE
        end = number_of_options(tables)
        option = cheapest(tables, here.options) if is_enough else first_open(tables, here, item)
        if option < end:
            row = rows[top]
            cost = min(np.int64(here.cost) + np.int64(tables.costs[option]), DEAREST)
            if cost <= limit and take(tables, here, row, option):
                row.needy = here.needy
                for place in range(tables.first[option], tables.first[option + ONE]):
                    covered = np.uint64(tables.items[place])
                    if here.need[covered] == 1:
                        row.needy[covered >> SIX] &= ~(ONE << (covered & WITHIN))
                row.taken = here.taken
                if tables.images.shape[0] > 0:
                    thing = np.uint64(tables.things[option])
                    row.taken[thing >> SIX] |= ONE << (thing & WITHIN)
                row.more = 0
                row.cost = cost
                bound = min(np.int64(remaining(tables, row)), DEAREST)
                row.bound = bound
                top += cost + bound <= limit
            row = rows[top]
            if leave_out(tables, here, row, option) and not (is_enough and row.left == 0):
                copy_costs(here, row)
                row.more = is_enough
                bound = np.int64(tables.costs[option]) if is_enough else np.int64(here.bound)
                row.bound = bound
                top += here.cost + bound <= limit
        if is_enough and here.more == 0 and here.left > 0:
            row = rows[top]
            copy_counts(here, row)
            copy_costs(here, row)
            row.options = here.options
            row.left = row.more = row.bound = 0
            row.move = end + ONE
            top += 1
        return top


def copy_costs(here: Any, row: Any) -> None:
    """Copy what `bounded.copy_counts` does not."""
    row.needy = here.needy
    row.shares = here.shares
    row.taken = here.taken
    row.cost = here.cost


def neediest(here: Any) -> Any:
    """Return the item that must be covered with the fewest ways to go on, among equals the first; NONE if none must."""
    chosen, least = NONE, ENOUGH
    for word in range(here.needy.size):
        items = here.needy[word]
        while items:
            item = np.uint64(word) << SIX | np.uint64(trailing_zeros(items))
            items &= items - ONE
            ways = np.uint64(here.counts[item]) + ONE - np.uint64(here.need[item])
            if ways < least:
                chosen, least = np.int64(item), ways
    return chosen


def cheapest(tables: Any, options: Any) -> Any:
    """Return the first of the cheapest options of a set; the number of options if it is empty."""
    chosen, least = number_of_options(tables), DEAREST
    for word in range(options.size):
        left = options[word]
        while left:
            option = np.uint64(word) << SIX | np.uint64(trailing_zeros(left))
            left &= left - ONE
            cost = np.int64(tables.costs[option])
            if cost < least:
                chosen, least = option, cost
    return chosen


def remaining(tables: Any, row: Any) -> Any:
    """Return a lower bound on the cost of what is still to be covered.

    Each open option shares its cost among the items that it covers and that must still be covered; an item costs at
    least its cheapest share, as often as it must be covered. `row.shares` is overwritten.
    """
    for place in range(row.shares.size):
        row.shares[place] = ENOUGH
    for word in range(row.options.size):
        left = row.options[word]
        while left:
            option = np.uint64(word) << SIX | np.uint64(trailing_zeros(left))
            left &= left - ONE
            number: Any = ZERO
            for place in range(row.needy.size):
                number += np.uint64(bit_count(tables.covers[option, place] & row.needy[place]))
            if number == ZERO:
                continue
            share = (np.uint64(tables.costs[option]) << SCALE) // number
            for place in range(row.needy.size):
                items = tables.covers[option, place] & row.needy[place]
                while items:
                    item = np.uint64(place) << SIX | np.uint64(trailing_zeros(items))
                    items &= items - ONE
                    row.shares[item] = min(row.shares[item], share)
    total: Any = ZERO
    for place in range(row.needy.size):
        items = row.needy[place]
        while items and total < ENOUGH:
            item = np.uint64(place) << SIX | np.uint64(trailing_zeros(items))
            items &= items - ONE
            total += np.uint64(row.need[item]) * row.shares[item]
    return (total + (ONE << SCALE) - ONE) >> SCALE
