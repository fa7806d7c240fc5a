"""Search for any solution, in an order of children that goes by a seed: a template that `Rules` specialises for a
puzzle's rules.

The stack is that of `search`. The walk ends with the first solution, and remembers what is dead: a state below which it
has found none. That holds whatever the order, so that searches in several orders share what they know. Where the limit
has cut nothing it holds at any cost, and is remembered by `dead_key`; else in the room that was left, and by `key`.

`expand`, `solved`, `key`, `dead_key`, `two_keys`, `watch` and `remember` are injected.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from parsolve.compiler.bits import ONE, ZERO
from parsolve.compiler.keys import words_of
from parsolve.compiler.marks import injected, inlined
from parsolve.deepening.templates.memo import ANY_ROOM, ANYWHERE, CUT, WHOLE, dead_room, fetch_entry, store_dead
from parsolve.deepening.templates.run import DONE, FULL, NO_ROOM, PAUSED, SEARCHING
from parsolve.deepening.templates.solutions import take_solution
from parsolve.problem.limits import NO_LIMIT
from parsolve.problem.templates.restore import put_in_order

ANY_COST = np.int64(NO_LIMIT)

expand: Callable[..., Any] = injected("expand")
solved: Callable[..., Any] = injected("solved")
key: Callable[..., Any] = injected("key")
dead_key: Callable[..., Any] = injected("dead_key")
two_keys: bool = injected("two_keys")
watch: bool = injected("watch")
remember: bool = injected("remember")


def search_in_order(tables: Any, rows: Any, stack: Any, runs: Any, paths: Any, memo: Any) -> Any:
    """Continue the search that the stack holds until a solution is found, it ends or must pause; return the status.

    The arguments are those of `search.search`. The order is that of the run's seed.
    """
    nexts, ends = stack
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
        new = np.uint64(expand(tables, here, ANY_COST if watch else limit, rows, np.int64(stop)))
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
