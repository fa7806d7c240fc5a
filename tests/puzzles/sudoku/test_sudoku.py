"""Sudokus: the state that a grid begins with, alone and as one of many."""

import random

import numpy as np
import pytest

import parsolve
from parsolve.problem.problem import Problem
from parsolve.puzzles import Sudoku

pytestmark = pytest.mark.plain

SOLUTION = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"


def grids(number: int) -> list[str]:
    """Return grids with any number of given digits, some of them wrong."""
    chance = random.Random(3)
    found = [81 * ".", SOLUTION, SOLUTION[:-1] + "8", "0" * 80 + "9", 9 * "123456789"]
    while len(found) < number:
        share, mistakes = chance.random(), chance.choice([0, 0, 1, 3])
        cells = [cell if chance.random() < share else chance.choice(".0") for cell in SOLUTION]
        for place in chance.sample(range(81), mistakes):
            cells[place] = chance.choice("123456789")
        found.append("".join(cells))
    return found


def test_roots_are_those_of_each_grid() -> None:
    first, every = Problem(Sudoku()), grids(200)
    texts = [*every, f" {SOLUTION}\n", SOLUTION[:-1], SOLUTION + ".", "a" + SOLUTION[1:], "", f"{81 * '٣'}"]
    found = first.puzzle.roots({"grid": texts}, first.state)
    assert found is not None
    assert found.read.tolist() == 201 * [True] + 5 * [False]
    assert found.which.tolist() == [0] * len(texts)
    assert [[*limits] for limits in found.limits] == [[0]]
    for grid, root in zip(texts, found.states[found.read], strict=False):
        assert root == Problem(Sudoku(grid)).root[0]


def test_the_grid_changes_nothing_but_the_root() -> None:
    a, b = (Problem(Sudoku(grid)) for grid in (81 * ".", SOLUTION))
    assert (a.state, a.children, a.batch_key, a.costs.steps(0)) == (b.state, b.children, b.batch_key, b.costs.steps(0))
    assert all(np.array_equal(one, other) for one, other in zip(a.tables, b.tables, strict=True))
    assert a.root != b.root


@pytest.mark.parametrize("grid", [SOLUTION, SOLUTION[:80] + ".", "." + SOLUTION[1:]])
def test_grids_that_are_almost_full(grid: str) -> None:
    (solution,) = parsolve.solve(Sudoku(grid), workers=1).solutions
    assert solution.text == SOLUTION
    assert len(solution.moves) == grid.count(".")
    assert "".join(filter(str.isdigit, solution.boards[-1])) == SOLUTION
