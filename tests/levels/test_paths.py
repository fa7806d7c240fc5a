"""Counts of paths and weights of any size, and costs in small units."""

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import some
from samples import DOUBLING, KEY
from searching import search
from shared import Run
from worlds import plain
from worlds.places import Plain

import parsolve
from parsolve.problem.registry import load_class

pytestmark = pytest.mark.plain


UNIT = 30_011


@dataclass(frozen=True)
class SmallUnits(Plain):
    """A graph whose moves cost thousands, each another number; it does not say how many steps a limit allows."""

    state = np.dtype([("place", "u4"), ("cost", "u4"), ("move", "u2")])

    def limits(self) -> list[int]:
        return [UNIT * moves + more for moves in range(9) for more in range(4 * moves + 1)]

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        for move in range(tables.to.shape[1]):
            row = rows[top]
            row.place = tables.to[here.place, move]
            row.cost = here.cost + UNIT + row.place % 5
            row.move = move
            top += row.cost <= limit and row.place != here.place
        return top


@pytest.mark.parametrize("number", [0, 1, 2])
def test_costs_in_small_units(number: int) -> None:
    graph = SmallUnits(40, number, 2)

    def moves(place: int) -> list[tuple[int, int, int]]:
        return [(move, to, UNIT + to % 5) for move, (to, _) in enumerate(graph.edges[place]) if to != place]

    answer = plain.cheapest(graph.places - 1, moves, lambda place: place < 2, math.inf)
    assert (answer.cost or 0) > 65_535
    for engine in ("breadth", "deepening"):
        found = search(graph, engine=engine, workers=1)
        assert (found.cost, found.paths) == (answer.cost, answer.solutions or [])


@pytest.mark.parametrize("size", some([64, 61, 62, 63, 65, 200], 6))
def test_counts_of_any_size_by_breadth_first_search(puzzle_file: Callable[..., Path], size: int) -> None:
    cls = load_class(f"{puzzle_file(DOUBLING + KEY)}:Walk")
    assert parsolve.solve(cls(size=size), engine="breadth", want="count").count == 2**size
    assert parsolve.solve(cls(size=size), engine="breadth", want="first").paths == [(1,) * size]


WEIGHTS = """
    @staticmethod
    def weight(tables, here):
        return {weight}, 0
"""


@pytest.mark.parametrize("weight", [1, 2**61, 2**62 - 1, 2**62, 2**63 - 1])
@pytest.mark.parametrize("budget", [None, 1, 7])
def test_weights_of_any_sum(puzzle_file: Callable[..., Path], weight: int, budget: int | None) -> None:
    cls = load_class(f"{puzzle_file(DOUBLING + WEIGHTS.format(weight=weight))}:Walk")
    assert parsolve.solve(cls(size=5), want="count", workers=1, budget=budget).count == 32 * weight


def test_a_weight_that_is_no_number_of_solutions(run: Run, puzzle_file: Callable[..., Path]) -> None:
    puzzle_file(DOUBLING + WEIGHTS.format(weight="np.uint64(1) << np.uint64(63)"))
    done = run("count", "my_puzzle.py:Walk", code=2)
    assert "by its 'weight' a solved state stands for 2^63 solutions or more; 2^63 - 1 is the most" in done.stderr


@pytest.mark.nightly
def test_a_solution_longer_than_the_stack_of_python(compiled: None, puzzle_file: Callable[..., Path]) -> None:
    cls = load_class(f"{puzzle_file(DOUBLING + KEY)}:Walk")
    size = sys.getrecursionlimit() + 9
    assert parsolve.solve(cls(size=size), engine="breadth", want="first").paths == [(1,) * size]


@pytest.mark.nightly
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("size", [61, 62, 63, 64, 66])
def test_counts_of_any_size_by_deepening(
    compiled: None, puzzle_file: Callable[..., Path], size: int, workers: int
) -> None:
    cls = load_class(f"{puzzle_file(DOUBLING + KEY)}:Walk")
    assert parsolve.solve(cls(size=size), transposition=1 << 20, want="count", workers=workers).count == 2**size
