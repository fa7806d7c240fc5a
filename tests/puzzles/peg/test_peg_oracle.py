"""Every known answer of peg solitaire, by both engines: moves and solutions, and all sequences of jumps."""

import csv

import pytest
from conftest import ROOT
from peg_answers import PROBLEMS, SMALL, assert_known

from parsolve.puzzles.peg.boards import BOARDS
from parsolve.puzzles.peg.positions import hole_in
from parsolve.puzzles.peg.symmetries import symmetries

RESULTS = ROOT / "results"

# The English board takes minutes to hours so: `test_peg_feasible` has its answers within the feasible boards.


@pytest.mark.nightly
@pytest.mark.parametrize("problem", SMALL[::96], ids=lambda each: "-".join(each[:3]))
def test_some_known_answers(problem: tuple[str, str, str, tuple[int, int], int]) -> None:
    assert_known(problem)


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
