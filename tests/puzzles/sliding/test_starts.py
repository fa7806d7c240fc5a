"""Starts of sliding puzzles, read many at once: the roots are those of each by itself."""

import random

import numpy as np
import pytest

from parsolve.compiler.uncompiled import runnable
from parsolve.problem.costs import NO_LIMIT
from parsolve.problem.problem import Problem
from parsolve.problem.siblings import require_root, roots_of
from parsolve.puzzles import Sliding
from parsolve.puzzles.sliding.additive import AdditivePatterns
from parsolve.puzzles.sliding.geometry import neighbours, solvable
from parsolve.puzzles.sliding.wide import WideManhattan
from parsolve.puzzles.sliding.wide_patterns import WidePatterns

pytestmark = pytest.mark.plain

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


@pytest.mark.parametrize(("goal", "images"), [("blank-first", 2), ("1 0 2 3 4 5 6 7 8 9 10 11 12 13 14 15", 1)])
def test_roots_bounded_by_wide_patterns(goal: str, images: int) -> None:
    chance = random.Random(7)
    one = Sliding("any", "4x4", goal)
    starts = [one.goal_tiles]
    while len(starts) < 40:
        tiles = chance.sample(range(16), 16)
        starts += [tiles] * solvable(tiles, one.goal_tiles, 4, 4)
    texts = [" ".join(map(str, tiles)) for tiles in starts]
    puzzle = WidePatterns(texts[0], "4x4", goal, "2-4-4-5")
    assert len(puzzle.images) == images
    # Any distances will do.
    sizes = [each.entries for each in puzzle.abstractions()]
    distances = [np.random.default_rng(size).integers(0, 40, size, np.uint8) for size in sizes]
    roots = puzzle.roots({"start": texts}, puzzle.state, *distances)
    assert roots is not None
    assert roots.read.all()
    for text, state, which in zip(texts, roots.states, roots.which, strict=True):
        alone = WidePatterns(text, "4x4", goal, "2-4-4-5")
        for name, value in alone.root(*distances).items():
            assert np.array_equal(state[name], value), name
        assert roots.limits[which] == alone.limits()


@pytest.mark.parametrize("shape", [(1, 2), (3, 1), (1, 8), (1, 16), (16, 1), (1, 17), (25, 1), (2, 2), (2, 8), (9, 2)])
def test_no_walk_reads_beyond_its_tables(shape: tuple[int, int]) -> None:
    """Each arrival of the blank is expanded once, as Python, which checks each place."""
    goal = " ".join(map(str, range(shape[0] * shape[1]))), "{}x{}".format(*shape), "blank-first"
    one_word = [Sliding(*goal, "manhattan"), AdditivePatterns(*goal)] if shape[0] * shape[1] <= 16 else []
    for puzzle in (*one_word, WideManhattan(*goal), WidePatterns(*goal)):
        distances = [np.zeros(each.entries, np.uint8) for each in puzzle.abstractions()]
        root, tables, expand = np.zeros(1, puzzle.state), puzzle.tables(*distances), runnable(type(puzzle).expand)
        for name, value in puzzle.root(*distances).items():
            root[name] = value
        ways, waiting = {first: way for way, first in puzzle.ways.arrivals.items()}, [*root]
        for here in waiting:
            blank, came = ways[here["move"]]
            rows = np.zeros(1 + puzzle.children, puzzle.state)
            top = expand(tables, here, NO_LIMIT, rows, 0)
            assert top == len({*neighbours(blank, *shape)} - {came})
            waiting += [row for row in rows[:top] if row["move"] not in {each["move"] for each in waiting}]
