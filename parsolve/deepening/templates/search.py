"""Search depth-first: templates that `CompiledRules` specialises for a puzzle's rules.

The stack is one array of rows in blocks of siblings: level 0 is the root alone, level d + 1 the children of the current
row of level d. `nexts[d]` is the row after the current one and `ends[d]` the end of the block. So the path is the
`move` of row `nexts[d] - 1` of each level, and a search can be continued wherever it stopped.

`expand`, `expand_far`, `solved`, `key`, `weight`, `count_subtree`, `doubtful`, `has_cost`, `jump`, `doubt`, `remember`,
`weigh` and `queue` are injected.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from parsolve.compiler.bits import ONE, TWO, ZERO
from parsolve.compiler.keys import words_of
from parsolve.compiler.marks import injected, inlined
from parsolve.deepening.templates.memo import fetch_entry, known_solutions, room_left, store_solutions
from parsolve.deepening.templates.run import DONE, FULL, MERGED, NO_ROOM, PAUSED, SEARCHING, TOO_CHEAP
from parsolve.deepening.templates.solutions import add_solutions, take_solution, take_weight
from parsolve.deepening.templates.subtree import learn, most_nodes, take_subtree
from parsolve.problem.costs import NO_LIMIT
from parsolve.problem.templates.injected import expand, expand_far, has_cost, key, solved
from parsolve.search.cuts import NEXT, NOTHING

FEW, SOME = 1 << 10, np.int64(2047)
"""In the first FEW nodes of a run each hit in the transposition table is checked by searching its subtree; after that,
one in SOME + 1."""

HIT, OFTEN, BEGINNING = 12, 96, 1 << 20
"""A hit in the transposition table adds HIT to `RUN.repeats`, at first BEGINNING, and any other node takes 1 from it;
from OFTEN on no subtree is counted by a queue. So a short search needs none, and where more than one node in 13 is a
hit, as in peg solitaire, the walk remembers all."""

weight: Callable[..., Any] = injected("weight")
count_subtree: Callable[..., Any] = injected("count_subtree")
doubtful: Callable[..., Any] = injected("doubtful")
jump: bool = injected("jump")
doubt: bool = injected("doubt")
remember: bool = injected("remember")
weigh: bool = injected("weigh")
queue: bool = injected("queue")


def search(tables: Any, rows: Any, stack: Any, runs: Any, paths: Any, memo: Any) -> Any:
    """Continue the search that the stack holds, until it ends or must pause; return the status of the run.

    Args:
        tables: the puzzle's lookups.
        rows: record[rows].
        stack: `Stack`.
        runs: RUN[1].
        paths: uint16[solutions, 1 + moves], the solution buffer: each row is a length and that many moves. If its
            second dimension is 0, solutions are only counted.
        memo: a `Memo`; used with `remember` only. If solutions are only counted, the count of an entry is added; if
            they are listed, only an entry without solutions prunes the subtree.
    """
    nexts, ends = stack
    run = runs[0]
    limit, depth, listing, status = run.limit, run.depth, paths.shape[1] > 0, SEARCHING
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
            if remember and memo.whole[depth]:
                here, below = rows[at - ONE], run.found - memo.before[depth]
                if not store_solutions(memo, words_of(key(tables, here)), room_left(limit, here), below, run):
                    status = MERGED
            continue
        here = rows[at]
        at += ONE
        run.nodes += 1
        if solved(tables, here):
            if here.cost != limit and (here.cost > limit or run.cheaper == 0):
                if here.cost > run.passed:
                    status = TOO_CHEAP
                continue
            if doubt and run.doubts != 0 and run.found + 1 >= run.doubt:
                status = doubtful(tables, rows, nexts, run, depth, stop, here.cost)
            if weigh and status == SEARCHING:
                status = take_weight(run, weight(tables, here))
            elif status == SEARCHING:
                status = take_solution(rows, nexts, run, depth, at, paths)
            continue
        if remember:
            below = known_solutions(memo, words_of(key(tables, here)), room_left(limit, here), run.cut != NOTHING)
            is_known = below == 0 or (below > 0 and not listing)
            if is_known and (run.cheaper != 0 or (run.nodes > FEW and run.nodes & SOME != 0)):
                run.repeats += HIT if run.repeats < 2 * OFTEN else 0
                if not add_solutions(run, below):
                    status = FULL
                elif run.found >= run.enough:
                    status = PAUSED
                continue
            run.repeats -= run.repeats > 0
        new = np.uint64(expand(tables, here, np.int64(NO_LIMIT if jump else limit), rows, np.int64(stop)))
        if has_cost and not jump and run.cut == NOTHING:
            every = expand_far(tables, here, NO_LIMIT, rows, np.int64(new)) - np.int64(new)
            if every > run.children:
                status = NO_ROOM
                continue
            run.cut = NEXT if every > np.int64(new - stop) else NOTHING
        if new > run.room:
            status = NO_ROOM
            continue
        if jump:
            end, run.cut = within(rows, np.int64(stop), np.int64(new), limit, run.cut)
            new = np.uint64(end)
        if new == stop:
            continue
        nexts[depth] = at  # the level is stored only here: leaves never write to it
        # The weight of a solved state may be more nodes than the budget has left.
        if queue and not weigh and not jump and run.cut != NOTHING and (not remember or run.repeats < OFTEN):
            left = limit - np.int64(here.cost) - np.int64(here.bound)
            most = most_nodes(run, left, np.int64(depth), np.int64(new - stop))
            if most > 0:
                visited, found = count_subtree(
                    tables, rows, stop, new, limit, run.passed, np.uint64(most), stack, depth + TWO, listing
                )
                if found > 0:
                    found = take_subtree(rows, stop, new, stack, depth, found, paths, run)
                if learn(run, left, np.int64(depth), most, visited, found):
                    if run.found >= run.enough:
                        status = PAUSED
                    if remember and not store_solutions(
                        memo, words_of(key(tables, here)), room_left(limit, here), found, run
                    ):
                        status = MERGED
                    continue
        if remember and queue:  # entries are rarely in the processor's cache: begin to load them
            for child in range(stop, new):
                fetch_entry(memo, words_of(key(tables, rows[child])), room_left(limit, rows[child]))
        if remember:
            memo.before[depth], memo.whole[depth] = run.found, 1
        depth += ONE
        at, stop = stop, new
        ends[depth] = stop
        if run.nodes >= run.budget:
            status = PAUSED
    if status == FULL:  # the row is left to the next run
        at -= ONE
        run.nodes -= 1
    nexts[depth], run.depth = at, depth
    run.doubt = run.doubt - run.found if run.doubt > run.found else 0
    if not weigh:
        run.earlier, run.calm, run.resume = run.earlier + run.nodes, run.calm - run.nodes, run.resume - run.nodes
    return status


@inlined
def within(rows: Any, begin: Any, end: Any, limit: Any, cut: Any) -> Any:
    """Keep those of some rows that meet a limit; return their end, and the least cost + bound that is cut off."""
    kept = begin
    for at in range(begin, end):
        row = rows[at]
        least = np.int64(row.cost) + np.int64(row.bound)
        if least <= limit:
            rows[kept] = row
            kept += 1
        elif cut == NOTHING or least < cut:
            cut = least
    return kept, cut
