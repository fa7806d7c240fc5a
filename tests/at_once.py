"""Searches that use their workers, and write checkpoints, at once, however small they are."""

from typing import Any

import parsolve
from parsolve.executors.local import LocalPool
from parsolve.executors.warm import warm_pools
from parsolve.puzzle.core import Puzzle
from parsolve.search.tuning import Tuning

AT_ONCE = Tuning(
    lasting=0.0,
    head_start=0.0,
    head_start_beside_workers=0.0,
    worthwhile=0.0,
    worthwhile_forked=0.0,
    patch=0.0,
    checkpoint_seconds=0.0,
    retry=0.0,
)


def solve_at_once(puzzle: Puzzle, **options: Any) -> parsolve.Result:
    """`parsolve.solve` with this tuning."""
    return parsolve.solve(puzzle, tuning=AT_ONCE, **options)


def start_workers(number: int) -> None:
    """Have workers ready for the next search of a built-in puzzle: a small one would end before they have started."""
    pool = LocalPool(number)
    for future in [pool.submit(abs, -1) for _ in range(number)]:
        future.result(60)
    warm_pools.keep((number, ""), pool)
