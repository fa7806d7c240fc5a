"""Every known answer of peg solitaire: moves and solutions, and all sequences of jumps."""

import csv
from collections.abc import Iterator

import pytest
from cases import nightly
from conftest import ORACLE, ROOT

import parsolve
from parsolve.puzzles.peg.abstraction import PegBoards
from parsolve.puzzles.peg.boards import BOARDS
from parsolve.puzzles.peg.chains import PegChains
from parsolve.puzzles.peg.positions import hole_in
from parsolve.puzzles.peg.solitaire import Peg
from parsolve.puzzles.peg.symmetries import symmetries

Problem = tuple[str, str, str, tuple[int, int], int]
"""Board, vacancy, target, moves and minimal solutions, and sequences of jumps."""


def problems() -> Iterator[Problem]:
    with (ORACLE / "peg.csv").open() as file:
        for row in csv.DictReader(file):
            known = int(row["min_moves"]), int(row["optimal_solutions"])
            yield row["board"], row["vacancy"], row["target"], known, int(row["all_jump_sequences"])
    with (ORACLE / "peg_english33.csv").open() as file:
        for row in csv.DictReader(file):
            known = int(row["min_moves"]), int(row["optimal_solutions"])
            hole = row["vacancy_and_target"]
            yield "english33", hole, hole, known, int(row["all_jump_sequences"])


PROBLEMS = [*problems()]


def up_to_symmetry() -> list[Problem]:
    """Return one of the problems that are images of one another, without those of the English board, which take
    hours."""
    found = {}
    for problem in PROBLEMS:
        board, vacancy, target, *_ = problem
        if board != "english33":
            images = [(each.holes[int(vacancy)], each.holes[int(target)]) for each in symmetries(BOARDS[board])]
            found.setdefault((board, min(images)), problem)
    return [*found.values()]


def answer(puzzle: parsolve.Puzzle, engine: parsolve.puzzle.core.EngineName) -> tuple[int | None, int | None]:
    found = parsolve.solve(puzzle, want="count", workers=1, engine=engine)
    return found.cost, found.count


SMALL = up_to_symmetry()
BY_DAY = [each for each in SMALL if "21" not in each[0]][::12]


@pytest.mark.parametrize("problem", [each if each in BY_DAY else nightly((each,)) for each in SMALL], ids=str)
def test_known_answers(problem: Problem) -> None:
    """By searches that are independent of one another but for the jumps of the board."""
    board, vacancy, target, known, sequences = problem
    assert answer(Peg(board, vacancy, target, bound="feasible"), "breadth") == known
    assert answer(Peg(board, vacancy, target, bound="regions"), "deepening") == known
    assert answer(PegBoards(board, vacancy, target), "breadth")[1] == sequences
    assert "21" in board or answer(PegChains(board, vacancy, target), "breadth") == known


def test_the_published_table_has_them_all() -> None:
    """Of each problem and its images one is published; of `triangle21_modified` none is."""
    published: dict[tuple[str, int, int], tuple[tuple[int, int], int]] = {}
    with (ROOT / "results" / "peg_minimal_solutions.csv").open() as file:
        for row in csv.DictReader(file):
            told = (int(row["moves"]), int(row["solutions"])), int(row["jump_sequences"])
            for each in symmetries(BOARDS[row["board"]]):
                image = row["board"], each.holes[int(row["vacancy"])], each.holes[int(row["target"])]
                assert published.setdefault(image, told) == told
    for board, vacancy, target, known, sequences in PROBLEMS:
        if board != "triangle21_modified":
            ends = (hole_in(hole, BOARDS[board], "hole") for hole in (vacancy, target))
            assert published[board, *ends] == (known, sequences)
