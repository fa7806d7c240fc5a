"""Every known answer of peg solitaire, by both engines: moves and solutions, and all sequences of jumps."""

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ORACLE

import parsolve
from parsolve.puzzles.boards import BOARDS
from parsolve.puzzles.peg import Peg
from parsolve.puzzles.peg_boards import PegBoards
from parsolve.puzzles.peg_positions import hole_in
from parsolve.puzzles.symmetries import symmetries

RESULTS = Path(__file__).parents[1] / "results"


def problems() -> Iterator[tuple[str, str, str, tuple[int, int], int]]:
    """Yield board, vacancy, target, moves and minimal solutions, and sequences of jumps."""
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
FEW = [each for each in PROBLEMS if each[0] != "english33"][::24]


def answer(puzzle: parsolve.Puzzle, engine: str) -> tuple[int | None, int | None]:
    found = parsolve.solve(puzzle, want="count", workers=1, engine=engine, max_memory=4 << 30)  # type: ignore[arg-type]
    return found.cost, found.count


def assert_known(problem: tuple[str, str, str, tuple[int, int], int], deepening: bool = True) -> None:
    """Hold three searches against one known answer, each independent of the others but for the jumps of the board."""
    board, vacancy, target, known, sequences = problem
    assert answer(Peg(board, vacancy, target, bound="feasible"), "breadth") == known
    if deepening:
        assert answer(Peg(board, vacancy, target, bound="regions"), "deepening") == known
    assert answer(PegBoards(board, vacancy, target), "breadth")[1] == sequences


@pytest.mark.parametrize(
    "problem", [each for each in FEW if each[0] != "english33"], ids=lambda each: "-".join(each[:3])
)
def test_some_known_answers(problem: tuple[str, str, str, tuple[int, int], int]) -> None:
    assert_known(problem)


@pytest.mark.slow
@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda each: "-".join(each[:3]))
def test_all_known_answers(problem: tuple[str, str, str, tuple[int, int], int]) -> None:
    """Deepening takes hours for the central game of the English board alone."""
    assert_known(problem, deepening=problem[1] != "d4")


def test_the_published_table_has_them_all() -> None:
    """Of each problem and its images one is published; of `triangle21_modified` none is."""
    published: dict[tuple[str, int, int], tuple[tuple[int, int], int]] = {}
    with (RESULTS / "peg_minimal_solutions.csv").open() as file:
        for row in csv.DictReader(file):
            answer = (int(row["moves"]), int(row["solutions"])), int(row["jump_sequences"])
            for each in symmetries(BOARDS[row["board"]]):
                image = row["board"], each.holes[int(row["vacancy"])], each.holes[int(row["target"])]
                assert published.setdefault(image, answer) == answer
    for board, vacancy, target, known, sequences in PROBLEMS:
        if board != "triangle21_modified":
            ends = (hole_in(hole, BOARDS[board], "hole") for hole in (vacancy, target))
            assert published[board, *ends] == (known, sequences)
