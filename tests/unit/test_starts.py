"""Starts of sliding puzzles, read many at once: the roots are those of each by itself."""

import pytest

from parsolve.problem.problem import Problem
from parsolve.problem.siblings import require_root, roots_of
from parsolve.puzzles import Sliding

STARTS = ["1 2 3 4 5 6 7 8 0", "8 0 6 5 4 7 2 3 1", "  1 2 3 4 5 6\t7 0 8 ", "6 4 7 8 5 0 3 2 1"]

ODD = [
    "",
    "1 2 3",
    "1 2 3 4 5 6 7 8 8",
    "2 1 3 4 5 6 7 8 0",
    "1 2 3 4 5 6 7 8 -0",
    "1 2 3 4 5 6 7 8 x",
    f"1 2 3 4 5 6 7 0 {'9' * 30}",
    "1 2 3 4 5 6 7 8 0 9",
    "٠ 1 2 3 4 5 6 7 8",
    "1 2 3 4 5 6 7 8 00",
    "1,2,3,4,5,6,7,8,0",
]
"""Starts that are left to the constructor."""


@pytest.mark.parametrize("bound", ["manhattan", "none"])
def test_each_root_as_by_itself(bound: str) -> None:
    texts = [text for start in STARTS for text in (start, *ODD)]
    shared = Problem(Sliding(STARTS[0], bound=bound), "count")  # type: ignore[arg-type]
    roots = roots_of(shared, {"start": texts})
    assert roots is not None
    for text, is_read, state, which in zip(texts, roots.read, roots.states, roots.which, strict=True):
        assert is_read == (text in STARTS)
        if is_read:
            alone = Problem(Sliding(text, bound=bound), "count")  # type: ignore[arg-type]
            require_root(alone, state, roots.limits[which])
