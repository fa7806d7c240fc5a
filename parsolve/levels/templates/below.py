"""Numbers of solutions below each state: templates that process the levels of a count from the last to the first.

The entries of a level are expanded again, each with its number in the level as its count. So each child shows its
parent, and the number in the tables of later levels for the child is added to the parent's sum. An entry without a
solution below is in no table.

A table, uint64[2^k * words of an entry], is divided into parts by the first bits of a hash, so that threads can fill
it; an entry takes the first free place of its part at or after its hash's place. A place whose count is 0 is free.

At the end, what lists solutions: the children of a state, and moves in order.

`expand`, `expand_far`, `solved`, `key` and `level_of` are injected.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from parsolve.compiler.bits import ONE, ZERO
from parsolve.compiler.keys import hash_words, store_words, words_of
from parsolve.compiler.marks import injected, inlined
from parsolve.levels.templates.blocks import LOG, NONE, Blocks, Form, add_count, before_of, bucket_of, last_of, words_in
from parsolve.problem.costs import NO_LIMIT
from parsolve.problem.templates.injected import expand, expand_far, key, solved

level_of: Callable[..., Any] = injected("level_of")


class Table(NamedTuple):
    """The numbers of solutions below the states of a level."""

    entries: np.ndarray[Any, Any]  # uint64[2^bits * words of an entry]
    bits: int  # bits of a place
    part: int  # how many of these bits give the part
    counts: int  # words of a count


def add_below(blocks: Blocks, end: Any, sums: Any, counts: Any, table: Table, form: Form) -> Any:
    """Add the numbers of children, looked up in a table, to the sums of their parents.

    Args:
        end: end of a chain of children, whose counts are the numbers of their parents.
        sums: uint64[parents * counts].
        counts: words of each sum, enough for any sum.
    """
    words, head = blocks.words, form.head
    size = head + 1
    block, used = last_of(end)
    while block >= 0:
        start = block << LOG
        for child in range(start, start + used, size):
            at = find_entry(table, words, child, words[child + len(form.like)], form)
            if at >= 0:
                to = np.int64(words[child + head]) * counts
                add_count(sums, to, counts, table.entries, at + head, table.counts, form.bits)
        block, used = before_of(blocks, block)


def finish_sums(sums: Any, counts: Any, solved_children: Any, bits: Any) -> Any:
    """Add the children that are solved to the sums of their parents.

    Args:
        sums, counts: see `add_below`.
        solved_children: uint32[parents]: the number of solved children of each.
        bits: bits in a word of a count.

    Returns:
        The number of entries with solutions below them, and the words of the greatest count.
    """
    full = (ONE << np.uint64(bits)) - ONE
    kept, most = 0, 1
    for parent in range(solved_children.size):
        carry = np.uint64(solved_children[parent])
        last = 0
        for word in range(counts):
            total = sums[parent * counts + word] + carry
            sums[parent * counts + word] = total & full
            carry = total >> np.uint64(bits)
            if total & full != ZERO:
                last = word + 1
        kept += last > 0
        most = max(most, last)
    return kept, most


def fill_table(table: Table, kept: Any, first: Any, last: Any, sums: Any, counts: Any, form: Form) -> Any:
    """Put the entries of a level with solutions below them into a part of its table.

    Args:
        table: this part is empty.
        kept: uint64[entries * head]: the level.
        first, last: its first entry in this part, and the one after the last.
        sums, counts: see `add_below`.
    """
    head = form.head
    size = head + table.counts
    for number in range(first, last):
        if is_free(sums, number * counts, counts):
            continue
        at = find_place(table, kept, number * head, form) * size
        for word in range(head):
            table.entries[at + word] = kept[number * head + word]
        for word in range(min(counts, table.counts)):
            table.entries[at + head + word] = sums[number * counts + word]


@inlined
def find_place(table: Table, keys: Any, at: Any, form: Form) -> Any:
    """Return the place of a key in a table, or the free place for it.

    Args:
        keys: uint64[any], which holds the key from place `at` on.
    """
    head = form.head
    size = head + table.counts
    mask = (1 << (table.bits - table.part)) - 1
    wanted = words_in(keys, at, form.like)
    place = bucket_of(hash_words(wanted), table.bits)
    while not is_free(table.entries, place * size + head, table.counts):
        if words_in(table.entries, place * size, wanted) == wanted:
            break
        place = (place & ~mask) | ((place + 1) & mask)
    return place


@inlined
def is_free(entries: Any, at: Any, counts: Any) -> Any:
    """Return whether the count that begins at a word is 0."""
    some = entries[at]
    for word in range(1, counts):
        some |= entries[at + word]
    return some == ZERO


def find_entry(table: Table, keys: Any, at: Any, cost: Any, form: Form) -> Any:
    """Return the beginning of a key's entry; NONE if there is none, or if its state is reached at less cost.

    Args:
        keys, at: see `find_place`.
        cost: at which its state is reached here.
    """
    words, head = len(form.like), form.head
    begin = find_place(table, keys, at, form) * (head + table.counts)
    if is_free(table.entries, begin + head, table.counts):
        return np.int64(NONE)
    if form.costs and table.entries[begin + words] != np.uint64(cost):
        return np.int64(NONE)
    return begin


def write_ways(tables: Any, rows: Any, keys: Any, levels: Any, are_solved: Any, now: Any, limit: Any, most: Any) -> Any:
    """Write the children of a state, and return their number; -1 if there are too many.

    Args:
        tables: the puzzle's lookups.
        rows: record[1 + most, and what an expansion may overrun]: the state; its children are written after it.
        keys: uint64[most * words]: their keys, written.
        levels: int64[most]: their levels, written.
        are_solved: bool[most]: whether they are solved, written.
        now: the level of the state.
        limit: children that cost more are left out.
        most: maximum number of children of a state.
    """
    top = expand(tables, rows[0], limit, rows, 1)
    if top > most + 1:
        return -1
    for child in range(top - 1):
        row = rows[child + 1]
        are_solved[child] = solved(tables, row)
        levels[child] = level_of(tables, row, now)
        words = words_of(key(tables, row))
        store_words(keys, np.uint64(child) * np.uint64(len(words)), words)
    return top - 1


def arrange_moves(tables: Any, rows: Any, moves: Any) -> Any:
    """Put moves in the order of a solution: the next one is always the first possible move of those left.

    Args:
        tables: the puzzle's lookups.
        rows: record[1 + children, and what an expansion may overrun]: the root; the last state on return.
        moves: int64[n]: put in order.

    Returns:
        How many of them lead on, one after another, through states that are not solved; n + 1 if the last state is
        solved then.
    """
    for number in range(moves.size):
        if solved(tables, rows[0]):
            return number
        top = expand_far(tables, rows[0], NO_LIMIT, rows, 1)
        at, found = moves.size, 0
        for child in range(1, top):
            for place in range(number, at):
                if moves[place] == rows[child].move:
                    at, found = place, child
                    break
        if found == 0:
            return number
        move = moves[at]
        for place in range(at, number, -1):
            moves[place] = moves[place - 1]
        moves[number] = move
        rows[0] = rows[found]
    return moves.size + (1 if solved(tables, rows[0]) else 0)
