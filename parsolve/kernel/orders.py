"""Search for any solution, in an order of children that goes by a seed: a template that `compile` specialises for a
puzzle's rules.

The stack is that of `search`. The walk ends with the first solution, and remembers what is dead: a state below which it
has found none. That holds whatever the order, so that searches in several orders share what they know. Where the limit
has cut nothing it holds at any cost, and is remembered by `dead_key`; else in the room that was left, and by `key`.

`expand`, `solved`, `key`, `dead_key`, `two_keys`, `watch` and `remember` are injected by `compile`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from parsolve.kernel.keys import HALF, MIX, words_of
from parsolve.kernel.marks import inlined
from parsolve.kernel.memo import ANY_ROOM, ANYWHERE, CUT, WHOLE, dead_room, fetch_entry, store_dead
from parsolve.kernel.rows import copy_row
from parsolve.kernel.run import DONE, FULL, NO_ROOM, PAUSED, SEARCHING
from parsolve.kernel.solutions import take_solution

NO_LIMIT = np.int64(1 << 34)
"""As `search.NO_LIMIT`."""

ZERO, ONE, TEN, THIRTEEN = (np.uint64(number) for number in (0, 1, 10, 13))

expand: Callable[..., Any]
solved: Callable[..., Any]
key: Callable[..., Any]
dead_key: Callable[..., Any]
two_keys: bool
watch: bool
remember: bool


def search_in_order(tables: Any, rows: Any, nexts: Any, ends: Any, runs: Any, paths: Any, memo: Any) -> Any:
    """Continue the search that the stack holds until a solution is found, it ends or must pause; return the status.

    The arguments are those of `search.search`. The order is that of the run's seed.
    """
    run = runs[0]
    limit, depth, status = run.limit, run.depth, SEARCHING
    at, stop = nexts[depth], ends[depth]
    if remember:
        memo.whole[: np.int64(depth) + 1] = 0  # started by another run
    while status == SEARCHING:
        if at == stop:
            if depth == ZERO:
                status = DONE
                continue
            depth -= ONE
            at, stop = nexts[depth], ends[depth]
            if remember:
                here, mark = rows[at - ONE], memo.whole[depth]
                if mark == WHOLE:
                    store_dead(memo, words_of(dead_key(tables, here)), ANY_ROOM)
                elif mark & WHOLE:
                    store_dead(memo, words_of(key(tables, here)), room_of(limit, here))
                if mark & CUT and depth > ZERO:
                    memo.whole[depth - ONE] |= CUT
            continue
        here = rows[at]
        at += ONE
        run.nodes += 1
        if solved(tables, here):
            if here.cost <= limit:
                status = take_solution(rows["move"], nexts, run, depth, at, paths)
            continue
        if remember:
            room = dead_room(memo, words_of(dead_key(tables, here)))
            if two_keys and room != ANY_ROOM:
                room = dead_room(memo, words_of(key(tables, here)))
                if room == ANY_ROOM:  # of another state, whose dead key is this one's key
                    room = ANYWHERE
            if room >= room_of(limit, here):
                if room != ANY_ROOM:
                    run.was_cut = 1
                    if depth > ZERO:
                        memo.whole[depth - ONE] |= CUT
                continue
        # All children, so that it is known below which states the limit has cut something.
        new = np.uint64(expand(tables, here, NO_LIMIT if watch else limit, rows, np.int64(stop)))
        if new > run.room or np.int64(new - stop) > run.children:
            status = NO_ROOM
            continue
        is_cut = False
        if watch:
            end = new
            new = within(rows, stop, end, here.cost, limit)
            is_cut = new != end
        if is_cut:
            run.was_cut = 1
        if new == stop:
            if remember and is_cut and depth > ZERO:
                memo.whole[depth - ONE] |= CUT
            continue
        put_in_order(rows, stop, new, run.seed, depth + ONE)
        if remember:
            memo.whole[depth] = WHOLE | CUT if is_cut else WHOLE
            for child in range(stop, new):
                fetch_entry(memo, words_of(dead_key(tables, rows[child])), ANYWHERE)
        nexts[depth] = at
        depth += ONE
        at, stop = stop, new
        ends[depth] = stop
        if run.nodes >= run.budget:
            status = PAUSED
    if status == FULL:  # the row is left to the next run
        at -= ONE
        run.nodes -= 1
    nexts[depth], run.depth = at, depth
    return status


@inlined
def room_of(limit: Any, here: Any) -> Any:
    """Return the room left below the limit, plus 1: uint64."""
    return np.uint64(limit - here.cost + 1)


@inlined
def within(rows: Any, first: Any, last: Any, cost: Any, limit: Any) -> Any:
    """Keep the children that can meet the limit, and return where they end.

    Args:
        rows: record[...]: the children are in the rows from `first` to `last`, uint64.
        cost: their parent's: one that is less has overflowed.
        limit: on cost + bound.
    """
    top = first
    for child in range(first, last):
        if cost <= rows[child].cost and rows[child].cost + rows[child].bound <= limit:
            if child != top:
                rows[top] = rows[child]
            top += ONE
    return top


@inlined
def put_in_order(rows: Any, first: Any, last: Any, seed: Any, level: Any) -> None:
    """Put the children of a state into the order of a seed, by comb sort. It goes by their moves: the same everywhere
    with an even seed, another one on each level with an odd one. What suits depends on the puzzle: of pegs the first
    do best, and where moves are few they differ too little.

    Args:
        rows: record[last + 1 or more]: the children are in the rows from `first` to `last`, uint64; the row at `last`
            is overwritten.
        seed: uint64; 0 leaves them as the rules have written them.
        level: uint64: of the children.
    """
    if seed == ZERO:
        return
    mark = (seed * MIX ^ (level if seed & ONE else ZERO)) * MIX
    gap, is_sorted = last - first, False
    while not is_sorted:
        gap = max(gap * TEN // THIRTEEN, ONE)
        is_sorted = gap == ONE
        for one in range(first, last - gap if last > first + gap else first):
            other = one + gap
            if rank_of(mark, rows[one].move) > rank_of(mark, rows[other].move):
                copy_row(rows, last, one)
                copy_row(rows, one, other)
                copy_row(rows, other, last)
                is_sorted = False


@inlined
def rank_of(mark: Any, move: Any) -> Any:
    """Return the rank of a move in an order, uint64: of two moves never the same."""
    mix = (mark ^ np.uint64(move)) * MIX
    return (mix ^ (mix >> HALF)) * MIX
