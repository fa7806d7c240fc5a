"""Peg solitaire by whole moves against jumps."""

import random

import pytest

import parsolve
from parsolve.check import check
from parsolve.problem.problem import Problem
from parsolve.puzzles import Peg
from parsolve.puzzles.peg.boards import BOARDS
from parsolve.puzzles.peg.chains import PegChains
from parsolve.puzzles.peg.large import PegLarge


def counted(puzzle: parsolve.Puzzle) -> tuple[int | None, int | None]:
    result = parsolve.solve(puzzle, want="count", engine="breadth", workers=2)
    return result.cost, result.count


@pytest.mark.parametrize("seed", range(5))
def test_several_pegs_left(seed: int) -> None:
    # A run of jumps may pass the goal: what leads on from there is no solution.
    board, random_ = BOARDS["triangle15"], random.Random(seed)
    pegs = (1 << board.holes) - 1 - (1 << random_.randrange(board.holes))
    drawn = "".join("o" if pegs >> hole & 1 else "." for hole in range(board.holes))
    for _ in range(random_.randrange(3, 10)):
        jumps = [(a, b, c) for a, b, c in board.jumps if pegs >> a & pegs >> b & ~(pegs >> c) & 1]
        if jumps:
            pegs ^= sum(1 << hole for hole in random_.choice(jumps))
    goal = " ".join(str(hole) for hole in range(board.holes) if pegs >> hole & 1)
    known = parsolve.solve(Peg("triangle15", position=drawn, goal=goal), want="count", workers=1)
    assert counted(PegChains("triangle15", position=drawn, goal=goal)) == (known.cost, known.count)


@pytest.mark.nightly
def test_the_contract() -> None:
    assert not check(PegChains("triangle15", "0", "12"), states=2000).faults


def test_counts_of_large_boards_take_it() -> None:
    puzzle = Peg("french37", "d2", "d6")
    assert isinstance(Problem(puzzle, "count").for_breadth.puzzle, PegChains)
    for other in (Problem(puzzle, "all"), Problem(Peg("french37", "d2", "d6", unique=True), "count")):
        assert not isinstance(other.for_breadth.puzzle, PegChains)
    assert isinstance(Problem(puzzle, "count").puzzle, PegLarge)


def test_counts_of_the_english_board_take_it() -> None:
    for puzzle, takes in ((Peg("english33"), True), (Peg("english33", bound="feasible"), False), (Peg(), False)):
        assert isinstance(Problem(puzzle, "count").for_breadth.puzzle, PegChains) == takes
