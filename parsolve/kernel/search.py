"""Search depth-first: templates that `compile` specialises for a puzzle's rules.

The stack is one array of rows in blocks of siblings: level 0 is the root alone, level d + 1 the children of the current
row of level d. `nexts[d]` is the row after the current one and `ends[d]` the end of the block. So the path is the
`move` of row `nexts[d] - 1` of each level, and a search can be continued wherever it stopped.

`expand`, `expand_far`, `solved`, `key`, `weight`, `count_subtree`, `list_subtree`, `bound_too_high`, `watch`,
`remember`, `weigh` and `queue` are injected by `compile`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from parsolve.kernel.atomics import prefetch
from parsolve.kernel.keys import MIX, entry_place, equal_words, mixed, store_words, words_of
from parsolve.kernel.subtree import NOT_HERE, TOO_LARGE

# Why a run of `search` ended.
DONE, PAUSED, BUFFER_FULL, TOO_CHEAP, NO_ROOM, TOO_MANY, TOO_HIGH, MERGED = range(8)

# The places of `tally`, int64[TALLY], read at the start of a run and written at its end.
DEPTH, NODES, FOUND, STORED, WAS_CUT, CHEAPER, EARLIER, CALM, RESUME, DOUBT, DOUBTS, SHALLOWEST = range(12)

NO_LIMIT = 1 << 34
"""A limit that cuts nothing: cost and bound have 32 bits at most. It is no greater, so that rules can shift it."""

ZERO, ONE, TWO = np.uint64(0), np.uint64(1), np.uint64(2)

IN_VAIN = 128
"""Nodes to wait before the next try, for each node that `count_subtree` visited in vain."""

SMALLEST = 32
"""The most nodes of a subtree at the start: it grows with the search, so that a short one loses little."""

LEFTS = 32
"""How far cost + bound is from the limit is distinguished up to here: it and the depth predict a subtree's size."""

TALLY = SHALLOWEST + LEFTS

FEW, SOME = 1 << 10, np.int64(2047)
"""In the first FEW nodes of a run every hit in the transposition table is doubted: its subtree is searched all the
same. After that, one in SOME + 1."""

OFTEN = 1 << 9
"""Solutions after which the bound is held against distances no more."""

MANY = 1 << 62
"""Solutions that a run may count before it takes in more than one at once: the caller adds up runs of any number."""


class Memo(NamedTuple):
    """The transposition table: finished subtrees by key and room left; a new entry replaces the old one in its place.

    An entry is 4 words where a key is one, else 8, and so in one cache line: all words of the key; (room + 1) << 1,
    plus 1 if the limit may have cut it, 0 if free; the solutions below; and a checksum of all of these. Processes share
    the table without locks: an entry that two of them write at once does not match its checksum.
    """

    entries: np.ndarray[Any, Any]  # uint64[2^k], 8 at least
    before: np.ndarray[Any, Any]  # int64[levels]: `found` before the current row of a level
    whole: np.ndarray[Any, Any]  # uint8[levels]: whether this run has searched it from its beginning


expand: Callable[..., Any]
expand_far: Callable[..., Any]
solved: Callable[..., Any]
key: Callable[..., Any]
weight: Callable[..., Any]
count_subtree: Callable[..., Any]
list_subtree: Callable[..., Any]
bound_too_high: Callable[..., Any]
watch: bool
remember: bool
weigh: bool
queue: bool


def search(
    tables: Any,
    rows: Any,
    nexts: Any,
    ends: Any,
    tally: Any,
    paths: Any,
    memo: Any,
    limit: Any,
    budget: Any,
    room: Any,
    children: Any,
    largest: Any,
) -> Any:
    """Continue the search that the stack holds, until it ends or must pause.

    Args:
        tables: the puzzle's.
        rows: record[rows]; nexts, ends: uint64[levels or more]: the stack.
        tally: int64[TALLY]: DEPTH, NODES, FOUND, STORED, WAS_CUT; CHEAPER, whether solutions that cost less than the
            limit count too; DOUBT, at which solution the bound is next held against true distances near it, and DOUBTS,
            how many solutions later again, twice as many each time and at last 0 for never; and, for speed alone, when
            to try `count_subtree`: EARLIER, the nodes of earlier runs; CALM and RESUME, after how many nodes it may be
            tried higher up, and at all; from SHALLOWEST on, by room left below the limit, the least depth.
        paths: uint16[solutions, 1 + moves], the solution buffer: each row is a length and that many moves. If its
            second dimension is 0, solutions are only counted.
        memo: a `Memo`; used with `remember` only. When solutions are only counted, the count of an entry is added; when
            they are listed, only an entry without solutions prunes the subtree.
        limit: the limit on cost + bound.
        budget: pause after this many nodes in all.
        room: the last row at which a block may end.
        children: the most children of a state; checked while `search` watches for a cut, where that costs nothing.
        largest: the most nodes of a subtree that `count_subtree` is tried on; it changes no result.

    Returns:
        DONE; PAUSED: the budget is spent, or there are too many solutions for one run; BUFFER_FULL; TOO_CHEAP: a
        solution costs less than the limit, and is not to; NO_ROOM: there are more rows than the puzzle declared;
        TOO_MANY: a solved state alone stands for 2^63 solutions or more, or for fewer than none; TOO_HIGH: a bound
        exceeds a distance; MERGED: two states of one key have different numbers of solutions below.
    """
    depth = np.uint64(tally[DEPTH])
    nodes, found, stored = tally[NODES], tally[FOUND], tally[STORED]
    at, stop = nexts[depth], ends[depth]
    listing = paths.shape[1] > 0
    earlier, calm, resume = tally[EARLIER], tally[CALM], tally[RESUME]
    # Until the limit cuts something: an iteration that was cut nowhere has seen the whole tree.
    watching = tally[WAS_CUT] == 0
    if remember:
        mask = np.uint64(memo.entries.size - 1)
        for level in range(np.int64(depth) + 1):
            memo.whole[level] = 0  # started by another run
    while True:
        if at == stop:
            if depth == ZERO:
                status = DONE
                break
            depth -= ONE
            at, stop = nexts[depth], ends[depth]
            if remember and memo.whole[depth]:
                here = rows[at - ONE]
                wanted = words_of(key(tables, here))
                mix = mixed(wanted)
                left = np.uint64(limit - here.cost + 1) << ONE
                place = entry_place(wanted, mix, left, mask)
                # While watching nothing has been cut; after that a cut is not noticed.
                left |= ZERO if watching else ONE
                below = np.uint64(found - memo.before[depth])
                behind = place + np.uint64(len(wanted))
                known, other, checksum = memo.entries[behind], memo.entries[behind + ONE], memo.entries[behind + TWO]
                if (
                    other != below
                    and known | ONE == left | ONE
                    and equal_words(memo.entries, place, wanted)
                    and checksum == ((mix * MIX ^ known) * MIX ^ other) * MIX
                    and tally[CHEAPER] == 0
                ):
                    status = MERGED
                    break
                store_words(memo.entries, place, wanted)
                memo.entries[behind], memo.entries[behind + ONE] = left, below
                memo.entries[behind + TWO] = ((mix * MIX ^ left) * MIX ^ below) * MIX
            continue
        here = rows[at]
        at += ONE
        nodes += 1
        if solved(tables, here):
            if here.cost != limit and (here.cost > limit or tally[CHEAPER] == 0):
                status = TOO_CHEAP
                break
            if found + 1 >= tally[DOUBT] and tally[DOUBTS] > 0:
                tally[DOUBT] = found + 1 + tally[DOUBTS]
                tally[DOUBTS] = 2 * tally[DOUBTS] if tally[DOUBTS] < OFTEN else 0
                if bound_too_high(tables, rows, nexts, depth, stop, here.cost):
                    status = TOO_HIGH
                    break
            if weigh:
                counted, visited = weight(tables, here)
                # Whole numbers alone have words.
                weighed, passed = np.int64(words_of(counted)[0]), np.int64(words_of(visited)[0])
                if weighed < 0 or not 0 <= passed < MANY:
                    status = TOO_MANY
                    break
                if found > 0 and weighed > MANY - found:
                    at -= ONE
                    nodes -= 1
                    status = PAUSED
                    break
                found += weighed
                nodes += passed
                if nodes >= budget:
                    status = PAUSED
                    break
                continue
            if listing:
                if stored == paths.shape[0]:
                    at -= ONE
                    nodes -= 1
                    status = BUFFER_FULL
                    break
                if np.int64(depth) >= paths.shape[1]:
                    status = NO_ROOM
                    break
                paths[stored, 0] = depth
                for level in range(1, np.int64(depth)):
                    paths[stored, level] = rows[nexts[level] - ONE].move
                if depth > ZERO:
                    paths[stored, depth] = here.move
                stored += 1
            found += 1
            continue
        if remember:
            wanted = words_of(key(tables, here))
            mix = mixed(wanted)
            left = np.uint64(limit - here.cost + 1) << ONE
            place = entry_place(wanted, mix, left, mask)
            behind = place + np.uint64(len(wanted))
            known, below, checksum = memo.entries[behind], memo.entries[behind + ONE], memo.entries[behind + TWO]
            if (
                equal_words(memo.entries, place, wanted)
                and (known == left or (known == left | ONE and not watching))
                and checksum == ((mix * MIX ^ known) * MIX ^ below) * MIX
                and (below == ZERO or not listing)
                and (tally[CHEAPER] != 0 or (nodes > FEW and nodes & SOME != 0))
            ):
                if found > 0 and np.int64(below) > MANY - found:
                    at -= ONE
                    nodes -= 1
                    status = PAUSED
                    break
                found += np.int64(below)
                continue
        new = np.uint64(expand(tables, here, limit, rows, np.int64(stop)))
        if watch and watching:
            every = expand_far(tables, here, NO_LIMIT, rows, np.int64(new)) - np.int64(new)
            if every > children:
                status = NO_ROOM
                break
            if every > np.int64(new - stop):
                tally[WAS_CUT], watching = 1, False
        if remember:  # an entry is rarely in the processor's cache, and by then it may be
            for child in range(stop, new):
                wanted = words_of(key(tables, rows[child]))
                left = np.uint64(limit - rows[child].cost + 1) << ONE
                prefetch(memo.entries, entry_place(wanted, mixed(wanted), left, mask))
        if new > stop:
            # Only from here on is the level stored: leaves never write to it.
            if new > room:
                status = NO_ROOM
                break
            if queue and nodes >= resume and not watching:
                left = SHALLOWEST + min(max(limit - np.int64(here.cost) - np.int64(here.bound), 0), LEFTS - 1)
                most = min(largest, SMALLEST + (earlier + nodes) // IN_VAIN)
                # A run must be able to pause where it reaches its budget.
                fits = np.int64(new - stop) <= most and nodes + most < budget
                if fits and np.int64(depth) >= tally[left]:
                    visited, solutions = count_subtree(
                        tables, rows, stop, new, limit, np.uint64(most), nexts, ends, depth + TWO, listing
                    )
                    if solutions > 0 and found + solutions >= tally[DOUBT] and tally[DOUBTS] > 0:
                        solutions = NOT_HERE
                    if listing and solutions > 0:
                        nexts[depth] = at
                        if list_subtree(rows["move"], stop, new, nexts, ends, depth, solutions, paths, stored):
                            stored += solutions
                        else:
                            solutions = NOT_HERE
                    if solutions >= 0:
                        nodes += visited
                        found += solutions
                        if nodes >= calm and np.int64(depth) == tally[left] > 0:
                            tally[left] -= 1
                            calm = nodes + IN_VAIN * most
                        continue
                    if solutions == TOO_LARGE:
                        calm = nodes + IN_VAIN * visited
                        for more in range(left, TALLY):  # the more room, the larger
                            tally[more] = max(tally[more], np.int64(depth) + 1)
                    else:
                        resume = nodes + IN_VAIN * visited
            nexts[depth] = at
            if remember:
                memo.before[depth], memo.whole[depth] = found, 1
            depth += ONE
            ends[depth] = new
            at, stop = stop, new
            if nodes >= budget:
                status = PAUSED
                break
    nexts[depth] = at
    tally[DEPTH], tally[NODES], tally[FOUND], tally[STORED] = depth, nodes, found, stored
    tally[DOUBT] = max(tally[DOUBT] - found, 0)
    if queue:
        tally[EARLIER], tally[CALM], tally[RESUME] = earlier + nodes, calm - nodes, resume - nodes
    return status


def restore(
    tables: Any, rows: Any, nexts: Any, ends: Any, limit: Any, room: Any, path: Any, first: Any, pending: Any
) -> Any:
    """Rebuild the stack of a branch by replaying its moves from the root in `rows[0]`.

    Args:
        tables: the puzzle's.
        rows: record[rows]; nexts, ends: uint64[levels or more]: the stack, written.
        limit: of the branch's iteration.
        room: the last row at which a block may end.
        path: int64[levels - 1]: the move of the current row of each level but the last, the root's first.
        first: int64[levels + 1]: level d's pending rows are `pending[first[d]:first[d + 1]]`.
        pending: int64[...]: the moves of the pending rows of each level, ascending.

    Returns:
        The last level; -1 - d if a move of level d is missing: the branch belongs to another puzzle; `first.size` if
        there are more rows than the puzzle declared.
    """
    block, end = np.int64(0), np.int64(1)
    for level in range(first.size - 1):
        if level > 0:
            block = end
            end = np.int64(expand_far(tables, rows[nexts[level - 1] - ONE], limit, rows, np.int64(block)))
            if end > room:
                return first.size
        # Move the pending rows to the end of the block, with the current one before them: the block keeps its size,
        # which gives the share of each row, and the rows that are finished or elsewhere are never reached.
        place = end
        wanted = first[level + 1] - 1
        row = end - 1
        while row >= block and wanted >= first[level]:
            if rows[row].move == pending[wanted]:
                place -= 1
                if place != row:
                    rows[place] = rows[row]
                wanted -= 1
            row -= 1
        if wanted >= first[level]:
            return -1 - level
        nexts[level] = place
        ends[level] = end
        if level < path.size:
            while row >= block and rows[row].move != path[level]:
                row -= 1
            if row < block:
                return -1 - level
            if place - 1 != row:
                rows[place - 1] = rows[row]
    return first.size - 2
