"""Searches that use their workers at once, however small they are."""

from typing import Any

import parsolve
from parsolve.puzzle import Puzzle
from parsolve.search.tuning import Tuning

AT_ONCE = Tuning(head_start=0.0, head_start_beside_workers=0.0, worthwhile=0.0, worthwhile_forked=0.0, patch=0.0)


def solve_at_once(puzzle: Puzzle, **options: Any) -> parsolve.Result:
    """`parsolve.solve` with this tuning."""
    return parsolve.solve(puzzle, tuning=AT_ONCE, **options)
