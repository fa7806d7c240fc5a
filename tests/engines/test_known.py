"""Known answers of every family, from the source pages and the literature, by the engine that is taken by default."""

from typing import Any

import pytest
from cases import nightly
from conftest import ORACLE
from samples import texts
from shared import oracle

import parsolve
from parsolve.problem.registry import make
from parsolve.puzzle.catalogue import families, names
from parsolve.puzzles import Peg, Sliding

pytestmark = pytest.mark.mission

KNOWN: list[tuple[str, dict[str, Any], int]] = [
    ("cover", {}, 1),
    ("crossing", {}, 486),
    ("domination", {}, 4860),
    ("flipit", {}, 7),
    ("flipit-a", {}, 7),
    ("flipit-b", {}, 41),
    ("flipit-c", {}, 73),
    ("jugs", {}, 1),
    ("langford", {"n": 8}, 150),
    ("peg", {}, 72),
    ("hoppers", {}, 18),
    ("peg21", {}, 96),
    ("permutations", {"n": 7}, 5040),
    ("polyominoes", {"board": "4x5", "pieces": "10*I2"}, 95),
    ("queens", {"n": 12}, 14_200),
    ("sliding", {}, 40),
    ("eight", {}, 40),
    ("five", {}, 4),
    ("eleven", {}, 76),
    ("sudoku", {}, 1),
]
"""Puzzles, parameters and numbers of solutions."""


def test_every_family_and_instance_has_a_known_answer() -> None:
    assert {name for name, *_ in KNOWN} == {*families(), *names()}


COSTLY = ("crossing", "domination", "eleven", "jugs", "polyominoes")
"""Those whose kernels or tables take five to fifteen seconds from a fresh clone; their families have other tests."""


@pytest.mark.parametrize(
    ("name", "parameters", "number"), [nightly(case) if case[0] in COSTLY else case for case in KNOWN], ids=str
)
def test_every_family(name: str, parameters: dict[str, Any], number: int) -> None:
    assert parsolve.solve(make(name, parameters), want="count", workers=1).count == number


HOPPERS = (ORACLE / "hoppers_18.txt").read_text().splitlines()


@pytest.mark.parametrize("bound", ["none", "corners"])
def test_hoppers_gives_the_lines_of_the_page(bound: str) -> None:
    result = parsolve.solve(Peg(first="0-6", bound=bound), workers=1)
    assert (result.cost, result.count) == (7, 18)
    assert texts(result) == HOPPERS
    assert all(iteration.solutions == 0 for iteration in result.iterations[:-1])


@pytest.mark.processes
@pytest.mark.parametrize(("start", "bound"), [("8 6 7 2 5 4 3 0 1", "none"), ("6 4 7 8 5 0 3 2 1", "manhattan")])
def test_the_hardest_eight_puzzles(start: str, bound: str) -> None:
    result = parsolve.solve(Sliding(start=start, bound=bound), workers=2)
    assert (result.status, result.cost, result.count, len(set(texts(result)))) == ("solved", 31, 40, 40)
    assert result.paths == sorted(result.paths)


@pytest.mark.parametrize("row", [row for row in oracle("korf100.csv") if row["id"] in ("4", "12", "16", "19", "30")])
def test_fifteen_puzzles_of_korf(row: dict[str, str]) -> None:
    puzzle = Sliding(start=row["tiles"], goal="blank-first", bound="manhattan")
    result = parsolve.solve(puzzle, want="count")
    assert (result.cost, result.count) == (int(row["optimal_length"]), int(row["optimal_solutions"]))
    assert result.iterations[0].limit == int(row["manhattan"])
