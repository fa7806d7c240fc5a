"""The known answers of peg solitaire, and three searches that must give each."""

import csv
from collections.abc import Iterator

from shared import ORACLE

import parsolve
from parsolve.puzzles.peg.abstraction import PegBoards
from parsolve.puzzles.peg.boards import BOARDS
from parsolve.puzzles.peg.solitaire import Peg
from parsolve.puzzles.peg.symmetries import symmetries


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


def up_to_symmetry() -> list[tuple[str, str, str, tuple[int, int], int]]:
    """Return one of the problems that are images of one another, without those of the English board."""
    found = {}
    for problem in PROBLEMS:
        board, vacancy, target, *_ = problem
        if board != "english33":
            images = [(each.holes[int(vacancy)], each.holes[int(target)]) for each in symmetries(BOARDS[board])]
            found.setdefault((board, min(images)), problem)
    return [*found.values()]


SMALL = up_to_symmetry()


def answer(puzzle: parsolve.Puzzle, engine: str) -> tuple[int | None, int | None]:
    found = parsolve.solve(puzzle, want="count", workers=1, engine=engine)  # type: ignore[arg-type]
    return found.cost, found.count


def assert_known(problem: tuple[str, str, str, tuple[int, int], int]) -> None:
    """Hold three searches against one known answer, each independent of the others but for the jumps of the board."""
    board, vacancy, target, known, sequences = problem
    assert answer(Peg(board, vacancy, target, bound="feasible"), "breadth") == known
    assert answer(Peg(board, vacancy, target, bound="regions"), "deepening") == known
    assert answer(PegBoards(board, vacancy, target), "breadth")[1] == sequences
