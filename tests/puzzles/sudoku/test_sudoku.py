"""Sudokus: the state that a grid begins with, alone and as one of many."""

import itertools
import random
from typing import Any

import numpy as np
import pytest

import parsolve
from parsolve.problem.problem import Problem
from parsolve.puzzles import Sudoku
from parsolve.puzzles.exact_cover.bounded import COVERED
from parsolve.puzzles.exact_cover.rules import Covering, take

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


def is_contradiction(grid: str) -> bool:
    """Return whether a row, column or box has a digit twice."""
    units = [
        *([(row, column) for column in range(9)] for row in range(9)),
        *([(row, column) for row in range(9)] for column in range(9)),
        *(
            [(row + a, column + b) for a in range(3) for b in range(3)]
            for row, column in itertools.product((0, 3, 6), repeat=2)
        ),
    ]
    digits = [[cell for row, column in unit if (cell := grid[9 * row + column]) not in ".0"] for unit in units]
    return any(len(each) > len(set(each)) for each in digits)


def taken_one_by_one(grid: str, problem: Problem) -> Any:
    """Return the state after the given digits are taken by the rule that searches take them by, and whether an item has
    no options left then."""
    fields = Covering.root(problem.puzzle)  # type: ignore[arg-type]
    rows = np.zeros(2, problem.state).view(np.recarray)
    for name, value in fields.items():
        rows[0][name] = value
    is_dead = False
    for cell, digit in enumerate(grid):
        if digit not in ".0":
            option = np.uint64(9 * cell + int(digit) - 1)
            is_dead |= not take(problem.tables, rows[0], rows[1], option)
            words = rows[0].options & ~problem.tables.conflicts[option]
            rows[1].options = words
            rows[0] = rows[1]
    return rows[0], is_dead


def test_the_given_digits_are_taken_as_a_search_takes_them() -> None:
    for grid in grids(40):
        problem = Problem(Sudoku(grid))
        root = problem.root[0]
        if is_contradiction(grid):
            assert not root["options"].any()
            assert root["left"] > 0
            continue
        expected, is_dead = taken_one_by_one(grid, problem)
        assert root["options"].tolist() == expected["options"].tolist()
        assert root["left"] == expected["left"] == 4 * sum(cell in ".0" for cell in grid)
        if not is_dead:
            open_counts = np.where(expected["counts"] > 9, COVERED, expected["counts"])
            assert root["counts"].tolist() == open_counts.tolist()
        assert (root["counts"][:324] == 0).any() == is_dead


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
    assert (a.state, a.children, a.batch_key, a.steps(0)) == (b.state, b.children, b.batch_key, b.steps(0))
    assert all(np.array_equal(one, other) for one, other in zip(a.tables, b.tables, strict=True))
    assert a.root != b.root


@pytest.mark.parametrize("grid", [SOLUTION, SOLUTION[:80] + ".", "." + SOLUTION[1:]])
def test_grids_that_are_almost_full(grid: str) -> None:
    (solution,) = parsolve.solve(Sudoku(grid), workers=1).solutions
    assert solution.text == SOLUTION
    assert len(solution.moves) == grid.count(".")
    assert "".join(filter(str.isdigit, solution.boards[-1])) == SOLUTION
