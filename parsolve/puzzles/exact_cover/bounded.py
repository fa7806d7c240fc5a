"""The rules of exact cover with bounds (Knuth's algorithm M): items that are covered as often as their bounds allow.

A state counts, for each primary item, its open options, how many more of them are needed, and how many more there is
room for. The item with the fewest ways to go on is next: its first open option is taken, or left out. So no two paths
take the same options, and a path holds few states however many options an item has.
"""

from typing import Any

import numpy as np

from parsolve.compiler.bits import trailing_zeros

COVERED = np.uint16(0xFFFF)
"""The count of a covered item. It falls by the options that covering it removes, and stays above the other counts,
because there are fewer options in all."""

ZERO, ONE, SIX = np.uint64(0), np.uint64(1), np.uint64(6)

WITHIN = np.uint64(63)


def expand_bounded(tables: Any, here: Any, rows: Any, top: Any) -> Any:
    """Write the children of a state: the first open option of the next item is taken, or left out."""
    option = first_open(tables, here, fewest_ways(here.counts, here.need))
    if option < number_of_options(tables):
        top += take(tables, here, rows[top], option)
        top += leave_out(tables, here, rows[top], option)
    return top


def number_of_options(tables: Any) -> Any:
    """Return the number of options."""
    return np.uint64(tables.first.size) - ONE


def fewest_ways(counts: Any, need: Any) -> Any:
    """Return the item with the fewest ways to go on, among equals the first; see `rules.fewest`."""
    least = np.uint32(0xFFFFFFFF)
    for item in range(counts.size):
        ways = np.uint32(counts[item]) + np.uint32(1) - np.uint32(need[item])
        least = min(least, np.uint32(ways << np.uint32(16) | np.uint32(item)))
    return np.int64(least & np.uint32(0xFFFF))


def first_open(tables: Any, here: Any, item: Any) -> Any:
    """Return the first open option of an item; the number of options if there is none."""
    option = number_of_options(tables)
    for word in range(tables.options.shape[1] - 1, -1, -1):
        free = here.options[word] & tables.options[item, word]
        if free:
            option = np.uint64(word) << SIX | np.uint64(trailing_zeros(free))
    return option


def take(tables: Any, here: Any, row: Any, option: Any) -> Any:
    """Write the state after an option is taken into `row`; return False if an item then has too few options."""
    copy_counts(here, row)
    row.options = here.options
    row.move = option
    for place in range(tables.first[option], tables.first[option + ONE]):
        item = tables.items[place]
        row.need[item] -= np.uint16(row.need[item] > 0)
        row.room[item] -= np.uint16(1)
        if row.room[item] == 0:
            close(row, item)
    row.options[option >> SIX] ^= ONE << (option & WITHIN)
    is_enough = remove(tables, row, option)
    for place in range(tables.begin[option], tables.begin[option + ONE]):
        is_enough = is_enough and remove_all(tables, row, tables.conflicts[tables.excluded[place]])
    for place in range(tables.first[option], tables.first[option + ONE]):
        item = tables.items[place]
        if row.room[item] == 0:
            is_enough = is_enough and remove_all(tables, row, tables.options[item])
    return is_enough


def remove_all(tables: Any, row: Any, options: Any) -> Any:
    """Remove those of some options that are open; return False if an item then has too few."""
    for word in range(row.options.size):
        removed = row.options[word] & options[word]
        row.options[word] ^= removed
        while removed:
            gone = np.uint64(word) << SIX | np.uint64(trailing_zeros(removed))
            removed &= removed - ONE
            if not remove(tables, row, gone):
                return False
    return True


def leave_out(tables: Any, here: Any, row: Any, option: Any) -> Any:
    """Write the state after an option is left out into `row`; return False if an item then has too few options."""
    copy_counts(here, row)
    row.move = number_of_options(tables)
    row.options = here.options
    row.options[option >> SIX] ^= ONE << (option & WITHIN)
    return remove(tables, row, option)


def copy_counts(here: Any, row: Any) -> None:
    """Copy the counts of a state."""
    row.counts = here.counts
    row.need = here.need
    row.room = here.room
    row.left = here.left


def remove(tables: Any, row: Any, option: Any) -> Any:
    """Count an option less for its items; return False if one of them then has too few."""
    is_enough = True
    for place in range(tables.first[option], tables.first[option + ONE]):
        item = tables.items[place]
        row.counts[item] -= np.uint16(1)
        is_enough &= row.counts[item] >= row.need[item]
        if row.counts[item] == 0:
            close(row, item)
    return is_enough


def close(row: Any, item: Any) -> None:
    """Mark an item that no open option covers, and that needs none."""
    row.counts[item] = COVERED
    row.need[item] = 1
    row.left -= np.uint16(1)
