"""`parsolve check` finds nothing wrong with the puzzles of the package: what every family must do."""

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest
from cases import some
from samples import WALK, edited

import parsolve
from parsolve.check import check
from parsolve.problem.problem import Problem
from parsolve.problem.registry import load_class, make
from parsolve.puzzle.catalogue import names
from parsolve.puzzle.core import Puzzle
from parsolve.puzzles import (
    Cover,
    Crossing,
    FlipIt,
    Jugs,
    Langford,
    Peg,
    Permutations,
    Polyominoes,
    Queens,
    Sliding,
    Sudoku,
)
from parsolve.puzzles.peg.abstraction import PegBoards
from parsolve.puzzles.sliding.abstractions import Pattern
from parsolve.puzzles.sliding.wide import WideManhattan
from parsolve.puzzles.sliding.wide_patterns import WidePatterns

NEAR = "1 2 3 4 0 5 7 8 6"
"""Two moves from the goal."""


PUZZLES: list[tuple[Puzzle, int]] = [
    *((make(name, {}), 500) for name in names()),
    (Cover(), 200),
    (Cover("1:2|a 2:3|b c | x\na b x:1\nb x:1\na c\nb x:2\na b\nc x:2\nb c\n"), 200),
    (Langford(4), 200),
    (Sudoku("53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5........."), 200),
    (Polyominoes("4x5", "I4 L4 O4 T4 T4"), 200),
    (Crossing(couples=4, boat=3), 300),
    (Crossing(kind="missionaries", each=5, boat=3), 300),
    (Crossing(kind="wolf", boat=3), 300),
    (FlipIt("BBWWB_W", "WBB_WBB"), 600),
    (FlipIt("B_"), 600),
    (FlipIt("BWBBWBWBWBBWBWBBBWBWBWBBWBWWBWB_"), 600),
    (Jugs("12 8 5", 6), 300),
    (Jugs("3 5 7 11 13 17", 16), 300),
    (Jugs(f"{2**31 - 1} {2**30}", 2**30 - 1), 300),
    *((Permutations(n, method), 400) for n, method in itertools.product((5, 13), ("lists", "bits"))),
    (Queens(28, "bits"), 400),
    (Queens(28, "backtrack"), 400),
    (Queens(5, "permutations"), 400),
    (Queens(6, unique=True), 400),
    (Queens(6, "mirror"), 400),
    (Queens(7, "mirror"), 400),
    (Queens(8, "quadrants"), 400),
    (Peg(bound="none"), 3000),
    (PegBoards("triangle10"), 2000),
    (Peg("triangle10", bound="feasible", vacancy="1", target="any"), 2000),
    (Peg("hoppers", bound="feasible", unique=True), 2000),
    (Sliding(start="4 5 0 1 2 3", bound="none"), 3000),
    (Sliding(start="0 3 1 2", shape="1x4", goal="3 1 2 0"), 3000),
    (Sliding(NEAR, bound="patterns", patterns="1-7"), 500),
    (WideManhattan(NEAR), 500),
    (WideManhattan(NEAR, bound="none"), 500),
    (WidePatterns(NEAR, patterns="1-7"), 500),
    (Pattern("3x3", "1 2 3", 0, "4 8 2 7"), 2000),
    (Pattern("3x4", "1 4 5", 0, "2 8 11 3"), 2000),
    (Pattern("2x3", "0 1 2 3", 5, "1 0 4 3 2"), 2000),
]
"""Puzzles, and how many of their first states are checked."""


@pytest.mark.parametrize(("puzzle", "states"), some(PUZZLES, 30), ids=repr)
def test_check_is_clean(puzzle: Puzzle, states: int) -> None:
    report = check(puzzle, states, samples=40)
    assert report.faults == []


@pytest.mark.nightly
def test_a_state_that_goes_by_the_parameters(puzzle_file: Callable[..., Path]) -> None:
    state = """@property
    def state(self):
        place = "u1" if self.size <= 256 else "u2"
        return np.dtype([("place", place), ("cost", "u2"), ("bound", "u2"), ("move", "u1")])"""
    line = 'state = np.dtype([("place", "u4"), ("cost", "u2"), ("bound", "u2"), ("move", "u1")])'
    walk = load_class(f"{puzzle_file(edited(line, state, WALK))}:Walk")
    for size in (22, 514):
        puzzle = walk(size=size)  # type: ignore[call-arg]
        assert check(puzzle, 30, samples=10).faults == []
        assert Problem(puzzle).state["place"].itemsize == (1 if size == 22 else 2)
    assert parsolve.solve(walk(size=22), want="count", workers=1).count == 6  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("puzzle", "states"), [(Jugs(), 300), (Crossing(), 300), (Peg(bound="none"), 3000), (Sliding(NEAR), 300)], ids=repr
)
def test_check_meets_keys_of_several_states(puzzle: Puzzle, states: int) -> None:
    assert check(puzzle, states, samples=3).key_pairs > 0
